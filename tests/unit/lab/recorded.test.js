// What web/lab/recorded.json has shows the effects that papers describe, and the package gives it again.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { load, optionsOf } from "phasor/lab";
import { record, recordOf, settings, taskOf, tasks } from "../../../scripts/data/lab.js";
import { project } from "../../../scripts/setup/setup.js";
import { atNight } from "../../sample.js";

const { lab } = await load();
const text = await readFile(join(project, "web", "lab", "recorded.json"), "utf8");
const recorded = JSON.parse(text);

/** The rows of a task. @param {string} task */
const rowsOf = (task) => recorded.tasks[task].rows;

/**
 * The mean over seeds at a multiple of the trained length.
 * @param {string} task @param {string} line  a scheme, or a reading of rope @param {1 | 2 | 4 | 8} times
 */
function mean(task, line, times) {
  const what = task === "text" ? "loss" : "accuracy";
  const row = rowsOf(task).find((/** @type {any} */ { scheme, reading }) => (reading ?? scheme) === line); // prettier-ignore
  const numbers = row[what].map((/** @type {number[]} */ own) => own[[1, 2, 4, 8].indexOf(times)]);
  return numbers.reduce((/** @type {number} */ sum, /** @type {number} */ x) => sum + x, 0) / numbers.length; // prettier-ignore
}

/** @param {number} x @param {number} least @param {number} most @param {string} what */
const within = (x, least, most, what) => assert.ok(x >= least && x <= most, `${what}: ${x}`);

test("recorded: every scheme with five seeds, three more readings of rope", () => {
  assert.ok(text.length < 300_000, `${text.length} bytes`);
  assert.deepEqual(Object.keys(recorded.tasks), Object.keys(tasks));
  const names = optionsOf(lab.experiment).schemes.values ?? [];
  const lines = names.flatMap((/** @type {string} */ scheme) => [
    [scheme, null],
    ...(scheme === "rope" ? ["linear", "ntk", "yarn"].map((reading) => [scheme, reading]) : []),
  ]);
  assert.equal(lines.length, 15);
  for (const task of Object.keys(tasks)) {
    assert.deepEqual(recorded.tasks[task].lengths, [32, 64, 128, 256]);
    const rows = rowsOf(task);
    assert.deepEqual(
      rows.map((/** @type {any} */ { scheme, reading }) => [scheme, reading]),
      lines,
    );
    for (const { accuracy, loss, byPosition, bits } of rows) {
      for (const numbers of [accuracy, loss]) {
        assert.deepEqual(numbers.map((/** @type {number[]} */ own) => own.length), [4, 4, 4, 4, 4]); // prettier-ignore
      }
      assert.deepEqual([byPosition.accuracy.length, byPosition.loss.length], [256, 256]);
      const { accuracy: spread, loss: other } = byPosition.deviation;
      assert.deepEqual([spread.length, other.length], [32, 32]);
      assert.equal(new Set(bits).size, 5);
    }
  }
});

test("3 back: learned rows end at a wall, T5 goes on, RoPE fades, interpolation breaks offsets", () => {
  within(mean("back", "learned", 1), 0.98, 1, "learned at 1");
  within(mean("back", "learned", 8), 0, 0.25, "learned at 8");
  within(mean("back", "t5Bias", 8), 0.98, 1, "t5Bias at 8");
  within(mean("back", "rope", 1), 0.98, 1, "rope at 1");
  within(mean("back", "rope", 8), 0.15, 0.75, "rope at 8");
  within(mean("back", "linear", 2), 0, 0.2, "linear at 2");
  assert.ok(mean("back", "ntk", 4) > mean("back", "rope", 4));
  within(mean("back", "none", 1), 0, 0.5, "none at 1"); // cannot
});

test("needle: positions that were never seen are in the way, none and YaRN are not", () => {
  for (const line of ["none", "t5Bias", "yarn"]) within(mean("needle", line, 8), 0.85, 1, line);
  within(mean("needle", "rope", 8), 0, 0.75, "rope");
  for (const line of ["learned", "sinusoidal"]) within(mean("needle", line, 8), 0, 0.8, line);
});

