/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { DECODER } from "../lab/decoder.js" */
/** @import { Reading } from "../lab/readings.js" */
/** @import { TRAIN } from "../lab/training.js" */
/** @import { Task } from "../tasks/task.js" */
import * as check from "../../runtime/check.js";
import { decoder, readDecoder } from "../lab/decoder.js";
import * as tasks from "../tasks/index.js";

/**
 * One training and its tests, as a message can carry it.
 * @typedef {object} Job
 * @property {OptionsOf<typeof DECODER>} made  options of the decoder, but for the vocabulary
 * @property {OptionsOf<typeof TRAIN>} trained  options of the training
 * @property {readonly number[]} lengths  to test at, in ascending order
 * @property {number} tokens  of a test
 * @property {readonly (Reading | null)[]} readings  null: as trained
 */

/**
 * What a run found, for each reading.
 * @typedef {object} Found
 * @property {Reading | null} reading
 * @property {number[]} loss  at each length
 * @property {number[]} accuracy
 * @property {Float32Array} byPosition  [2, T], loss and accuracy at each place of the longest texts
 *
 * What a run found, and a hash of the weights.
 * @typedef {{found: Found[], bits: string}} Result
 */

/** @typedef {{step: number, loss: number}} Step */

/**
 * What a task is called, and its options.
 * @typedef {{[Name in keyof typeof tasks]: {task: Name} & (Name extends "text" ? {text: string} & OptionsOf2<typeof tasks.text> : OptionsOf1<typeof tasks[Name]>)}[keyof typeof tasks]} TaskOptions
 */

/**
 * The options of a function that takes them alone.
 * @template {(options?: any) => unknown} Make
 * @typedef {NonNullable<Parameters<Make>[0]>} OptionsOf1
 */

/**
 * The options of a function that takes them second.
 * @template {(first: any, options?: any) => unknown} Make
 * @typedef {NonNullable<Parameters<Make>[1]>} OptionsOf2
 */

/** The names of tasks. */
export const TASKS = Object.freeze(/** @type {(keyof typeof tasks)[]} */ (Object.keys(tasks)));

/** Makes a task. @param {any} given  its name, or its name and options @returns {Task} */
export function taskOf(given) {
  const { task, text, ...options } = typeof given === "string" ? { task: given } : given;
  const name = check.oneOf(task, "task", TASKS);
  if (name === "text") {
    if (typeof text === "string") return tasks.text(text, options);
    throw new TypeError(`text of the task "text" must be a string; got ${check.describe(text)}`);
  }
  return tasks[name](text === undefined ? options : { text, ...options });
}

/**
 * Makes a run in small parts: a step of the training, a test at one length.
 * @param {Core} core @param {Task} task @param {Job} job
 * @returns {Generator<Step | undefined, Result, void>} gives a step where one is to be reported
 */
export function* run(core, task, { made, trained, lengths, tokens, readings }) {
  const model = decoder(core, readDecoder({ ...made, vocabulary: task.vocabulary }));
  const { steps, every = 1, ...settings } = trained;
  try {
    const training = { ...settings, steps, every: 1 };
    for (const { step, loss } of model.train(task, training)) {
      yield (step + 1) % every === 0 || step + 1 === steps ? { step, loss } : undefined;
    }
    /** @type {Found[]} */
    const found = [];
    for (const reading of readings) {
      const tests = [];
      for (const longer of lengths) {
        tests.push(model.evaluate(task, testOf(reading, longer, tokens)));
        yield undefined;
      }
      found.push({
        reading,
        loss: tests.map(({ loss }) => loss),
        accuracy: tests.map(({ accuracy }) => accuracy),
        byPosition: /** @type {Float32Array} */ (tests[tests.length - 1].byPosition.data),
      });
    }
    return { found, bits: model.bits() };
  } finally {
    model.dispose();
  }
}

/**
 * Refuses what a run would refuse, in the time of one text.
 * @param {Core} core @param {Task} task @param {Job} job
 */
export function refuse(core, task, { made, trained, lengths, readings }) {
  const model = decoder(core, readDecoder({ ...made, vocabulary: task.vocabulary }));
  try {
    model.train(task, trained);
    const longest = lengths[lengths.length - 1];
    for (const reading of readings) {
      model.evaluate(task, testOf(reading, longest, 1));
    }
  } finally {
    model.dispose();
  }
}

/** @param {Reading | null} reading @param {number} length @param {number} tokens */
const testOf = (reading, length, tokens) => ({ length, tokens, scaling: reading ?? undefined });
