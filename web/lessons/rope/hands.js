// A query and a key whose pairs rotate with their positions, and what a dial shows of one pair.

/** @import { Phasor, Tensor } from "phasor" */
import { brief } from "../../app/numbers.js";
import { remembered } from "../../app/remembered.js";

/** A query and a key, drawn from N(0, 1). */
export const drawn = remembered(
  /** @param {Phasor} phasor @param {number} dim @param {number} seed */
  ({ embedding }, dim, seed) => {
    const table = embedding.create(2, dim, { std: 1, seed });
    const [query, key] = table.lookup([0, 1]);
    table.dispose();
    return { query, key };
  },
);

/**
 * One vector, rotated at each of some positions.
 * @param {Phasor} phasor @param {Tensor} vector [D] @param {number | number[]} positions
 * @param {{base?: number, layout?: "interleaved" | "halves", dim?: number}} [options]  `dim`: how many
 *   numbers are rotated, from the first
 */
export function rotated(
  { rope },
  vector,
  positions,
  { base = 10000, layout = "interleaved", dim } = {},
) {
  const table = rope.table(positions, dim ?? vector.shape[0], { base });
  const [T] = table.cos.shape;
  const rows = Array.from({ length: T }, () => vector.data);
  return rope.apply(rows, table, { layout, dim });
}

/**
 * What the dial shows.
 * @param {Phasor} phasor @param {import("../../app/controls.js").Values} controls
 */
export function dialOf(phasor, { position, apart, pair, dim, base, seed }) {
  const { query, key } = drawn(phasor, dim, seed);
  const i = Math.min(pair, dim / 2 - 1);
  const theta = frequencies(phasor, dim, base)[i];
  const [m, n] = [position + apart, position];
  const [q, k] = [
    { vector: query, at: m },
    { vector: key, at: n },
  ].map(({ vector, at }) => {
    const [start, now] = [0, at].map((to) =>
      pairOf(rotated(phasor, vector, [to], { base: Number(base) }), i),
    );
    return { start, now, rotation: at * theta };
  });
  const dot = phasor.similarity.pair(q.now, k.now, { metric: "dot" });
  const [ofQuery, ofKey] = [q, k].map(({ rotation }) => turns(rotation));
  return {
    query: q,
    key: k,
    dot,
    words: `“bites” at ${m} (${ofQuery}), “dog” at ${n} (${ofKey}): pair ${i} has dot product ${brief(dot)}`,
    label: `Pair ${i} of the query, rotated by ${ofQuery}, and of the key, rotated by ${ofKey}`,
  };
}

/** Says a rotation: "3.3 turns". @param {number} radians */
function turns(radians) {
  const all = brief(Number((Math.abs(radians) / (2 * Math.PI)).toPrecision(2)));
  return `${all} turn${all === "1" ? "" : "s"}`;
}

/** @param {Phasor} phasor @param {number} dim @param {number | string} base */
export function frequencies({ rope }, dim, base) {
  return Array.from(rope.frequencies(dim, { base: Number(base) }).frequencies.data, Number);
}

/** A pair of one interleaved row. @param {Tensor} row @param {number} i @returns {[number, number]} */
export function pairOf({ data }, i) {
  return [Number(data[2 * i]), Number(data[2 * i + 1])];
}

/** @param {Phasor} phasor @param {Tensor} q  [1, D] @param {Tensor} k  [1, D] */
export function product({ similarity }, q, k) {
  return Number(similarity.rows(q, k, { metric: "dot" }).data[0]);
}
