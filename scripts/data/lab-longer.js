// Records two tasks that take two layers and ten times as many steps: induction, and addition with three kinds of
// positions, in web/lab/longer.json.
//   npm run x -- lab:longer
// Everything comes from the package in dist/, and the same numbers come out on every machine.

import { writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { load } from "phasor/lab";
import { project } from "../setup/setup.js";
import { bySeeds, digits } from "./lab.js";

/** @import { Task } from "phasor/lab" */

/** @typedef {"plain" | "abacus" | "coupled"} Ids */

const common = { length: 32, batch: 16, heads: 4, layers: 2 };

/** The settings of the recorded trainings. */
export const settings = Object.freeze({
  seeds: 5,
  tokens: 16384,
  induction: {
    symbols: 64,
    schemes: /** @type {const} */ (["learned", "rope", "alibi"]),
    test: [1, 2, 4],
    training: { ...common, dim: 64, steps: 2000, learningRate: 4e-3 },
  },
  addition: {
    digits: 3,
    shift: 10,
    schemes: /** @type {const} */ (["learned", "rope"]),
    ids: /** @type {const} */ (["plain", "abacus", "coupled"]),
    tested: [3, 4, 5, 6],
    training: { ...common, dim: 32, steps: 3000, learningRate: 6e-3 },
  },
});

/** @typedef {typeof settings.addition.schemes[number]} Scheme */

const { lab } = await load();

/** The seeds of the recorded trainings. */
export const SEEDS = Array.from({ length: settings.seeds }, (_, i) => i + 1);

/**
 * Induction: the accuracy at each length, of all seeds.
 * @param {{workers: number, schemes?: typeof settings.induction.schemes[number][], seeds?: number[]}} options
 */
export async function induction({ workers, schemes, seeds = SEEDS }) {
  const { symbols, schemes: every, test, training } = settings.induction;
  const tasks = [{ task: /** @type {const} */ ("induction"), symbols }];
  const own = { tasks, schemes: schemes ?? every, test, seeds, tokens: settings.tokens, workers };
  return bySeeds(await lab.experiment({ ...training, ...own }), seeds.length).map((rows) => ({
    scheme: rows[0].scheme,
    reading: rows[0].reading,
    accuracy: rows.map(({ accuracy }) => accuracy.map(digits)),
    bits: rows.map(({ bits }) => bits),
  }));
}

/**
 * Sums of numbers of n digits alone: the digits of others are not asked.
 * @param {number} n @param {Ids} ids
 * @returns {Task}
 */
export function sumsOf(n, ids) {
  const { shift } = settings.addition;
  const task = lab.tasks.addition({ digits: n, ids, shift });
  const [plus, comma] = ["+", ","].map((name) => task.names.indexOf(name));
  return {
    ...task,
    fill(random, tokens, targets, T, distances, positions) {
      task.fill(random, tokens, targets, T, distances, positions);
      for (let from = 0; from < T;) {
        const next = tokens.indexOf(comma, from);
        const end = next < 0 ? T : next;
        if (tokens.indexOf(plus, from) !== from + n) targets.fill(-1, from, end);
        from = end + 1;
      }
    },
  };
}

/**
 * Addition: the share of right digits in sums of numbers of each tested length.
 * @param {Scheme} scheme @param {Ids} ids @param {number} seed
 */
export async function addition(scheme, ids, seed) {
  const { digits: most, shift, tested, training } = settings.addition;
  const { dim, heads, layers, ...trained } = training;
  const task = lab.tasks.addition({ digits: most, ids, shift });
  const { vocabulary } = task;
  const model = lab.decoder({ dim, heads, layers, vocabulary, position: { scheme }, seed });
  try {
    const run = model.train(task, { ...trained, every: 10 });
    while (!run.next().done) await setImmediate(); // other trainings go on
    const { tokens } = settings;
    const accuracy = tested.map((n) => digits(model.evaluate(sumsOf(n, ids), { tokens }).accuracy));
    return { accuracy, bits: model.bits() };
  } finally {
    model.dispose();
  }
}

/** All rows of addition. */
async function additions() {
  const rows = [];
  for (const scheme of settings.addition.schemes) {
    for (const ids of settings.addition.ids) {
      const all = [];
      for (const seed of SEEDS) all.push(await addition(scheme, ids, seed));
      const [accuracy, bits] = [all.map((one) => one.accuracy), all.map((one) => one.bits)];
      rows.push({ scheme, ids, accuracy, bits });
    }
  }
  return rows;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [found, sums] = await Promise.all([induction({ workers: availableParallelism() }), additions()]); // prettier-ignore
  const date = new Date().toISOString().slice(0, 10);
  const all = { command: "npm run x -- lab:longer", date, settings, induction: found, addition: sums }; // prettier-ignore
  const text = JSON.stringify(all).replace(/(?<=[[,])\{"scheme"/g, "\n$&");
  await writeFile(join(project, "web", "lab", "longer.json"), `${text}\n`);
}
