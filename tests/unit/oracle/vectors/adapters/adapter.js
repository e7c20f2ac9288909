// A port of LLaMA 2 in float32: right, or with the slip that the variable SLIP names.

const { SLIP } = process.env;

/** @typedef {{data: any, shape: number[]}} Array */

/** @param {Array} x @param {Array} positions */
export function rotate({ data, shape }, positions) {
  const [, , T, D] = shape;
  const base = SLIP === "base" ? 5e5 : 1e4;
  const result = data.slice();
  for (let row = 0; row < data.length / D; ++row) {
    for (let i = 0; i < D / 2; ++i) {
      const angle = positions.data[row % T] * base ** ((-2 * i) / D);
      const [c, s] = [Math.cos(angle), Math.sin(SLIP === "sign" ? -angle : angle)];
      const pair = SLIP === "layout" ? [2 * i, 2 * i + 1] : [i, i + D / 2];
      const [a, b] = pair.map((column) => row * D + column);
      result[a] = data[a] * c - data[b] * s;
      result[b] = data[b] * c + data[a] * s;
    }
  }
  return result;
}

/** @param {Array} mask */
export function position_ids({ data, shape }) {
  let sum = 0;
  return data.map((/** @type {number} */ flag, /** @type {number} */ i) => {
    if (i % shape[1] === 0) sum = -1;
    return (sum += SLIP === "padding" ? 1 : flag);
  });
}

/** @param {Array} ids @param {Record<string, Array>} weights */
export function embed(ids, { words }) {
  const [, E] = words.shape;
  const rows = [...ids.data].map((id) => words.data.subarray(id * E, (id + 1) * E));
  return rows.flatMap((row) => [...row]);
}
