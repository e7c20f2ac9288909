// A port of LLaMA 2, Qwen2-VL, MPT and T5 in float32: right, or with the slip that the variable SLIP names.

const { SLIP } = process.env;

/** @typedef {{data: any, shape: number[]}} Array */

/** @param {Array} x @param {Array} positions */
export function rotate({ data, shape }, positions) {
  const [, , T, D] = shape;
  const base = SLIP === "base" ? 5e5 : 1e4;
  const result = data.slice();
  for (let row = 0; row < data.length / D; ++row) {
    for (let i = 0; i < D / 2; ++i) {
      const axis = positions.data.length === T ? 0 : Number(i >= 2) + Number(i >= 5); // sections 2, 3, 3
      const angle = positions.data[axis * T + (row % T)] * base ** ((-2 * i) / D);
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

/** @param {Array} types @param {Array} images @param {Array} videos */
export function position_ids_3d({ data: types }, images, videos) {
  const T = types.length;
  if (SLIP === "flat") return Int32Array.from({ length: 3 * T }, (_, i) => i % T);
  const result = new Int32Array(3 * T);
  for (let t = 0, next = 0; t < T;) {
    const [frames, rows, columns] = [[1, 1, 1], images.data, videos.data][types[t]];
    for (let n = 0; n < frames * rows * columns; ++n, ++t) {
      const row = Math.floor(n / columns);
      const place = [Math.floor(row / rows), row % rows, n % columns];
      place.forEach((own, axis) => (result[axis * T + t] = next + own));
    }
    next += Math.max(frames, rows, columns);
  }
  return result;
}

/** @param {number} queries @param {number} keys */
export function bias(queries, keys) {
  const slope = (/** @type {number} */ i) =>
    SLIP === "no bias" ? 0 : 4 ** -(1 + Math.floor(i / (queries * keys)));
  return Float32Array.from({ length: 4 * queries * keys }, (_, i) => (i % keys) * slope(i));
}

/** @param {number} queries @param {number} keys @param {boolean} causal */
export function buckets(queries, keys, causal) {
  const all = causal !== (SLIP === "direction") ? 32 : 16;
  const exact = all / 2;
  return Int32Array.from({ length: queries * keys }, (_, i) => {
    const place = (i % keys) - Math.floor(i / keys) - (keys - queries);
    const far = all === 32 ? Math.max(-place, 0) : Math.abs(place);
    const share = Math.log(Math.max(far, 1) / exact) / Math.log(128 / exact);
    const bucket = far < exact ? far : Math.min(exact + Math.floor(share * exact + 1e-9), all - 1);
    return bucket + (all === 16 && place > 0 ? 16 : 0);
  });
}