test("latest: biases that prefer near tokens win", () => {
  for (const line of ["alibi", "kerple", "t5Bias"]) {
    assert.ok(mean("latest", line, 8) > mean("latest", "rope", 8), line);
  }
  within(mean("latest", "none", 8), 0, 0.6, "none");
});

test("text: biases stay flat, sinusoids and RoPE break, NTK and YaRN repair a part", () => {
  const rise = (/** @type {string} */ line) => mean("text", line, 8) - mean("text", line, 1);
  for (const line of ["alibi", "t5Bias", "kerple", "none"]) within(rise(line), -0.1, 0.1, line);
  for (const line of ["sinusoidal", "rope"]) within(rise(line), 0.4, 2, line);
  within(rise("learned"), 0.2, 2, "learned");
  for (const line of ["ntk", "yarn"]) assert.ok(rise(line) < rise("rope"), line);
  assert.ok(mean("text", "linear", 2) > mean("text", "ntk", 2));
});

test("recorded: the deviation by position is that over seeds, of the mean of each eight positions", async () => {
  const rows = await lab.experiment({
    ...{ tasks: ["needle"], schemes: ["none"], seeds: 3, steps: 8, test: [2], tokens: 4096 },
  });
  const { deviation } = recordOf(rows).byPosition;
  for (const [kind, name] of /** @type {const} */ ([
    [0, "loss"],
    [1, "accuracy"],
  ])) {
    // prettier-ignore
    const found = Array.from({ length: 8 }, (_, i) => {
      const means = rows.map(({ byPosition }) => {
        const eight = Array.from(byPosition.row(kind).data, Number).slice(8 * i, 8 * i + 8);
        const asked = eight.filter((x) => !Number.isNaN(x));
        return asked.reduce((sum, x) => sum + x, 0) / asked.length;
      });
      const mean = means.reduce((sum, x) => sum + x, 0) / 3;
      return Math.sqrt(means.reduce((sum, x) => sum + (x - mean) ** 2, 0) / 2);
    });
    assert.deepEqual(
      deviation[name].map((x) => x ?? NaN),
      found.map((x) => Number(x.toFixed(2))),
    );
    assert.ok(found.some((x) => x > 0.02), `${name} differs between seeds`); // prettier-ignore
  }
});

test("recorded: a run gives the recorded bits and numbers", async () => {
  const [row] = await lab.experiment({
    ...{ ...settings.small, seeds: [1], readings: [] },
    tasks: [await taskOf("needle")],
    schemes: ["rope"],
  });
  const { accuracy, loss, bits } = recordOf([row]);
  const known = rowsOf("needle").find((/** @type {any} */ { scheme }) => scheme === "rope");
  assert.deepEqual([bits, accuracy, loss], [[known.bits[0]], [known.accuracy[0]], [known.loss[0]]]); // prettier-ignore
});

describe("recorded: all runs again", atNight, () => {
  for (const task of Object.keys(tasks)) {
    test(task, async () => {
      const found = await record(task, { workers: availableParallelism() });
      assert.deepEqual(JSON.parse(JSON.stringify(found)), recorded.tasks[task]);
    });
  }
});

test("needle: RoPE that is dropped reads far, after a few steps without it", atNight, async () => {
  const { length, batch, steps, learningRate, dim, heads, layers, tokens } = settings.small;
  const trained = { length, batch, learningRate };
  const task = lab.tasks.needle(tasks.needle);
  const found = [1, 2, 3, 4, 5].map((seed) => {
    const position = /** @type {const} */ ({ scheme: "rope" });
    const { vocabulary } = task;
    const model = lab.decoder({ vocabulary, dim, heads, layers, position, seed });
    Array.from(model.train(task, { ...trained, steps }));
    model.change({ scheme: "none" });
    Array.from(model.train(task, { ...trained, steps: 60 }));
    const { accuracy } = model.evaluate(task, { length: 8 * length, tokens });
    model.dispose();
    return accuracy;
  });
  within(found.reduce((sum, x) => sum + x) / found.length, 0.85, 1, "dropped at 8");
});
