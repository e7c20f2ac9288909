/** The schemes that give a bias, each fitted, computed again by its module, and compared with every number. */
import { EPSILON } from "../numbers.js";
import { BASES, chosen } from "../identify/spectrum.js";
import { bucketsOf } from "./buckets.js";
import { kernelOf, log2 } from "./fits.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { Precision } from "../identify/residual.js"
 * @import { Fit, Scheme } from "./bias.js"
 * @import { Line, Lines } from "./lines.js"
 * @import { Cells } from "./masks.js"
 *
 * @typedef {{Tq: number, Tk: number, precision: Precision}} Sizes
 * @typedef {{data: ArrayLike<number>}} Values  [H, count], in the order of lines
 */

/** The fewest distances that show a formula. */
const FEWEST = 4;

/** What a fitted number may be off by, beside rounding. */
const FITTED = 2 ** -20;

/**
 * How far lines are from values; undefined if that is more than rounding explains.
 * @param {Lines} of @param {Scheme} scheme @param {ArrayLike<number>} values  [H, count] @param {Precision} precision @param {number} cost
 * @param {{fitted?: boolean, isKey?: boolean}} [as]
 * @returns {Fit | undefined}
 */
function compare(
  { lines, from, count },
  scheme,
  values,
  precision,
  cost,
  { fitted = false, isKey = false } = {},
) {
  /** @type {Fit} */
  const fit = { scheme, largest: 0, at: { head: 0 }, loose: 0, tight: 0, cost };
  for (const [h, { low, high }] of lines.entries()) {
    for (let k = 0; k < count; ++k) {
      if (Number.isNaN(low[k])) continue;
      const wanted = values[h * count + k];
      const off = Math.max(Math.abs(low[k] - wanted), Math.abs(high[k] - wanted));
      if (off === 0) continue;
      const size = Math.abs(wanted);
      const least = 2 ** -25; // float16 has no digits below
      fit.loose = Math.max(
        fit.loose,
        off /
          (2 * EPSILON[precision] * size +
            (fitted ? FITTED * size : 0) +
            (precision === "float16" ? least : 2 ** -140)),
      );
      fit.tight = Math.max(fit.tight, off / ((fitted ? FITTED : 2 ** -22) * size + 2 ** -140));
      if (!(fit.loose <= 1)) return undefined;
      if (off <= fit.largest) continue;
      fit.largest = off;
      fit.at = isKey ? { head: h, key: k } : { head: h, distance: from + k };
    }
  }
  return fit;
}

/**
 * A head's numbers from distance 0 back, or ahead, up to the last that is seen; NaN where one is hidden.
 * @param {Line} line @param {number} zero @param {1 | -1} step
 */
function wing({ low }, zero, step) {
  const found = [];
  for (let k = zero; k >= 0 && k < low.length; k += step) found.push(low[k]);
  while (found.length > 0 && Number.isNaN(found[found.length - 1])) found.pop();
  return found;
}

/** The numbers of a wing that are seen. @param {number[]} line */
const seenOf = (line) => line.filter((y) => !Number.isNaN(y));

/** Wings up to the first number that is hidden. @param {number[][]} wings */
function unbroken(wings) {
  const ends = wings.map((line) => line.findIndex(Number.isNaN)).filter((end) => end >= 0);
  return wings.map((line) => line.slice(0, Math.min(line.length, ...ends)));
}

/**
 * The schemes that give these numbers by distance.
 * @param {Phasor} modules @param {Lines} of @param {Sizes} sizes
 * @returns {Fit[]}
 */
