/**
 * Draws whole numbers below 2^32 that look random and are the same in every run.
 * @param {number} [seed]
 * @returns {() => number}
 */
export function random(seed = 1) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0); // Knuth, TAOCP 2, 3.3.4
}

/**
 * Numbers between -1 and 1 that look random and are the same in every run.
 * @param {number} count @param {number} [seed]
 * @returns {Float32Array}
 */
export function noise(count, seed = 1) {
  const numbers = new Float32Array(count); // Float32Array.from takes many times as long
  let state = seed | 0; // as in random, but without an object for each number
  for (let i = 0; i < count; ++i) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    numbers[i] = (state >>> 0) / 2 ** 31 - 1;
  }
  return numbers;
}

/** The product of [n, k] and [k, m]. @param {ArrayLike<number>} a @param {ArrayLike<number>} b @param {number} k */
export function product(a, b, k) {
  const [n, m] = [a.length / k, b.length / k];
  return Float64Array.from({ length: n * m }, (_, at) => {
    const [i, j] = [Math.floor(at / m), at % m];
    let sum = 0;
    for (let l = 0; l < k; ++l) sum += a[i * k + l] * b[l * m + j];
    return sum;
  });
}

/**
 * A result's data: float32, and nothing else.
 * @param {{data: unknown}} tensor
 * @returns {Float32Array}
 */
export function floats({ data }) {
  if (data instanceof Float32Array) return data;
  throw new TypeError("a result must be float32");
}

/**
 * A tensor's elements as plain numbers.
 * @param {{data: ArrayLike<number | bigint>}} tensor
 * @returns {number[]}
 */
export function numbers({ data }) {
  return Array.from(data, Number);
}
