/** @import { Core } from "../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
/** @import { PrincipalComponents } from "./principal.js" */
/** @import { Sums } from "./sums.js" */
import * as check from "../../runtime/check.js";
import * as option from "../../runtime/options.js";
import { readTable } from "../../runtime/table.js";
import { guard } from "../../runtime/wasm.js";
import { decompose } from "./decompose.js";
import { leading } from "./lanczos.js";
import { partOf } from "./part.js";
import { principal } from "./principal.js";
import { rowsOf, sumsOf } from "./sums.js";

/** In what the products of block Lanczos are added up. */
const SUMS = /** @type {const} */ (["float32", "float64"]);

const PCA = option.optionSet(() => ({
  /** In what products of rows are added up: most in short blocks of float32, or all in double. */
  accumulate: option.choice(SUMS),
  /** The number of components k, from 1 to D. Default: 2, or 1 where D is 1. */
  components: option.integer(),
}));

/**
 * Principal component analysis (Pearson 1901, Hotelling 1933).
 * @param {Core} core
 */
export function pca(core) {
  option.withOptions({ pca: ofVectors }, { pca: PCA });
  // For phasor/worker alone, which splits rows: neither types nor listings show it.
  Reflect.defineProperty(ofVectors, "part", { value: partOf(core), configurable: true });
  return ofVectors;

  /**
   * Computes the directions in which rows vary most and projects the rows on them.
   *
   *     C = (x - mean)^T (x - mean) / (N - 1) = sum_i variance_i * component_i component_i^T
   *
   * Few components of wide rows come from block Lanczos, in about five passes over x where the leading
   * variances stand out: of 4096 rows or more, a sample of 512 gives the first directions, and noise what it
   * lacks. Products are added up in short blocks of float32, the blocks in double, 1024 rows at a time: the
   * workers of `phasor/worker` share rows, and give the same bits. What float32 cannot tell (a variance below a
   * quarter of the largest, squares far from 1) is computed in double, and so are all other components, from all
   * eigenvalues of C. The sign of a component is such that its loading of largest magnitude is positive; of equal
   * ones, the first. Components beyond the rank are filled with orthonormal directions. A variance of at most
   * max(N, D) 2^-52 of the largest counts as 0.
   * Accuracy: orthonormal within 1e-6; variances within 1e-5 of themselves where they are above 1e-9 of
   * the largest; a direction within 2e-6 of its variance over the distance to the next other variance,
   * with `accumulate: "float64"` within 1e-9.
   *
   * @overload
   * @param {TableInput} x  [N, D], finite; a tensor or a table
   * @param {OptionsOf<typeof PCA>} [options]
   * @returns {PrincipalComponents} float32 tensors
   * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range, or x contains
   *   NaN or an infinity
   * @see Jolliffe 2002, Principal component analysis, chapter 1; Golub and Underwood 1977, The block
   *   Lanczos method for computing eigenvalues
   * @example
   * pca([[0, 0], [2, 1], [4, 2]], { components: 1 }).components.toArray()
   * // [[0.8944271802902222, 0.4472135901451111]]
   */
  // TypeScript keeps the comment of an overload in declarations, but not that of a nested function.
  /** @param {TableInput} x @param {OptionsOf<typeof PCA>} [options] @returns {PrincipalComponents} */
  function ofVectors(x, options = {}) {
    const { accumulate, components } = PCA.read(options);
    const rows = readTable(core, x, "x");
    const { N, D } = rows;
    if (N === 0) throw new RangeError(`x must have at least one row; got [0, ${D}]`);
    const k =
      components === undefined ? Math.min(2, D) : check.integer(components, "components", 1, D);
    const found = leadingOf(core, rows, k, accumulate) ?? decompose(core, rows, k);
    return principal(core, rows, found, N);
  }
}

/**
 * Runs block Lanczos on rows that are here.
 * @param {Core} core @param {Rows} rows @param {number} k @param {Sums} accumulate
 */
function leadingOf(core, rows, k, accumulate) {
  const isCheap = rows.resident || rows.data || rows.errorsAt; // to read anew
  if (!isCheap) return undefined;
  return guard(core, () => {
    const asking = leading(core, rows, k, accumulate);
    try {
      let step = asking.next();
      while (!step.done) {
        const { sums, ids } = step.value;
        step = asking.next(sums ? sumsOf(core, rows, sums) : rowsOf(core, rows, ids));
      }
      return step.value;
    } finally {
      asking.return(undefined);
    }
  });
}

/**
 * Computes the singular values of centered rows, largest first.
 * @param {Core} core @param {Rows} rows
 */
export function singularValues(core, rows) {
  return decompose(core, rows, 0).eigenvalues.map(Math.sqrt);
}
