/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { NamedTask } from "./task.js" */
import { withOptions } from "../../runtime/options.js";
import { FACTS, vocabularyOf } from "./facts.js";
import { mustReach } from "./task.js";

/**
 * Facts all along, of which the last one of a key counts: a test of recency.
 *
 *     k = below(keys) for each t; then, if k has no value yet or else if uniform() < 1/2:
 *     value[k] = below(values), x[t] = the fact, uncounted; otherwise
 *     x[t] = the question for k, y[t] = value[k]
 *
 * The tokens are those of `needle`.
 *
 * @param {OptionsOf<typeof FACTS>} [options]
 * @returns {Readonly<NamedTask>} its `fill` throws a `RangeError` for texts of one token. A short text may have no question
 * @throws {TypeError | RangeError} if an option has the wrong type or is out of range
 * @see Liu et al. 2023, Exposing attention glitches with flip-flop language modeling,
 *   https://arxiv.org/abs/2306.00946: the last value written is read
 * @example
 * lab.tasks.latest({ keys: 8, values: 4 }).vocabulary // 40
 */
export function latest(options) {
  const { keys, values } = FACTS.read(options);
  return Object.freeze({
    name: "latest",
    ...vocabularyOf(keys, values),
    fill(random, ids, targets, T, distances) {
      mustReach(T, 2, "a fact and a question");
      const valueOf = new Int32Array(keys);
      const factAt = new Int32Array(keys).fill(-1);
      for (let t = 0; t < T; ++t) {
        const k = random.below(keys);
        const isFact = factAt[k] < 0 || random.uniform() < 0.5;
        if (isFact) {
          valueOf[k] = random.below(values);
          factAt[k] = t;
        }
        ids[t] = isFact ? k * values + valueOf[k] : keys * values + k;
        targets[t] = isFact ? -1 : valueOf[k];
        if (distances) distances[t] = isFact ? -1 : t - factAt[k];
      }
    },
  });
}
withOptions({ latest }, { latest: FACTS });