export function byDistance(modules, of, sizes) {
  const { Tq, Tk } = sizes;
  return [...new Set([Tk - Tq, 0])].flatMap((offset) => {
    // Distances are counted with the first query at Tk - Tq; here it is at offset.
    const shift = Tk - Tq - offset;
    const own = { ...of, from: of.from + shift };
    const zero = -own.from;
    if (zero < 0 || zero >= own.count) return [];
    const back = of.lines.map((line) => wing(line, zero, -1));
    const ahead = of.lines.map((line) => wing(line, zero, 1));
    if (back.some((line) => seenOf(line).length < FEWEST)) return [];
    const hasLater = ahead[0].length > 1;
    const isZero =
      hasLater &&
      ahead.every((line) => seenOf(line.slice(1)).every((x) => x === 0)) &&
      back.some((line) => line.some((x) => x !== 0));
    /** @type {"own" | "zeros" | "hidden"} */
    const later = !hasLater ? "hidden" : isZero ? "zeros" : "own";
    const cut = (/** @type {ArrayLike<number>} */ values) =>
      later === "zeros" ? Array.from(values, (x, k) => (k % own.count > zero ? 0 : x)) : values;
    const span = { keys: own.count, offset: zero };
    const with_ = { back, ahead, later, span, cut, offset, precision: sizes.precision };
    return [
      alibi(modules, own, with_),
      t5(modules, own, with_),
      kerple(modules, own, with_),
      sandwich(modules, own, with_),
    ]
      .flat()
      .filter((fit) => fit !== undefined);
  });
}

/**
 * @typedef {{back: number[][], ahead: number[][], later: "own" | "zeros" | "hidden", span: {keys: number, offset: number},
 *   cut: (values: ArrayLike<number>) => ArrayLike<number>, offset: number, precision: Precision}} Wings
 */

/**
 * The slopes of lines, and the rules that give them.
 * @param {Phasor["alibi"]} module @param {number[]} measured  positive where a bias falls with distance
 * @param {Precision} precision
 * @returns {{slopes: number[], named: Partial<Scheme>, cost: number}[]}
 */
function slopesOf(module, measured, precision) {
  const H = measured.length;
  const sign = measured[0] < 0 ? -1 : 1;
  const sizes = measured.map((x) => sign * x);
  /** @type {{slopes: number[], named: Partial<Scheme>, cost: number}[]} */
  const found = [];
  const margin = 2 * EPSILON[precision] + 2 ** -21;
  const isAll = (/** @type {ArrayLike<number>} */ slopes, factor = 1) =>
    sizes.every((x, h) => Math.abs(x - factor * slopes[h]) <= margin * factor * slopes[h]);
  const add = (
    /** @type {ArrayLike<number>} */ slopes,
    /** @type {Partial<Scheme>} */ named,
    /** @type {number} */ cost,
    factor = 1,
  ) =>
    found.push({
      slopes: Array.from(slopes, (x) => Math.fround(sign * factor * x)),
      named: { ...named, ...(sign * factor !== 1 && { factor: sign * factor }) },
      cost: cost + (sign < 0 ? 1 : 0),
    });
  if (sizes.every((x) => x > 0)) {
    const m = 2 ** Math.floor(log2(H));
    const { value, cost } = chosen(Math.abs(log2(sizes[0])) * m, margin, [8]);
    for (const biasMax of new Set([8, value])) {
      if (!(biasMax > 0 && biasMax <= 126)) continue;
      const { data } = module.slopes(H, { biasMax });
      const named = {
        rule: biasMax === 8 ? "the published rule" : `the published rule with biasMax ${biasMax}`,
        biasMax,
      };
      if (isAll(data)) {
        // BLOOM's slopes are powers of a rounded number.
        const isOff = sizes.some((x, h) => Math.abs(x - data[h]) > EPSILON.float32 * data[h]);
        if (precision === "float32" && isOff)
          add(sizes, { ...named, rule: `${named.rule}, by powers in float32` }, 1.3);
        add(data, named, biasMax === 8 ? 1 : 1.5 + cost);
      } else if (biasMax === 8 && isAll(data, sizes[0] / data[0])) {
        const factor = sizes[0] / data[0];
        const width = chosen(factor ** -2, 4 * margin, [64, 80, 96, 128, 256]);
        const isRoot = Number.isInteger(width.value) && width.cost === 0;
        if (H > 1)
          add(
            data,
            named,
            isRoot ? 1.6 : 2.5,
            isRoot ? 1 / Math.sqrt(width.value) : Number(factor.toPrecision(7)),
          );
      }
    }
    const other = (/** @type {string} */ rule, /** @type {(h: number) => number} */ power) => {
      const slopes = sizes.map((_, h) => 2 ** -power(h));
      if (isAll(slopes)) add(slopes, { rule }, 2);
    };
    if (m !== H)
      other(
        "2^(-8h/H), h from 1, which is not the published rule for this H",
        (h) => (8 * (h + 1)) / H,
      );
    if (H > 1) other("2^(-8h/H), h from 0", (h) => (8 * h) / H);
    if (H > 1) other("the published rule in the reverse order", (h) => (8 * (H - h)) / H);
    // A part of more heads, such as those of one device of several.
    for (const total of H > 1 ? [2 * H, 3 * H, 4 * H, 8 * H] : []) {
      const { data } = module.slopes(total);
      for (let from = 0; from < total; from += H) {
        const own = data.subarray(from, from + H);
        const rule = `the published rule of ${total} heads, ${from} to ${from + H - 1} of these`;
        if (isAll(own)) add(own, { rule }, 1.8);
      }
    }
  }
  if (found.length === 0)
    found.push({
      slopes: measured.map((x) => Math.fround(x) + 0),
      named: { rule: "listed" },
      cost: 3,
    });
  return found;
}

