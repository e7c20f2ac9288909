// The lesson on the whole input: what its pictures show are the package's own steps, LLaMA adds no
// positions, LayerNorm undoes any factor, and dropout keeps the mean.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor";
import { models } from "phasor/models";
import { openSite } from "../open-site.js";
import { serveBuild } from "../site.js";
import { put } from "../controls.js";
import { settled } from "../pages.js";
import { answered, cells } from "./lesson.js";

const { server, browser } = await openSite(serveBuild);
const { page, problems } = await browser.newPage();
await page.goto(`${server.url}page/lessons/whole-input/`);
await settled(page);
const { embedding, inputEmbeddings } = await load();

/** @param {string} name @param {string} value */
async function set(name, value) {
  await put(page, name, value);
  await settled(page);
}

/** @param {string} name */
const fact = (name) => page.locator(`[data-fact="${name}"]`).innerText();

/**
 * The numbers of a model's steps for the two tokens that are drawn: for each step, by token and dimension.
 * @param {string} model @param {number} count  of steps
 */
async function steps(model, count) {
  const { numbers } = await cells(page, model); // [2 * steps, columns]
  return Array.from({ length: count }, (_, step) => [numbers[step], numbers[count + step]]);
}

/** Tables of GPT-2's sizes, as the page draws them. @param {number} seed */
function gpt2Tables(seed) {
  const storage = /** @type {const} */ ("on-demand");
  return {
    words: embedding.create(50257, 768, { std: 0.02, seed, storage }),
    positions: embedding.create(1024, 768, { std: 0.01, seed: seed + 100, storage }),
  };
}

/** What enters BERT on the page as it opens. */
async function bertOutput() {
  const storage = /** @type {const} */ ("on-demand");
  const tables = {
    words: embedding.create(30522, 768, { std: 0.02, seed: 201, storage }),
    positions: embedding.create(512, 768, { std: 0.02, seed: 301, storage }),
    segments: embedding.create(2, 768, { std: 0.02, seed: 401, storage }),
  };
  const ids = [101, 1000, 1001, 1002, 1000, 1003, 102, 1004, 1005, 102];
  const segments = ids.map((_, t) => (t < 7 ? 0 : 1));
  const output = inputEmbeddings(models.get("bert-base-uncased"), tables, ids, { segments });
  return ids.map((_, t) => Array.from(output.row(t).data, Number));
}

test("every arrow has its shape", async () => {
  assert.equal(
    (await fact("gpt2-steps")).replaceAll("\u00a0", " "),
    "the dog bites the man it ran: ids [7] → words [7, 768] + positions [7, 768] → sum [7, 768] → output [7, 768].",
  );
  assert.equal(
    (await fact("bert-steps")).replaceAll("\u00a0", " "),
    "[CLS] the dog bites the man [SEP] it ran [SEP]: ids [10] → words [10, 768] + segments [10, 768] + positions [10, 768] → sum [10, 768] → LayerNorm [10, 768] → output [10, 768].",
  );
  assert.match(
    await fact("llama-steps"),
    /^<s> the .* → words\s\[8, 4096\] → output\s\[8, 4096\]\.$/,
  );
});

test("GPT-2's steps are those of inputEmbeddings", async () => {
  const ids = [1000, 1001, 1002, 1000, 1003, 1004, 1005];
  const spec = models.get("gpt2");
  const wanted = inputEmbeddings(spec, gpt2Tables(1), ids, { intermediates: true });
  const shown = await steps("gpt2", 4);
  const { names } = await cells(page, "gpt2");
  assert.deepEqual(names.slice(0, 5), ["0: the", "+ pos. 0", "= sum", "output", "3: the"]);
  for (const [i, rows] of [wanted.words, wanted.positions, wanted.sum, wanted.output].entries()) {
    for (const [k, row] of shown[i].entries()) {
      assert.deepEqual(row.map(Math.fround), rows?.row([0, 3][k]).toArray().slice(0, row.length));
    }
  }
});

