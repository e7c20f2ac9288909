/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
import { checkStatus, wrongShape } from "../../runtime/errors.js";
import { put, take, tileBytes, tileRows, withMemory } from "../../runtime/memory.js";
import { withName } from "../../runtime/named.js";
import * as option from "../../runtime/options.js";
import { readTable } from "../../runtime/table.js";
import { Tensor } from "../../runtime/tensor.js";
import { projected } from "../pca/principal.js";
import { refuseInfinite, tilesOf } from "../pca/tiles.js";

const ROTATE = option.optionSet(() => ({
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * The rotation of one set of rows to another.
 * @typedef {object} Alignment
 * @property {Tensor} rotation  float32 [D, D]: orthogonal, a rotation or a reflection
 * @property {number} scale  the sum of the singular values of x^T y
 * @property {Tensor} rotated  float32 [N, D]: `x . rotation`
 * @property {(x: TableInput, options?: OptionsOf<typeof ROTATE>) => Tensor} rotate  rotates other
 *   rows [..., D]: float32 [..., D]
 */

/**
 * Orthogonal Procrustes: aligns two sets of rows (Schönemann 1966).
 * @param {Core} core
 */
export function procrustes(core) {
  return align;

  /**
   * Computes the rotation or reflection of x that brings its rows closest to those of y.
   *
   *     rotation = argmin over Q of sum of (x . Q - y)^2,  Q^T Q = 1;   x^T y = U S V^T,  rotation = U V^T
   *
   * `scipy.linalg.orthogonal_procrustes` returns the same rotation and scale. It neither centers nor scales:
   * subtract the means first to compare shapes; `scale` over the sum of x^2 is then the best factor. Embeddings
   * of two models become comparable by it, row i of both the same word.
   * All is computed in double. Where x^T y has no full rank, directions that nothing determines are completed.
   * Accuracy: `rotation` orthogonal within 1e-6, and within 1e-7 of the exact one where the two smallest singular
   * values are above 1e-6 of the largest; `scale` within 1e-12 of itself.
   *
   * @overload
   * @param {TableInput} x  [N, D], finite; a tensor or a table
   * @param {TableInput} y  [N, D], finite
   * @returns {Alignment} float32 tensors, and the scale in double
   * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, shapes differ, or x
   *   or y contains NaN or an infinity
   * @see Schönemann 1966, A generalized solution of the orthogonal Procrustes problem; Xing et al. 2015,
   *   https://aclanthology.org/N15-1104, for word vectors
   * @example
   * procrustes([[1, 0], [0, 2]], [[0, 1], [-2, 0]]).rotation.toArray()
   * // [[0, 1], [-1, 0]]
   */
  // TypeScript keeps the comment of an overload in declarations, but not that of a nested function.
  /** @param {TableInput} x @param {TableInput} y @returns {Alignment} */
  function align(x, y) {
    const [from, onto] = [readTable(core, x, "x"), readTable(core, y, "y")];
    const { N, D } = from;
    if (N === 0) throw new RangeError(`x must have at least one row; got [0, ${D}]`);
    if (onto.N !== N || onto.D !== D) {
      throw new RangeError(`y must have shape [${N}, ${D}]; got [${onto.N}, ${onto.D}]`);
    }
    const { matrix, scale } = solved(core, from, onto);
    const mean = new Float64Array(D);
    const directions = matrix.map((_, at) => matrix[(at % D) * D + Math.floor(at / D)]);
    /** @param {Rows} rows @param {number[]} shape @param {unknown} out */
    const rotated = (rows, shape, out) => projected(core, rows, { mean, directions, shape, out });
    return {
      rotation: new Tensor(Float32Array.from(matrix), [D, D]),
      scale,
      rotated: rotated(from, [N], undefined),
      rotate: withName("Alignment.rotate", (z, options = {}) => {
        const { out } = ROTATE.read(options);
        const more = readTable(core, z, "x", "[..., D]");
        if (more.D !== D) {
          throw wrongShape("x", `[..., ${D}]`, more.shape);
        }
        return rotated(more, more.shape.slice(0, -1), out);
      }),
    };
  }
}

/**
 * The rotation [D, D] in double, and the sum of the singular values.
 * @param {Core} core @param {Rows} x @param {Rows} y
 */
function solved(core, x, y) {
  const { N, D } = x;
  const { raw } = core;
  const step = tileRows(D * 4, N);
  const sizes = [D * D * 8, (2 * D * D + 3 * D) * 8, tileBytes(x, step), tileBytes(y, step)];
  return withMemory(core, sizes, (matrixAt, workAt, xTile, yTile) => {
    const matrix = new Float64Array(D * D);
    put(core, matrix, matrixAt);
    for (let from = 0; from < N; from += step) {
      const count = Math.min(step, N - from);
      const [xAt, yAt] = [x.place(from, count, xTile), y.place(from, count, yTile)];
      checkStatus(raw.procrustes_add_products(xAt, yAt, count, D, workAt, matrixAt));
    }
    take(core, matrixAt, D * D, matrix);
    if (!matrix.every(Number.isFinite)) {
      refuseInfinite(core, "x", D, (kernel) => tilesOf(x, step, xTile, kernel));
      refuseInfinite(core, "y", D, (kernel) => tilesOf(y, step, yTile, kernel));
    }
    checkStatus(raw.procrustes_solve(matrixAt, D, workAt));
    take(core, matrixAt, D * D, matrix);
    const scale = new Float64Array(1);
    take(core, workAt, 1, scale);
    return { matrix, scale: scale[0] };
  });
}
