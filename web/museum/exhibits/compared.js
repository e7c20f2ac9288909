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
