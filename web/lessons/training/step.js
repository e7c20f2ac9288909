/**
 * The vectors of one pair: of the center word, of its context word and of a negative sample.
 * @typedef {{ v: number[], context: number[], negative: number[] }} Vectors
 */

/** @param {readonly number[]} a @param {readonly number[]} b */
export function dot(a, b) {
  return a.reduce((sum, x, i) => sum + x * b[i], 0);
}

/** @param {number} x */
export function sigmoid(x) {
  return 1 / (1 + Math.exp(-x));
}

/**
 * One step of gradient descent on the loss of a pair, as in Rong 2014, equations 59 and 61.
 *
 * @param {Vectors} vectors
 * @param {number} rate
 * @returns {Vectors}
 */
export function step({ v, context, negative }, rate) {
  const pull = 1 - sigmoid(dot(context, v));
  const push = -sigmoid(dot(negative, v));
  return {
    v: v.map((x, d) => x + rate * (pull * context[d] + push * negative[d])),
    context: context.map((x, d) => x + rate * pull * v[d]),
    negative: negative.map((x, d) => x + rate * push * v[d]),
  };
}
