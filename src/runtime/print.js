/** @import { Tensor } from "./tensor.js" */
import { widened } from "./half.js";

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
  const single = floats && dtype !== "float64";
  if (rank === 0) {
    return floats ? scalar(/** @type {number} */ (data[0]), single) : String(data[0]);
  }
  if (data.length === 0) return "[]";

  const isLong = data.length > THRESHOLD;
  /** Indices to show along each axis; -1 stands for "...". */
  const shown = shape.map((size) => {
    const all = Array.from({ length: size }, (_, i) => i);
    return isLong && size > 2 * EDGE ? [...all.slice(0, EDGE), -1, ...all.slice(-EDGE)] : all;
  });
  const numbers = collect(shown, shape).map((at) => data[at]);
  const words = floats ? floatWords(/** @type {number[]} */ (numbers), single) : aligned(numbers);

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

/**
 * @param {number[]} numbers @param {boolean} single  of float32
 * @returns {string[]} all equally wide
 */
function floatWords(numbers, single) {
  const finite = numbers.filter(Number.isFinite);
  const sizes = finite.filter((x) => x !== 0).map(Math.abs);
  const most = Math.max(0, ...sizes);
  const least = Math.min(Infinity, ...sizes);
  // NumPy compares in the numbers' own precision.
  const own = single ? Math.fround : Number;
  const scientific = most >= (single ? 1e6 : 1e8) || least < own(1e-4) || own(most / least) > 1000;

  const parts = finite.map((x) => (scientific ? scientificParts : positionalParts)(x, single));
  const longest = (/** @type {"whole" | "fraction" | "power"} */ part) =>
    Math.max(0, ...parts.map((number) => number[part].length));
  const fraction = longest("fraction");
  const power = longest("power");
  const tail = scientific && finite.length > 0 ? fraction + power + 3 : fraction + 1;
  const special = numbers.filter((x) => !Number.isFinite(x)).map((x) => word(x).length - tail);
  const whole = Math.max(longest("whole"), ...special);

  let next = 0;
  return numbers.map((x) => {
    if (!Number.isFinite(x)) return word(x).padStart(whole + tail);
    const part = parts[next++];
    const start = part.whole.padStart(whole);
    if (!scientific) return `${start}.${part.fraction.padEnd(fraction)}`;
    // Shorter numbers get more of their digits instead of zeros.
    const digits =
      part.fraction.length < fraction ? split(rounded(x, fraction, "toExponential")) : part;
    return `${digits.whole.padStart(whole)}.${digits.fraction}e${part.sign}${part.power.padStart(power, "0")}`;
  });
}

/** @param {number} x */
function word(x) {
  if (Number.isNaN(x)) return "nan";
  return x > 0 ? "inf" : "-inf";
}

/** @param {number} x @param {boolean} single */
function positionalParts(x, single) {
  const short = plain(shortest(x, single));
  const text = split(short).fraction.length > DIGITS ? rounded(x, DIGITS, "toFixed") : short;
  const { whole, fraction } = split(text);
  return { whole: minus(x) + whole, fraction: fraction.replace(/0+$/, ""), sign: "", power: "" };
}

/** @param {number} x @param {boolean} single */
function scientificParts(x, single) {
  const short = shortest(x, single).toExponential();
  const text = split(short).fraction.length > DIGITS ? rounded(x, DIGITS, "toExponential") : short;
  const { whole, fraction, power } = split(text);
  return {
    whole: minus(x) + whole,
    fraction: fraction.replace(/0+$/, ""),
    sign: power[0],
    power: power.slice(1).padStart(2, "0"),
  };
}

/** A number alone. @param {number} x @param {boolean} single */
function scalar(x, single) {
  if (!Number.isFinite(x)) return word(x);
  const short = shortest(x, single);
  const size = Math.abs(short);
  if (size !== 0 && (Math.abs(x) < 1e-4 || size >= (single ? 1e6 : 1e16))) {
    const { whole, fraction, power } = split(short.toExponential());
    const point = fraction === "" ? "" : `.${fraction}`;
    return `${whole}${point}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  }
  const { whole, fraction } = split(plain(short));
  return `${minus(x)}${whole}.${fraction === "" ? "0" : fraction}`;
}

/** The number with the fewest digits that rounds to x. @param {number} x @param {boolean} single */
function shortest(x, single) {
  if (!single) return x;
  for (let precision = 1; precision < 9; ++precision) {
    const short = Number(x.toPrecision(precision));
    if (Math.fround(short) === x) return short;
  }
  return Number(x.toPrecision(9));
}

/**
 * x to some digits after the point; an exact tie goes to the even digit, where JavaScript goes up.
 * @param {number} x @param {number} digits @param {"toFixed" | "toExponential"} notation
 */
function rounded(x, digits, notation) {
  const [exact, power] = x[notation](100).split("e");
  const end = exact.indexOf(".") + 1 + digits;
  const isTie = /^50*$/.test(exact.slice(end));
  const isEven = /[02468]\.?$/.test(exact.slice(0, end));
  if (!isTie || !isEven) return x[notation](digits);
  return power === undefined ? exact.slice(0, end) : `${exact.slice(0, end)}e${power}`;
}

/** Without an exponent. @param {number} x */
function plain(x) {
  const text = String(x);
  return text.includes("e-") ? x.toFixed(20) : text;
}

/** The sign that JavaScript leaves out. @param {number} x */
function minus(x) {
  return Object.is(x, -0) ? "-" : "";
}

/** @param {string} text */
function split(text) {
  const [mantissa, power = ""] = text.split("e");
  const [whole, fraction = ""] = mantissa.split(".");
  return { whole, fraction, power };
}
