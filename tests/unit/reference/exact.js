/**
 * Sines, cosines and frequencies to about 140 bits, in whole numbers: slow, plain, and independent
 * of any library's functions. It is what the tests call exact.
 *
 * A number x is kept as the BigInt round(x * 2^160).
 */
const BITS = 160n;
const ONE = 1n << BITS;

/** @param {bigint} a @param {bigint} b */
const times = (a, b) => (a * b) >> BITS;

/**
 * A double as it is, to the last bit that fits.
 * @param {number} x
 * @returns {bigint}
 */
export function fixed(x) {
  let halvings = 0n;
  let whole = x;
  for (; !Number.isInteger(whole); whole *= 2) ++halvings;
  return (BigInt(whole) << BITS) >> halvings;
}

/**
 * The nearest double; a hair's breadth from it at worst.
 * @param {bigint} x
 * @returns {number}
 */
export function double(x) {
  const size = x < 0n ? -x : x;
  const spare = BigInt(Math.max(0, size.toString(16).length * 4 - 80));
  return (Number(x >> spare) * 2 ** Number(spare)) / 2 ** Number(BITS);
}

/**
 * 1/m + s/(3 m^3) + s^2/(5 m^5) + ...: atanh(1/m) for s = 1, atan(1/m) for s = -1.
 * @param {bigint} m @param {bigint} s
 */
function inverseTangent(m, s) {
  let sum = 0n;
  for (let k = 1n, sign = 1n, power = ONE / m; power !== 0n; k += 2n, sign *= s) {
    sum += (sign * power) / k;
    power /= m * m;
  }
  return sum;
}

export const PI = 16n * inverseTangent(5n, -1n) - 4n * inverseTangent(239n, -1n); // Machin 1706
const LN2 = 2n * inverseTangent(3n, 1n);

/** The natural logarithm of x > 0. @param {bigint} x @returns {bigint} */
export function log(x) {
  if (x < ONE) return -log((ONE << BITS) / x);
  let halvings = 0n;
  for (; x > 2n * ONE; x >>= 1n) ++halvings;
  const z = ((x - ONE) << BITS) / (x + ONE);
  const square = times(z, z);
  let sum = 0n;
  for (let k = 1n, power = z; power !== 0n; k += 2n, power = times(power, square)) sum += power / k;
  return 2n * sum + halvings * LN2;
}

/** e^x for x <= 0. @param {bigint} x @returns {bigint} */
export function exp(x) {
  const halvings = -x / LN2;
  const rest = x + halvings * LN2;
  let sum = 0n;
  let term = ONE;
  for (let k = 1n; term > 1n || term < -1n; ++k) {
    sum += term;
    term = times(term, rest) / k;
  }
  return sum >> halvings;
}

/**
 * theta_i = base^(-i/n), i < pairs.
 * @param {number} base @param {number} n @param {number} pairs
 * @returns {bigint[]}
 */
export function frequencies(base, n, pairs) {
  const slope = -log(fixed(base));
  return Array.from({ length: pairs }, (_, i) => exp((slope * fixed(i)) / fixed(n)));
}

/**
 * angle = quadrant pi/2 + rest, |rest| <= pi/4, the quadrant from 0 to 3.
 * @param {bigint} angle  radians
 */
function reduced(angle) {
  const quarter = PI / 2n;
  let turns = angle / quarter;
  let rest = angle - turns * quarter;
  if (rest > quarter / 2n) [turns, rest] = [turns + 1n, rest - quarter];
  if (rest < -quarter / 2n) [turns, rest] = [turns - 1n, rest + quarter];
  return { quadrant: Number(((turns % 4n) + 4n) % 4n), rest };
}

/** @param {bigint} angle  radians */
function sinCos(angle) {
  const { quadrant, rest } = reduced(angle);
  const square = -times(rest, rest);
  /** x + x r^2/((k+1)(k+2)) + ... @param {bigint} x @param {bigint} k */
  const series = (x, k) => {
    let sum = 0n;
    for (; x > 1n || x < -1n; k += 2n) {
      sum += x;
      x = times(x, square) / ((k + 1n) * (k + 2n));
    }
    return sum;
  };
  const sin = series(rest, 1n);
  const cos = series(ONE, 0n);
  const quadrants = [
    { sin, cos },
    { sin: cos, cos: -sin },
    { sin: -sin, cos: -cos },
    { sin: -cos, cos: sin },
  ];
  return quadrants[quadrant];
}

/**
 * The sine and cosine of position * theta.
 * @param {number} position  exactly this double
 * @param {bigint} theta
 */
export function phase(position, theta) {
  const { sin, cos } = sinCos(times(fixed(position), theta));
  return { sin: double(sin), cos: double(cos) };
}

/**
 * What `phase` gives, within 4e-16 and many times faster: the angle is reduced in whole numbers, and
 * what is left of it goes through double's own sine and cosine.
 * @param {bigint} position  made by `fixed` @param {bigint} theta
 */
export function quickPhase(position, theta) {
  const { quadrant, rest } = reduced(times(position, theta));
  const r = Number(rest) / 2 ** Number(BITS);
  const [sin, cos] = [Math.sin(r), Math.cos(r)];
  return [
    { sin, cos },
    { sin: cos, cos: -sin },
    { sin: -sin, cos: -cos },
    { sin: -cos, cos: sin },
  ][quadrant];
}

/**
 * How far a float32 lies from the exact value, in units of float32's spacing there.
 * @param {number} got @param {number} exact
 */
export function ulps(got, exact) {
  if (got === exact) return 0;
  const exponent = Math.max(Math.floor(Math.log2(Math.abs(exact))), -126);
  return Math.abs(got - exact) / 2 ** (exponent - 23);
}