test("BERT's three rows add up, and LayerNorm brings them to spread 1", async () => {
  const [words, segments, positions, sum] = await steps("bert", 4);
  const { numbers: output } = await cells(page, "bert-output");
  const wanted = await bertOutput();
  for (const [t, row] of sum.entries()) {
    for (const [d, x] of row.entries()) {
      assert.ok(Math.abs(x - (words[t][d] + segments[t][d] + positions[t][d])) < 1e-7);
    }
  }
  assert.deepEqual(
    output.map((row) => row.map(Math.fround)),
    wanted.map((row) => row.slice(0, output[0].length)),
  );
  assert.deepEqual(segments[0], segments[1]);
  await set("sentence", "the dog");
  await set("next", "the man");
  const [, [first, second]] = await steps("bert", 4);
  assert.notDeepEqual(first, second, "“the” of the second sentence has the other segment");
  await set("sentence", "the dog bites the man");
  await set("next", "it ran");
});

test("a word's two rows are the same in LLaMA and in no other model", async () => {
  for (const [model, first, second, same] of /** @type {const} */ ([
    ["gpt2", 0, 1, false],
    ["bert", 1, 4, false],
    ["llama", 0, 1, true],
  ])) {
    const output =
      model === "bert"
        ? (await cells(page, "bert-output")).numbers
        : ((await steps(model, model === "gpt2" ? 4 : 2)).at(-1) ?? []);
    assert.equal(String(output[first]) === String(output[second]), same, model);
  }
});

test("no gap is behind a root in a sentence", async () => {
  const gaps = await page.evaluate(() =>
    [...document.querySelectorAll("p > math msqrt:last-child")].flatMap((root) => {
      const next = root.closest("math")?.nextSibling;
      if (next?.nodeType !== Node.TEXT_NODE || !root.lastElementChild) return [];
      const range = document.createRange();
      range.setStart(next, 0);
      range.setEnd(next, 1);
      const [text, within] = [range, root.lastElementChild].map((each) =>
        each.getBoundingClientRect(),
      );
      return text.top < within.bottom ? [text.left - within.right] : []; // not on the next line
    }),
  );
  assert.ok(gaps.length >= 2);
  for (const gap of gaps) assert.ok(Math.abs(gap) < 2, `${gap} px`);
});

test("a single sentence has one segment; no sentence is read as one", async () => {
  await set("next", "");
  assert.match(await fact("bert-steps"), /^\[CLS\] the dog bites the man \[SEP\]: ids \[7\]/);
  await set("sentence", "");
  assert.match(await fact("gpt2-steps"), /^dog bites man: ids \[3\]/);
  await set("sentence", "the dog bites the man");
  await set("next", "it ran");
});

test("with the second sentence first, a word keeps its own vector and gets others of segment and position", async () => {
  const storage = /** @type {const} */ ("on-demand");
  const rows = (
    /** @type {number} */ size,
    /** @type {number} */ seed,
    /** @type {number[]} */ at,
  ) => embedding.create(size, 768, { std: 0.02, seed, storage }).lookup(at).toArray();
  const apart = (/** @type {any} */ [a, b]) =>
    Math.sqrt(
      a.reduce(
        (/** @type {number} */ sum, /** @type {number} */ x, /** @type {number} */ d) =>
          sum + (x - b[d]) ** 2,
        0,
      ),
    );
  const { numbers } = await cells(page, "swapped");
  const [words, segments, positions] = numbers.map((row) => Number(row.at(-1)));
  assert.equal(words, 0);
  assert.ok(Math.abs(segments - apart(rows(2, 401, [0, 1]))) < 1e-5);
  assert.ok(Math.abs(positions - apart(rows(512, 301, [2, 5]))) < 1e-5);
  await set("next", "");
  const alone = (await cells(page, "swapped")).numbers.map((row) => Number(row.at(-1)));
  assert.deepEqual(alone, [0, 0, 0]);
  await set("next", "it ran");
});

test("parameters and buffers are sorted, and every wrong one gets a reason", async () => {
  const question = page.locator('[data-question="buffers"]');
  assert.match(await question.innerText(), /PyTorch/); // the original transformer's own code keeps no table
  const items = question.locator("[data-item]");
  assert.ok(await question.locator(".ask").isDisabled());
  for (const item of await items.all())
    await item.getByRole("button", { name: "parameter" }).click();
  await question.locator(".ask").click();
  const verdict = question.locator(".verdict[data-right]");
  assert.equal(await verdict.innerText(), "4 of 8 are right.");
  assert.equal(await items.and(page.locator('[data-mark="wrong"]')).count(), 4);
  const why = (/** @type {string} */ item) =>
    question.locator(`[data-item="${item}"] .why`).innerText();
  assert.match(await why("wpe"), /^Yes: parameter\. .*786,432 numbers/);
  assert.match(await why("inv_freq"), /^No: buffer\. .*64 numbers/);
  for (const [item, group] of [
    ["position_ids", "buffer"],
    ["sinusoids", "buffer"],
    ["inv_freq", "buffer"],
    ["mask", "neither"],
  ])
    await question.locator(`[data-item="${item}"]`).getByRole("button", { name: group }).click();
  assert.equal(await items.and(page.locator("[data-mark]")).count(), 0, "marks of another answer");
  await question.locator(".ask").click();
  assert.equal(await verdict.innerText(), "Yes: all 8 are right.");
  await page.reload();
  await settled(page);
  assert.equal(await verdict.innerText(), "Yes: all 8 are right.");
  assert.equal(await question.locator('button[aria-pressed="true"]').count(), 8);
});

