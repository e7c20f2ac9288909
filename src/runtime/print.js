/** @import { Tensor } from "./tensor.js" */
import { round, widened } from "./half.js";

// Prints tensors by NumPy's rules: aligned columns, the fewest digits that identify each number but at
// most eight after the point, one notation for all, long axes shortened.

const THRESHOLD = 1000; // elements above which long axes are shortened
const EDGE = 3; // rows and columns kept at each end
const WIDTH = 75; // of a line
const DIGITS = 8; // after the point

/**
 * @param {Tensor<any>} tensor
 * @returns {string}
 */
export function print(tensor) {
  const { shape, rank, dtype } = tensor;
  const data = widened(tensor.data, dtype) ?? tensor.data;
  const floats = data instanceof Float32Array || data instanceof Float64Array;
  if (rank === 0) return floats ? scalar(data[0], dtype) : String(data[0]);
  if (data.length === 0) return "[]";

  const isLong = data.length > THRESHOLD;
  /** Indices to show along each axis; -1 stands for "...". */
  const shown = shape.map((size) => {
    const all = Array.from({ length: size }, (_, i) => i);
    return isLong && size > 2 * EDGE ? [...all.slice(0, EDGE), -1, ...all.slice(-EDGE)] : all;
  });
  const numbers = collect(shown, shape).map((at) => data[at]);
  const words = floats ? floatWords(/** @type {number[]} */ (numbers), dtype) : aligned(numbers);

  let next = 0;
  /** @param {number} axis @returns {string} */
  const render = (axis) => {
    const parts = shown[axis].map((i) => {
      if (i < 0) return "...";
      return axis === rank - 1 ? words[next++] : render(axis + 1);
    });
    const indent = " ".repeat(axis + 1);
    if (axis < rank - 1) return `[${parts.join("\n".repeat(rank - 1 - axis) + indent)}]`;
    return `[${wrap(parts, indent, WIDTH - rank)}]`;
  };
  return render(0);
}

/**
 * Offsets of the elements shown, in order.
 * @param {number[][]} shown @param {readonly number[]} shape
 */
function collect(shown, shape) {
  let offsets = [0];
  for (const [axis, indices] of shown.entries()) {
    const kept = indices.filter((i) => i >= 0);
    offsets = offsets.flatMap((offset) => kept.map((i) => offset * shape[axis] + i));
  }
  return offsets;
}

/** @param {string[]} words @param {string} indent @param {number} width */
function wrap(words, indent, width) {
  const lines = [];
  let line = indent;
  for (const [i, word] of words.entries()) {
    if (line.length > indent.length && line.length + word.length > width) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += i < words.length - 1 ? `${word} ` : word;
  }
  return [...lines, line].join("\n").slice(indent.length);
}

/** @param {(number | bigint)[]} numbers */
function aligned(numbers) {
  const words = numbers.map(String);
  const width = Math.max(...words.map((word) => word.length));
  return words.map((word) => word.padStart(width));
}

/** @typedef {{whole: string, fraction: string, power: string}} Parts  of a printed number */

/** Rounds to the numbers that a tensor holds; bfloat16 is printed as the float32 it is. @param {string} dtype */
const rounding = (dtype) =>
  dtype === "float64" ? Number : dtype === "float16" ? toFloat16 : Math.fround;

/** Sizes from which on numbers are written with an exponent. @param {string} dtype @param {number} double */
const large = (dtype, double) => (dtype === "float64" ? double : dtype === "float16" ? 1e3 : 1e6);

/**
 * @param {number[]} numbers @param {string} dtype
 * @returns {string[]} all equally wide
 */
