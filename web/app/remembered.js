/**
 * Wraps a function, so that it runs again only when an argument has changed.
 *
 * @template {unknown[]} Arguments
 * @template Result
 * @param {(...given: Arguments) => Result} work
 * @returns {(...given: Arguments) => Result}
 */
export function remembered(work) {
  /** @type {Arguments | undefined} */
  let last;
  /** @type {Result} */
  let result;
  return (...given) => {
    if (!last?.every((value, i) => Object.is(value, given[i]))) {
      result = work(...given);
      last = given; // only now: a refusal is not remembered
    }
    return result;
  };
}