/** @param {Phasor} modules @param {Lines} of @param {Wings} with_ @returns {(Fit | undefined)[]} */
function alibi({ alibi: module }, of, { back, later, span, cut, offset, precision }) {
  const H = of.lines.length;
  const shift = shiftOf(back);
  const measured = back.map((line) => -slopeOf(line, shift === 0 ? 0 : line[0]));
  if (measured.every((x) => x === 0)) return [];
  const variants =
    later === "own"
      ? /** @type {const} */ (["symmetric", "linear"])
      : /** @type {const} */ (["symmetric"]);
  const { keys, offset: zero } = span;
  /** @type {("float32" | "float16" | "bfloat16")[]} */
  const dtypes = precision === "float32" || shift !== 0 ? ["float32"] : ["float32", "bfloat16", "float16"]; // prettier-ignore
  return slopesOf(module, measured, precision).flatMap(({ slopes, named, cost }) =>
    dtypes.flatMap((dtype) => {
      // By distance, slopes and products are rounded as those of keys.
      const rounded = dtype === "float32" ? [] : module.keyBias(H, keys, { slopes, dtype }).data;
      return variants.map((variant) => {
        const data =
          dtype === "float32"
            ? module.bias(H, 1, { ...span, slopes, form: variant }).data
            : Float32Array.from({ length: H * keys }, (_, at) => {
                const r = (at % keys) - zero;
                const y = rounded[at - (at % keys) + Math.abs(r)];
                return variant === "linear" && r > 0 ? y : -y;
              });
        const scheme = { form: /** @type {const} */ ("alibi"), variant, slopes, ...named, dtype, offset, later, ...(shift !== 0 && { shift }) }; // prettier-ignore
        const shifted = shift === 0 ? data : data.map((y, at) => y - shift * slopes[Math.floor(at / keys)]); // prettier-ignore
        // Of one query, distances that count from a key are the rule by key.
        const own = cost + (dtype === "float32" ? 0 : 0.1) + (shift === 0 ? 0 : 1);
        return compare(of, scheme, cut(shifted), precision, own);
      });
    }),
  );
}

/** The distance that all heads count from, if it is a whole one. @param {number[][]} back */
function shiftOf(back) {
  const all = back.map((line) => line[0] / slopeOf(line));
  const shift = Math.round(all[0]) || 0; // not -0
  return all.every((x) => Math.abs(x - shift) < 1e-3) ? shift : 0;
}

/** The step of a line from its first number on. @param {number[]} line */
function slopeOf(line, first = line[0]) {
  let [top, bottom] = [0, 0];
  for (const [n, y] of line.entries()) {
    if (Number.isNaN(y)) continue;
    top += n * (y - first);
    bottom += n * n;
  }
  return top / bottom;
}

