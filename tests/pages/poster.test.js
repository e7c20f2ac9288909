import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import { load } from "phasor";
import { atlas, models } from "phasor/models";
import { project } from "../../scripts/setup/setup.js";
import { spectra } from "../../web/models/atlas/spectra.js";
import { drawn } from "../../web/vite/poster.js";

const phasor = await load();
const entries = atlas();
const all = spectra(phasor, entries, models);
const { list, light, dark } = await drawn();

/** @param {string} family */
const of = (family) => all.find((each) => each.family === family);

test("the poster has the frequencies of a family's model, with and without its scaling", () => {
  assert.deepEqual(
    all.map(({ family }) => family).sort(),
    entries.filter(({ scheme }) => scheme === "rope").map(({ family }) => family).sort(), // prettier-ignore
  );
  const { options } = models.get("llama-3.1-8b").positions.rotary?.full_attention ?? {};
  const [own] = of("llama")?.kinds ?? [];
  const frequencies = (/** @type {any} */ given) =>
    Array.from(phasor.rope.frequencies(128, given).frequencies.data);
  assert.deepEqual(own.frequencies, frequencies(options));
  assert.deepEqual(own.plain, frequencies({ base: 500000 }));
  assert.deepEqual([of("llama")?.model, of("llama")?.trained], ["llama-3.1-8b", 8192]);
  assert.deepEqual(of("llama")?.says, ["base 500,000", "llama3 \u00d78"]);
});

test("the poster has parts of a head, several bases, and layers that do not rotate", () => {
  const [{ from, to }] = of("deepseek_v3")?.kinds ?? [];
  assert.deepEqual([from, to], [0, 64 / 192]);
  assert.equal(of("deepseek_v4")?.kinds[0].from, 448 / 512);
  assert.deepEqual(
    of("gemma3_text")?.kinds.map(({ base }) => base),
    [10000, 1000000],
  );
  const layers = of("smollm3")?.layers ?? [];
  assert.deepEqual(
    layers.flatMap((rotates, i) => (rotates ? [] : [i])),
    [3, 7, 11, 15, 19, 23, 27, 31, 35],
  );
  assert.deepEqual(of("smollm3")?.says, ["base 5,000,000", "9 of 36 layers without RoPE"]);
  assert.deepEqual(of("qwen3")?.layers, []);
  assert.deepEqual(of("llama4_text")?.layers.slice(0, 5), [true, true, true, false, true]);
  assert.deepEqual(of("cohere2_moe")?.says, ["base 10,000", "some layers do not rotate"]);
});

test("every family is in the list and in the files once, with the colors of the page", async () => {
  const { document } = parseHTML(list);
  const families = [...document.querySelectorAll("a")].map((link) =>
    new URLSearchParams(link.getAttribute("href")?.slice(1)).get("search"),
  );
  assert.deepEqual(families.sort(), entries.map(({ family }) => family).sort());
  for (const { family } of all) {
    const link = document.querySelector(`a[href="#search=${encodeURIComponent(family)}"]`);
    assert.match(String(link?.textContent), /base [\d,]+/, family);
  }
  const sheets = ["models/atlas", "app"].map((folder) => join(project, "web", folder, "style.css"));
  const style = (await Promise.all(sheets.map((path) => readFile(path, "utf8")))).join("");
  for (const svg of [light, dark]) {
    assert.doesNotMatch(svg, /NaN|undefined|Infinity/);
    const { document } = parseHTML(svg);
    assert.equal(document.querySelectorAll("g[transform]").length, all.length);
    assert.match(String(document.querySelector("title")?.textContent), /^How \d+ families/);
    assert.match(String(document.querySelector("desc")?.textContent), /^Across: the columns/);
    const text = String(document.documentElement.textContent);
    for (const { family } of entries) assert.ok(text.includes(family), family);
    for (const [, color] of svg.matchAll(/<path d="[^"]*" fill="(#\w+)"\/>/g))
      assert.ok(style.includes(color), color);
  }
});
