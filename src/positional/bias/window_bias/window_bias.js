/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { checkStatus } from "../../../runtime/errors.js";
import { withMemory, put, take } from "../../../runtime/memory.js";
import { asFloat32, Tensor } from "../../../runtime/tensor.js";
import { readHeads } from "../../../attention/attention/heads.js";
import { shaw } from "../shaw/shaw.js";

const FORMS = /** @type {const} */ (["swin", "beit"]);

/** Rows that BEiT adds to a table, for the class token: to patches, from them, to itself. */
const EXTRA = 3;

/** Along an axis; the ways across a window must still be whole numbers. */
const LARGEST = 2 ** 15;

/**
 * Windows: the patches of a small image attend to each other, with a bias for every way two patches
 * can lie apart (Swin, BEiT, Swin v2, SAM). The results go into `attention.scaledDotProduct` as its `bias`.
 * @param {Core} core
 */
export function windowBias(core) {
  const raw =
    /**
     * @type {Raw & {
     *   window_bias_log_coordinates(h: number, w: number, ph: number, pw: number, out: number): number,
     *   window_bias_continuous_table(h: number, w: number, ph: number, pw: number, w1: number, b1: number,
     *     w2: number, M: number, H: number, table: number): number,
     *   window_bias_resize(table: number, h: number, w: number, nh: number, nw: number, H: number,
     *     places: number, out: number): number,
     * }}
     */ (core.raw);
  const { scores } = shaw(core);

  return {
    /**
     * Which row of a table belongs to each pair of patches; patches count row by row.
     *
     *     index[i, j] = (y_i - y_j + h - 1) (2w - 1) + (x_i - x_j + w - 1)
     *
     * Form `beit` has a class token before the patches, and three more rows, R = (2h-1)(2w-1) + 3:
     * R-3 from the token to patches, R-2 from patches to it, R-1 to itself.
     *
     * @param {readonly number[]} size  [h, w] patches
     * @param {{form?: "swin" | "beit", out?: Int32Array | Tensor<Int32Array>}} [options]  `form`: default
     *   `swin`; `out` is filled instead of a new array
     * @returns {Tensor<Int32Array>} int32 [N, N], N = h w or h w + 1; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Liu et al. 2021, Swin Transformer, https://arxiv.org/abs/2103.14030, section 3.2;
     *   Bao et al. 2021, BEiT, https://arxiv.org/abs/2106.08254
     * @example
     * windowBias.index([2, 2]).toArray()
     * // [[4, 3, 1, 0], [5, 4, 2, 1], [7, 6, 4, 3], [8, 7, 5, 4]]
     */
    index(size, options = {}) {
      const { form, out } = check.options(
        options,
        { form: "swin", out: undefined },
        "windowBias.index",
      );
      const [h, w] = readSize(size, "size");
      const before = tokens(form);
      const N = h * w + before;
      const result = check.destinationInt32(out, [N, N]);
      eachPair(h, w, before, (row, at) => (result[at] = row));
      return new Tensor(result, [N, N]);
    },

    /**
     * The bias of every head for every pair of patches.
     *
     *     bias[n, i, j] = table[index[i, j], n]
     *
     * @param {TensorInput} table  [(2h - 1)(2w - 1), H], and three more rows for form `beit`
     * @param {readonly number[]} size  [h, w] patches
     * @param {{form?: "swin" | "beit", out?: Float32Array | Tensor}} [options]  as for `index`, default `swin`
     * @returns {Tensor} float32 [H, N, N]: the table's own numbers; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Liu et al. 2021, Swin Transformer, https://arxiv.org/abs/2103.14030, section 3.2
     * @example
     * windowBias.bias([[10], [20], [30]], [1, 2]).toArray()
     * // [[[20, 10], [30, 20]]]
     */
    bias(table, size, options = {}) {
      const { form, out } = check.options(
        options,
        { form: "swin", out: undefined },
        "windowBias.bias",
      );
      const [h, w] = readSize(size, "size");
      const before = tokens(form);
      const { data, H } = readTable(table, h, w, before);
      return spread(data, h, w, before, H, out);
    },

    /**
     * The ways two patches can lie apart as Swin v2's network sees them.
     *
     *     coordinates[y, x, 0] = sign(a) log2(1 + |a|) / log2(8),   a = 8 (y - (h - 1)) / (ph - 1)
     *
     * and [.., 1] the same of x and w. Along a single patch they are 0 (the source divides 0 by 0).
     * Accuracy: <= 0.51 ULP.
     *
     * @param {readonly number[]} size  [h, w] patches
     * @param {{pretrained?: readonly number[], out?: Float32Array | Tensor}} [options]  `pretrained`: the
     *   window [ph, pw] of pre-training; default: this one
     * @returns {Tensor} float32 [2h - 1, 2w - 1, 2]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Liu et al. 2021, Swin Transformer V2, https://arxiv.org/abs/2111.09883, section 3.3
     * @example
     * windowBias.logCoordinates([1, 2], { pretrained: [1, 9] }).toArray()
     * // [[[0, -0.3333333432674408], [0, 0], [0, 0.3333333432674408]]]
     */
    logCoordinates(size, options = {}) {
      const where = "windowBias.logCoordinates";
      const given = check.options(options, { pretrained: undefined, out: undefined }, where);
      const [h, w] = readSize(size, "size");
      const [ph, pw] = readPretrained(given.pretrained, h, w);
      const shape = [2 * h - 1, 2 * w - 1, 2];
      const result = check.destination(given.out, shape);
      withMemory(core, where, [result.byteLength], (at) => {
        checkStatus(raw.window_bias_log_coordinates(h, w, ph, pw, at), where);
        take(core, at, result.length, result);
      });
      return new Tensor(result, shape);
    },

    /**
     * Swin v2's continuous bias: a network of two layers makes the table out of `logCoordinates`.
     *
     *     bias[n, i, j] = 16 sigmoid(sum_m W_out[n, m] relu(W_in[m] . coordinates + b_in[m]))
     *
     * at the coordinates of pair i, j. Accuracy: everything in double, rounded once.
     *
     * @param {readonly number[]} size  [h, w] patches
     * @param {object} options
     * @param {TensorInput} options.inProjection  W_in [M, 2]; M is 512 in Swin v2
     * @param {TensorInput} [options.inBias]  b_in [M]; default: none
     * @param {TensorInput} options.outProjection  W_out [H, M]
     * @param {readonly number[]} [options.pretrained]  the window of pre-training; default: this one
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [H, h w, h w], between 0 and 16; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Liu et al. 2021, Swin Transformer V2, https://arxiv.org/abs/2111.09883, section 3.3;
     *   microsoft/Swin-Transformer, models/swin_transformer_v2.py
     * @example
     * windowBias.continuousBias([1, 1], { inProjection: [[1, 1]], outProjection: [[1]] }).toArray()
     * // [[[8]]]
     */
    continuousBias(size, options) {
      const where = "windowBias.continuousBias";
      const defaults = {
        inProjection: undefined,
        inBias: undefined,
        outProjection: undefined,
        pretrained: undefined,
        out: undefined,
      };
      const given = check.options(options, defaults, where);
      const [h, w] = readSize(size, "size");
      const [ph, pw] = readPretrained(given.pretrained, h, w);
      const into = readMatrix(given.inProjection, "inProjection", "M", 2);
      const M = into.shape[0];
      const onto = readMatrix(given.outProjection, "outProjection", "H", M);
      const H = onto.shape[0];
      const added = given.inBias === undefined ? undefined : asFloat32(given.inBias, "inBias");
      if (added && (added.shape.length !== 1 || added.shape[0] !== M)) {
        throw new RangeError(`inBias must have shape [${M}]; got [${added.shape.join(", ")}]`);
      }
      const N = h * w;
      const result = check.destination(given.out, [H, N, N]);
      const table = check.float32s((2 * h - 1) * (2 * w - 1) * H, where);
      const weights = [into.data, added?.data ?? new Float32Array(M), onto.data];
      const bytes = [...weights, table].map(({ byteLength }) => byteLength);
      withMemory(core, where, bytes, (...[w1, b1, w2, at]) => {
        weights.forEach((data, i) => put(core, data, [w1, b1, w2][i]));
        checkStatus(raw.window_bias_continuous_table(h, w, ph, pw, w1, b1, w2, M, H, at), where);
        take(core, at, table.length, table);
      });
      return spread(table, h, w, 0, H, result);
    },

    /**
     * A table for a window of another size: small distances keep their rows, larger ones spread
     * geometrically. The old rows are set at distances 0, 1, 1 + q, 1 + q + q^2, ..., q found by bisection
     * so that they span the new window; the new ones lie linearly between them along each axis. Rows
     * of the class token stay as they are.
     * This is timm's `resize_rel_pos_bias_table` as it is by default. With SciPy installed and asked
     * for, timm and BEiT's own code draw cubic splines through the same places: not offered here.
     * Accuracy: everything in double, rounded once (timm: in float32).
     *
     * @param {TensorInput} table  [(2h - 1)(2w - 1), H], and three more rows for form `beit`
     * @param {readonly number[]} size  the new window, [h', w']
     * @param {object} options
     * @param {readonly number[]} options.pretrained  the window of the table, [h, w]
     * @param {"swin" | "beit"} [options.form]  default `swin`
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [(2h' - 1)(2w' - 1), H], and three more rows for `beit`; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see rwightman/pytorch-image-models, timm/layers/pos_embed_rel.py; microsoft/unilm,
     *   beit/run_class_finetuning.py
     * @example
     * windowBias.resize([[1], [2], [4]], [1, 3], { pretrained: [1, 2] }).toArray()
     * // [[1], [1], [2], [4], [4]]
     */
    resize(table, size, options) {
      const where = "windowBias.resize";
      const defaults = { pretrained: undefined, form: "swin", out: undefined };
      const { pretrained, form, out } = check.options(options, defaults, where);
      const [nh, nw] = readSize(size, "size");
      const [h, w] = readSize(pretrained, "pretrained");
      const before = tokens(form);
      const { data, H } = readTable(table, h, w, before);
      const old = (2 * h - 1) * (2 * w - 1) * H;
      const wanted = (2 * nh - 1) * (2 * nw - 1) * H;
      const shape = [wanted / H + before * EXTRA, H];
      const result = check.destination(out, shape);
      const extra = data.slice(old);
      const places = 2 * h - 1 + (2 * w - 1);
      withMemory(core, where, [old * 4, places * 8, wanted * 4], (tableAt, placesAt, at) => {
        put(core, data.subarray(0, old), tableAt);
        checkStatus(raw.window_bias_resize(tableAt, h, w, nh, nw, H, placesAt, at), where);
        take(core, at, wanted, result);
      });
      result.set(extra, wanted);
      return new Tensor(result, shape);
    },

    /**
     * SAM's decomposed bias: a vector for every distance along either axis, times the query.
     *
     *     bias[i, j] = q_i . heights[y_i - y_j + h - 1] + q_i . widths[x_i - x_j + w - 1]
     *
     * q is what it is before the logits are scaled, as in the source. Accuracy: each product in double,
     * rounded once.
     *
     * @param {TensorInput} q  queries [B, H, h w, D], [H, h w, D] or [h w, D]; not changed
     * @param {readonly number[]} size  [h, w] patches
     * @param {object} options
     * @param {TensorInput} options.heights  `rel_pos_h` [2h - 1, D], or [H, 2h - 1, D]
     * @param {TensorInput} options.widths  `rel_pos_w` [2w - 1, D], or [H, 2w - 1, D]
     * @param {Float32Array | Tensor} [options.out]  filled instead of a new array
     * @returns {Tensor} float32 [B, H, h w, h w], with the axes that q has; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Kirillov et al. 2023, Segment anything, https://arxiv.org/abs/2304.02643;
     *   facebookresearch/segment-anything, modeling/image_encoder.py; Li et al. 2021, MViTv2,
     *   https://arxiv.org/abs/2112.01526
     * @example
     * const tables = { heights: [[100]], widths: [[1], [2], [3]] };
     * windowBias.decomposed([[1], [10]], [1, 2], tables).toArray()
     * // [[102, 101], [1030, 1020]]
     */
    decomposed(q, size, options) {
      const where = "windowBias.decomposed";
      const defaults = { heights: undefined, widths: undefined, out: undefined };
      const { heights, widths, out } = check.options(options, defaults, where);
      const [h, w] = readSize(size, "size");
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
      const result = check.destination(out, [...lead, N, N]);
      const [ys, xs] = [0, 1].map((axis) => {
        const index = check.destinationInt32(undefined, [N, N]);
        eachPair(h, w, 0, (row, at) => {
          index[at] = axis === 0 ? Math.floor(row / (2 * w - 1)) : row % (2 * w - 1);
        });
        return new Tensor(index, [N, N]);
      });
      const add = scores(queries, tables.heights, { index: ys });
      return scores(queries, tables.widths, { index: xs, add, out: result });
    },
  };
}

