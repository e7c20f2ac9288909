// The lab: a step of training, an evaluation, and the trainings of a page.

import { SCHEMES } from "../../tests/truth/bits/lab.js";
import { multiplyLimits } from "./limits.js";
import { runRow } from "./row.js";

/** @typedef {import("./record.js").Found} Found */
/** @typedef {import("./rows/index.js").Row} Row */
/** @typedef {Awaited<ReturnType<typeof import("phasor/lab").load>>["lab"]} Lab */

/** Decoders and their trainings, by the names of the lab's documentation. */
const SETUPS = {
  K: { dim: 32, heads: 2, layers: 1, length: 32, batch: 16, learningRate: 6e-3 },
  S: { dim: 64, heads: 4, layers: 1, length: 32, batch: 16, learningRate: 4e-3 },
  M: { dim: 64, heads: 4, layers: 2, length: 64, batch: 8, learningRate: 3e-3 },
};

/** @typedef {typeof SETUPS["K"]} Setup */

/** Queries whose later keys a kernel leaves out together. */
const BLOCK = 12;

/**
 * The multiply-adds of a token, forward.
 * @param {Setup} setup @param {number} vocabulary @param {number} T
 */
function multiplyAdds({ dim, layers }, vocabulary, T) {
  let keys = 0;
  for (let t = 0; t < T; ++t) keys += Math.min(T, Math.ceil((t + 1) / BLOCK) * BLOCK) / T;
  return 12 * dim * dim * layers + dim * vocabulary + 2 * layers * dim * keys;
}

/** @param {Lab} lab @param {keyof typeof SETUPS} name */
function begin(lab, name) {
  const { dim, heads, layers, ...training } = SETUPS[name];
  const task = name === "K" ? lab.tasks.needle() : lab.tasks.back({ symbols: 30 });
  const { vocabulary } = task;
  const model = lab.decoder({ vocabulary, dim, heads, layers, position: { scheme: "rope" } });
  return { model, task, vocabulary, training };
}

/** @param {keyof typeof SETUPS} name @param {number} most  times the limit @returns {Row} */
function stepRow(name, most) {
  const setup = SETUPS[name];
  const { dim, layers, length, batch } = setup;
  return {
    id: "lab",
    title: `a step of ${name}: width ${dim}, layers ${layers}, ${batch} texts of ${length} tokens, RoPE`,
    goals: [{ who: "phasor", than: "multiply-add", most }],
    async prepare(modules) {
      const { lab } = /** @type {{lab: Lab}} */ (/** @type {unknown} */ (modules));
      const { model, task, vocabulary, training } = begin(lab, name);
      const steps = model.train(task, { ...training, steps: 1e6, every: 1 });
      const count = 3 * batch * length * multiplyAdds(setup, vocabulary, length);
      const [limit] = await multiplyLimits(count);
      const contestants = [limit, { name: "phasor", run: () => steps.next() }];
      return { contestants, expected: [], finish: () => model.dispose() };
    },
  };
}

/** @param {number} T @param {number} most @returns {Row} */
function evaluationRow(T, most) {
  const tokens = 8 * T;
  return {
    id: "lab",
    title: `an evaluation of M: ${tokens} tokens in texts of ${T}`,
    goals: [{ who: "phasor", than: "multiply-add", most }],
    async prepare(modules) {
      const { lab } = /** @type {{lab: Lab}} */ (/** @type {unknown} */ (modules));
      const { model, task, vocabulary } = begin(lab, "M");
      const [limit] = await multiplyLimits(tokens * multiplyAdds(SETUPS.M, vocabulary, T));
      const run = () => model.evaluate(task, { length: T, tokens });
      const contestants = [limit, { name: "phasor", run }];
      return { contestants, expected: [], finish: () => model.dispose() };
    },
  };
}

/** Trains K with all schemes, one after the other, as a page does in its workers. @param {Lab} lab */
function trainAll(lab) {
  const task = lab.tasks.needle();
  const { vocabulary } = task;
  const times = SCHEMES.map((scheme) => {
    const start = performance.now();
    const model = lab.decoder({ vocabulary, position: { scheme } });
    Array.from(model.train(task, { every: 200 }));
    model.dispose();
    return (performance.now() - start) / 1000;
  });
  const all = times.reduce((sum, time) => sum + time, 0);
  const each = SCHEMES.map((scheme, i) => `${scheme} ${times[i].toFixed(2)}`).join(", ");
  console.log(`\nlab  200 steps of K with each of ${SCHEMES.length} schemes: ${all.toFixed(2)} s`);
  console.log(`  ${each}`);
}

/**
 * @param {string} entry  URL of phasor/lab @param {number} rounds @param {string} [before]  that of another build
 * @returns {Promise<Found>}
 */
export async function runLab(entry, rounds, before) {
  const rows = [stepRow("K", 1.5), stepRow("S", 1.3), stepRow("M", 1.3), evaluationRow(512, 1.5)];
  /** @type {Found[]} */
  const found = [];
  for (const row of rows) found.push(await runRow(row, entry, rounds, before));
  const { load } = await import(entry);
  trainAll((await load()).lab);
  return {
    judgements: found.flatMap(({ judgements }) => judgements),
    rows: found.flatMap(({ rows = [] }) => rows),
  };
}
