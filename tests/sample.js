// What a change's run takes of what the night takes whole.

import { Random } from "./attacks/fuzz/random.js";

/** Whether all of it is tested: `npm run x -- test:night`. */
export const isNight = process.env.PHASOR_SWEEP === "1";

/** What a test takes that runs at night alone. */
export const atNight = { skip: isNight ? false : "npm run x -- test:night" };

/** The start of random choices. The night draws another one each time, and prints it. */
export const SEED = Number(process.env.PHASOR_SEED ?? 1);

/**
 * A part of a list in its order, the same in every run; at night all of it.
 * @template T
 * @param {Iterable<T>} list
 * @param {number} share  of the items, from 0 to 1; the first is always taken
 */
export function* sampled(list, share) {
  const random = new Random(SEED, "sampled", 0);
  let isFirst = true;
  for (const item of list) {
    if (random.happens(share) || isFirst || isNight) yield item;
    isFirst = false;
  }
}

/**
 * Says of each case whether it is tested: of the first, of every n-th after it, and at night of all. Where n has no
 * factor in common with the lengths of loops, all values of each loop's variable come up.
 * @param {number} n
 * @returns {() => boolean}
 */
export function everyNth(n) {
  let cases = 0;
  return () => cases++ % n === 0 || isNight;
}
