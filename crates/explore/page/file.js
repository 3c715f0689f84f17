// Saves all of the page as one file, and opens such files, sources and SPIR-V.

import { byId } from "./dom.js";

const FORM = "crestline_explorer";
const VERSION = 1;
const MOST = 700_000; // Bytes: a request has at most 1 MiB, and SPIR-V grows by a third in it.
const EXTENSIONS = {
  comp: ["glsl", "compute"], vert: ["glsl", "vertex"], frag: ["glsl", "fragment"], geom: ["glsl", "geometry"],
  tesc: ["glsl", "tess_control"], tese: ["glsl", "tess_eval"], glsl: ["glsl"], wgsl: ["wgsl"], hlsl: ["hlsl"], spv: ["spirv"],
};
let handlers = { save: () => ({}), async load() {}, fail() {} };

export const setHandlers = (given) => (handlers = given);

function save() {
  const text = JSON.stringify({ [FORM]: VERSION, ...handlers.save() }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.download = "explorer.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function base64(bytes) {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}

async function open(file) {
  if (file.size > MOST) throw new Error(`${file.name} has more than ${MOST} bytes`);
  const extension = file.name.split(".").pop().toLowerCase();
  if (extension === "json") {
    const given = JSON.parse(await file.text());
    if (given?.[FORM] !== VERSION) throw new Error(`${file.name} was not saved by this page`);
    return given;
  }
  const known = EXTENSIONS[extension];
  if (!known) throw new Error(`${file.name}: expected .json or a shader`);
  const [language, stage = "auto"] = known;
  const source = language === "spirv" ? base64(new Uint8Array(await file.arrayBuffer())) : await file.text();
  return { language, stage, source };
}

byId("save").addEventListener("click", save);
byId("open").addEventListener("click", () => byId("file").click());
// Files are opened one after another. Otherwise the compilation of an earlier file would replace the message of a later one.
let opened = Promise.resolve();
byId("file").addEventListener("change", () => {
  const [file] = byId("file").files;
  byId("file").value = "";
  if (!file) return;
  opened = opened.then(async () => {
    try {
      await handlers.load(await open(file));
    } catch (error) {
      handlers.fail(error.message);
    }
  });
});
