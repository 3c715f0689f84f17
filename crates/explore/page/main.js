// Connects the views: an edit compiles after a short pause, and a newer compilation replaces an older one.

import { get, post } from "./api.js";
import * as code from "./code.js";
import { byId, element } from "./dom.js";
import * as editor from "./editor.js";
import * as fields from "./fields.js";
import * as file from "./file.js";
import * as run from "./run.js";
import * as statistics from "./statistics.js";

const PAUSE = 30; // Milliseconds without an edit before a compilation.
const OPTIONS = ["language", "stage", "target", "width"];
let compiled = null;
let request = null; // The request of `compiled`.
let newest = 0;
let timer = 0;

function status(text, bad = false) {
  byId("status").textContent = text;
  byId("status").classList.toggle("bad", bad);
}

function source() {
  const made = { source: editor.text() };
  for (const name of OPTIONS) made[name] = byId(name).value;
  return made;
}

const current = () => compiled?.programs[byId("program").selectedIndex];

function schedule() {
  clearTimeout(timer);
  newest += 1;
  timer = setTimeout(compile, PAUSE);
}

async function compile() {
  const number = ++newest;
  const body = source();
  status("compiling");
  let answer;
  try {
    answer = await post("compile", body);
  } catch (error) {
    answer = { error: { code: "server", message: error.message } };
  }
  if (number !== newest) return;
  editor.showProblem(answer.error ?? null);
  byId("code").classList.toggle("stale", Boolean(answer.error));
  if (answer.error) {
    status("The source has an error; the code is older.", true);
    return;
  }
  compiled = answer.compiled;
  request = body;
  const names = compiled.programs.map((each) => element("option", "", `${each.name} SIMD${each.simd_width}`));
  byId("program").replaceChildren(...names);
  status(`compiled for ${compiled.target}`);
  show();
}

function show() {
  code.show(current());
  run.setProgram(request, compiled.stage, current(), compiled.code);
  statistics.show(current());
  fields.clear();
  editor.mark([]);
}

const linesOf = (instruction) => (instruction?.source ? [instruction.source.line] : []);

code.setHandlers({
  toggle: run.toggle,
  key: run.key,
  hover: (instruction) => editor.mark(linesOf(instruction)),
  select: (instruction) => {
    editor.mark(linesOf(instruction), true);
    if (instruction.source) code.mark(instruction.source.line);
    fields.show(compiled.target, compiled.code, instruction);
  },
});
editor.onEdit(schedule);
editor.onLine((line, scroll) => code.mark(line, scroll));
byId("program").addEventListener("change", show);
for (const name of OPTIONS) byId(name).addEventListener("change", schedule);
byId("options").addEventListener("submit", (event) => event.preventDefault());

file.setHandlers({
  // All of the page.
  save: () => ({ ...source(), run: run.saved() }),
  // The fields that a file has.
  async load(given) {
    for (const name of OPTIONS) if (typeof given[name] === "string") byId(name).value = given[name];
    if (typeof given.source === "string") editor.setText(given.source);
    const rest = given.run ? run.load(given.run) : null;
    clearTimeout(timer);
    await compile();
    await rest?.();
  },
  fail: (message) => status(message, true),
});

const start = await get("start");
byId("target").replaceChildren(...start.targets.map((name) => element("option", "", name)));
for (const name of OPTIONS) byId(name).value = start.document[name];
editor.setText(start.document.source);
await compile();
