/** @import { Phasor } from "phasor" */
import { adamW } from "./adamw.js";
import { alibi } from "./alibi.js";
import { cosine } from "./cosine.js";
import { gpt2Input } from "./gpt2-input.js";
import { layerNorm } from "./layer-norm.js";
import { lookup } from "./lookup.js";
import { oneHot } from "./one-hot.js";
import { rope } from "./rope.js";
import { rotateHalf } from "./rotate-half.js";
import { rotationGradient } from "./rotation-gradient.js";
import { shiftMatrix } from "./shift-matrix.js";
import { sinusoidRow } from "./sinusoid-row.js";
import { sinusoidTable } from "./sinusoid-table.js";
import { softmaxGradient } from "./softmax-gradient.js";
import { t5Bucket } from "./t5-bucket.js";
import { tokenAndPosition } from "./token-and-position.js";

/**
 * A number, or rows of them: what a function takes and returns.
 * @typedef {number | readonly any[] | { toArray(): any }} Value
 */

/**
 * A task: the reader writes a function, and the page compares what it returns with phasor's exact values.
 *
 * @typedef {object} Task
 * @property {string} name  in the page's HTML
 * @property {string} title
 * @property {string} lesson
 * @property {string} calls  the name of the function
 * @property {readonly string[]} parameters  their names, for long arguments
 * @property {readonly string[]} axes  what the indices of a result count
 * @property {string} statement  HTML with TeX
 * @property {readonly string[]} hints  HTML
 * @property {string} stub
 * @property {string} solution
 * @property {{ stub: string, solution: string, hints?: readonly string[] }} python  the same with NumPy; hints where those of JavaScript have its code
 * @property {readonly (readonly any[])[]} inputs  the arguments of each call
 * @property {(phasor: Phasor, ...given: any[]) => Value} expected
 * @property {readonly Mistake[]} mistakes  the likeliest first
 * @property {readonly Mistake[]} [pairs]  two of them at once, where these cannot be told from what each of them returns
 */

/** @typedef {(phasor: Phasor, ...given: any[]) => Value} Wrong */

/**
 * What a function with a common mistake returns for the same arguments.
 *
 * @typedef {object} Mistake
 * @property {string} says  a sentence for the reader
 * @property {Wrong} wrong
 * @property {(wrong: Wrong) => Wrong} [on]  makes this mistake in a function that has another one
 */

/** @type {readonly Task[]} */
export const tasks = [
  lookup,
  oneHot,
  cosine,
  sinusoidRow,
  sinusoidTable,
  shiftMatrix,
  rotateHalf,
  rope,
  alibi,
  t5Bucket,
  gpt2Input,
  tokenAndPosition,
  layerNorm,
  softmaxGradient,
  rotationGradient,
  adamW,
];

/** @param {string} name @returns {Task} */
export function taskOf(name) {
  const found = tasks.find((task) => task.name === name);
  if (!found) throw new Error(`web/app/write/tasks/index.js must list ${name}`);
  return found;
}

/** The name of a task's function in Python. @param {string} name */
export const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Code in a task's texts, in Python. @param {string} text @param {Task} task */
export const nameInPython = (text, { calls }) =>
  text.replaceAll(calls, snake(calls)).replaceAll("-Infinity", "-np.inf");

/** A task for a reader of Python. @param {Task} task @returns {Task} */
export function inPython(task) {
  const { stub, solution, hints } = task.python;
  return {
    ...task,
    calls: snake(task.calls),
    stub,
    solution,
    hints: hints ?? task.hints.map((hint) => nameInPython(hint, task)),
  };
}
