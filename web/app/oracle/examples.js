// Slips of ports, made on the page: what phasor itself computes, with one thing wrong.

/** @import { Phasor } from "phasor" */
/** @import { Arrays } from "./arrays.js" */

/** Those of Llama 3.1. */
const LLAMA = Object.freeze({
  base: 500000,
  scaling: Object.freeze({
    type: "llama3",
    factor: 8,
    lowFreqFactor: 1,
    highFreqFactor: 4,
    originalLength: 8192,
  }),
});

/** Those of gpt-oss. */
const YARN = Object.freeze({
  base: 150000,
  scaling: Object.freeze({ type: "yarn", factor: 32, originalLength: 4096, truncate: false }),
});

/** Rounds to bfloat16, ties to even. @param {number} x */
function bfloat16(x) {
  const multiple = (2 ** 45 + 1) * x;
  return multiple - (multiple - x);
}

/** The same numbers in every run. @param {number} length */
function noise(length) {
  let state = 7;
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
  });
}

/** @typedef {(phasor: Pick<Phasor, "rope">) => Arrays} Example */

/** @satisfies {Record<string, Example>} */
export const examples = {
  interleaved: ({ rope }) =>
    rope.toFullWidth(rope.table(64, 128, /** @type {any} */ (LLAMA)), { layout: "interleaved" }),

  unscaled: ({ rope }) => rope.toFullWidth(rope.table(64, 128, { base: LLAMA.base })),

  offset: ({ rope }) =>
    rope.toFullWidth(rope.table(64, 128, /** @type {any} */ ({ ...LLAMA, offset: 5 }))),

  bfloat16: ({ rope }) =>
    rope.toFullWidth(
      rope.table(
        Array.from({ length: 640 }, (_, t) => bfloat16(t)),
        128,
        { base: 1000000 },
      ),
    ),

  squared({ rope }) {
    const { cos, sin } = rope.toFullWidth(rope.table(64, 64, /** @type {any} */ (YARN)));
    const { attentionFactor } = rope.frequencies(64, /** @type {any} */ (YARN));
    for (const { data } of [cos, sin]) data.set(data.map((x) => x * attentionFactor));
    return { cos, sin };
  },

  mixed({ rope }) {
    const [heads, rows, width] = [4, 64, 64];
    const q = { data: noise(heads * rows * width), shape: [heads, rows, width] };
    const { cos, sin } = rope.toFullWidth(rope.table(rows, width));
    const rotated = { data: q.data.slice(), shape: q.shape };
    for (let i = 0; i < q.data.length; ++i) {
      const at = i % (rows * width);
      const other = i % 2 === 0 ? -q.data[i + 1] : q.data[i - 1];
      rotated.data[i] = q.data[i] * cos.data[at] + other * sin.data[at];
    }
    return { q, rotated };
  },

  noise() {
    const numbers = () => ({ data: noise(64 * 64), shape: [64, 64] });
    const [cos, sin] = [numbers(), numbers()];
    sin.data.reverse();
    return { cos, sin };
  },
};