/** @param {Phasor} modules @param {Lines} of @param {Wings} with_ @returns {(Fit | undefined)[]} */
function t5({ t5Bias }, of, { later, span, cut, offset, precision, ...wings }) {
  const [back, ahead] = [unbroken(wings.back), unbroken(wings.ahead)];
  const changesOf = (/** @type {number[][]} */ wings) => (/** @type {number} */ n) =>
    wings.some((line) => n < line.length && line[n] !== line[n - 1]);
  const [N, M] = [back[0].length - 1, ahead[0].length - 1];
  const isOne = ahead.every((line) => line.every((x) => x === line[0]));
  const own = later === "own" ? changesOf(ahead) : undefined;
  return bucketsOf(t5Bias, changesOf(back), N, own, M, isOne).map(({ scheme, maxDistances }) => {
    const { buckets, ...options } = scheme;
    const line = t5Bias.buckets(1, { ...span, buckets, ...options }).data;
    const H = of.lines.length;
    /** @type {(number | null)[][]} */
    const table = Array.from({ length: buckets }, () => new Array(H).fill(null));
    for (const [h, { low }] of of.lines.entries()) {
      for (const [k, bucket] of line.entries()) {
        if (!Number.isNaN(low[k]) && !(later === "zeros" && k > span.offset))
          table[bucket][h] ??= low[k];
      }
    }
    const filled = table.map((row) => row.map((x) => x ?? 0));
    const { data } = t5Bias.bias(filled, 1, { ...span, ...options });
    const named = {
      form: /** @type {const} */ ("t5"),
      ...scheme,
      maxDistances,
      table,
      offset,
      later,
    };
    return compare(
      of,
      named,
      cut(data),
      precision,
      2 + costOf(scheme.buckets, scheme.maxDistance) + (scheme.direction === "causal" ? 0 : 0.1),
    );
  });
}

/** What buckets cost that no published model has. @param {number} buckets @param {number} maxDistance */
const costOf = (buckets, maxDistance) =>
  (buckets === 32 && maxDistance === 128) || (buckets === 320 && maxDistance === 800)
    ? 0
    : buckets % 2
      ? 0.6
      : 0.3;

/** @param {Phasor} modules @param {Lines} of @param {Wings} with_ @returns {(Fit | undefined)[]} */
function kerple({ kerple: module }, of, { back, later, span, cut, offset, precision }) {
  if (back.some((line) => seenOf(line).length < FEWEST + 2)) return [];
  return /** @type {const} */ (["log", "power", "weight"]).map((kernel) => {
    if (back.some(([zero]) => !Number.isNaN(zero) && zero !== (kernel === "weight" ? 1 : 0)))
      return undefined;
    const all = back.map((line) => kernelOf(kernel, line.slice(1)));
    if (all.some((one) => one === undefined)) return undefined;
    const fits = /** @type {{a: number, p: number}[]} */ (all);
    const [a, p] = [fits.map((one) => settled(one.a)), fits.map((one) => settled(one.p))];
    try {
      const { data } = module.bias(of.lines.length, 1, { ...span, kernel, a, p });
      const scheme = { form: /** @type {const} */ ("kerple"), kernel, a, p, offset, later };
      return compare(of, scheme, cut(data), precision, 3, { fitted: true });
    } catch {
      return undefined; // the fit left the range of the options
    }
  });
}

/** A fitted number, or the one of few digits that is as near as float32 shows. @param {number} x */
const settled = (x) => {
  const round = Number(x.toPrecision(3));
  return Math.fround(Math.abs(round / x - 1) < 1e-6 ? round : x);
};

/** @param {Phasor} modules @param {Lines} of @param {Wings} with_ @returns {(Fit | undefined)[]} */
function sandwich({ sandwich: module }, of, { back, later, span, cut, offset, precision }) {
  const H = of.lines.length;
  const first = back[0][1];
  if (!(first < 0)) return [];
  const at = (/** @type {number} */ dim, /** @type {number} */ base) =>
    module.bias(H, 1, { keys: 2, dim, base }).data[0];
  return BASES.filter((base) => base >= 100 && base <= 1e6).flatMap((base) => {
    // The bias of distance 1 falls with the width.
    let [low, high] = [1, 2048];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (at(2 * middle, base) > first * (1 - 2 * EPSILON[precision])) low = middle + 1;
      else high = middle;
    }
    return [low - 1, low, low + 1]
      .filter((P) => P > 0)
      .flatMap((P) => {
        if (Math.abs(at(2 * P, base) / first - 1) > 4 * EPSILON[precision]) return [];
        const { data } = module.bias(H, 1, { ...span, dim: 2 * P, base });
        const scheme = { form: /** @type {const} */ ("sandwich"), dim: 2 * P, base, offset, later };
        return [compare(of, scheme, cut(data), precision, base === 10000 ? 2 : 2.5)];
      });
  });
}

