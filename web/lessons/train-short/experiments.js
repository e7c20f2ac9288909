// The experiments of the lesson: which models are trained, how each is read, and the work itself, in workers.

/** @import { ReadingName } from "../../lab/setup.js" */
/** @import { Jobs } from "../../app/lab-worker.js" */
import { taskWorker } from "../../app/work.js";

export const SEEDS = Object.freeze([1, 2, 3]);

/** The tokens of a text of training, and how many times as long those of the tests are. */
export const TRAINED = 32;
export const TIMES = Object.freeze([1, 2, 4, 8]);

/** Tokens of a test. */
const TOKENS = 8192;

const SIZES = { dim: 32, heads: 2, layers: 1, std: 0.5 };
const TRAINING = { length: TRAINED, batch: 16, steps: 200, learningRate: 6e-3 };

/** @typedef {"back" | "needle" | "latest"} TaskName */
const OPTIONS = Object.freeze({
  back: { symbols: 16, distance: 3 },
  needle: { keys: 8, values: 4 },
  latest: { keys: 8, values: 4 },
});

/** @typedef {{position?: object, reading: ReadingName | null, training: typeof TRAINING & {warmup?: number, floor?: number}}} Change */

/** 40 steps with texts four times as long. @param {ReadingName} reading @returns {Change} */
const tuned = (reading) => ({
  reading,
  training: {
    length: 4 * TRAINED,
    batch: TRAINING.batch / 4,
    steps: 40,
    learningRate: 0.3 * TRAINING.learningRate,
    warmup: 10,
    floor: 1,
  },
});

/** 60 steps without positions. @type {Change} */
const DROPPED = {
  position: { scheme: "none" },
  reading: null,
  training: { ...TRAINING, steps: 60 },
};

/**
 * A model of an experiment; `readings` are those after the first training.
 * @typedef {{task: TaskName, scheme: string, readings?: readonly (ReadingName | null)[], change?: Change}} Model
 */

/** How RoPE is read beyond its training. @type {readonly (ReadingName | null)[]} */
const READINGS = [null, "linear", "ntk", "yarn"];

/** What is compared on all three tasks. */
export const COMPARED = Object.freeze(["none", "rope", "alibi"]);

/** @type {Record<string, readonly Model[]>} */
export const experiments = {
  wall: ["learned", "rope"].map((scheme) => ({ task: "back", scheme })),
  lunch: /** @type {const} */ (["back", "needle", "latest"]).flatMap((task) =>
    COMPARED.map((scheme) => ({ task, scheme })),
  ),
  repair: [
    { task: "needle", scheme: "rope", readings: READINGS },
    { task: "back", scheme: "rope", readings: READINGS, change: tuned("linear") },
    { task: "back", scheme: "rope", readings: [], change: tuned("yarn") },
  ],
  drop: [
    { task: "needle", scheme: "rope", change: DROPPED },
    { task: "back", scheme: "rope", change: DROPPED },
  ],
};

/**
 * What a model answers when it is read in one way.
 * @typedef {object} Row
 * @property {TaskName} task @property {string} scheme @property {ReadingName | null} reading
 * @property {boolean} isChanged  whether it was trained again
 * @property {number} seed
 * @property {number[]} accuracy  at each length
 * @property {Float32Array} byPosition  the accuracy at each position of the longest texts; NaN where nothing is asked
 */

/** Trains beside the page, as many at a time as the processor can. */
const LANES = Math.min(3, Math.max(1, (navigator.hardwareConcurrency || 2) - 1));

/** @type {ReturnType<typeof taskWorker<Jobs>>[]} */
const workers = [];
let ids = 0;

/**
 * Trains the models of an experiment, and gives the rows that are known after each of them.
 * @param {string} name @param {AbortSignal} signal
 */
export async function* trained(name, signal) {
  const models = experiments[name].flatMap((model) => SEEDS.map((seed) => ({ ...model, seed })));
  const all = models.map((model, i) => {
    workers[i % LANES] ??= /** @type {any} */ (taskWorker("lab"));
    return readOf(workers[i % LANES], model, signal);
  });
  for (const each of all) each.catch(() => {}); // told where it is awaited
  /** @type {Row[]} */
  const rows = [];
  for (const [i, each] of all.entries()) {
    rows.push(...(await each));
    yield { progress: (i + 1) / all.length, count: i + 1, of: all.length, rows: [...rows] };
  }
}

/** @param {ReturnType<typeof taskWorker<Jobs>>} worker @param {Model & {seed: number}} model @param {AbortSignal} signal */
async function readOf({ work }, model, signal) {
  const { task, scheme, readings = [null], change, seed } = model;
  const id = ++ids;
  /** @type {any} */
  const setup = { task, options: OPTIONS[task], ...SIZES, ...TRAINING };
  try {
    await work("begin", { id, setup, position: { scheme }, seed, corpus: "" }, { signal });
    await work("train", { id, steps: TRAINING.steps }, { signal });
    const rows = [];
    for (const reading of readings) rows.push(await test(scheme, reading, false));
    if (change) {
      const { position, training, reading } = change;
      await work("change", { id, position, training, reading }, { signal });
      await work("train", { id, steps: training.steps }, { signal });
      rows.push(await test(position ? "none" : scheme, reading, true));
    }
    return rows;
  } finally {
    work("drop", { id }).catch(() => {});
  }

  /** @param {string} as @param {ReadingName | null} reading @param {boolean} isChanged @returns {Promise<Row>} */
  async function test(as, reading, isChanged) {
    const tests = [];
    for (const times of TIMES) {
      const read = { scheme: as, reading, temperature: 1 };
      const length = TRAINED * times;
      tests.push(await work("test", { id, length, tokens: TOKENS, ...read }, { signal }));
    }
    const { byPosition } = tests[tests.length - 1];
    const accuracy = tests.map((each) => each.accuracy);
    const half = byPosition.subarray(byPosition.length / 2);
    return { task, scheme, reading, isChanged, seed, accuracy, byPosition: half };
  }
}
