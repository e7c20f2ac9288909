/** Similarity, nearest neighbors and principal components in plain double arithmetic, slowly. */

/**
 * @param {ArrayLike<number>} a @param {ArrayLike<number>} b
 * @param {"dot" | "cosine" | "euclidean"} metric
 */
export function compare(a, b, metric) {
  const sum = (/** @type {(d: number) => number} */ term) => {
    let total = 0;
    for (let d = 0; d < a.length; ++d) total += term(d);
    return total;
  };
  if (metric === "euclidean") return Math.sqrt(sum((d) => (a[d] - b[d]) ** 2));
  const dot = sum((d) => a[d] * b[d]);
  if (metric === "dot") return dot;
  const lengths = Math.sqrt(sum((d) => a[d] ** 2)) * Math.sqrt(sum((d) => b[d] ** 2));
  return lengths === 0 ? 0 : dot / lengths;
}

/**
 * Ids of the rows nearest to a query, by sorting all of them: equal scores by id, NaN last.
 * @param {ArrayLike<number>[]} rows @param {ArrayLike<number>} query
 * @param {"dot" | "cosine" | "euclidean"} metric @param {readonly number[]} [exclude]
 */
export function ranking(rows, query, metric, exclude = []) {
  const better = metric === "euclidean" ? -1 : 1;
  const scores = rows.map((row) => compare(query, row, metric));
  return rows
    .map((_, id) => id)
    .filter((id) => !exclude.includes(id))
    .sort((i, j) => {
      const [a, b] = [scores[i], scores[j]];
      if (Number.isNaN(a) || Number.isNaN(b))
        return Number(Number.isNaN(a)) - Number(Number.isNaN(b)) || i - j;
      return better * (b - a) || i - j;
    });
}

/**
 * Eigenvalues and eigenvectors of a symmetric matrix by Jacobi's rotations (1846), largest first.
 * @param {number[][]} matrix
 * @returns {{values: number[], vectors: number[][]}} vectors as rows
 */
export function jacobi(matrix) {
  const n = matrix.length;
  const A = matrix.map((row) => [...row]);
  const V = A.map((_, i) => A.map((_, j) => Number(i === j)));
  for (let sweep = 0; sweep < 60; ++sweep) {
    let off = 0;
    for (let p = 0; p < n; ++p) {
      for (let q = p + 1; q < n; ++q) {
        if (A[p][q] === 0) continue;
        off += A[p][q] ** 2;
        const angle = Math.atan2(2 * A[p][q], A[q][q] - A[p][p]) / 2;
        const [c, s] = [Math.cos(angle), Math.sin(angle)];
        for (let k = 0; k < n; ++k)
          [A[k][p], A[k][q]] = [c * A[k][p] - s * A[k][q], s * A[k][p] + c * A[k][q]];
        for (let k = 0; k < n; ++k) {
          [A[p][k], A[q][k]] = [c * A[p][k] - s * A[q][k], s * A[p][k] + c * A[q][k]];
          [V[p][k], V[q][k]] = [c * V[p][k] - s * V[q][k], s * V[p][k] + c * V[q][k]];
        }
      }
    }
    if (off === 0 || off < 1e-40 * A.reduce((sum, row, i) => sum + row[i] ** 2, 0)) break;
  }
  const order = A.map((_, i) => i).sort((i, j) => A[j][j] - A[i][i]);
  return { values: order.map((i) => A[i][i]), vectors: order.map((i) => V[i]) };
}

/**
 * Principal components by Jacobi's rotations of the covariance, or where there are fewer rows than
 * columns of the products of rows, whose eigenvectors u lead to the components X^T u.
 * @param {ArrayLike<number>[]} rows
 */
export function principal(rows) {
  const N = rows.length;
  const D = rows[0].length;
  const mean = Array.from({ length: D }, (_, d) => rows.reduce((sum, row) => sum + row[d], 0) / N);
  const centered = rows.map((row) => mean.map((middle, d) => row[d] - middle));
  const columns = mean.map((_, d) => centered.map((row) => row[d]));
  const wide = N < D;
  const { values, vectors } = jacobi(products(wide ? centered : columns));
  return {
    mean,
    values: values.map((value) => value / (N - 1)),
    vectors: !wide
      ? vectors
      : vectors.map((u, i) => columns.map((column) => dot(column, u) / Math.sqrt(values[i]))),
  };
}

/** @param {number[][]} rows */
const products = (rows) => rows.map((a) => rows.map((b) => dot(a, b)));

/** @param {number[]} a @param {number[]} b */
function dot(a, b) {
  let sum = 0;
  for (let d = 0; d < a.length; ++d) sum += a[d] * b[d];
  return sum;
}