function floatWords(numbers, dtype) {
  const own = rounding(dtype);
  const finite = numbers.filter(Number.isFinite);
  const sizes = finite.filter((x) => x !== 0).map(Math.abs);
  const most = Math.max(0, ...sizes);
  const least = Math.min(Infinity, ...sizes);
  // NumPy compares in the numbers' own precision.
  const scientific = most >= large(dtype, 1e8) || least < own(1e-4) || own(most / least) > 1000;

  let parts = finite.map((x) => partsOf(x, own, scientific, 0, DIGITS));
  const longest = (/** @type {"whole" | "fraction" | "power"} */ part) =>
    Math.max(0, ...parts.map((number) => number[part].length));
  const fraction = longest("fraction");
  // Shorter numbers get more of their digits instead of zeros.
  if (scientific) parts = finite.map((x) => partsOf(x, own, true, fraction, fraction));
  const power = longest("power");
  const whole = longest("whole");
  const words = parts.map((part) => {
    const start = `${part.whole.padStart(whole)}.${part.fraction.padEnd(fraction)}`;
    return scientific
      ? `${start}e${part.power[0]}${part.power.slice(1).padStart(power - 1, "0")}`
      : start;
  });

  const special = numbers.filter((x) => !Number.isFinite(x)).map((x) => word(x).length);
  const width = Math.max(...special, ...words.map((word) => word.length));
  let next = 0;
  return numbers.map((x) => (Number.isFinite(x) ? words[next++] : word(x)).padStart(width));
}

/** @param {number} x */
function word(x) {
  if (Number.isNaN(x)) return "nan";
  return x > 0 ? "inf" : "-inf";
}

/** A number alone. @param {number} x @param {string} dtype */
function scalar(x, dtype) {
  if (!Number.isFinite(x)) return word(x);
  const size = Math.abs(x);
  const scientific = size !== 0 && (size < 1e-4 || size >= large(dtype, 1e16));
  const { whole, fraction, power } = partsOf(x, rounding(dtype), scientific, 0, Infinity);
  if (!scientific) return `${whole}.${fraction || "0"}`;
  return `${whole}${fraction && `.${fraction}`}e${power}`;
}

/**
 * The decimal digits of a number: the fewest that identify it, within bounds after the point.
 * @param {number} x  finite
 * @param {(x: number) => number} own  rounds to numbers of x's precision
 * @param {boolean} scientific  whether with an exponent
 * @param {number} least @param {number} most  digits after the point; zeros at the end count below `least` alone
 * @returns {Parts}
 */
function partsOf(x, own, scientific, least, most) {
  const [exact, power] = Math.abs(x).toExponential(100).replace(".", "").split("e");
  const first = scientific ? 1 : Number(power) + 1; // digits before the point
  /** @type {bigint} */
  let chosen;
  let count = Math.max(1, first + least);
  for (; ; ++count) {
    const rest = exact.slice(count);
    const down = BigInt(exact.slice(0, count));
    const [isDown, isUp] = [down, down + 1n].map(
      (digits) => own(Number(`${digits}e${Number(power) - count + 1}`)) === Math.abs(x),
    );
    const half = "5".padEnd(rest.length, "0");
    // Where both identify x or neither does, the nearer one; of a tie, the even one.
    const isNearer = rest === half ? down % 2n === 0n : rest < half;
    chosen = (isDown === isUp ? isNearer : isDown) ? down : down + 1n;
    if (isDown || isUp || count >= first + most) break;
  }
  const digits = String(chosen).padStart(count, "0");
  const exponent = Number(power) + digits.length - count; // 9.99 may have become 10.0
  const point = scientific ? 0 : exponent;
  const text = "0".repeat(Math.max(0, -point)) + digits;
  const end = Math.max(0, point) + 1;
  const shown = text.slice(end).replace(/(?<!0)0+$/, "");
  return {
    whole: (Object.is(x, -0) || x < 0 ? "-" : "") + text.slice(0, end).padEnd(end, "0"),
    fraction: scientific ? shown.padEnd(least, "0") : shown,
    power: (exponent < 0 ? "-" : "+") + String(Math.abs(exponent)).padStart(2, "0"),
  };
}

/** @param {number} x */
function toFloat16(x) {
  const bits = new Uint16Array(1);
  round([x], "float16", bits);
  return /** @type {Float32Array} */ (widened(bits, "float16"))[0];
}
