// What a run of the lab is: its task, its schemes and its sizes, as the controls set them and as the record has them.

/** @import { Values } from "../app/controls.js" */

/** The schemes, by their names in phasor/lab. */
export const schemes = Object.freeze({
  none: "no positions",
  learned: "learned rows",
  sinusoidal: "sinusoids",
  rope: "RoPE",
  xpos: "xPos",
  alibi: "ALiBi",
  t5Bias: "T5 bias",
  kerple: "KERPLE",
  sandwich: "Sandwich",
  fire: "FIRE",
  shaw: "Shaw",
  cope: "CoPE",
});

/** @typedef {keyof typeof schemes} SchemeName */
/** @typedef {"linear" | "ntk" | "yarn"} ReadingName */
/** @typedef {"back" | "needle" | "latest" | "text"} TaskName */

/** The tasks, as the cards call them. @type {Readonly<Record<TaskName, string>>} */
export const tasks = Object.freeze({
  back: "3 back",
  needle: "needle",
  latest: "latest",
  text: "text",
});

/** Readings of a training with RoPE. @type {Readonly<Record<ReadingName, string>>} */
export const readings = Object.freeze({ linear: "linear", ntk: "NTK", yarn: "YaRN" });

/**
 * One scheme of the record: each number is of a seed, at a length.
 * @typedef {object} Row
 * @property {SchemeName} scheme
 * @property {ReadingName | null} reading
 * @property {object} position
 * @property {number[][]} accuracy @property {number[][]} loss
 * @property {Places & {deviation: Places}} byPosition  means over the seeds; the standard deviation, over the seeds, of
 *   the mean of each eight positions
 * @property {string[]} bits
 *
 * @typedef {{accuracy: (number | null)[], loss: (number | null)[]}} Places  null where no target is
 *
 * @typedef {{length: number, batch: number, steps: number, learningRate: number, dim: number, heads: number, layers: number}} Sizes
 * @typedef {Sizes & {seeds: number, tokens: number, test: number[]}} Settings
 * @typedef {{options: object, chance?: number, lengths: number[], rows: Row[]}} RecordedTask
 * @typedef {{command: string, date: string, settings: {small: Settings, text: Settings}, tasks: Record<TaskName, RecordedTask>}} Recorded
 */

/**
 * What is trained, apart from its scheme and its seed.
 * @typedef {Sizes & {task: TaskName, options: object, std: number, factor: number, reading: ReadingName | null,
 *   temperature: number, isRecorded: boolean}} Setup
 */

/** The settings of a task in the record. @param {Recorded} recorded @param {TaskName} task */
export const sizesOf = ({ settings }, task) => settings[task === "text" ? "text" : "small"];

/** The standard deviation of the first rows in the record. */
export const STD = 0.5;

/** Settings that the record fixes: a control that is "" stands for its value. */
export const SIZES = /** @type {const} */ (["length", "steps", "dim", "heads", "layers"]);

/** @param {Values} controls @param {Recorded} recorded @returns {Setup} */
export function setupOf(controls, recorded) {
  const task = /** @type {TaskName} */ (controls.task);
  const sizes = { ...sizesOf(recorded, task) };
  for (const name of SIZES) if (controls[name] !== "") sizes[name] = Number(controls[name]);
  const std = controls.std === "" ? STD : Number(controls.std);
  const temperature = controls.temperature;
  const before = sizesOf(recorded, task);
  return {
    ...sizes,
    task,
    options: recorded.tasks[task].options,
    std,
    factor: Number(controls.factor),
    reading: controls.reading === "none" ? null : controls.reading,
    temperature,
    isRecorded:
      SIZES.every((name) => sizes[name] === before[name]) && std === STD && temperature === 1,
  };
}

/** The names of the schemes that are chosen. @param {Values} controls */
export const chosen = (controls) =>
  /** @type {SchemeName[]} */ (Object.keys(schemes)).filter((name) => controls[name]);

/** What a scheme is read with at the test. @param {Setup} setup @param {SchemeName} scheme */
export const readingOf = ({ reading }, scheme) => (scheme === "rope" ? reading : null);

/** The lengths that a run is tested at: 1, 2, 4, ... times the trained one. @param {Setup} setup */
export function lengthsOf({ length, factor }) {
  return Array.from({ length: Math.log2(factor) + 1 }, (_, i) => length * 2 ** i);
}

/** The row of the record that a scheme is compared with; undefined if it has none. @param {Recorded} recorded @param {Setup} setup @param {SchemeName} scheme */
export function rowOf(recorded, setup, scheme) {
  if (!setup.isRecorded) return undefined;
  const reading = readingOf(setup, scheme);
  return recorded.tasks[setup.task].rows.find(
    (row) => row.scheme === scheme && row.reading === reading,
  );
}

/** The position of a scheme: as recorded, with rows for the longest text. @param {Recorded} recorded @param {Setup} setup @param {SchemeName} scheme @returns {object} */
export function positionOf(recorded, setup, scheme) {
  const row = recorded.tasks[setup.task].rows.find((one) => one.scheme === scheme && !one.reading);
  const longest = setup.length * setup.factor;
  const rows = scheme === "learned" && longest > 512 ? { rows: longest } : {};
  return { ...(row?.position ?? { scheme }), ...rows };
}

/** Whether the numbers of a task are accuracies; else losses. @param {TaskName} task */
export const measureOf = (task) => (task === "text" ? "loss" : "accuracy");
