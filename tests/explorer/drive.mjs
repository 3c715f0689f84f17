// Drives the page of `crestline explore` in Chromium: node drive.mjs URL CHROMIUM [FOLDER FOR PICTURES].
// Ends with an error if a step does not give what it must.

import assert from "node:assert/strict";
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
  page.on("request", (request) => request.url().startsWith(url) || request.url().startsWith("data:") || problems.push(request.url()));
  await page.goto(url);
  await page.locator("#code .row").first().waitFor();
  return page;
}

const picture = (page, name) => pictures && page.screenshot({ path: `${pictures}/explore-${name}.png`, fullPage: true });

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
  await picture(await open("dark"), "dark");
  assert.deepEqual(problems, []);
} finally {
  await browser.close();
}
