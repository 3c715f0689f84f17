// The resources of a run: their contents before it, which can be changed, and those of the moment.

import { byId, element } from "./dom.js";
import { bytes, differs, size, text } from "./values.js";

const ROW = 32; // Bytes of a row.
let cards = new Map();
let shown = [];
let earlier = new Map();
let change = () => {};

const title = ({ kind, name }) => `${kind} ${name}`;

export const onChange = (handle) => (change = handle);

// The settings of all resources that the page knows, for a request.
export function settings() {
  return [...cards.values()].map((card) => card.setting());
}

let loaded = new Map();

// Settings of a sampler, an image and a buffer do not mix, also if their names are equal: a combined image and sampler has one
// name, and another program may use the name for something else.
const family = (one) => ("linear" in one ? "sampler" : "size" in one ? "image" : "buffer");
const key = (one) => `${family(one)} ${one.name}`;

// Settings of a saved file, which the cards take when they are made.
export function load(list) {
  cards = new Map();
  loaded = new Map(list.map((each) => [key(each), each]));
  byId("memory").replaceChildren();
}

// Settings of a saved file before the first run.
export const pending = () => [...loaded.values()];

export function show(moment, resources, before) {
  shown = resources;
  earlier = new Map((before ?? []).map((each) => [title(each), each]));
  const known = shown.map(title).join();
  if (known !== [...cards.values()].map((card) => card.title).join()) {
    cards = new Map(shown.map((each) => [title(each), make(each)]));
    byId("memory").replaceChildren(...[...cards.values()].map((card) => card.box));
  }
  for (const each of shown) cards.get(title(each)).update(each);
  own("shared", "Shared memory", moment?.shared);
  own("scratch", "Scratch memory", moment?.scratch);
}

export function clear() {
  loaded = new Map([...loaded, ...settings().map((each) => [key(each), each])]);
  shown = [];
  cards = new Map();
  byId("memory").replaceChildren();
}

// Memory of the thread, which has no settings.
function own(id, words, digits) {
  byId(id)?.remove();
  if (!digits) return;
  const box = element("fieldset", "", element("legend", "", words), dump(bytes(digits), null, 0, words));
  box.id = id;
  byId("memory").append(box);
}

function labelled(name, input) {
  return element("label", "", `${name} `, input);
}

function field(value, columns, handle) {
  const made = element("input");
  made.value = value;
  made.size = columns;
  made.addEventListener("change", handle);
  return made;
}

function choice(options, value, handle) {
  const made = element("select", "", ...options.map((each) => element("option", "", each)));
  made.value = value;
  made.addEventListener("change", handle);
  return made;
}

function make(resource) {
  const { name, kind } = resource;
  const heading = title(resource);
  const old = loaded.get(key(resource)) ?? {};
  const inputs = {};
  const row = element("div", "buttons");
  const add = (key, label, input) => {
    inputs[key] = input;
    row.append(labelled(label, input));
  };
  const edited = () => {
    if (inputs.values) inputs.values.parentNode.hidden = inputs.fill.value !== "values";
    change();
  };
  if (resource.fill) {
    if (resource.size) {
      add("size", "Size", field((old.size ?? resource.size).join(","), 10, edited));
      add("format", "Format", field(old.format ?? resource.format, 9, edited));
    } else {
      add("bytes", "Bytes", field(old.bytes ?? resource.bytes, 7, edited));
    }
    add("fill", "At the start", choice(["zero", "index", "gradient", "values"], old.fill ?? resource.fill, edited));
    add("values", "Values", field(old.values ?? "", 18, edited));
    inputs.values.parentNode.hidden = inputs.fill.value !== "values";
    add("from", resource.size ? "Layer" : "From byte", field(old.from ?? 0, 6, edited));
  }
  if (kind === "sampler") {
    const linear = choice(["linear", "nearest"], old.linear === false ? "nearest" : "linear", edited);
    add("linear", "Filter", linear);
  }
  const contents = element("div");
  const box = element("fieldset", "", element("legend", "", heading), row, contents);
  const number = (input) => Math.max(0, parseInt(input.value, 10) || 0);
  return {
    title: heading,
    box,
    setting() {
      const made = { name };
      if (inputs.bytes) made.bytes = number(inputs.bytes);
      if (inputs.size) made.size = numbers(inputs.size.value, 3);
      if (inputs.format) made.format = inputs.format.value.trim();
      if (inputs.fill) made.fill = inputs.fill.value;
      if (inputs.values && made.fill === "values") made.values = inputs.values.value;
      if (inputs.from) made.from = number(inputs.from);
      if (inputs.linear) made.linear = inputs.linear.value === "linear";
      return made;
    },
    update(now) {
      if (now.png) {
        const image = element("img");
        image.src = `data:image/png;base64,${now.png}`;
        image.alt = `${heading}: ${now.size[0]} by ${now.size[1]} texels, ${now.format}`;
        contents.replaceChildren(image, element("p", "faint moved", `${now.size.join(" × ")} ${now.format}`));
      } else if (now.hex !== undefined) {
        const before = earlier.get(heading);
        const same = before && before.from === now.from && before.hex?.length === now.hex.length;
        contents.replaceChildren(dump(bytes(now.hex), same ? bytes(before.hex) : null, now.from, heading));
      } else {
        contents.replaceChildren();
      }
    },
  };
}

// Exactly `count` positive numbers of a text; missing ones are 1.
export function numbers(value, count) {
  const found = value.split(/[^0-9]+/).filter(Boolean).map(Number);
  return Array.from({ length: count }, (_, n) => found[n] ?? 1);
}

function dump(now, before, from, words) {
  const type = byId("memory-type").value;
  const each = size(type);
  const rows = [];
  for (let start = 0; start < now.length; start += ROW) {
    const cells = [];
    for (let at = start; at < Math.min(start + ROW, now.length); at += each) {
      cells.push(element("td", differs(now, before, at, each) ? "changed" : "", text(now, at, type)));
    }
    const head = element("th", "", (from + start).toString(16).padStart(4, "0"));
    head.scope = "row";
    rows.push(element("tr", "", head, ...cells));
  }
  const box = element("div", "scroll", element("table", "values", element("tbody", "", ...rows)));
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", `Contents of ${words}`);
  return box;
}

byId("memory-type").addEventListener("change", () => {
  for (const each of shown) cards.get(title(each))?.update(each);
});
