// The lesson "Train short, test long": each question is judged by a training in workers, with the numbers that phasor/lab
// has in Node, and every seed is shown. At night, too, 48 models are trained.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "phasor/lab";
import { atNight, isNight } from "../../sample.js";
import { settled } from "../pages.js";
import { visit } from "./lesson.js";

const { page, problems, set, cells, fact, answered } = await visit("train-short");
const { lab } = await load();

/** @type {import("../../../web/lab/setup.js").Recorded} */
const recorded = JSON.parse(
  readFileSync(new URL("../../../web/lab/recorded.json", import.meta.url), "utf8"),
);

/** The accuracies of a figure's bars, by the name of the model: one for each seed. @param {string} figure */
async function seedsOf(figure) {
  const { names, numbers } = await cells(figure);
  /** @type {Record<string, number[]>} */
  const found = {};
  for (const [i, name] of names.entries())
    (found[name.replace(/, \d+$/, "")] ??= []).push(Number(numbers[i].at(-1)));
  return found;
}

/** The numbers of a text like "NTK 0.61, 0.71, 0.65". @param {string} text @param {string} name */
const numbersAfter = (text, name) =>
  new RegExp(`${name} ((?:\\d\\.\\d\\d(?:, )?)+)`).exec(text)?.[1].split(", ").map(Number);

/** @param {string} question */
const verdict = (question) => page.locator(`[data-question="${question}"] .outcome`).innerText();

test("before a run the figures show every seed of the record, and say so", async () => {
  await set("task", "back");
  for (const [times, at] of /** @type {const} */ ([
    ["8", 3],
    ["2", 1],
  ])) {
    await set("times", times);
    const { RoPE } = await seedsOf("lunch");
    const row = recorded.tasks.back.rows.find((one) => one.scheme === "rope" && !one.reading);
    assert.deepEqual(
      RoPE,
      row?.accuracy.map((seed) => seed[at]),
    );
  }
  assert.match(await page.locator("#lunch").innerText(), /recorded/);
  await set("times", "8");
  assert.equal(await fact("date"), recorded.date);
  assert.equal(await fact("command"), recorded.command);
});

test(
  "the wall: a drawn curve is judged by six trainings, whose lines are those of phasor/lab",
  atNight,
  async () => {
    const question = page.locator('[data-question="wall-learned"]');
    await question.locator(".handle[tabindex='0']").press("End");
    await question.locator(".ask").click();
    await question.locator('.verdict[data-right="false"]').waitFor({ timeout: 120_000 });
    await settled(page);
    const note = await page.locator('[data-action="wall"] .note').innerText();
    assert.match(note, /^6 of 6 models are trained/);

    const { numbers } = await cells("wall");
    assert.equal(numbers[0].length, 7, "two schemes of three seeds, and the guess");
    const task = lab.tasks.back({ symbols: 16, distance: 3 });
    const position = { scheme: /** @type {const} */ ("learned") };
    const sizes = { dim: 32, heads: 2, layers: 1 };
    const model = lab.decoder({ vocabulary: 16, ...sizes, position, seed: 2 });
    for (const { loss } of model.train(task, { length: 32, batch: 16, steps: 200 }))
      assert.ok(loss > 0);
    const { byPosition } = model.evaluate(task, { length: 256, tokens: 8192 });
    const all = Array.from(byPosition.row(1).data, Number);
    for (const [i, row] of numbers.entries()) {
      const bin = all.slice(8 * i, 8 * i + 8).filter((x) => !Number.isNaN(x));
      const mean = bin.reduce((sum, x) => sum + x, 0) / bin.length;
      assert.ok(Math.abs(row[1] - mean) < 1e-5, `bin ${i}: ${row[1]} and ${mean}`);
    }
    for (const line of [0, 1, 2]) {
      const y = numbers.map((row) => row[line]);
      assert.ok(Math.min(...y.slice(0, 4)) > 0.95 && Math.max(...y.slice(5)) < 0.2, `seed ${line}`);
    }
    assert.match(
      await verdict("wall-learned"),
      /The three seeds have 1\.00, 1\.00, 1\.00 in texts/,
    );
  },
);

test(
  "no free lunch: each task has another winner of the three, and the figure shows its seeds",
  atNight,
  async () => {
    const question = page.locator('[data-question="lunch"]');
    for (const name of ["back", "needle", "latest"]) {
      const group = { back: "RoPE", needle: "NoPE", latest: "ALiBi" }[name];
      const item = question.locator(`[data-item="${name}"]`);
      await item.getByRole("button", { name: group, exact: true }).click();
    }
    await question.locator(".ask").click();
    await question.locator(".verdict[data-right]").waitFor({ timeout: 240_000 });
    await settled(page);
    assert.equal(await question.locator(".verdict").getAttribute("data-right"), "true");
    const why = await question.locator('[data-item="needle"] .why').innerText();
    await set("task", "needle");
    const shown = await seedsOf("lunch");
    for (const [name, said] of [
      ["no positions", "NoPE"],
      ["RoPE", "RoPE"],
      ["ALiBi", "ALiBi"],
    ]) {
      assert.deepEqual(
        numbersAfter(why, said),
        shown[name].map((x) => Number(x.toFixed(2))),
      );
    }
    assert.match(await page.locator("#lunch").innerText(), /trained here/);
  },
);

test(
  "repair: linear ruins 3 back, NTK helps the needle least, and 40 steps repair YaRN's reading alone",
  atNight,
  async () => {
    assert.equal(await answered("back", "linear"), true);
    assert.equal(await answered("needle", "ntk"), true);
    assert.equal(await answered("tuned", "yarn"), true);
    const needle = await seedsOf("repaired");
    const said = await verdict("needle");
    assert.deepEqual(
      numbersAfter(said, "YaRN"),
      needle.YaRN.map((x) => Number(x.toFixed(2))),
    );
    assert.ok(Math.min(...needle.YaRN) > Math.max(...needle.RoPE) + 0.2);
    const back = await seedsOf("ruined");
    assert.ok(Math.max(...back.linear) < 0.2);
    assert.ok(Math.min(...back["YaRN tuned"]) > 0.9);
    assert.ok(Object.values(back).every(({ length }) => length === 3));
  },
);

test("dropped: RoPE's needle gets better without it, 3 back does not", atNight, async () => {
  assert.equal(await answered("drop", "needle"), true);
  const needle = await seedsOf("dropped");
  assert.ok(Math.min(...needle.dropped) > Math.max(...needle.RoPE) + 0.2);
  const back = await seedsOf("dropped-back");
  assert.ok(Math.max(...back.dropped) < Math.min(...back.RoPE));
});

test("a training can be stopped; answers of before are kept without one", async () => {
  // In the page: the training may be over before a second command of the test arrives.
  const action = page.locator('[data-action="wall"]');
  await action.evaluate(async (element) => {
    const button = (/** @type {string} */ name) =>
      /** @type {HTMLElement} */ (element.querySelector(name));
    button(".begin").click();
    while (button(".cancel").offsetParent === null) await new Promise(requestAnimationFrame);
    button(".cancel").click();
  });
  await action.getByText("Stopped.").waitFor();
  await page.reload();
  await settled(page);
  assert.equal(await page.locator(".verdict[data-right]").count(), 0);
  assert.equal(await page.locator('[data-action="drop"] .note').innerText(), "");
  if (isNight) assert.equal(await answered("drop", "needle"), true);
  assert.deepEqual(problems, []);
});
