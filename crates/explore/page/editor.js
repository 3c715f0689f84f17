// The source: numbers of lines, marked lines, and the error below its line.

import { byId, element } from "./dom.js";

const LINE = 20; // The height of a line in pixels, and PADDING above the first, as in style.css.
const PADDING = 8;
const source = byId("source");
let marked = []; // Numbers of lines, from 1.
let problem = null;

export const text = () => source.value;

export function setText(value) {
  source.value = value;
  draw();
}

export function onEdit(handle) {
  source.addEventListener("input", () => {
    marked = [];
    draw();
    handle();
  });
}

export const currentLine = () => source.value.slice(0, source.selectionStart).split("\n").length;

// Calls the function with the number of the line under the mouse or with the cursor.
export function onLine(handle) {
  source.addEventListener("mousemove", (event) => {
    const top = source.getBoundingClientRect().top;
    handle(Math.floor((event.clientY - top - PADDING + source.scrollTop) / LINE) + 1);
  });
  source.addEventListener("click", () => handle(currentLine(), true));
  source.addEventListener("keyup", () => handle(currentLine()));
}

export function mark(lines, scroll = false) {
  marked = lines;
  if (scroll && lines.length) {
    const top = (lines[0] - 1) * LINE;
    const visible = top >= source.scrollTop && top < source.scrollTop + source.clientHeight - LINE;
    if (!visible) source.scrollTop = Math.max(0, top - source.clientHeight / 2);
  }
  draw();
}

export function showProblem(found) {
  problem = found;
  draw();
}

function draw() {
  const count = source.value.split("\n").length;
  const numbers = Array.from({ length: count }, (_, n) => n + 1).join("\n");
  const lines = byId("lines");
  if (lines.textContent !== numbers) lines.textContent = numbers;
  place();
}

function place() {
  byId("lines").scrollTop = source.scrollTop;
  const top = (line) => PADDING + (line - 1) * LINE - source.scrollTop;
  const strip = (line, kind) => {
    const made = element("div", kind);
    made.style.top = `${top(line)}px`;
    return made;
  };
  const strips = marked.map((line) => strip(line, "line"));
  const box = byId("problem");
  box.hidden = !problem;
  if (problem) {
    const text = `${problem.code}: ${problem.message}`;
    if (box.textContent !== text) box.textContent = text;
    // An error without a place is at the lower edge.
    box.style.top = problem.line ? `${top(problem.line + 1)}px` : "auto";
    box.style.bottom = problem.line ? "auto" : "8px";
    if (problem.line) strips.push(strip(problem.line, "line bad"));
  }
  byId("marks").replaceChildren(...strips);
}

source.addEventListener("scroll", place);
