/** Facts and questions: the vocabulary of `needle` and `latest`. */
import * as option from "../../runtime/options.js";
import { letters } from "./task.js";

export const FACTS = option.optionSet(() => ({
  /** The number of keys. */
  keys: option.integer({ default: 8, max: 256 }),
  /** The number of values that a key may have. */
  values: option.integer({ default: 4, min: 2, max: 256 }),
}));

/**
 * The fact that key k has value v is token k values + v, the question for k is keys values + k.
 * @param {number} keys @param {number} values
 */
export function vocabularyOf(keys, values) {
  const names = letters(keys);
  const facts = names.flatMap((key) => Array.from({ length: values }, (_, v) => `${key}=${v}`));
  return {
    vocabulary: keys * (values + 1),
    names: Object.freeze([...facts, ...names.map((key) => `${key}?`)]),
    chance: 1 / values,
    hasDistances: true,
  };
}
