/** Rotations that are rarer than those of plain pairings. */
import { mixesOf } from "./mixes.js";

/**
 * @import { More, Result } from "../identify/identify.js"
 */

/**
 * @param {Result} plain  which names nothing @param {(more: More) => Result} ask
 * @returns {Result}
 */
export function rarer(plain, ask) {
  const mixed = ask(mixesOf);
  if (mixed.answer.kind !== "none") return mixed;
  return (mixed.failure?.step ?? 0) > (plain.failure?.step ?? 0) ? mixed : plain;
}
