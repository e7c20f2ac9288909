/** @import { Mutant } from "./mutants.js" */

/**
 * Which mutants run, by V8's coverage, and whether anything does. An expression runs where it begins: V8 counts an
 * operator `||` with what is on its right.
 * @param {readonly Mutant[]} mutants
 * @param {readonly { ranges: { startOffset: number, endOffset: number, count: number }[] }[]} functions
 * @param {number} length  of the source
 * @returns {[reached: number[], isAny: boolean]}
 */
export function reachedOf(mutants, functions, length) {
  const ran = new Uint8Array(length);
  for (const { startOffset, endOffset, count } of functions.flatMap(({ ranges }) => ranges)) {
    ran.fill(Number(count > 0), startOffset, endOffset);
  }
  return [mutants.flatMap(({ of }, i) => (ran[parseInt(of)] ? [i] : [])), ran.includes(1)];
}
