/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { NamedTask } from "./task.js" */
import * as option from "../../runtime/options.js";
import { letters, mustReach, symbolsOption } from "./task.js";

const FIRST = option.optionSet(() => ({
  /** The number of symbols, even. The first token is of the first half, all others are of the second. */
  symbols: symbolsOption(16),
}));

/**
 * One token that answers all: a test of attention that does not thin out.
 *
 *     x[0] = below(symbols / 2)
 *     x[t] = symbols / 2 + below(symbols / 2) for t > 0
 *     y[t] = x[0]
 *
 * @param {OptionsOf<typeof FIRST>} [options]
 * @returns {Readonly<NamedTask>} a task for `train` and `evaluate`
 * @throws {TypeError | RangeError} if an option has the wrong type or is out of range, or `symbols` is odd
 * @see Chiang, Cholak 2022, Overcoming a theoretical limitation of self-attention, https://arxiv.org/abs/2202.12172:
 *   the language FIRST
 * @example
 * lab.tasks.first({ symbols: 16 }).chance // 0.125
 */
export function first(options) {
  const { symbols } = FIRST.read(options);
  if (symbols % 2 !== 0) throw new RangeError(`symbols must be even; got ${symbols}`);
  const half = symbols / 2;
  return Object.freeze({
    name: "first",
    vocabulary: symbols,
    names: letters(symbols),
    chance: 1 / half,
    hasDistances: true,
    fill(random, ids, targets, T, distances) {
      mustReach(T, 1, "the first token");
      for (let t = 0; t < T; ++t) {
        ids[t] = random.below(half) + (t === 0 ? 0 : half);
        targets[t] = ids[0];
        if (distances) distances[t] = t;
      }
    },
  });
}
option.withOptions({ first }, { first: FIRST });
