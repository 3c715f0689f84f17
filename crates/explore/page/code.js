// The machine code: a list of instructions with links to the source.

import { byId, element } from "./dom.js";

const list = byId("code");
let rows = [];
let selected = -1;
let handlers = { select() {}, hover() {}, toggle() {}, key() {} };

export const setHandlers = (given) => (handlers = given);

export function show(program) {
  selected = -1;
  rows = program.instructions.map((instruction, n) => {
    const before = program.instructions[n - 1];
    const starts = before && before.block !== instruction.block;
    const row = element(
      "div", starts ? "row block" : "row",
      element("span", "marker"),
      element("span", "n", `0x${instruction.offset.toString(16).padStart(4, "0")}`),
      element("span", "n", instruction.source ? instruction.source.line : ""),
      element("span", "n", instruction.cycles),
      element("span", "", instruction.text),
    );
    row.id = `i${n}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", "false");
    row.title = instruction.reason ?? `block ${instruction.block}, issue at cycle ${instruction.issue}`;
    row.addEventListener("click", () => select(n));
    row.firstChild.title = "Breakpoint";
    row.firstChild.addEventListener("click", (event) => {
      event.stopPropagation();
      handlers.toggle(instruction);
    });
    row.addEventListener("mouseenter", () => handlers.hover(instruction));
    return { row, instruction };
  });
  list.replaceChildren(...rows.map((each) => each.row));
  list.removeAttribute("aria-activedescendant");
}

export function select(n) {
  if (!rows[n]) return;
  rows[selected]?.row.setAttribute("aria-selected", "false");
  selected = n;
  const { row, instruction } = rows[n];
  row.setAttribute("aria-selected", "true");
  list.setAttribute("aria-activedescendant", row.id);
  row.scrollIntoView({ block: "nearest" });
  handlers.select(instruction);
}

// Marks the next instruction of a thread, `null` for none, and the breakpoints: a set of byte offsets.
export function markRun(current, breakpoints) {
  for (const { row, instruction } of rows) {
    const [here, stops] = [instruction.offset === current, breakpoints.has(instruction.offset)];
    row.classList.toggle("current", here);
    row.classList.toggle("stops", stops);
    // The marker itself is drawn; its text is for screen readers.
    const words = [stops ? "breakpoint" : "", here ? "next instruction" : ""].filter(Boolean).join(", ");
    row.firstChild.replaceChildren(element("span", "unseen", words && `${words}: `));
  }
}

export function selectOffset(offset) {
  select(rows.findIndex((each) => each.instruction.offset === offset));
}

// Marks the instructions of a source line.
export function mark(line, scroll = false) {
  const found = rows.filter((each) => each.instruction.source?.line === line);
  for (const each of rows) each.row.classList.toggle("on", found.includes(each));
  if (scroll) found[0]?.row.scrollIntoView({ block: "nearest" });
}

list.addEventListener("keydown", (event) => {
  if (!event.ctrlKey && !event.metaKey && !event.altKey) {
    if (event.key === "b" && rows[selected]) handlers.toggle(rows[selected].instruction);
    else handlers.key(event.key);
  }
  const moves = { ArrowDown: selected + 1, ArrowUp: selected - 1, Home: 0, End: rows.length - 1 };
  if (!(event.key in moves)) return;
  event.preventDefault();
  select(Math.max(0, moves[event.key]));
});
list.addEventListener("mouseleave", () => handlers.hover(null));