/** How many tokens stand before the patches. @param {unknown} form */
function tokens(form) {
  return FORMS.indexOf(check.oneOf(form, "form", FORMS));
}

/**
 * Every pair of tokens with its row of the table, in order.
 * @param {number} h @param {number} w @param {number} before
 * @param {(row: number, at: number) => void} visit
 */
function eachPair(h, w, before, visit) {
  const R = (2 * h - 1) * (2 * w - 1) + before * EXTRA;
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
  const result = check.destination(out, [H, N, N]);
  const from = result.buffer === table.buffer ? table.slice() : table;
  eachPair(h, w, before, (row, at) => {
    for (let n = 0; n < H; ++n) result[n * N * N + at] = from[row * H + n];
  });
  return new Tensor(result, [H, N, N]);
}

/**
 * @param {unknown} value @param {string} name
 * @returns {[number, number]}
 */
function readSize(value, name) {
  if (!Array.isArray(value)) {
    throw new TypeError(`${name} must be [height, width] in patches; got ${check.describe(value)}`);
  }
  if (value.length !== 2) {
    throw new RangeError(
      `${name} must be [height, width] in patches; got ${check.describe(value)}`,
    );
  }
  const [h, w] = value;
  return [check.integer(h, `${name}[0]`, 1, LARGEST), check.integer(w, `${name}[1]`, 1, LARGEST)];
}

