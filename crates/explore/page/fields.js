// The bytes and the fields of the selected instruction.

import { post } from "./api.js";
import { byId, element, table } from "./dom.js";

const box = byId("fields");
let last = 0;

export function clear() {
  last += 1;
  box.replaceChildren(element("p", "faint", "Select an instruction to see its bytes and fields."));
}

export async function show(target, code, instruction) {
  const request = ++last;
  const start = 2 * instruction.offset;
  const bytes = code.slice(start, start + (instruction.compacted ? 16 : 32));
  let shown;
  try {
    shown = tables(await post("fields", { target, bytes }));
  } catch (error) {
    shown = [element("p", "", error.message)];
  }
  if (request !== last) return;
  const groups = bytes.match(/.{2}/g).join(" ");
  box.replaceChildren(
    element("p", "bytes", instruction.text),
    element("p", "bytes", groups, instruction.compacted ? " (compacted)" : ""),
    ...shown,
  );
}

// The registers that an operand accesses: the number in a cell is the channel that accesses the byte.
function regions(operands) {
  return operands.map(({ name, svg }) => {
    const image = element("img");
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    image.alt = `The bytes that each channel of the ${name} accesses`;
    const made = element("figure", "region", element("figcaption", "faint", `Region of the ${name}`), image);
    made.tabIndex = 0;
    return made;
  });
}

const range = ([high, low]) => (high === low ? `${high}` : `${high}:${low}`);
// A zero-width space lets a long list of ranges wrap.
const bits = (field) => field.bits.map(range).join("+\u200b");

function tables(found) {
  const named = found.fields.filter((field) => field.name);
  const rows = named.map((field) => [bits(field), field.name, field.value, field.meaning]);
  const made = [table("Fields of the full instruction", ["bits", "field", "value", "meaning"], rows, [0, 2])];
  if (found.message.length) {
    const rows = found.message.map((field) => [field.word, bits(field), field.name, field.value, field.meaning]);
    made.push(table("Message", ["word", "bits", "field", "value", "meaning"], rows, [1, 3]));
  }
  return [...made, ...regions(found.operands)];
}
