/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
import * as arrays from "../../runtime/arrays.js";
import { wrongShape } from "../../runtime/errors.js";
import { overRows } from "../../runtime/memory.js";
import { withName } from "../../runtime/named.js";
import * as option from "../../runtime/options.js";
import { output } from "../../runtime/result.js";
import { readTable } from "../../runtime/table.js";
import { Tensor } from "../../runtime/tensor.js";

const PROJECT = option.optionSet(() => ({
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * The principal components of a set of rows, and the projections of the rows.
 * @typedef {object} PrincipalComponents
 * @property {Tensor} mean  float32 [D]
 * @property {Tensor} components  float32 [k, D]: orthonormal rows, largest variance first
 * @property {Tensor} explainedVariance  float32 [k]: the variance along each component, divided by N - 1
 * @property {Tensor} explainedVarianceRatio  float32 [k]: its share of the total variance
 * @property {Tensor} singularValues  float32 [k]: the singular values of the centered x
 * @property {Tensor} projected  float32 [N, k]: `(x - mean) . components`
 * @property {(x: TableInput, options?: OptionsOf<typeof PROJECT>) => Tensor} project  projects
 *   other rows [..., D]: float32 [..., k]
 */

/**
 * Makes the result of eigenvalues and directions.
 * @param {Core} core @param {Rows} rows
 * @param {{mean: Float64Array, eigenvalues: Float64Array, directions: Float64Array, total: number}} found
 * @param {number} N  of all rows: these may be some
 * @returns {PrincipalComponents}
 */
export function principal(core, rows, { mean, eigenvalues, directions, total }, N) {
  const D = mean.length;
  const k = directions.length / D;
  /** @param {(value: number) => number} of */
  const each = (of) =>
    new Tensor(
      Float32Array.from({ length: k }, (_, i) => of(eigenvalues[i] ?? 0)),
      [k],
    );
  /** @param {Rows} rows @param {number[]} shape @param {unknown} out */
  const project = (rows, shape, out) => projected(core, rows, { mean, directions, shape, out });
  return {
    mean: new Tensor(Float32Array.from(mean), [D]),
    components: new Tensor(Float32Array.from(directions), [k, D]),
    explainedVariance: each((value) => (value === 0 ? 0 : value / (N - 1))),
    explainedVarianceRatio: each((value) => (value === 0 ? 0 : value / total)),
    singularValues: each(Math.sqrt),
    projected: project(rows, [rows.N], undefined),
    project: withName("PrincipalComponents.project", (y, options = {}) => {
      const { out } = PROJECT.read(options);
      const more = readTable(core, y, "x", "[..., D]");
      if (more.D !== D) {
        throw wrongShape("x", `[..., ${D}]`, more.shape);
      }
      return project(more, more.shape.slice(0, -1), out);
    }),
  };
}

/**
 * Projects rows on directions: (x - mean) . directions, in double.
 * @param {Core} core @param {Rows} rows
 * @param {{mean: Float64Array, directions: Float64Array, shape: number[], out: unknown}} on
 *   [D], [k, D]; the shape of x without its last axis
 * @returns {Tensor} float32 [...shape, k]
 */
export function projected(core, rows, { mean, directions, shape, out }) {
  const { D } = rows;
  const k = directions.length / D;
  const result = output(out, [...shape, k]);
  const pieces = [
    rows,
    { data: mean },
    { data: directions },
    /** @type {const} */ ({ data: result.data, row: k, direction: "out" }),
  ];
  const count = arrays.count(shape);
  overRows(core, count, pieces, (n, _from, [at, meanAt, directionsAt, to]) =>
    core.raw.pca_project(at, n, D, meanAt, directionsAt, k, to),
  );
  return result.done();
}
