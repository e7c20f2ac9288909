/** @import { Phasor } from "phasor" */
/** @import { Judgement } from "../../app/questions/verdict.js" */
import { beside } from "../../app/columns.js";
import { waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";

/**
 * A line chart of the right numbers and of those of the program, which has the bug or not.
 *
 * @param {readonly number[]} right @param {readonly number[]} program
 * @param {Record<string, any>} options  of the line chart
 */
export function compared(right, program, options) {
  return waves(beside([right, program]), { labels: ["right", "the program"], ...options });
}

/**
 * A function of whether the bug is on, which computes the two results once: a value, a figure and a judgement share them.
 * @template Result
 * @param {(phasor: Phasor, bug: boolean) => Result} compute
 */
export function either(compute) {
  const [off, on] = [false, true].map((bug) =>
    remembered((/** @type {Phasor} */ phasor) => compute(phasor, bug)),
  );
  return (/** @type {Phasor} */ phasor, /** @type {boolean} */ bug) => (bug ? on : off)(phasor);
}

/** The largest difference of two lists. @param {readonly number[]} a @param {readonly number[]} b */
export function apart(a, b) {
  return Math.max(...a.map((x, i) => Math.abs(x - b[i])));
}

/**
 * A judgement on options: the reason of the right one, and what is wrong with the others.
 *
 * @param {string} answer  the right option
 * @param {string} because
 * @param {Record<string, string>} others  by the options
 * @returns {Judgement}
 */
export function choice(answer, because, others) {
  return { answer, because: { ...others, [answer]: because } };
}
