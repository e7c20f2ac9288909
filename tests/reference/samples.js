/**
 * Numbers between -1 and 1 that look random and are the same in every run.
 * @param {number} count @param {number} [seed]
 * @returns {Float32Array}
 */
export function noise(count, seed = 1) {
  let state = seed >>> 0;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0; // Knuth, TAOCP 2, 3.3.4
    return (state / 2 ** 32) * 2 - 1;
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
