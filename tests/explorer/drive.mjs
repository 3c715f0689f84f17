// Drives the page of `crestline explore` in Chromium: node drive.mjs URL CHROMIUM [FOLDER FOR PICTURES].
// Ends with an error if a step does not give what it must.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

const [url, executablePath, pictures] = process.argv.slice(2);
// Without a sandbox, because root has none; the page is our own.
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const problems = [];

async function open(colorScheme) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1400, height: 1200 } });
  page.setDefaultTimeout(30_000);
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
  page.on("request", (request) => request.url().startsWith(url) || /^(data|blob):/.test(request.url()) || problems.push(request.url()));
  await page.goto(url);
  await page.locator("#code .row").first().waitFor();
  return page;
}

const picture = (page, name) => pictures && page.screenshot({ path: `${pictures}/explore-${name}.png`, fullPage: true });

const moment = (page) => page.locator("#moment");
const executed = async (page) => Number(/after (\d+) instructions/.exec(await moment(page).textContent())[1]);
const at = (page, count) => moment(page).filter({ hasText: `after ${count} instructions` }).waitFor();

// Steps through a thread, forwards and backwards, to a breakpoint and to the end, and looks at registers and memory.
async function step(page) {
  const button = (name) => page.getByRole("button", { name, exact: true });
  assert.ok(await button("Step back").isDisabled());
  await button("Start").click();
  await at(page, 0);
  assert.equal(await page.locator("#code .row.current").count(), 1);
  const registers = page.getByRole("region", { name: "General registers" });
  await page.getByLabel("Type").first().selectOption("UD");
  // The payload: r0 has the workgroup.
  await registers.getByRole("row", { name: /^r0 / }).waitFor();
  const before = await registers.textContent();
  await button("Step").click();
  await at(page, 1);
  assert.notEqual(await registers.textContent(), before);
  assert.ok((await registers.locator(".changed").count()) > 0, "the first instruction changes a register");
  await button("Step back").click();
  await at(page, 0);
  assert.equal(await registers.textContent(), before);

  // The keyboard steps, too, while the list of the code has the focus.
  await page.getByRole("listbox").focus();
  await page.keyboard.press("s");
  await at(page, 1);
  await page.keyboard.press("r");
  await at(page, 0);

  // A breakpoint at the multiplication, by a click on its marker.
  const row = page.locator("#code .row", { hasText: /mul\(.* 3U?D / });
  await row.locator(".marker").click();
  assert.match(await row.textContent(), /breakpoint/);
  await button("Continue").click();
  await moment(page).filter({ hasText: "at a breakpoint" }).waitFor();
  const count = await executed(page);
  assert.ok((await row.getAttribute("class")).includes("current"));
  await button("Step").click();
  await at(page, count + 1);
  // Lane n of the first thread has n, times 3.
  await page.locator("#layout").selectOption("lanes");
  await page.locator("#which").selectOption("changed");
  const product = registers.getByRole("row", { name: /0 3 6 9 12 15 18 21/ });
  await product.first().waitFor();
  await picture(page, "step");
  // Its region is drawn.
  await row.click();
  await page.getByRole("img", { name: "The bytes that each channel of the destination accesses" }).waitFor();
  await page.getByRole("img", { name: "The bytes that each channel of the source 0 accesses" }).waitFor();

  const memory = page.getByRole("region", { name: "Contents of storage buffer 0.0" });
  await page.locator("#memory-type").selectOption("UD");
  assert.match(await memory.getByRole("row").first().textContent(), /0000\s*01234567/);
  await button("End of thread").click();
  await moment(page).filter({ hasText: "at its end" }).waitFor();
  assert.match(await memory.getByRole("row").first().textContent(), /0000\s*036912151821/);
  assert.ok(await button("Step").isDisabled());
  await button("Start again").click();
  await at(page, 0);
  await button("Next block").click();
  await moment(page).filter({ hasText: /at a breakpoint|at its end/ }).waitFor();

  // A thread that the grid does not have.
  await page.getByRole("combobox", { name: "Thread" }).fill("9,0,0:0");
  await page.getByRole("combobox", { name: "Thread" }).press("Enter");
  await moment(page).filter({ hasText: "none is the chosen one" }).waitFor();
  await page.getByRole("combobox", { name: "Thread" }).fill("");
  await page.getByRole("combobox", { name: "Thread" }).press("Enter");
  await at(page, 0);

  // A buffer that is too small for all invocations: a diagnostic stops the run.
  await page.getByRole("textbox", { name: "Bytes", exact: true }).fill("16");
  await page.getByRole("textbox", { name: "Bytes", exact: true }).press("Enter");
  await at(page, 0);
  await row.locator(".marker").click();
  await button("Continue").click();
  await moment(page).filter({ hasText: "with a diagnostic" }).waitFor();
  await page.getByRole("list", { name: "Diagnostics" }).getByText("16 bytes").first().waitFor();
  await picture(page, "diagnostic");
}

const PAINT = `#version 450
layout(location = 0) in vec2 place;
layout(location = 0) out vec4 colour;
void main() {
    float ring = step(length(place - vec2(0.5)), 0.4);
    colour = vec4(place * ring, ring, 1.0);
}
`;

const STORE = `#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8) uniform image2D image;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(image, at, vec4(1.0) - imageLoad(image, at));
}
`;

// The colour at a place of a picture, from 0 to 1.
const colour = (image, x, y) => image.evaluate(async (shown, [x, y]) => {
  await shown.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [shown.naturalWidth, shown.naturalHeight];
  const context = canvas.getContext("2d");
  context.drawImage(shown, 0, 0);
  return [...context.getImageData(Math.floor(x * canvas.width), Math.floor(y * canvas.height), 1, 1).data];
}, [x, y]);

// The pictures of a storage image and of an attachment.
async function images(page) {
  const source = page.getByRole("textbox", { name: "Source" });
  await source.fill(STORE);
  await page.locator("#code .row", { hasText: "send" }).first().waitFor();
  await moment(page).filter({ hasText: "Not started" }).waitFor();
  await page.getByLabel("Workgroups").fill("4,8,1");
  await page.getByRole("button", { name: "Run all" }).click();
  await moment(page).filter({ hasText: "all threads have ended" }).waitFor();
  const image = page.getByRole("img", { name: /^storage image 0\.0: 64 by 64/ });
  // The left half is inverted: red, which grows from left to right, is full at the left edge.
  assert.equal((await colour(image, 0.01, 0.01))[0], 255);
  assert.ok((await colour(image, 0.75, 0.01))[0] > 150);
  assert.ok((await colour(image, 0.4, 0.01))[0] > 140);
  await picture(page, "image");

  await page.getByLabel("Stage").selectOption("fragment");
  await source.fill(PAINT);
  await moment(page).filter({ hasText: "Not started" }).waitFor();
  await page.getByRole("button", { name: "Run all" }).click();
  const attachment = page.getByRole("img", { name: /^colour attachment 0/ });
  await attachment.waitFor();
  const [red, green, blue] = await colour(attachment, 0.5, 0.75);
  assert.ok(Math.abs(red - 128) < 6 && Math.abs(green - 192) < 6 && blue === 255, `${red} ${green} ${blue}`);
  assert.deepEqual(await colour(attachment, 0.01, 0.01), [0, 0, 0, 255]);
  await page.getByRole("button", { name: "Start again" }).click();
  await at(page, 0);
  await picture(page, "fragment");
}

// A file has all of the page.
async function saved(page) {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save" }).click();
  const path = await (await download).path();
  const text = await readFile(path, "utf8");
  assert.equal(JSON.parse(text).source, PAINT);
  const source = page.getByRole("textbox", { name: "Source" });
  await source.fill(SHADER);
  const open = (name, buffer) => page.locator("#file").setInputFiles({ name, mimeType: "application/octet-stream", buffer });
  await open("explorer.json", Buffer.from(text));
  await page.waitForFunction((text) => document.getElementById("source").value === text, PAINT);
  await at(page, 0);
  assert.equal(await page.getByLabel("Stage").inputValue(), "fragment");
  // A file that is refused while the one before is compiled: its message stays.
  await page.route("**/compile", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  const compiled = page.waitForResponse("**/compile");
  await open("explorer.json", Buffer.from(text));
  await open("wrong.json", Buffer.from("{}"));
  await compiled;
  await page.unroute("**/compile");
  await page.locator("#status").filter({ hasText: "was not saved by this page" }).waitFor();
  await open("broken.spv", Buffer.from([1, 2, 3]));
  await page.getByRole("alert").waitFor();
  assert.equal(await page.getByLabel("Language").inputValue(), "spirv");
}

const SHADER = `#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Data { uint data[]; };
void main() {
    data[gl_GlobalInvocationID.x] *= 3u;
}
`;

try {
  const page = await open("light");
  const status = page.locator("#status");
  const problem = page.getByRole("alert");

  // Typing replaces the code.
  const source = page.getByRole("textbox", { name: "Source" });
  // The first document has no multiplication by 3.
  const multiplication = page.locator("#code .row", { hasText: /mul\(.* 3U?D / });
  assert.equal(await multiplication.count(), 0);
  await source.fill(SHADER);
  await multiplication.waitFor();

  // An error marks its line, and its text is directly below.
  await source.click({ position: { x: 60, y: 8 + 20 * 4 + 10 } });
  await source.press("Home");
  await source.pressSequentially("wrong");
  await problem.waitFor();
  assert.match(await problem.textContent(), /^E\d+: /);
  const bad = await page.locator(".line.bad").boundingBox();
  const text = await problem.boundingBox();
  assert.ok(Math.abs(bad.y + bad.height - text.y) < 3, "the error is below its line");
  await picture(page, "error");
  for (let n = 0; n < 5; n++) await source.press("Backspace");
  await problem.waitFor({ state: "hidden" });

  // Another target gives other code.
  await page.getByLabel("Target").selectOption("ivb");
  await status.filter({ hasText: "compiled for ivb" }).waitFor();
  await page.getByLabel("Target").selectOption("skl");
  await status.filter({ hasText: "compiled for skl" }).waitFor();

  // A click on an instruction shows its fields and its source line.
  await multiplication.click();
  await page.getByRole("cell", { name: "OPCODE", exact: true }).waitFor();
  const line = await page.locator("#marks .line").first().boundingBox();
  const first = await source.boundingBox();
  assert.equal(Math.round((line.y - first.y - 8) / 20) + 1, 5);

  // A click on the line marks its instructions.
  await source.click({ position: { x: 60, y: 8 + 20 * 4 + 10 } });
  assert.ok((await page.locator("#code .row.on").count()) > 0);

  // The keyboard selects instructions.
  await page.getByRole("listbox").focus();
  await page.keyboard.press("End");
  assert.equal(await page.locator("#code .row").last().getAttribute("aria-selected"), "true");
  await page.getByText("Message", { exact: true }).waitFor();
  await picture(page, "light");
  await step(page);
  await images(page);
  await saved(page);
  const dark = await open("dark");
  await dark.locator("#code .row").nth(3).click();
  await dark.getByRole("button", { name: "Run all" }).click();
  await dark.locator("#moment").filter({ hasText: "all threads have ended" }).waitFor();
  await picture(dark, "dark");
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
}
