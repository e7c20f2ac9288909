/** @import { Phasor } from "phasor" */
/** @import { Task } from "./index.js" */

/** @param {Phasor} phasor @param {number} relative @param {"bidirectional" | "causal"} [direction] */
const bucket = ({ t5Bias }, relative, direction = "bidirectional") =>
  Number(t5Bias.bucket([relative], { direction }).data[0]);

/** Buckets 0 to 15 of a distance by the formula, changed in one part. @param {number} n @param {(logarithm: number) => number} [whole] @param {number} [last] */
const formula = (n, whole = Math.floor, last = 15) =>
  n < 8 ? n : Math.min(8 + whole((Math.log(n / 8) / Math.log(128 / 8)) * 8), last);

/** @param {number} relative @param {number} of  the bucket of the distance */
const both = (relative, of) => of + (relative > 0 ? 16 : 0);

/** @type {Task} */
export const t5Bucket = {
  name: "t5-bucket",
  title: "T5’s bucket",
  lesson: "t5-bias",
  calls: "bucket",
  parameters: ["relative"],
  axes: [],
  statement: `<p>
      Write <code>bucket(relative)</code> for T5’s encoder. <code>relative</code> is the position of the
      key minus that of the query, and \\(n\\) = |relative| is the distance. The bucket of a distance below
      8 is \\(n\\). From 8 on it is \\(8 + \\lfloor 8 \\, \\ln(n/8) / \\ln(128/8) \\rfloor\\), but 15 at most. For keys
      after the query, add 16.
    </p>`,
  hints: [
    "Begin with <code>n = Math.abs(relative)</code>. Distances below 8 are their own bucket.",
    "From 8 on: 8 plus the whole part of 8 · ln(n / 8) / ln(128 / 8), but 15 at most.",
    "Add 16 only where <code>relative</code> is positive.",
  ],
  stub: `function bucket(relative) {
  const n = Math.abs(relative);
  // Buckets 0 to 15 by distance, then 16 more for keys after the query.
  return n;
}
`,
  solution: `function bucket(relative) {
  const n = Math.abs(relative);
  const after = relative > 0 ? 16 : 0;
  if (n < 8) return after + n;
  const wide = Math.floor((Math.log(n / 8) / Math.log(128 / 8)) * 8);
  return after + Math.min(8 + wide, 15);
}
`,
  python: {
    hints: [
      "Begin with <code>n = abs(relative)</code>. Distances below 8 are their own bucket.",
      "From 8 on: 8 plus the whole part of 8 · ln(n / 8) / ln(128 / 8), but 15 at most.",
      "Add 16 only where <code>relative</code> is positive.",
    ],
    stub: `def bucket(relative):
    n = abs(relative)
    # Buckets 0 to 15 by distance, then 16 more for keys after the query.
    return n
`,
    solution: `def bucket(relative):
    n = abs(relative)
    after = 16 if relative > 0 else 0
    if n < 8:
        return after + n
    wide = int(np.log(n / 8) / np.log(128 / 8) * 8)
    return after + min(8 + wide, 15)
`,
  },
  inputs: [0, 1, -1, 7, -7, -8, 9, -13, 20, -22, 60, -100, 127, -200, 1000].map((r) => [r]),
  expected: (phasor, relative) => bucket(phasor, relative),
  mistakes: [
    {
      says: "Keys after the query get the same buckets as keys before it. Add 16 for them.",
      wrong: (phasor, relative) => bucket(phasor, -Math.abs(relative)),
    },
    {
      says: "These are the buckets of one direction, T5’s decoder: keys after the query share bucket 0.",
      wrong: (phasor, relative) => bucket(phasor, relative, "causal"),
    },
    {
      says: "The directions are exchanged: 16 is added where the key is after the query, relative > 0.",
      wrong: (phasor, relative) => bucket(phasor, -relative),
    },
    {
      says: "Distances from 8 on have one bucket each. Their buckets must widen with the logarithm.",
      wrong: (_, relative) => both(relative, Math.min(Math.abs(relative), 15)),
    },
    {
      says: "The logarithm is rounded to the nearest bucket. Take the whole part, the floor.",
      wrong: (_, relative) => both(relative, formula(Math.abs(relative), Math.round)),
    },
    {
      says: "Distances from 128 on go beyond the last bucket. Take the minimum with 15.",
      wrong: (_, relative) => both(relative, formula(Math.abs(relative), Math.floor, Infinity)),
    },
    {
      says: "You also added 16 at distance 0. Add it only for keys after the query.",
      wrong: (phasor, relative) => bucket(phasor, relative) + (relative === 0 ? 16 : 0),
    },
    {
      says: "From distance 8 on, the buckets begin again at 0. Add 8.",
      wrong(_, relative) {
        const n = Math.abs(relative);
        return both(relative, n < 8 ? n : formula(n, Math.floor, Infinity) - 8);
      },
    },
  ],
};
