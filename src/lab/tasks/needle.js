/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { NamedTask } from "./task.js" */
import { withOptions } from "../../runtime/options.js";
import { FACTS, vocabularyOf } from "./facts.js";
import { mustReach } from "./task.js";

/**
 * A fact for each key, then questions: a test of content at any distance.
 *
 *     value[k] = below(values) for each key k; then the keys in random order: swap i with i + below(keys - i), i from 0
 *     x[t] = the fact of the t-th key, uncounted, for t < keys
 *     x[t] = the question for k = below(keys), y[t] = value[k], after that
 *
 * The fact that k has v is token k values + v, the question for k is keys values + k. Values are the ids
 * 0 .. values - 1.
 *
 * @param {OptionsOf<typeof FACTS>} [options]
 * @returns {Readonly<NamedTask>} its `fill` throws a `RangeError` for texts of at most `keys` tokens
 * @throws {TypeError | RangeError} if an option has the wrong type or is out of range
 * @see Arora et al. 2023, Zoology: measuring and improving recall in efficient language models,
 *   https://arxiv.org/abs/2312.04927: recall of many keys
 * @example
 * const { names } = lab.tasks.needle({ keys: 2, values: 2 });
 * names // ["a=0", "a=1", "b=0", "b=1", "a?", "b?"]
 */
export function needle(options) {
  const { keys, values } = FACTS.read(options);
  return Object.freeze({
    name: "needle",
    ...vocabularyOf(keys, values),
    fill(random, ids, targets, T, distances) {
      mustReach(T, keys + 1, "all facts and a question");
      const valueOf = Array.from({ length: keys }, () => random.below(values));
      const order = [...valueOf.keys()];
      for (let i = 0; i < keys; ++i) {
        const j = i + random.below(keys - i);
        [order[i], order[j]] = [order[j], order[i]];
      }
      order.forEach((k, t) => (ids[t] = k * values + valueOf[k]));
      targets.fill(-1, 0, keys);
      distances?.fill(-1, 0, keys);
      for (let t = keys; t < T; ++t) {
        const k = random.below(keys);
        ids[t] = keys * values + k;
        targets[t] = valueOf[k];
        if (distances) distances[t] = t - order.indexOf(k);
      }
    },
  });
}
withOptions({ needle }, { needle: FACTS });