test("the cosine of two words at one position falls from 1 with the factor", async () => {
  const { numbers } = await cells(page, "cosine");
  const cosines = numbers.map((row) => Number(row.at(-1)));
  assert.ok(cosines[0] > 0.999 && Number(cosines.at(-1)) < 0.2);
  for (let i = 1; i < cosines.length; ++i) assert.ok(cosines[i] < cosines[i - 1]);
  assert.equal(await fact("root"), "22.6");
  await set("spread", "0.02");
  assert.ok(Number(await fact("cosine-root")) > 0.5);
  await set("spread", "root");
});

test("LayerNorm's output has spread 1 whatever the factor of the tables", async () => {
  for (const factor of [1, 20]) {
    await set("factor", String(factor));
    const { numbers } = await cells(page, "spreads");
    const values = numbers.map((row) => Number(row.at(-1)));
    const after = values.filter((_, i) => i % 2 === 1);
    const before = values.filter((_, i) => i % 2 === 0);
    assert.ok(after.every((spread) => Math.abs(spread - 1) < 1e-5));
    const wanted = factor * 0.02 * Math.sqrt(3); // three rows of spread 0.02
    assert.ok(before.every((spread) => Math.abs(spread / wanted - 1) < 0.15));
  }
  await set("factor", "1");
  await set("eps", "1e-3"); // of the size of the variance, 0.0012
  const { numbers } = await cells(page, "spreads");
  assert.ok(Number(numbers[1].at(-1)) < 0.8);
  await set("eps", "1e-12");
});

test("dropout sets the given share to zero and enlarges the rest; the mean stays", async () => {
  const ids = [1000, 1001, 1002, 1000, 1003, 1004, 1005];
  const sum = inputEmbeddings(models.get("gpt2"), gpt2Tables(1), ids).toArray();
  for (const p of [0.1, 0.5]) {
    await set("p", String(p));
    const { numbers } = await cells(page, "dropped");
    for (const [t, row] of numbers.entries()) {
      for (const [d, x] of row.entries()) {
        assert.ok(x === 0 || Math.abs(x - sum[t][d] / (1 - p)) < 1e-7, `${x} of ${sum[t][d]}`);
      }
    }
    const share = Number(/: (.*) %/.exec(await fact("share"))?.[1]) / 100;
    assert.ok(Math.abs(share - p) < 0.03);
    const means = (await cells(page, "average")).numbers.map((row) => Number(row.at(-1)));
    assert.ok(Math.abs(Number(means.at(-1)) / sum[0][0] - 1) < 0.2);
  }
});

test("another step drops other numbers", async () => {
  const before = (await cells(page, "dropped")).numbers;
  await set("step", "1");
  assert.notDeepEqual((await cells(page, "dropped")).numbers, before);
});

test("its questions have these answers", async () => {
  assert.equal(await answered(page, "twice", "llama"), true);
  assert.equal(await answered(page, "segments", "both"), true);
  assert.equal(await answered(page, "drowned", "one"), true);
  assert.equal(await answered(page, "tenfold", "same"), true);
  assert.equal(await answered(page, "kept", "larger"), true);
  assert.equal(await answered(page, "exercise-gemma", "34"), true);
  assert.equal(await answered(page, "exercise-gemma", "33.94"), false);
  assert.equal(await answered(page, "exercise-norm", "1.22"), true);
  assert.equal(await answered(page, "exercise-norm", "2"), false);
  assert.equal(await answered(page, "exercise-segments", "1,048,592,384"), true);
  assert.deepEqual(problems, []);
});
