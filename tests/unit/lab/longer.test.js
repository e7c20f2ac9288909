// What web/lab/longer.json has shows what papers describe of induction and addition, and the package gives it again.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { addition, induction, SEEDS, settings, sumsOf } from "../../../scripts/data/lab-longer.js";
import { project } from "../../../scripts/setup/setup.js";
import { Random } from "../../attacks/fuzz/random.js";
import { atNight, SEED } from "../../sample.js";

/** @typedef {{scheme: any, reading?: string | null, ids?: any, accuracy: number[][], bits: string[]}} Row */

const recorded = JSON.parse(await readFile(join(project, "web", "lab", "longer.json"), "utf8"));
/** @type {Row[]} */
const rows = [...recorded.induction, ...recorded.addition];

test("longer: it has the settings of the command, and every scheme, reading and kind of positions", () => {
  assert.deepEqual(recorded.settings, JSON.parse(JSON.stringify(settings)));
  const names = rows.map(({ scheme, reading, ids }) => `${scheme} ${reading ?? ids ?? "plain"}`);
  const readings = ["plain", "linear", "ntk", "yarn"];
  assert.deepEqual(names, [
    ...settings.induction.schemes.flatMap((scheme) =>
      (scheme === "rope" ? readings : ["plain"]).map((reading) => `${scheme} ${reading}`),
    ),
    ...settings.addition.schemes.flatMap((scheme) => settings.addition.ids.map((ids) => `${scheme} ${ids}`)), // prettier-ignore
  ]);
  for (const { accuracy, bits } of rows) {
    assert.deepEqual([accuracy.length, new Set(bits).size], [settings.seeds, settings.seeds]);
  }
});

/** The mean over the seeds at each length. @param {Row[]} of @param {string} name  a scheme, with a reading or a kind of positions */
function means(of, name) {
  const row = of.find(({ scheme, reading, ids }) => [scheme, reading ?? ids].filter(Boolean).join(" ") === name); // prettier-ignore
  const { accuracy } = row ?? assert.fail(name);
  return accuracy[0].map((_, i) => accuracy.reduce((sum, own) => sum + own[i], 0) / accuracy.length); // prettier-ignore
}

test("longer: RoPE learns induction, fades beyond, and YaRN brings it back; ALiBi has all lengths alike", () => {
  const of = (/** @type {string} */ name) => means(recorded.induction, name);
  assert.ok(of("rope")[0] > 0.99 && of("rope")[2] < 0.3);
  assert.ok(of("rope yarn")[2] > 0.65 && of("rope ntk")[2] > of("rope")[2]);
  assert.ok(of("rope linear")[1] < 0.25);
  assert.ok(of("learned")[2] < 0.1);
  assert.ok(of("alibi")[0] - of("alibi")[2] < 0.1 && of("alibi")[2] > 0.6);
});

test("longer: positions of digits carry addition to longer numbers; with learned rows it is not learned", () => {
  const of = (/** @type {string} */ name) => means(recorded.addition, name);
  assert.ok(of("rope plain").slice(1).every((x) => x < 0.2)); // prettier-ignore
  for (const ids of ["abacus", "coupled"])
    assert.ok(
      of(`rope ${ids}`).every((x) => x > 0.8),
      ids,
    );
  for (const ids of ["plain", "abacus", "coupled"]) assert.ok(of(`learned ${ids}`)[0] < 0.7, ids);
});

test("longer: sums of other lengths are not asked", () => {
  const task = sumsOf(2, "plain");
  const [ids, targets] = [new Int32Array(200), new Int32Array(200)];
  let state = 7;
  const below = (/** @type {number} */ n) => (state = (state * 48271) % 2147483647) % n;
  task.fill({ below, uniform: () => below(1000) / 1000 }, ids, targets, 200);
  const names = "0123456789+=,";
  const sums = Array.from(ids, (id) => names[id]).join("").split(","); // prettier-ignore
  let at = 0;
  const counts = new Set();
  for (const sum of sums) {
    const asked = targets.slice(at, at + sum.length).filter((target) => target >= 0).length;
    assert.equal(asked, sum.indexOf("+") === 2 ? 3 : 0, sum);
    counts.add(asked);
    at += sum.length + 1;
  }
  assert.deepEqual([...counts].sort(), [0, 3]);
});

// All runs take more than 20 minutes: `npm run x -- lab:longer` trains them.
describe("longer: a run of each task again, drawn anew each night", atNight, () => {
  const random = new Random(SEED, "longer", 0);
  const seed = random.pick(SEEDS);
  const at = seed - 1;

  test("induction", async () => {
    const { scheme } = random.pick(/** @type {Row[]} */ (recorded.induction));
    const found = await induction({ workers: 2, schemes: [scheme], seeds: [seed] });
    const same = recorded.induction.filter((/** @type {Row} */ row) => row.scheme === scheme);
    const expected = same.map((/** @type {Row} */ row) => ({ ...row, accuracy: [row.accuracy[at]], bits: [row.bits[at]] })); // prettier-ignore
    assert.deepEqual(JSON.parse(JSON.stringify(found)), expected);
  });

  test("addition", async () => {
    const { scheme, ids, accuracy, bits } = random.pick(/** @type {Row[]} */ (recorded.addition));
    assert.deepEqual(await addition(scheme, ids, seed), { accuracy: accuracy[at], bits: bits[at] });
  });
});
