/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
import { readSize } from "../../../runtime/axes.js";
import { bitsOf } from "../../../runtime/bits.js";
import * as arrays from "../../../runtime/arrays.js";
import { checkStatus, wrongShape } from "../../../runtime/errors.js";
import { withMemory, put, take } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { asFloat32 } from "../../../runtime/input.js";
import { readHeads } from "../../../runtime/heads.js";
import { output, outputInt32 } from "../../../runtime/result.js";
import { shaw } from "../shaw/shaw.js";

/** Rows that BEiT adds to a table for the class token: to patches, from patches, to itself. */
const CLASS_TOKEN_ROWS = 3;

/** The largest size of an axis: the number of offsets within a window stays an exact integer. */
const MAX_SIZE = 2 ** 15;

const INDEX = option.optionSet(() => ({
  /** Whether a class token comes before the patches, as in BEiT. The table then has three more rows. */
  classToken: option.boolean(),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

const BIAS = option.optionSet(() => ({
  /** Whether a class token comes before the patches, as in BEiT. The table then has three more rows. */
  classToken: option.boolean(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const LOG_COORDINATES = option.optionSet(() => ({
  /** The window [ph, pw] of pre-training. Default: `size`. */
  pretrained: option.value(/** @type {ArrayLike<number> | undefined} */ (undefined)),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const CONTINUOUS_BIAS = option.optionSet(() => ({
  /** W_in [M, 2], the weights of the first layer. Required. M is 512 in Swin v2. */
  inProjection: option.tensor(),
  /** b_in [M], the bias of the first layer. Default: none. */
  inBias: option.tensor(),
  /** W_out [H, M], the weights of the second layer. Required. */
  outProjection: option.tensor(),
  /** The window [ph, pw] of pre-training. Default: `size`. */
  pretrained: option.value(/** @type {ArrayLike<number> | undefined} */ (undefined)),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const RESIZE = option.optionSet(() => ({
  /** The window [h, w] of the table. Required. */
  pretrained: option.value(/** @type {ArrayLike<number> | undefined} */ (undefined)),
  /** Whether the table has the three rows of a class token, which stay as they are. */
  classToken: option.boolean(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

const DECOMPOSED = option.optionSet(() => ({
  /** `rel_pos_h` [2h - 1, D] or [H, 2h - 1, D], a vector for each vertical offset. Required. */
  heights: option.tensor(),
  /** `rel_pos_w` [2w - 1, D] or [H, 2w - 1, D], a vector for each horizontal offset. Required. */
  widths: option.tensor(),
  /** Filled instead of a new array. */
  out: option.out(),
}));

/**
 * Biases of window attention, one for every offset between two patches (Swin, BEiT, Swin v2, SAM). The
 * results are the `bias` of `attention.scaledDotProduct`.
 * @param {Core} core
 */
export function windowBias(core) {
  const { raw } = core;
  const { scores } = shaw(core);

  const module = {
    /**
     * Computes the row of a table that belongs to each pair of patches. Patches are numbered row by row.
     *
     *     index[i, j] = (y_i - y_j + h - 1) (2w - 1) + (x_i - x_j + w - 1)
     *
     * With a class token before the patches the table has R = (2h-1)(2w-1) + 3 rows: row R-3 is from the
     * token to patches, R-2 from patches to the token, R-1 from the token to itself.
     *
     * @param {ArrayLike<number>} size  [h, w] patches
     * @param {OptionsOf<typeof INDEX>} [options]
     * @returns {Tensor<Int32Array>} int32 [N, N], N = h w or h w + 1
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Liu et al. 2021, Swin Transformer, https://arxiv.org/abs/2103.14030, section 3.2;
     *   Bao et al. 2021, BEiT, https://arxiv.org/abs/2106.08254
     * @example
     * windowBias.index([2, 2]).toArray()
     * // [[4, 3, 1, 0], [5, 4, 2, 1], [7, 6, 4, 3], [8, 7, 5, 4]]
     */
    index(size, options = {}) {
      const { classToken, out } = INDEX.read(options);
      const [h, w] = readSize(size, "size", MAX_SIZE);
      const before = classToken ? 1 : 0; // tokens before the patches
      const N = h * w + before;
      const result = outputInt32(out, [N, N]);
      const { data } = result;
      eachPair(h, w, before, (row, at) => (data[at] = row));
      return result.done();
    },

    /**
     * Computes the bias of every head for every pair of patches from a learned table.
     *
     *     bias[n, i, j] = table[index[i, j], n]
     *
     * @param {TensorInput} table  [(2h - 1)(2w - 1), H], and three more rows with a class token
     * @param {ArrayLike<number>} size  [h, w] patches
     * @param {OptionsOf<typeof BIAS>} [options]
     * @returns {Tensor} float32 [H, N, N]
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Liu et al. 2021, Swin Transformer, https://arxiv.org/abs/2103.14030, section 3.2
     * @example
     * windowBias.bias([[10], [20], [30]], [1, 2]).toArray()
     * // [[[20, 10], [30, 20]]]
     */
    bias(table, size, options = {}) {
      const { classToken, out } = BIAS.read(options);
      const [h, w] = readSize(size, "size", MAX_SIZE);
      const before = classToken ? 1 : 0; // tokens before the patches
      const { data, H } = readTable(table, h, w, before);
      return spread(data, h, w, before, H, out);
    },

    /**
     * Computes the input of Swin v2's network: every offset between two patches, on a logarithmic scale.
     *
     *     coordinates[y, x, 0] = sign(a) log2(1 + |a|) / log2(8),   a = 8 (y - (h - 1)) / (ph - 1)
     *
     * and [.., 1] the same of x and w. Along an axis of one patch they are 0 (the original code divides 0 by 0).
     * Accuracy: <= 0.51 ULP.
     *
     * @param {ArrayLike<number>} size  [h, w] patches
     * @param {OptionsOf<typeof LOG_COORDINATES>} [options]
     * @returns {Tensor} float32 [2h - 1, 2w - 1, 2]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Liu et al. 2021, Swin Transformer V2, https://arxiv.org/abs/2111.09883, section 3.3
     * @example
     * windowBias.logCoordinates([1, 2], { pretrained: [1, 9] }).toArray()
     * // [[[0, -0.3333333432674408], [0, 0], [0, 0.3333333432674408]]]
     */
    logCoordinates(size, options = {}) {
      const { pretrained, out } = LOG_COORDINATES.read(options);
      const [h, w] = readSize(size, "size", MAX_SIZE);
      const [ph, pw] = readPretrained(pretrained, h, w);
      const shape = [2 * h - 1, 2 * w - 1, 2];
      const result = output(out, shape);
      withMemory(core, [result.data.byteLength], (ptr) => {
        checkStatus(raw.window_bias_log_coordinates(h, w, ph, pw, ptr));
        take(core, ptr, result.data.length, result.data);
      });
      return result.done();
    },

    /**
     * Computes Swin v2's continuous bias: a network of two layers computes the table from
     * `logCoordinates`.
     *
     *     bias[n, i, j] = 16 sigmoid(sum_m W_out[n, m] relu(W_in[m] . coordinates + b_in[m]))
     *
     * at the coordinates of pair i, j. Accuracy: in double, rounded once.
     *
     * @param {ArrayLike<number>} size  [h, w] patches
     * @param {OptionsOf<typeof CONTINUOUS_BIAS>} options
     * @returns {Tensor} float32 [H, h w, h w], between 0 and 16
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Liu et al. 2021, Swin Transformer V2, https://arxiv.org/abs/2111.09883, section 3.3;
     *   microsoft/Swin-Transformer, models/swin_transformer_v2.py
     * @example
     * windowBias.continuousBias([1, 1], { inProjection: [[1, 1]], outProjection: [[1]] }).toArray()
     * // [[[8]]]
     */
    continuousBias(size, options) {
      const { inProjection, inBias, outProjection, pretrained, out } =
        CONTINUOUS_BIAS.read(options);
      const [h, w] = readSize(size, "size", MAX_SIZE);
      const [ph, pw] = readPretrained(pretrained, h, w);
      const first = readMatrix(inProjection, "inProjection", "M", 2);
      const M = first.shape[0];
      const second = readMatrix(outProjection, "outProjection", "H", M);
      const H = second.shape[0];
      const hiddenBias = readHiddenBias(inBias, M);
      const N = h * w;
      const result = output(out, [H, N, N]);
      const table = arrays.float32s((2 * h - 1) * (2 * w - 1) * H, "its table");
      const weights = [first.data, hiddenBias, second.data];
      const bytes = [...weights, table].map(({ byteLength }) => byteLength);
      withMemory(core, bytes, (w1, b1, w2, at) => {
        weights.forEach((data, i) => put(core, data, [w1, b1, w2][i]));
        const sizes = { h, w, ph, pw, M, H };
        checkStatus(raw.window_bias_continuous_table({ w1, b1, w2, table: at, ...sizes }));
        take(core, at, table.length, table);
      });
      spread(table, h, w, 0, H, result.data);
      return result.done();
    },

    /**
     * Resizes a table to another window. The old rows are placed at distances 0, 1, 1 + q, 1 + q + q^2,
     * ..., with q found by bisection so that they span the new window; the new rows are linear
     * interpolations along each axis. Rows of the class token stay as they are.
     * This is the default of timm's `resize_rel_pos_bias_table`. The cubic splines that timm and BEiT's
     * own code compute with SciPy are not implemented.
     * Accuracy: in double, rounded once (timm: in float32).
     *
     * @param {TensorInput} table  [(2h - 1)(2w - 1), H], and three more rows with a class token
     * @param {ArrayLike<number>} size  the new window, [h', w']
     * @param {OptionsOf<typeof RESIZE>} options
     * @returns {Tensor} float32 [(2h' - 1)(2w' - 1), H], and three more rows with a class token
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see rwightman/pytorch-image-models, timm/layers/pos_embed_rel.py; microsoft/unilm,
     *   beit/run_class_finetuning.py
     * @example
     * windowBias.resize([[1], [2], [4]], [1, 3], { pretrained: [1, 2] }).toArray()
     * // [[1], [1], [2], [4], [4]]
     */
    resize(table, size, options) {
      const { pretrained, classToken, out } = RESIZE.read(options);
      const [nh, nw] = readSize(size, "size", MAX_SIZE);
      const [h, w] = readSize(pretrained, "pretrained", MAX_SIZE);
      const before = classToken ? 1 : 0; // tokens before the patches
      const { data, H } = readTable(table, h, w, before);
      const old = (2 * h - 1) * (2 * w - 1) * H;
      const wanted = (2 * nh - 1) * (2 * nw - 1) * H;
      const shape = [wanted / H + before * CLASS_TOKEN_ROWS, H];
      const result = output(out, shape);
      const extra = data.slice(old);
      const places = 2 * h - 1 + (2 * w - 1);
      const bytes = [old * 4, places * 8, wanted * 4];
      withMemory(core, bytes, (tablePtr, placesPtr, outPtr) => {
        put(core, data.subarray(0, old), tablePtr);
        const status = raw.window_bias_resize(tablePtr, h, w, nh, nw, H, placesPtr, outPtr);
        checkStatus(status);
        take(core, outPtr, wanted, result.data);
      });
      result.data.set(extra, wanted);
      return result.done();
    },

    /**
     * Computes SAM's decomposed bias: the product of the query and a vector for each offset along each
     * axis.
     *
     *     bias[i, j] = q_i . heights[y_i - y_j + h - 1] + q_i . widths[x_i - x_j + w - 1]
     *
     * q is not scaled, as in the original code. Accuracy: each product in double,
     * rounded once.
     *
     * @param {TensorInput} q  queries [B, H, h w, D], [H, h w, D] or [h w, D]
     * @param {ArrayLike<number>} size  [h, w] patches
     * @param {OptionsOf<typeof DECOMPOSED>} options
     * @returns {Tensor} float32 [B, H, h w, h w], with the axes that q has
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Kirillov et al. 2023, Segment anything, https://arxiv.org/abs/2304.02643;
     *   facebookresearch/segment-anything, modeling/image_encoder.py; Li et al. 2021, MViTv2,
     *   https://arxiv.org/abs/2112.01526
     * @example
     * const tables = { heights: [[100]], widths: [[1], [2], [3]] };
     * windowBias.decomposed([[1], [10]], [1, 2], tables).toArray()
     * // [[102, 101], [1030, 1020]]
     */
    decomposed(q, size, options) {
      const { heights, widths, out } = DECOMPOSED.read(options);
      const [h, w] = readSize(size, "size", MAX_SIZE);
      const N = h * w;
      const { data, lead, H, T, D } = readHeads(q, "q");
      if (T !== N) {
        throw new RangeError(`q must have a row for each of ${N} patches; got ${T}`);
      }
      const queries = { data, shape: [...lead, N, D] };
      const tables = {
        heights: readAxis(heights, "heights", 2 * h - 1, H, D),
        widths: readAxis(widths, "widths", 2 * w - 1, H, D),
      };
      const result = output(out, [...lead, N, N]);
      const [ys, xs] = [0, 1].map((axis) => {
        const index = outputInt32(undefined, [N, N]);
        eachPair(h, w, 0, (row, at) => {
          index.data[at] = axis === 0 ? Math.floor(row / (2 * w - 1)) : row % (2 * w - 1);
        });
        return index.done();
      });
      const add = scores(queries, tables.heights, { index: ys });
      scores(queries, tables.widths, { index: xs, add, out: result.data });
      return result.done();
    },
  };
  return option.withOptions(module, {
    index: INDEX,
    bias: BIAS,
    logCoordinates: LOG_COORDINATES,
    continuousBias: CONTINUOUS_BIAS,
    resize: RESIZE,
    decomposed: DECOMPOSED,
  });
}

/**
 * Call `visit` for every pair of tokens, in order, with its row of the table.
 * @param {number} h @param {number} w @param {number} before
 * @param {(row: number, at: number) => void} visit
 */
function eachPair(h, w, before, visit) {
  const R = (2 * h - 1) * (2 * w - 1) + before * CLASS_TOKEN_ROWS;
  const N = h * w + before;
  let at = 0;
  for (let i = 0; i < N; ++i) {
    for (let j = 0; j < N; ++j, ++at) {
      if (i < before) visit(j < before ? R - 1 : R - 3, at);
      else if (j < before) visit(R - 2, at);
      else {
        const [a, b] = [i - before, j - before];
        const y = Math.floor(a / w) - Math.floor(b / w) + h - 1;
        visit(y * (2 * w - 1) + (a % w) - (b % w) + w - 1, at);
      }
    }
  }
}

/**
 * The bias [H, N, N] of a table [R, H].
 * @param {Float32Array} table @param {number} h @param {number} w @param {number} before
 * @param {number} H @param {unknown} out
 */
function spread(table, h, w, before, H, out) {
  const N = h * w + before;
  const result = output(out, [H, N, N]);
  const from = bitsOf(arrays.haveOneBuffer(result.data, table) ? table.slice() : table);
  const to = bitsOf(result.data);
  eachPair(h, w, before, (row, at) => {
    for (let n = 0; n < H; ++n) to[n * N * N + at] = from[row * H + n];
  });
  return result.done();
}

/** @param {unknown} value @param {number} h @param {number} w */
function readPretrained(value, h, w) {
  const [ph, pw] = value === undefined ? [h, w] : readSize(value, "pretrained", MAX_SIZE);
  if ((ph === 1 && h > 1) || (pw === 1 && w > 1)) {
    throw new RangeError(
      `pretrained must have at least two patches along each axis where size has; got [${ph}, ${pw}] for [${h}, ${w}]`,
    );
  }
  return [ph, pw];
}

/**
 * @param {unknown} value @param {number} h @param {number} w @param {number} before
 */
function readTable(value, h, w, before) {
  const { data, shape } = asFloat32(value, "table");
  const R = (2 * h - 1) * (2 * w - 1) + before * CLASS_TOKEN_ROWS;
  if (shape.length !== 2 || shape[0] !== R || shape[1] === 0) {
    throw wrongShape("table", `[${R}, H]`, shape);
  }
  return { data, H: shape[1] };
}

/**
 * @param {unknown} value @param {string} name @param {string} rows  what they are called
 * @param {number} columns
 */
function readMatrix(value, name, rows, columns) {
  const { data, shape } = asFloat32(value, name);
  if (shape.length !== 2 || shape[0] === 0 || shape[1] !== columns) {
    throw wrongShape(name, `[${rows}, ${columns}]`, shape);
  }
  return { data, shape };
}

/** The bias of the first layer; zeros if there is none. @param {unknown} value @param {number} M */
function readHiddenBias(value, M) {
  if (value === undefined) return arrays.float32s(M, "the bias");
  const { data, shape } = asFloat32(value, "inBias");
  if (shape.length !== 1 || shape[0] !== M) {
    throw wrongShape("inBias", `[${M}]`, shape);
  }
  return data;
}

/**
 * @param {unknown} value @param {string} name @param {number} rows @param {number} H @param {number} D
 */
function readAxis(value, name, rows, H, D) {
  const { data, shape } = asFloat32(value, name);
  const shared = shape.join() === `${rows},${D}`;
  if (!shared && shape.join() !== `${H},${rows},${D}`) {
    throw wrongShape(name, `[${rows}, ${D}] or [${H}, ${rows}, ${D}]`, shape);
  }
  return { data, shape };
}
