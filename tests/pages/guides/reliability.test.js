import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import { buildPage, page as site } from "../../../scripts/site/page.js";
import { project, setup } from "../../../scripts/setup/setup.js";
import { commands } from "../../../scripts/x.js";
import { parts } from "../../../web/guides/reliability/table.js";
import { consumer } from "../../hosts/consumer.js";
import { targets } from "../../attacks/fuzz/attack.js";
import { filesOf, promised } from "./guide.js";

/** @param {string} path */
const read = (path) => readFileSync(join(project, path), "utf8");

/** @type {import("../../../web/guides/reliability/table.js").Recorded} */
const recorded = JSON.parse(read("web/guides/reliability/recorded.json"));

await buildPage(await setup(["packages"]));
const html = readFileSync(join(site, "guides/reliability/index.html"), "utf8");
const { document } = parseHTML(html);

test("guide reliability: the page has every target with its executions, and no open finding", () => {
  assert.doesNotMatch(html, /<x-|undefined|NaN/);
  const [files] = Array.from(document.querySelectorAll(".attacks"));
  const counts = Array.from(files.querySelectorAll("tbody tr"), (line) =>
    Number(line.querySelector("td")?.textContent?.replaceAll(",", "")),
  );
  assert.deepEqual(Object.keys(recorded.fuzz.counts), targets.map(({ name }) => name)); // prettier-ignore
  assert.deepEqual(counts, Object.values(recorded.fuzz.counts).map(({ executions }) => executions)); // prettier-ignore
});

test("guide reliability: a recorded finding is shown, and a record without some parts", () => {
  const { mutation, options, native, ...rest } = recorded;
  const [name, count] = Object.entries(rest.fuzz.counts)[0];
  const fuzz = { ...rest.fuzz, counts: { [name]: { ...count, found: 3, mended: 2 } } };
  for (const part of Object.values(parts)) {
    assert.doesNotMatch(part({ ...rest, fuzz }), /undefined|NaN/);
  }
  assert.match(parts.files({ ...rest, fuzz }), /3; 2 earlier, mended/);
});

test("guide reliability: its program prints the output that it shows, and its commands exist", async (t) => {
  const files = await filesOf("reliability");
  const { node } = await consumer(t);
  const code = String(files.get("refused.mjs"));
  assert.deepEqual(node(code).split("\n"), promised(code));
  for (const line of String(files.get("terminal")).trim().split("\n")) {
    const [, name] = /^npm run x -- (\w+)/.exec(line) ?? [];
    assert.ok(name in commands, line);
  }
});

test("guide reliability: the limits that it names are those of the sources", () => {
  const text = String(document.querySelector("#limits ~ ul")?.textContent);
  for (const [path, constant, said] of /** @type {const} */ ([
    ["files/safetensors/safetensors.js", "MAX_HEADER_BYTES = 25_000_000", "above 25 MB"],
    ["files/gguf/head.js", "MAX_BYTES = 2 ** 28", "above 256 MiB"],
    ["files/json.js", "MOST_DEPTH = 64", "more than 64 levels"],
    ["files/npz/zip.js", "MAX_MEMBERS = 4096", "more than 4,096 members"],
    ["files/vocabulary/vocabulary.js", "MAX_BYTES = 2 ** 27", "above 128 MiB"],
    ["files/vocabulary/vocabulary.js", "MAX_TOKENS = 2 ** 22", "more than 4,194,304 tokens"],
    ["models/keys.js", "MOST_LAYERS = 65536", "more than 65,536 layers"],
  ])) {
    assert.ok(read(`src/${path}`).includes(constant), `${path}: ${constant}`);
    assert.ok(text.replace(/\s+/g, " ").includes(said), said);
  }
});