/** @param {unknown} value @param {number} h @param {number} w */
function readPretrained(value, h, w) {
  const [ph, pw] = value === undefined ? [h, w] : readSize(value, "pretrained");
  if ((ph === 1 && h > 1) || (pw === 1 && w > 1)) {
    throw new RangeError(
      `pretrained must have two patches wherever the window has; got [${ph}, ${pw}] for [${h}, ${w}]`,
    );
  }
  return [ph, pw];
}

/**
 * @param {unknown} value @param {number} h @param {number} w @param {number} before
 */
function readTable(value, h, w, before) {
  const { data, shape } = asFloat32(value, "table");
  const R = (2 * h - 1) * (2 * w - 1) + before * EXTRA;
  if (shape.length !== 2 || shape[0] !== R || shape[1] === 0) {
    throw new RangeError(`table must have shape [${R}, H]; got [${shape.join(", ")}]`);
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
    throw new RangeError(
      `${name} must have shape [${rows}, ${columns}]; got [${shape.join(", ")}]`,
    );
  }
  return { data, shape };
}

/**
 * @param {unknown} value @param {string} name @param {number} rows @param {number} H @param {number} D
 */
function readAxis(value, name, rows, H, D) {
  const { data, shape } = asFloat32(value, name);
  const alike = shape.join() === `${rows},${D}`;
  if (!alike && shape.join() !== `${H},${rows},${D}`) {
    throw new RangeError(
      `${name} must have shape [${rows}, ${D}] or [${H}, ${rows}, ${D}]; got [${shape.join(", ")}]`,
    );
  }
  return { data, shape };
}
