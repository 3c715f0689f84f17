// Runs the code up to a moment of a thread. Each step is a new run from the start, so that the server keeps nothing.

import { post } from "./api.js";
import * as code from "./code.js";
import { byId, element } from "./dom.js";
import * as memory from "./memory.js";
import * as registers from "./registers.js";
import { TYPES } from "./values.js";

let context = null; // The request that compiled the code, the stage, and the report of the selected code entry.
let breakpoints = new Set();
let last = null; // The answer of the last run.
let stop = null; // Where the last run ended, for another run to the same moment.
let newest = 0;
let reported = () => {};

export const onMoment = (handle) => (reported = handle);

for (const id of ["type", "memory-type"]) {
  byId(id).replaceChildren(...Object.keys(TYPES).map((name) => element("option", "", name)));
}

byId("memory-type").value = "UD";

// Another program: the moment is gone, the settings stay.
export function setProgram(request, stage, program, code) {
  if (context && context.code !== code) breakpoints.clear();
  context = { request, stage, program, code };
  byId("run").dataset.stage = stage;
  newest += 1;
  last = null;
  stop = null;
  memory.clear();
  registers.show(null);
  byId("messages").replaceChildren();
  status("Not started.");
  buttons();
}

function status(words) {
  byId("moment").textContent = words;
}

function buttons() {
  const moment = last?.moment;
  const ended = !moment || moment.ended;
  byId("back").disabled = !moment || moment.executed === 0;
  byId("step").disabled = Boolean(last) && ended;
  byId("block").disabled = Boolean(last) && ended;
  byId("start").textContent = last ? "Start again" : "Start";
  code.markRun(moment && !moment.ended ? moment.offset : null, breakpoints);
}

const place = ({ group, index }) => `${group.join(",")}:${index}`;

function thread() {
  const words = byId("thread").value.trim();
  if (!words) return null;
  const found = words.split(/[^0-9]+/).filter(Boolean).map(Number);
  return { group: [0, 1, 2].map((n) => found[n] ?? 0), index: found[3] ?? 0 };
}

const WORDS = {
  step: "before the instruction",
  breakpoint: "at a breakpoint, before the instruction",
  diagnostic: "after the instruction with a diagnostic",
  thread_end: "at its end",
  end: "at its end; all threads have ended",
};

function sentence(ran) {
  if (ran.reason === "error") return `The run failed: ${ran.message}`;
  const moment = ran.moment;
  if (!moment) return "All threads have ended; none is the chosen one.";
  const offset = `0x${moment.offset.toString(16).padStart(4, "0")}`;
  const instruction = ["thread_end", "end"].includes(ran.reason) ? "" : ` at ${offset}`;
  const message = ran.message ? ` ${ran.message}.` : "";
  return `Thread ${place(moment.thread)} is ${WORDS[ran.reason]}${instruction}, after ${moment.executed} instructions.${message}`;
}

// `chosen`: the thread of the field, not that of the last moment.
async function run(wanted, skip, chosen = false) {
  if (!context) return;
  const request = ++newest;
  const body = {
    program: context.request,
    grid: memory.numbers(byId("grid").value, 3),
    size: memory.numbers(byId("size").value, 2),
    width: context.stage === "fragment" ? context.program.simd_width : null,
    resources: last ? memory.settings() : memory.pending(),
    push: byId("push").value,
    thread: chosen || !last?.moment ? thread() : last.moment.thread,
    stop: wanted,
    diagnostics: byId("diagnostics").checked,
    skip,
  };
  status("running");
  let answer;
  try {
    answer = await post("run", body);
  } catch (error) {
    answer = { error: { code: "server", message: error.message } };
  }
  if (request !== newest) return;
  if (answer.error) {
    status(`${answer.error.code}: ${answer.error.message}`);
    return;
  }
  const before = last;
  last = answer.ran;
  stop = { wanted, skip };
  show(before);
}

function show(before) {
  const { moment } = last;
  status(sentence(last));
  const same = before?.moment && moment && place(before.moment.thread) === place(moment.thread);
  registers.show(moment, same ? before.moment : null, context.program.simd_width ?? 8);
  memory.show(moment, last.resources, before?.resources);
  const rows = last.messages.map((each) => element("li", "", each.text));
  if (last.seen > rows.length) rows.push(element("li", "", `and ${last.seen - rows.length} more`));
  byId("messages").replaceChildren(...rows);
  byId("threads").replaceChildren(...last.threads.map((each) => {
    const made = element("option");
    made.value = place(each);
    return made;
  }));
  if (moment) byId("thread").value = place(moment.thread);
  buttons();
  if (moment) code.selectOffset(moment.offset);
  reported();
}

const executed = () => last?.moment?.executed ?? 0;
const skip = () => (last ? last.seen : 0);
// The number of the instruction after the one that the thread is at. A diagnostic is shown after its instruction.
const from = () => (last?.moment ? last.moment.executed + (last.reason === "diagnostic" ? 0 : 1) : 0);

export const start = () => run({ executed: 0 }, 0, true);
export const step = () => (last ? run({ executed: executed() + 1 }, skip()) : start());
export const back = () => run({ executed: Math.max(0, executed() - 1) }, 0);
export const finish = () => run({ breakpoint: { from: from(), offsets: [] } }, skip());
export const goOn = () => run({ breakpoint: { from: from(), offsets: [...breakpoints] } }, skip());
export const whole = () => run("end", skip());

export function block() {
  if (!last) return start();
  return run({ breakpoint: { from: from(), offsets: context.program.blocks.map((each) => each.offset) } }, skip());
}

export function toggle(instruction) {
  const { offset } = instruction;
  if (!breakpoints.delete(offset)) breakpoints.add(offset);
  buttons();
}

// The moment again, after a setting was changed.
function again() {
  if (last && stop) run(stop.wanted, stop.skip);
}

// A key in the list of the machine code.
export function key(name) {
  const actions = { s: step, r: back, n: block, c: goOn };
  if (name === "r" && byId("back").disabled) return;
  if ((name === "s" || name === "n") && byId("step").disabled) return;
  actions[name]?.();
}

// For a file: the settings, and the moment.
export function saved() {
  const fields = {};
  for (const id of ["grid", "size", "thread", "push"]) fields[id] = byId(id).value;
  fields.diagnostics = byId("diagnostics").checked;
  const resources = last ? memory.settings() : memory.pending();
  return { ...fields, resources, breakpoints: [...breakpoints], stop: stop?.wanted ?? null };
}

// Takes the settings of a file; the run comes after the compilation.
export function load(given) {
  for (const id of ["grid", "size", "thread", "push"]) if (typeof given[id] === "string") byId(id).value = given[id];
  byId("diagnostics").checked = given.diagnostics !== false;
  last = null;
  memory.load(Array.isArray(given.resources) ? given.resources : []);
  context = null;
  breakpoints = new Set();
  return async () => {
    breakpoints = new Set(given.breakpoints ?? []);
    buttons();
    if (given.stop) await run(given.stop, Number.MAX_SAFE_INTEGER);
  };
}

const ACTIONS = { start, back, step, block, continue: goOn, finish, whole };
for (const [id, action] of Object.entries(ACTIONS)) byId(id).addEventListener("click", action);
byId("run-options").addEventListener("submit", (event) => event.preventDefault());
for (const id of ["grid", "size", "push", "diagnostics"]) byId(id).addEventListener("change", again);
byId("thread").addEventListener("change", () => last && start());
memory.onChange(again);
