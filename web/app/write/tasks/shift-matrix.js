/** @import { Phasor } from "phasor" */
/** @import { Task } from "./index.js" */

/**
 * A matrix of rotations, pair i at the columns that `columns` gives.
 *
 * @param {number} dim @param {(pair: number) => number} angle @param {(pair: number) => [number, number]} [columns]
 */
function blocks(dim, angle, columns = (i) => [2 * i, 2 * i + 1]) {
  const matrix = Array.from({ length: dim }, () => new Array(dim).fill(0));
  for (let i = 0; i < dim / 2; ++i) {
    const [a, b] = columns(i);
    matrix[a][a] = matrix[b][b] = Math.cos(angle(i));
    matrix[a][b] = Math.sin(angle(i));
    matrix[b][a] = -matrix[a][b];
  }
  return matrix;
}

/** @param {Phasor} phasor @param {number} k @param {number} dim @param {number} [base] */
const shift = ({ sinusoidal }, k, dim, base = 10000) => sinusoidal.shift(k, dim, { base });

/** @type {Task} */
export const shiftMatrix = {
  name: "shift-matrix",
  title: "The matrix of a shift",
  lesson: "sinusoidal",
  calls: "shiftMatrix",
  parameters: ["k", "dim"],
  axes: ["row", "column"],
  statement: `<p>
      Write <code>shiftMatrix(k, dim)</code>. It returns a matrix \\(M_k\\) of <code>dim</code> rows and
      columns. For the vector \\(\\mathrm{PE}(t)\\) of any position \\(t\\) with base 10,000, it gives
      \\(\\mathrm{PE}(t + k) = M_k\\,\\mathrm{PE}(t)\\). Pair \\(i\\), first its sine and then its cosine, has the
      rows and columns \\(2i\\) and \\(2i + 1\\).
    </p>`,
  hints: [
    "Begin with a matrix of zeros. Each pair sets four numbers of it, a 2 × 2 block on the diagonal.",
    "The angle of pair i is <code>k * 10000 ** ((-2 * i) / dim)</code>, as in a vector of position k.",
    "sin(a + b) = sin(a) cos(b) + cos(a) sin(b) gives the first row of the block: <code>cos(b), sin(b)</code>.",
  ],
  stub: `function shiftMatrix(k, dim) {
  const matrix = [];
  for (let r = 0; r < dim; ++r) matrix.push(new Array(dim).fill(0));
  for (let i = 0; i < dim / 2; ++i) {
    // Set the 2 × 2 block of pair i.
  }
  return matrix;
}
`,
  solution: `function shiftMatrix(k, dim) {
  const matrix = [];
  for (let r = 0; r < dim; ++r) matrix.push(new Array(dim).fill(0));
  for (let i = 0; i < dim / 2; ++i) {
    const angle = k * 10000 ** ((-2 * i) / dim);
    const [s, c] = [2 * i, 2 * i + 1];
    matrix[s][s] = Math.cos(angle);
    matrix[s][c] = Math.sin(angle);
    matrix[c][s] = -Math.sin(angle);
    matrix[c][c] = Math.cos(angle);
  }
  return matrix;
}
`,
  python: {
    stub: `def shift_matrix(k, dim):
    matrix = np.zeros((dim, dim))
    for i in range(dim // 2):
        pass  # Set the 2 x 2 block of pair i.
    return matrix
`,
    solution: `def shift_matrix(k, dim):
    matrix = np.zeros((dim, dim))
    for i in range(dim // 2):
        angle = k * 10000.0 ** (-2 * i / dim)
        sin, cos = np.sin(angle), np.cos(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[cos, sin], [-sin, cos]]
    return matrix
`,
  },
  inputs: [
    [1, 4],
    [5, 6],
    [-3, 4],
    [0, 2],
  ],
  expected: shift,
  mistakes: [
    {
      says: "The matrix goes back by k positions: the signs of the two sines are exchanged.",
      wrong: (phasor, k, dim) => shift(phasor, -k, dim),
    },
    {
      says: "The exponent is −i/D instead of −2i/D, where i is the number of the pair.",
      wrong: (phasor, k, dim) => shift(phasor, k, dim, 100),
    },
    {
      says: "All pairs have the same angle. Pair i has its own: k times its frequency.",
      wrong: (_, k, dim) => blocks(dim, () => k),
    },
    {
      says: "Both sines have the same sign. In a rotation, one of them is negative.",
      wrong: (phasor, k, dim) =>
        shift(phasor, k, dim)
          .toArray()
          .map((/** @type {number[]} */ row, /** @type {number} */ r) =>
            row.map((x, c) => (r % 2 === 1 && c === r - 1 ? -x : x)),
          ),
    },
    {
      says: "The angle is converted to or from degrees. Sine and cosine take radians: no conversion is needed.",
      wrong: (_, k, dim) => blocks(dim, (i) => ((k * Math.PI) / 180) * 10000 ** ((-2 * i) / dim)),
    },
    {
      says: "Pair i has the columns i and i + D/2. Here its columns are 2i and 2i + 1.",
      wrong: (_, k, dim) =>
        blocks(
          dim,
          (i) => k * 10000 ** ((-2 * i) / dim),
          (i) => [i, i + dim / 2],
        ),
    },
  ],
};
