/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
import { bitsOf } from "../../../runtime/bits.js";
import * as arrays from "../../../runtime/arrays.js";
import * as check from "../../../runtime/check.js";
import { wrongShape } from "../../../runtime/errors.js";
import { overRows } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { REACH } from "../../../runtime/positions.js";
import { output, outputInt32 } from "../../../runtime/result.js";
import { asArray, asFloat32 } from "../../../runtime/input.js";
import { readSpan, relatives, spread } from "../../../runtime/span.js";
import { distanceBias } from "../distance.js";

const DIRECTIONS = /** @type {const} */ (["bidirectional", "causal"]);

/** An exact boundary takes integers of as many digits as there are buckets; no model has more than 320. */
const MAX_BUCKETS = 1024;

const schemeOptions = () => ({
  /** The distance from which on all distances share the last bucket. */
  maxDistance: option.integer({ default: 128 }),
  /** `bidirectional` (encoders): half of the buckets are for keys after the query. `causal` (decoders): all keys after the query share bucket 0. */
  direction: option.choice(DIRECTIONS),
  /** `exact` decides in integers, `torch` with the float32 logarithm of PyTorch. They agree for 32 buckets and 128. */
  precision: option.choice(["exact", "torch"]),
});
const spanOptions = () => ({
  /** The number of keys Tk. Default: `length`. */
  keys: option.integer({ min: 0 }),
  /** The position of the first query. Default: keys - length, so that the last query sees the last key. */
  offset: option.value(/** @type {number | undefined} */ (undefined)),
});
/** The number of buckets of both directions together. */
const buckets = option.integer({ default: 32, max: MAX_BUCKETS });

