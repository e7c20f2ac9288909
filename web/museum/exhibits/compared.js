/** @import { Judgement } from "../../app/questions/verdict.js" */
import { beside } from "../../app/columns.js";
import { waves } from "../../app/pictures.js";

/**
 * A line chart of the right numbers and of those of the program, which has the bug or not.
 *
 * @param {readonly number[]} right @param {readonly number[]} program
 * @param {Record<string, any>} options  of the line chart
 */
export function compared(right, program, options) {
  return waves(beside([right, program]), { labels: ["right", "the program"], ...options });
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
