/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { NamedTask } from "./task.js" */
import * as option from "../../runtime/options.js";
import { letters, mustReach, symbolsOption } from "./task.js";

const EVEN = option.optionSet(() => ({
  /** The number of symbols, which say nothing. */
  symbols: symbolsOption(16),
}));

/**
 * Random symbols, each asked whether its position is even (0) or odd (1): a test of absolute positions.
 *
 *     x[t] = below(symbols)
 *     y[t] = t mod 2
 *
 * @param {OptionsOf<typeof EVEN>} [options]
 * @returns {Readonly<NamedTask>} a task for `train` and `evaluate`
 * @throws {TypeError | RangeError} if an option has the wrong type or is out of range
 * @see Haviv et al. 2022, Transformer language models without positional encodings still learn positional information,
 *   https://arxiv.org/abs/2203.16634: positions read out of a decoder
 * @example
 * lab.tasks.even({ symbols: 16 }).chance // 0.5
 */
export function even(options) {
  const { symbols } = EVEN.read(options);
  return Object.freeze({
    name: "even",
    vocabulary: symbols,
    names: letters(symbols),
    chance: 1 / 2,
    hasDistances: false,
    fill(random, ids, targets, T) {
      mustReach(T, 1, "a token");
      for (let t = 0; t < T; ++t) {
        ids[t] = random.below(symbols);
        targets[t] = t % 2;
      }
    },
  });
}
option.withOptions({ even }, { even: EVEN });
