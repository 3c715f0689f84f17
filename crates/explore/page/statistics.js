// Statistics, the load of the units, the pressure curve and the blocks.

import { byId, element, table } from "./dom.js";

const SVG = "http://www.w3.org/2000/svg";
const box = byId("statistics");

export const clear = () => box.replaceChildren();

export function show(program) {
  const card = (value, name) => element("div", "card", element("b", "", value), element("span", "", name));
  const { code, cycles, registers, spills } = program;
  const peak = registers.peak ? [card(`${registers.peak.registers} / ${registers.available}`, "registers at the peak")] : [];
  box.replaceChildren(
    element(
      "div", "cards",
      card(code.instructions, "instructions"),
      card(code.bytes, "bytes"),
      card(cycles.eu, "cycles of a full EU"),
      card(cycles.thread, "cycles of a thread"),
      card(program.bound, "bound by"),
      ...peak,
      card(spills.stores + spills.loads, "spills"),
    ),
    element("h2", "", "Load of the units"),
    ...program.units.map(bar),
    element("h2", "", "Registers in use, by instruction"),
    curve(program),
    blocks(program),
  );
}

function bar(unit) {
  const fill = element("i");
  fill.style.width = `${Math.min(100, unit.percent)}%`;
  const label = `${unit.percent.toFixed(0)} %, ${unit.busy} cycles`;
  return element("div", "bar", element("span", "", unit.unit), element("div", "", fill), element("span", "", label));
}

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function curve(program) {
  const values = program.instructions.map((each) => each.pressure);
  const most = Math.max(1, ...values);
  const width = Math.max(1, values.length);
  const steps = values.map((value, n) => `L${n} ${most - value}L${n + 1} ${most - value}`).join("");
  const label = `Registers in use, at most ${most}, over ${values.length} instructions`;
  const made = shape("svg", { viewBox: `0 0 ${width} ${most}`, preserveAspectRatio: "none", role: "img", "aria-label": label });
  made.append(
    shape("path", { class: "area", d: `M0 ${most}${steps}L${width} ${most}Z` }),
    shape("path", { d: `M0 ${most}${steps}` }),
  );
  return made;
}

function blocks(program) {
  const hex = (offset) => `0x${offset.toString(16)}`;
  const rows = program.blocks.map((block) => [
    block.block, hex(block.offset), block.successors.join(", "), block.runs, block.cycles_once, `${block.percent.toFixed(0)} %`,
  ]);
  return table("Blocks", ["block", "offset", "successors", "runs", "cycles of a run", "share"], rows, [0, 1, 3, 4, 5]);
}
