/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { NamedTask } from "./task.js" */
import * as option from "../../runtime/options.js";
import { letters, mustReach, symbolsOption } from "./task.js";

const INDUCTION = option.optionSet(() => ({
  /** The number of symbols. With few of them, long texts have few tokens that are followed by one symbol alone. */
  symbols: symbolsOption(64),
}));

/** Of the token that follows a symbol: there was none yet, or there were different ones. */
const [NONE, SEVERAL] = [-1, -2];

/**
 * Random symbols whose end repeats those before it: a test of "what followed this token before".
 *
 *     lag = ceil(T / 4) + below(floor(T / 2) - ceil(T / 4) + 1)
 *     x[t] = below(symbols) for t < T - lag
 *     x[t] = x[t - lag] after that
 *     y[t] = the next token, x[t + 1 - lag], counted for t >= T - lag if all tokens that followed x[t] before are that one
 *
 * The lag is another one in each text, so that no fixed offset answers. The distance is to the token that followed x[t]
 * last.
 *
 * Two layers of width 64 learn it with RoPE in 2,000 steps, not in 600, and with ALiBi in part.
 *
 * @param {OptionsOf<typeof INDUCTION>} [options]
 * @returns {Readonly<NamedTask>} its `fill` throws a `RangeError` for texts of one token. A text may have no target
 * @throws {TypeError | RangeError} if an option has the wrong type or is out of range
 * @see Olsson et al. 2022, In-context learning and induction heads, https://arxiv.org/abs/2209.11895: repeated random
 *   tokens
 * @example
 * lab.tasks.induction({ symbols: 64 }).chance // 0.015625
 */
export function induction(options) {
  const { symbols } = INDUCTION.read(options);
  return Object.freeze({
    name: "induction",
    vocabulary: symbols,
    names: letters(symbols),
    chance: 1 / symbols,
    hasDistances: true,
    fill(random, ids, targets, T, distances) {
      mustReach(T, 2, "a token and its repeat");
      const least = Math.ceil(T / 4);
      const lag = least + random.below(Math.floor(T / 2) - least + 1);
      const next = new Int32Array(symbols).fill(NONE);
      const nextAt = new Int32Array(symbols);
      for (let t = 0; t < T; ++t) {
        ids[t] = t < T - lag ? random.below(symbols) : ids[t - lag];
        if (t > 0) {
          const before = ids[t - 1];
          next[before] = next[before] === NONE || next[before] === ids[t] ? ids[t] : SEVERAL;
          nextAt[before] = t;
        }
        const isKnown = t >= T - lag && next[ids[t]] >= 0;
        targets[t] = isKnown ? next[ids[t]] : -1;
        if (distances) distances[t] = isKnown ? t - nextAt[ids[t]] : -1;
      }
    },
  });
}
option.withOptions({ induction }, { induction: INDUCTION });
