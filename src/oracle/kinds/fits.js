/** Fits of curves to biases. Logarithms are each engine's own: what is fitted is computed again by the core and compared. */

/**
 * The rate a and power p of values of distances 1 .. N.
 * @param {"log" | "power" | "weight"} kernel  of KERPLE
 * @param {readonly number[]} values  of distance k + 1, unknown ones NaN
 * @returns {{a: number, p: number} | undefined}
 */
export function kernelOf(kernel, values) {
  const all = values.map((y, k) => ({ n: k + 1, y })).filter(({ y }) => !Number.isNaN(y));
  if (kernel === "log") return logarithm(all);
  // ln of -y = a n^p, or of -ln y: a line through ln n.
  const sizes = all.map(({ n, y }) => ({ n, size: kernel === "power" ? -y : -Math.log(y) }));
  const kept = sizes.filter(({ size }) => size > 0 && size < 60); // e^-60 has few digits left
  if (kept.length < 3 || sizes.some(({ size }) => !(size > 0))) return undefined;
  let [m, x, z, xx, xz] = [0, 0, 0, 0, 0];
  for (const { n, size } of kept) {
    // How well the logarithm of e^-size is known.
    const w = kernel === "power" ? 1 : (Math.exp(-size) * size) ** 2;
    const [u, v] = [Math.log(n), Math.log(size)];
    m += w;
    x += w * u;
    z += w * v;
    xx += w * u * u;
    xz += w * u * v;
  }
  const p = (m * xz - x * z) / (m * xx - x * x);
  return { a: Math.exp((z - p * x) / m), p };
}

/** The angle of a complex number. @param {number} re @param {number} im */
export const angleOf = (re, im) => Math.atan2(im, re);

/** The number of a logarithm. @param {number} x */
export const exp = (x) => Math.exp(x);

/** The powers of two whose sum gives the size of a slope. @param {number} x */
export const log2 = (x) => Math.log2(x);

/**
 * a and p of -p ln(1 + a n): for each a the best p, and a where the error changes its sign.
 * @param {{n: number, y: number}[]} all
 */
function logarithm(all) {
  const [one, last] = [all[0], all[all.length - 1]];
  if (all.length < 3 || all.some(({ y }) => !(y < 0))) return undefined;
  // The ratio of two values falls with a, from that of their distances to 1.
  const ratio = last.y / one.y;
  const of = (/** @type {number} */ a) => Math.log1p(a * last.n) / Math.log1p(a * one.n);
  if (!(ratio > 1 && ratio < last.n / one.n)) return undefined;
  let [low, high] = [-40, 40];
  for (let k = 0; k < 100; ++k) {
    const middle = (low + high) / 2;
    if (of(Math.exp(middle)) > ratio) low = middle;
    else high = middle;
  }
  let a = Math.exp(low);
  let p = -one.y / Math.log1p(a * one.n);
  // Least squares of relative errors from there, by the derivatives over ln a and ln p.
  for (let k = 0; k < 20; ++k) {
    let [aa, ap, pp, ra, rp] = [0, 0, 0, 0, 0];
    for (const { n, y } of all) {
      const log = Math.log1p(a * n);
      const off = Math.log(-y / (p * log));
      const da = (a * n) / ((1 + a * n) * log);
      aa += da * da;
      ap += da;
      pp += 1;
      ra += da * off;
      rp += off;
    }
    const det = aa * pp - ap * ap;
    if (!(det > 0)) break;
    a *= Math.exp((pp * ra - ap * rp) / det);
    p *= Math.exp((aa * rp - ap * ra) / det);
  }
  return Number.isFinite(a) && Number.isFinite(p) ? { a, p } : undefined;
}