/**
 * ALiBi as a number for each key: rows differ from those by distance in a constant, which a softmax does not see.
 * @param {Phasor} modules @param {Lines} of @param {Sizes & {H: number, hidden: Uint8Array}} sizes
 * @returns {Fit[]}
 */
export function byKey({ alibi }, of, { Tq, Tk, precision, hidden }) {
  const H = of.lines.length;
  const lines = of.lines.map(({ low }) => low);
  if (Tk < FEWEST || lines.some((line) => line.some(Number.isNaN))) return [];
  const isZero = (/** @type {number} */ j) => lines.every((line) => line[j] === 0);
  let zeros = 0;
  while (zeros < Tk && isZero(zeros)) ++zeros;
  const padding = Math.max(zeros - 1, 0);
  if (Tk - padding < FEWEST) return [];
  const isCausal = hidden.includes(1);
  const measured = lines.map((line) => slopeOf(Array.from(line.subarray(padding))));
  if (measured.some((x) => x === 0)) return [];
  /** @type {Fit[]} */
  const fits = [];
  for (const { slopes, named, cost } of slopesOf(alibi, measured, precision)) {
    for (const zero of /** @type {const} */ (["first", "last"])) {
      for (const dtype of /** @type {const} */ (["float32", "bfloat16", "float16"])) {
        if (dtype !== "float32" && (precision === "float32" || named.factor !== undefined))
          continue;
        const mask = [Array.from({ length: Tk }, (_, j) => Number(j >= padding))];
        const options = { zero, slopes, dtype, ...(padding > 0 && { mask }) };
        const { data } = alibi.keyBias(H, Tk, options);
        const scheme = {
          form: /** @type {const} */ ("alibi"),
          variant: zero,
          slopes,
          ...named,
          dtype,
          ...(padding > 0 && { padding }),
          ...(isCausal && { later: /** @type {const} */ ("hidden") }),
        };
        // A row for all queries; one query at the end has the same numbers by distance.
        const odd =
          (zero === "first" ? 0.2 : 0.3) + (dtype === "float32" ? 0 : 0.1) + (Tq === 1 ? 0.5 : 0);
        const fit = compare(of, scheme, data, precision, cost + odd, { isKey: true });
        if (fit) fits.push(fit);
      }
    }
  }
  return fits;
}

/**
 * Windows of patches: a number for each offset between two.
 * @param {Phasor} modules @param {Cells} cells
 * @returns {Fit[]}
 */
export function windows({ windowBias }, { H, Tq, Tk, data, hidden }) {
  if (Tq !== Tk || hidden.includes(1)) return [];
  /** @type {Fit[]} */
  const fits = [];
  for (const classToken of [false, true]) {
    const N = Tq - Number(classToken);
    for (let h = 2; 2 * h <= N; ++h) {
      const w = N / h;
      if (!Number.isInteger(w)) continue;
      const index = windowBias.index([h, w], { classToken }).data;
      const rows = (2 * h - 1) * (2 * w - 1) + (classToken ? 3 : 0);
      const table = new Float32Array(rows * H).fill(NaN);
      let fits_ = true;
      for (let k = 0; k < data.length && fits_; ++k) {
        const at = index[k % (Tq * Tk)] * H + Math.floor(k / (Tq * Tk));
        if (Number.isNaN(table[at])) table[at] = data[k];
        else fits_ = table[at] === data[k];
      }
      if (!fits_) continue;
      const { data: again } = windowBias.bias({ data: table, shape: [rows, H] }, [h, w], {
        classToken,
      });
      if (again.some((x, k) => x !== data[k])) continue;
      const values = Array.from({ length: rows }, (_, row) =>
        Array.from(table.subarray(row * H, (row + 1) * H)),
      );
      const scheme = {
        form: /** @type {const} */ ("swin"),
        size: [h, w],
        classToken,
        table: values,
      };
      fits.push({
        scheme,
        largest: 0,
        at: { head: 0 },
        loose: 0,
        tight: 0,
        cost: 2 + (h === w ? 0 : 0.5) + Number(classToken),
      });
    }
  }
  return fits;
}
