// The registers of a thread: general registers by type, masks and flags.

import { byId, element } from "./dom.js";
import { bytes, differs, size, text } from "./values.js";

const REGISTER = 32; // Bytes.
let now = null;
let before = null;
let width = 8;

function unpack(moment) {
  if (!moment) return null;
  const written = bytes(moment.written);
  return { moment, general: bytes(moment.general), written: (byte) => (written[byte >> 3] >> (byte & 7)) & 1 };
}

// Shows a moment. `earlier` is the one before, for the marks of changes; `channels` the SIMD width of the thread.
export function show(moment, earlier, channels) {
  now = unpack(moment);
  before = unpack(earlier);
  width = channels;
  draw();
}

function heading(scope, value) {
  const made = element("th", "", value);
  made.scope = scope;
  return made;
}

function values(head, rows) {
  return element(
    "table", "values",
    element("thead", "", element("tr", "", ...head.map((each) => heading("col", each)))),
    element("tbody", "", ...rows),
  );
}

// Names with values, which wrap.
const words = (rows) => element("table", "values words", element("tbody", "", ...rows));

function draw() {
  if (!now) {
    byId("registers").replaceChildren();
    byId("masks").replaceChildren();
    return;
  }
  general();
  masks();
}

function general() {
  const [type, lanes, which] = [byId("type").value, byId("layout").value === "lanes", byId("which").value];
  const each = size(type);
  const columns = lanes ? width : REGISTER / each;
  const span = columns * each;
  const rows = [];
  for (let register = 0; register * REGISTER + span <= now.general.length; register++) {
    const start = register * REGISTER;
    const places = Array.from({ length: columns }, (_, n) => start + n * each);
    const written = places.some((at) => now.written(at));
    const changed = differs(now.general, before?.general, start, span);
    if ((which === "written" && !written) || (which === "changed" && !changed)) continue;
    const cells = places.map((at, n) => {
      const cell = element("td", "", now.written(at) ? text(now.general, at, type) : "·");
      cell.classList.toggle("changed", differs(now.general, before?.general, at, each));
      cell.classList.toggle("off", lanes && !((now.moment.active >>> n) & 1));
      return cell;
    });
    rows.push(element("tr", "", heading("row", `r${register}`), ...cells));
  }
  const head = Array.from({ length: columns }, (_, n) => (lanes ? `lane ${n}` : n));
  byId("registers").replaceChildren(values(["", ...head], rows));
}

function masks() {
  const { moment } = now;
  const lanes = Math.max(width, 16);
  const mask = (name, bits, old) => {
    const cells = Array.from({ length: lanes }, (_, n) => {
      const bit = (bits >>> n) & 1;
      const cell = element("td", bit ? "" : "off", bit);
      cell.classList.toggle("changed", old !== undefined && ((old >>> n) & 1) !== bit);
      return cell;
    });
    return element("tr", "", heading("row", name), ...cells);
  };
  const old = before?.moment;
  const half = (list, n) => (list ? (n % 2 ? list[n >> 1] >>> 16 : list[n >> 1] & 0xffff) : undefined);
  const head = ["", ...Array.from({ length: lanes }, (_, n) => n)];
  const flags = [0, 1, 2, 3].map((n) => mask(`f${n >> 1}.${n & 1}`, half(moment.flags, n), half(old?.flags, n)));
  const bits = [
    mask("instruction", moment.channels, old?.channels),
    mask("active", moment.active, old?.active),
    mask("started", moment.dispatched, old?.dispatched),
    ...flags,
  ];
  const hex = (value) => value.toString(16).padStart(8, "0");
  const type = byId("type").value;
  const accumulator = (digits) => {
    const all = bytes(digits);
    const count = REGISTER / size(type);
    return Array.from({ length: count }, (_, n) => text(all, n * size(type), type)).join(" ");
  };
  const other = [
    ["acc0", accumulator(moment.accumulators[0])],
    ["acc1", accumulator(moment.accumulators[1])],
    ["a0", moment.address.map((word) => word.toString(16).padStart(4, "0")).join(" ")],
    ["sr0", moment.state.map(hex).join(" ")],
    ["cr0", hex(moment.control)],
    ["n0", hex(moment.notifications)],
  ];
  const rows = other.map(([name, value]) => element("tr", "", heading("row", name), element("td", "", value)));
  byId("masks").replaceChildren(values(head, bits), words(rows));
}

for (const id of ["type", "layout", "which"]) byId(id).addEventListener("change", draw);
