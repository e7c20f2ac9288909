/**
 * Orthogonal Procrustes: the rotation (or reflection) of one set of points that brings it closest to another.
 *
 * Schönemann 1966, A generalized solution of the orthogonal Procrustes problem: with b^T a = U S V^T, the rotation is
 * U V^T. All sums are in double.
 */

/** Singular values below this share of the largest count as 0. */
const NOTHING = 1e-13;

/** Columns whose cosine is below this count as orthogonal. */
const ORTHOGONAL = 1e-15;

/** Sweeps over all pairs of columns, at most; a dozen is usual. */
const SWEEPS = 60;

/**
 * The orthogonal Q [D, D] with the smallest sum of squares of b Q - a, and the sum of the singular values of b^T a.
 *
 * @param {ArrayLike<number>} b @param {ArrayLike<number>} a  [N, D]
 * @param {number} D
 * @returns {{rotation: Float64Array, trace: number}}
 */
export function procrustes(b, a, D) {
  // Columns as rows: products[i] is column i of b^T a, right[i] is column i of V.
  const products = Array.from({ length: D }, () => new Float64Array(D));
  for (let at = 0; at < a.length; at += D) {
    for (let i = 0; i < D; ++i) {
      const column = products[i];
      const x = a[at + i];
      for (let j = 0; j < D; ++j) column[j] += x * b[at + j];
    }
  }
  const right = Array.from({ length: D }, (_, i) =>
    Float64Array.from({ length: D }, (_, j) => Number(i === j)),
  );
  for (let sweep = 0; sweep < SWEEPS; ++sweep) if (!rotateAll(products, right)) break;

  const values = products.map((column) => Math.sqrt(dot(column, column)));
  const largest = Math.max(0, ...values);
  const left = orthonormal(products, values, NOTHING * largest);
  const rotation = new Float64Array(D * D);
  for (let k = 0; k < D; ++k) {
    for (let i = 0; i < D; ++i) {
      for (let j = 0; j < D; ++j) rotation[i * D + j] += left[k][i] * right[k][j];
    }
  }
  return { rotation, trace: values.reduce((sum, value) => sum + value, 0) };
}

/**
 * Makes each pair of columns orthogonal once (Hestenes 1958, Inversion of matrices by biorthogonalization).
 * @param {Float64Array[]} columns @param {Float64Array[]} right  rotated with them
 * @returns {boolean} whether any pair was not orthogonal
 */
function rotateAll(columns, right) {
  let any = false;
  for (let i = 0; i < columns.length; ++i) {
    for (let j = i + 1; j < columns.length; ++j) {
      const [x, y] = [columns[i], columns[j]];
      const [xx, yy, xy] = [dot(x, x), dot(y, y), dot(x, y)];
      if (Math.abs(xy) <= ORTHOGONAL * Math.sqrt(xx * yy)) continue;
      any = true;
      const zeta = (yy - xx) / (2 * xy);
      const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.sqrt(1 + zeta * zeta));
      const c = 1 / Math.sqrt(1 + t * t);
      rotate(x, y, c, c * t);
      rotate(right[i], right[j], c, c * t);
    }
  }
  return any;
}

/** x, y <- c x - s y, s x + c y. @param {Float64Array} x @param {Float64Array} y @param {number} c @param {number} s */
function rotate(x, y, c, s) {
  for (let k = 0; k < x.length; ++k) {
    const [u, v] = [x[k], y[k]];
    x[k] = c * u - s * v;
    y[k] = s * u + c * v;
  }
}

/** @param {Float64Array} x @param {Float64Array} y */
function dot(x, y) {
  let sum = 0;
  for (let k = 0; k < x.length; ++k) sum += x[k] * y[k];
  return sum;
}

/**
 * Columns of length 1; each that has no length becomes orthogonal to all others.
 * @param {Float64Array[]} columns  orthogonal @param {number[]} lengths @param {number} nothing
 */
function orthonormal(columns, lengths, nothing) {
  const D = columns.length;
  const made = columns.map((column, i) => {
    const length = lengths[i];
    return length > nothing ? column.map((x) => x / length) : undefined;
  });
  for (let i = 0, axis = 0; i < D; ++i) {
    while (!made[i]) {
      const next = new Float64Array(D);
      next[axis++] = 1;
      for (let twice = 0; twice < 2; ++twice) {
        for (const other of made) {
          if (!other) continue;
          const along = dot(next, other);
          for (let k = 0; k < D; ++k) next[k] -= along * other[k];
        }
      }
      const length = Math.sqrt(dot(next, next));
      if (length > 1e-6) made[i] = next.map((x) => x / length);
    }
  }
  return /** @type {Float64Array[]} */ (made);
}
