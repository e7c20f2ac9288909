/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { NamedTask } from "./task.js" */
import * as option from "../../runtime/options.js";
import { letters, mustReach, symbolsOption } from "./task.js";

const BACK = option.optionSet(() => ({
  /** The number of symbols. */
  symbols: symbolsOption(16),
  /** How far back the answer is, in tokens. */
  distance: option.integer({ default: 3 }),
}));

/**
 * Random symbols, each answered by an earlier one: a test of exact offsets.
 *
 *     x[t] = below(symbols)
 *     y[t] = x[t - distance], uncounted for t < distance
 *
 * @param {OptionsOf<typeof BACK>} [options]
 * @returns {Readonly<NamedTask>} its `fill` throws a `RangeError` for texts of at most `distance` tokens
 * @throws {TypeError | RangeError} if an option has the wrong type or is out of range
 * @see Arjovsky, Shah, Bengio 2016, Unitary evolution recurrent neural networks, https://arxiv.org/abs/1511.06464: a
 *   copy after a delay
 * @example
 * lab.tasks.back({ symbols: 4, distance: 2 }).names // ["a", "b", "c", "d"]
 */
export function back(options) {
  const { symbols, distance } = BACK.read(options);
  return Object.freeze({
    name: "back",
    vocabulary: symbols,
    names: letters(symbols),
    chance: 1 / symbols,
    hasDistances: true,
    fill(random, ids, targets, T, distances) {
      mustReach(T, distance + 1, "one more than the distance");
      for (let t = 0; t < T; ++t) {
        ids[t] = random.below(symbols);
        targets[t] = t < distance ? -1 : ids[t - distance];
        if (distances) distances[t] = t < distance ? -1 : distance;
      }
    },
  });
}
option.withOptions({ back }, { back: BACK });
