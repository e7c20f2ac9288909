import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import { page as site } from "../../../scripts/site/page.js";
import { readReference } from "../../../web/reference/read.js";
import { project } from "../../../scripts/setup/setup.js";
import { promises } from "../../../web/guides/accuracy/promises.js";
import { fixed, frequencies, phase, quickPhase } from "../../unit/reference/exact.js";
import { atNight } from "../../sample.js";
import { openSite } from "../open-site.js";
import { filesOf } from "./guide.js";

const rows = promises.flatMap(({ rows }) => rows);
const bounded = rows.filter(({ bound }) => bound !== undefined);

const { server, browser } = await openSite();
// By day the page below has what the build of the site has measured in the same way.
test(
  "guide accuracy: its command measures every bound, and none is exceeded",
  atNight,
  async () => {
    const [command] = String((await filesOf("accuracy")).get("terminal")).split("\n");
    assert.equal(command, "npm run x -- accuracy");
    const args = [join(project, "scripts/x.js"), "accuracy"];
    const options = /** @type {const} */ ({ cwd: project, encoding: "utf8" });
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    assert.equal(status, 0, stdout + stderr);
    const measured = [...stdout.matchAll(/^ {2}([\d.e-]+) of ([\d.e-]+) /gm)].map((found) =>
      found.slice(1).map(Number),
    );
    assert.deepEqual(
      measured.map(([, bound]) => bound),
      bounded.map(({ bound }) => bound),
    );
    // Every result is rounded, so that none can be without an error.
    for (const [error, bound] of measured) assert.ok(error > bound / 1000 && error <= bound);
  },
);

test("guide accuracy: the quick reference is the exact one, within 4e-16 of each value", () => {
  for (const theta of frequencies(10000, 3, 3)) {
    for (const position of [0, 1, 22, 355, 833719, 1234567.875, -77.25, 2 ** 31 - 1, -(2 ** 31)]) {
      const [quick, exact] = [quickPhase(fixed(position), theta), phase(position, theta)];
      for (const part of /** @type {const} */ (["sin", "cos"])) {
        assert.ok(Math.abs(quick[part] - exact[part]) <= 4e-16 * Math.abs(exact[part]));
      }
    }
  }
});

test("guide accuracy: every test that it names exists", () => {
  for (const file of rows.flatMap(({ tests }) => tests)) {
    assert.ok(existsSync(join(project, "tests/unit", file)), file);
  }
});

test("guide accuracy: every section that a test names is on the page", () => {
  const ids = new Set(rows.map(({ id }) => id));
  const files = readdirSync(join(project, "tests"), { recursive: true, encoding: "utf8" });
  const named = files
    .filter((file) => /\.test\.(js|cpp)$/.test(file))
    .map((file) => readFileSync(join(project, "tests", file), "utf8"))
    .flatMap((text) => [...text.matchAll(/guide Accuracy, ([^:;)\n]*)/gi)])
    .flatMap(([, sections]) => [...sections.matchAll(/#([\w-]+)/g)])
    .map(([, id]) => id);
  assert.ok(named.length >= 8);
  for (const id of named) assert.ok(ids.has(id), `the page has no #${id}`);
});

test("guide accuracy: it lists every function whose comment has an accuracy, and no others", async () => {
  const functions = (await readReference()).flatMap(({ entries }) =>
    entries.flatMap(({ name, text, members }) => [
      { name, text },
      ...members.map((member) => ({ name: `${name}.${member.name}`, text: member.text })),
    ]),
  );
  const calls = new Set(rows.flatMap(({ calls }) => calls));
  const known = new Set(functions.map(({ name }) => name));
  for (const call of calls) assert.ok(known.has(call), `${call} is no function of the reference`);
  for (const { name, text } of functions) {
    if (/\bAccuracy\b/.test(text)) assert.ok(calls.has(name), `${name} must be listed`);
  }
});

test("guide accuracy: the page has every promise with what was measured, and both charts", async () => {
  const html = readFileSync(join(site, "guides/accuracy/index.html"), "utf8");
  const { document } = parseHTML(html);
  assert.doesNotMatch(html, /<x-|undefined/);
  for (const { id, bound } of rows) {
    const cell = document.querySelector(`#${id} [data-label=Measured]`)?.textContent ?? "";
    if (bound === undefined) assert.equal(cell, "\u2013", id);
    else assert.ok(Number(cell.split(" ")[0]) <= bound, `${id}: ${cell}`);
  }

  const { page, problems } = await browser.newPage();
  await page.goto(`${server.url}guides/accuracy/`);
  for (const [chart, says] of /** @type {const} */ ([
    ["by-position", /^4 lines over position, 62 points each: .+ error from 2\.9\d*e−8 to 2\. /],
    ["by-frequency", /^4 lines over frequency, 64 points each: .+ error from 2\.9\d*e−8 to 0\.0/],
  ])) {
    const picture = page.locator(`#${chart} [aria-label]`).first();
    assert.match(String(await picture.getAttribute("aria-label")), says);
  }
  assert.deepEqual(problems, []);
});
