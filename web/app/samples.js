/** @import { Phasor } from "phasor" */

/**
 * Random vectors, the same for the same seed.
 *
 * @param {Phasor} phasor @param {number} count @param {number} dim
 * @param {{ std?: number, seed?: number }} [options]
 */
export function drawn({ embedding }, count, dim, { std = 1, seed = 1 } = {}) {
  const table = embedding.create(count, dim, { std, seed });
  const rows = table.weights();
  table.dispose();
  return rows;
}

/**
 * The scores of a query and a key under RoPE at the distances 0, 1, ...
 *
 * @param {Phasor} phasor @param {readonly number[]} q @param {readonly number[]} k
 * @param {number} distances  how many
 * @param {object} [options]
 * @param {number} [options.base]
 * @param {"halves" | "interleaved"} [options.layout]
 * @param {number} [options.from]  the position of the query
 */
export function scoresByDistance(phasor, q, k, distances, { base, layout, from = 0 } = {}) {
  const { attention, rope } = phasor;
  const D = q.length;
  const rotated = (/** @type {readonly number[]} */ row, /** @type {number[]} */ positions) => {
    const data = new Float32Array(positions.length * D);
    for (let i = 0; i < positions.length; ++i) data.set(row, i * D);
    const table = rope.table(positions, D, { base });
    return rope.apply({ data, shape: [positions.length, D] }, table, { layout });
  };
  const before = Array.from({ length: distances }, (_, distance) => from - distance);
  const scores = attention.scores(rotated(q, [from]), rotated(k, before), { scale: 1 });
  return Array.from(scores.data, Number);
}

/**
 * By how much YaRN slows pairs with the γ of its paper, which is proportional to the rotations within the trained length:
 * 0 for one rotation, 1 for 32. transformers and rope.frequencies follow the authors' code: there γ falls by the same
 * amount from each pair to the next.
 * @param {readonly number[]} frequencies @param {number} trained  its length @param {number} factor
 */
export function slowedByPaper(frequencies, trained, factor) {
  return frequencies.map((theta) => {
    const rotations = (trained * theta) / (2 * Math.PI);
    const kept = Math.min(1, Math.max(0, (rotations - 1) / (32 - 1)));
    return 1 / (kept + (1 - kept) / factor);
  });
}