const BUCKET = option.optionSet(() => ({
  /** The number of buckets of both directions together. */
  buckets,
  ...schemeOptions(),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

const BUCKETS = option.optionSet(() => ({
  ...spanOptions(),
  /** The number of buckets of both directions together. */
  buckets,
  ...schemeOptions(),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

const BIAS = option.optionSet(() => ({
  ...spanOptions(),
  ...schemeOptions(),
  /** Integers [T], whose differences count instead of those of indices: coordinates on a page, as in LayoutLM v2. */
  positions: option.tensor(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * The first distances of the buckets of a direction: distances below `m` have one bucket each, and bucket
 * `m + j` begins at `firsts[j - 1]`.
 * @typedef {{m: number, ahead: number, causal: boolean, firsts: Int32Array}} Scheme
 */

/**
 * T5's relative position bias, a learned number for each head and bucket of distances (Raffel et al.
 * 2020).
 * @param {Core} core
 */
export function t5Bias(core) {
  const { raw } = core;

  /**
   * @param {unknown} buckets @param {string} name
   * @param {{maxDistance: number, direction: string, precision: string}} options
   * @returns {Scheme}
   */
  function readScheme(buckets, name, { maxDistance, direction, precision }) {
    const causal = direction === "causal";
    const total = check.integer(buckets, name, causal ? 2 : 4, MAX_BUCKETS);
    const each = causal ? total : Math.floor(total / 2);
    const m = Math.floor(each / 2);
    const M = check.integer(maxDistance, "maxDistance", m + 1);
    const firsts = new Int32Array(each - m - 1);
    if (precision === "exact") fillExactFirsts(m, M, firsts);
    else {
      const pieces = [
        /** @type {const} */ ({ data: firsts, row: firsts.length, direction: "out" }),
      ];
      overRows(core, 1, pieces, (_, __, [ptr]) =>
        raw.t5_bias_torch_firsts(m, M, ptr, firsts.length),
      );
    }
    return { m, ahead: causal ? 0 : each, causal, firsts };
  }

  const module = {
    /** Options by model: T5's `encoder` and `decoder` (also MT5, UMT5, LongT5), and `wavlm`. */
    presets: option.presetsOf("t5Bias", [BUCKETS, BIAS], {
      encoder: { buckets: 32, maxDistance: 128, direction: "bidirectional" },
      decoder: { buckets: 32, maxDistance: 128, direction: "causal" },
      wavlm: { buckets: 320, maxDistance: 800, direction: "bidirectional" },
    }),

    /**
     * Computes the bucket of each relative position key - query.
     *
     *     bidirectional: B = floor(buckets / 2), n = |r|, and B is added where r > 0
     *     causal:        B = buckets, n = max(-r, 0)
     *     n                                                       for n < m = floor(B / 2)
     *     min(m + floor(ln(n/m) / ln(maxDistance/m) (B-m)), B-1)  from there on
     *
     * Accuracy: `exact` is exact for every distance; `torch` uses the float32 steps, and differs from
     * PyTorch only where PyTorch's logarithm is not the nearest float.
     *
     * @param {number | TensorInput} relativePositions  key - query, integers within 2^31
     * @param {OptionsOf<typeof BUCKET>} [options]
     * @returns {Tensor<Int32Array>} int32, the shape of relativePositions
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Raffel et al. 2020, Exploring the limits of transfer learning, https://arxiv.org/abs/1910.10683, section 2.1
     * @example
     * t5Bias.bucket([-3, -1, 0, 1, 3, 8, 16, 128, 1000]).toArray()
     * // [3, 1, 0, 17, 19, 24, 26, 31, 31]
     */
    bucket(relativePositions, options = {}) {
      const { buckets, out, ...rest } = BUCKET.read(options);
      const scheme = readScheme(buckets, "buckets", rest);
      const { data, shape } = readRelatives(relativePositions);
      const result = outputInt32(out, shape);
      result.data.set(data.map((r) => bucketOf(r, scheme)));
      return result.done();
    },

    /**
     * Computes the bucket of every query and key: `bucket` of j - (offset + i).
     *
     * @param {number} length  queries Tq
     * @param {OptionsOf<typeof BUCKETS>} [options]
     * @returns {Tensor<Int32Array>} int32 [Tq, Tk]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Raffel et al. 2020, Exploring the limits of transfer learning, https://arxiv.org/abs/1910.10683, section 2.1
     * @example
     * t5Bias.buckets(2, { keys: 3, direction: "causal" }).toArray()
     * // [[1, 0, 0], [2, 1, 0]]
     */
    buckets(length, options = {}) {
      const { keys, offset, buckets, out, ...rest } = BUCKETS.read(options);
      const span = readSpan(length, keys, offset);
      const scheme = readScheme(buckets, "buckets", rest);
      const shape = [span.Tq, span.Tk];
      const result = outputInt32(out, shape);
      const { from, count } = relatives(span);
      spread(line(from, count, scheme), span, result.data);
      return result.done();
    },

    /**
     * Computes the bias that is added to the logits from a learned table.
     *
     *     bias[h, i, j] = table[bucket(j - (offset + i)), h]
     *     bias[h, i, j] = table[bucket(positions[j] - positions[i]), h]
     *
     * T5 does not divide the logits by the square root of the head's width, uses the first layer's table
     * in all layers of a stack, and has no bias in cross-attention.
     *
     * @param {TensorInput} table  learned, [buckets, H]
     * @param {number} length  queries Tq
     * @param {OptionsOf<typeof BIAS>} [options]  the number of buckets is that of the table
     * @returns {Tensor} float32 [H, Tq, Tk]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Raffel et al. 2020, Exploring the limits of transfer learning, https://arxiv.org/abs/1910.10683, section 2.1
     * @example
     * t5Bias.bias([[0.5], [1], [2], [4]], 2, { direction: "causal" }).toArray()
     * // [[[0.5, 0.5], [1, 0.5]]]
     */
    bias(table, length, options = {}) {
      const given = BIAS.read(options);
      const { data, shape: sizes } = asFloat32(table, "table");
      if (sizes.length !== 2) {
        throw wrongShape("table", "[buckets, H]", sizes);
      }
      const scheme = readScheme(sizes[0], "table.shape[0]", given);
      const H = sizes[1];
      if (given.positions !== undefined) {
        for (const name of /** @type {const} */ (["keys", "offset"])) {
          if (given[name] === undefined) continue;
          throw new TypeError(`${name} must be left out with positions; got ${given[name]}`);
        }
        const at = readRelatives(given.positions, "positions").data;
        const T = check.integer(length, "length", 0);
        if (at.length !== T) throw wrongShape("positions", `[${T}]`, [at.length]);
        return between(at, scheme, { data, H }, given.out);
      }
      return distanceBias(H, length, given, (first, N) => {
        const buckets = line(first, N, scheme);
        const lines = arrays.float32s(H * N, "the lines");
        const [from, to] = [bitsOf(data), bitsOf(lines)];
        for (let h = 0, at = 0; h < H; ++h) {
          for (const bucket of buckets) to[at++] = from[bucket * H + h];
        }
        return lines;
      });
    },
  };
  return option.withOptions(
    module,
    { bucket: BUCKET, buckets: BUCKETS, bias: BIAS },
    { method: "buckets", family: "index", shown: ["maxDistance", "direction"], learned: "bias" },
  );
}

/**
 * Bucket m + j begins at the smallest n with (n/m)^K >= (M/m)^j, K = firsts.length + 1; in
 * integers, n^K >= M^j m^(K-j).
 * @param {number} m @param {number} M @param {Int32Array} firsts
 */
function fillExactFirsts(m, M, firsts) {
  const K = BigInt(firsts.length + 1);
  let low = m;
  for (let j = 1n; j < K; ++j) {
    const least = BigInt(M) ** j * BigInt(m) ** (K - j);
    let high = M;
    while (low < high) {
      const n = Math.floor((low + high) / 2);
      if (BigInt(n) ** K >= least) high = n;
      else low = n + 1;
    }
    firsts[Number(j) - 1] = low;
  }
}

/** @param {number} r @param {Scheme} scheme */
function bucketOf(r, { m, ahead, causal, firsts }) {
  const n = causal ? Math.max(-r, 0) : Math.abs(r);
  const side = r > 0 ? ahead : 0;
  if (n < m) return side + n;
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (firsts[middle] <= n) low = middle + 1;
    else high = middle;
  }
  return side + m + low;
}

/**
 * The buckets of relative positions, from `from` on.
 * @param {number} from @param {number} count @param {Scheme} scheme
 */
function line(from, count, scheme) {
  return new Int32Array(count).map((_, k) => bucketOf(from + k, scheme));
}

/**
 * The bias of each pair of positions.
 * @param {Float64Array} at @param {Scheme} scheme
 * @param {{data: Float32Array, H: number}} table @param {unknown} out
 */
function between(at, scheme, { data, H }, out) {
  const T = at.length;
  const result = output(out, [H, T, T]);
  const from = bitsOf(arrays.haveOneBuffer(result.data, data) ? data.slice() : data);
  const to = bitsOf(result.data);
  for (let i = 0; i < T; ++i) {
    for (let j = 0; j < T; ++j) {
      const bucket = bucketOf(at[j] - at[i], scheme);
      for (let h = 0; h < H; ++h) to[(h * T + i) * T + j] = from[bucket * H + h];
    }
  }
  return result.done();
}

/** @param {unknown} value */
function readRelatives(value, name = "relativePositions") {
  const single = typeof value === "number" || typeof value === "bigint";
  const { data, shape } = single ? { data: [value], shape: [] } : asArray(value, name);
  const relatives = new Float64Array(data.length);
  for (let k = 0; k < data.length; ++k) {
    const r = data[k];
    if (typeof r !== "number" && typeof r !== "bigint") {
      throw new TypeError(`${name} must be integers; got ${check.describe(r)} at ${k}`);
    }
    if (!(r >= -REACH && r <= REACH) || !Number.isInteger(Number(r))) {
      throw new RangeError(
        `${name} must be integers from -2^31 to 2^31; got ${check.describe(r)} at ${k}`,
      );
    }
    relatives[k] = Number(r);
  }
  return { data: relatives, shape };
}
