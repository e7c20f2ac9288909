// Claims about sinusoids.

/** @import { Tensor } from "phasor" */
/** @import { Claim } from "./claims.js" */
import { beside } from "../../app/columns.js";
import { brief, count } from "../../app/numbers.js";
import { waves } from "../../app/pictures.js";
import { largest } from "../numbers.js";

/** Positions over which changes of sign are counted. */
const LENGTH = 512;

/** The largest rounding of float32 rows that are equal in exact arithmetic. */
const ROUNDING = 1e-6;

/** @type {Claim} */
export const slow = {
  measure: `Sign changes over ${count(LENGTH)} positions in the first and in the last dimension`,
  cases: ({ sinusoidal }) =>
    [64, 128, 512].map((dim) => {
      const table = sinusoidal.table(LENGTH, dim);
      const [first, last] = [signChanges(table, 0), signChanges(table, dim - 1)];
      return {
        when: `${count(dim)} dimensions`,
        number: `${count(first)} and ${count(last)}`,
        holds: first < last,
      };
    }),

  picture({ sinusoidal }) {
    const [length, dim, dimensions] = [64, 64, [0, 16, 48]];
    const { data } = sinusoidal.table(length, dim);
    const columns = dimensions.map((column) =>
      Float64Array.from({ length }, (_, t) => Number(data[t * dim + column])),
    );
    return waves(beside(columns), {
      title: `Three of ${dim} dimensions`,
      labels: dimensions.map((column) => `dimension ${column}`),
      xTitle: "position (tokens)",
    });
  },
};

/** @type {Claim} */
export const odd = {
  measure: "What the first eight dimensions contain",
  cases: ({ sinusoidal }) =>
    [
      { when: "The paper’s formula, dimensions counted from 0", preset: "vaswani", first: 0 },
      { when: "The paper’s formula, dimensions counted from 1", preset: "vaswani", first: 1 },
      { when: "tensor2tensor, the paper’s own code, from 0", preset: "tensor2tensor", first: 0 },
      { when: "Whisper, from 0", preset: "whisper", first: 0 },
    ].map(({ when, preset, first }) => {
      const { presets } = sinusoidal;
      const options = presets[/** @type {keyof typeof presets} */ (preset)];
      const kinds = Array.from(sinusoidal.table(1, 8, { ...options, offset: 0 }).data, (x) =>
        Number(x) === 0 ? "sin" : "cos",
      );
      const holds = kinds.every((kind, i) => (kind === "sin") === ((i + first) % 2 === 1));
      return { when, number: kinds.join(" "), holds };
    }),
};

/** @type {Claim} */
export const linear = {
  measure: `Largest difference between the matrix times the vector of position t and the vector of position t + k, for t < ${count(LENGTH)}`,
  cases: ({ sinusoidal, attention }) =>
    [1, 7, 100].map((step) => {
      const dim = 64;
      const table = sinusoidal.table(LENGTH, dim);
      const moved = attention.linear(table, sinusoidal.shift(step, dim), {
        accumulate: "float64",
      });
      const apart = largest(moved, sinusoidal.table(LENGTH, dim, { offset: step }));
      return {
        when: `k = ${step}`,
        number: brief(apart),
        holds: apart < ROUNDING,
      };
    }),
};

/** How often a column changes its sign. @param {Tensor} table @param {number} column */
function signChanges({ data, shape: [rows, dim] }, column) {
  let changes = 0;
  for (let t = 1; t < rows; ++t) {
    if (Number(data[t * dim + column]) < 0 !== Number(data[(t - 1) * dim + column]) < 0) ++changes;
  }
  return changes;
}
