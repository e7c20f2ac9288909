/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
/** @import { Rows, TableInput } from "../../runtime/table.js" */
import * as check from "../../runtime/check.js";
import { readIds } from "../../runtime/ids.js";
import { learnedPositions } from "../../positional/absolute/learned_positions/learned_positions.js";
import { readTable } from "../../runtime/table.js";
import { lookUp } from "../../embedding/embedding/lookup.js";
import { positionIds } from "../../positional/ids/position_ids/position_ids.js";
import { sinusoidal } from "../../positional/absolute/sinusoidal/sinusoidal.js";
import { dropout } from "../../embedding/dropout/dropout.js";
import { normalize } from "../../embedding/normalize/normalize.js";

/**
 * The weights of a LayerNorm.
 * @typedef {{weight?: TensorInput, bias?: TensorInput}} Norm  [D] each; default 1 and 0
 */

/**
 * What an input goes through, each [...ids.shape, D]; positions [T, D] where all rows share them,
 * segments likewise. Steps that a model does not have are not there.
 * @typedef {object} Stages
 * @property {Tensor} words  rows of the table of words
 * @property {Tensor} [scaled]  the same, scaled
 * @property {Tensor} [segments]  what is added for segments
 * @property {Tensor} [positions]  what is added for positions
 * @property {Tensor} [sum]  of all these
 * @property {Tensor} [normalized]  LayerNorm of it
 * @property {Tensor} output  what the first layer gets, after dropout
 */

/**
 * @template {boolean} Shown
 * @typedef {object} Common
 * @property {Shown} [intermediates]  true: every step by its name instead of the output alone;
 *   default false
 * @property {Float32Array | Tensor} [out]  filled with the output instead of a new array
 */

/**
 * @typedef {object} Dropping
 * @property {number} [p]  the chance of an element to be dropped; default 0.1
 * @property {number | bigint} [seed]  of the dropout; default 0
 * @property {"train" | "evaluate"} [mode]  `evaluate` (default) drops nothing
 */

/**
 * @template {boolean} Shown
 * @typedef {Shown extends true ? Stages : Tensor} Result
 */

const COMMON = Object.freeze({ intermediates: false, out: undefined });
const DROPPING = Object.freeze({ ...COMMON, p: 0.1, seed: 0, mode: "evaluate" });

/** Models without dropout on their embeddings. */
const KEEPING = Object.freeze({ p: 0, seed: 0, mode: "evaluate" });

/**
 * What enters the first layer of well-known models, in one call: words, positions and what is done
 * to them, composed of the other rooms, to the same bits.
 * @param {Core} core
 */
export function inputEmbeddings(core) {
  const rooms = {
    dropout: dropout(core),
    learned: learnedPositions(core),
    normalize: normalize(core),
    positionIds: positionIds(),
    sinusoidal: sinusoidal(core),
  };
  const { presets } = rooms.learned;

  /**
   * @typedef {object} Plan
   * @property {number | "sqrt"} [scale]
   * @property {"float32" | "bfloat16"} [scaleDtype]  what the scale is rounded to
   * @property {Tensor} [segments]
   * @property {Tensor} [positions]
   * @property {Norm & {eps: number}} [norm]
   */

  /**
   * lookup, scale, + segments, + positions, LayerNorm, dropout; what the plan has of it.
   * @param {Read} read @param {Plan} plan @param {any} given  options, checked here
   * @returns {any}
   */
  function run({ words, ids }, { scale = 1, scaleDtype, segments, positions, norm }, given) {
    const { p, seed, mode, out } = given;
    const isShown = check.boolean(given.intermediates, "intermediates");
    /** @type {Partial<Stages>} */
    const stages = {};
    if (isShown) {
      stages.words = lookUp(core, words, ids);
      if (scale !== 1) stages.scaled = lookUp(core, words, ids, { scale, scaleDtype });
      if (segments) stages.segments = segments;
      if (positions) stages.positions = positions;
    }
    const [first, second] = [segments, positions].filter((addend) => addend !== undefined);
    let x = lookUp(core, words, ids, { scale, scaleDtype, add: first });
    if (second) x = plus(x, second);
    if (first) stages.sum = x;
    if (norm) stages.normalized = x = rooms.normalize.layerNorm(x, norm);
    const output = rooms.dropout.apply(x, { p, seed, mode, out });
    return isShown ? { ...stages, output } : output;
  }

  /** A table's own addition. @param {Tensor} x @param {Tensor} addend */
  function plus(x, addend) {
    if (x.size === 0) return x;
    const shape = x.shape.slice(0, -1);
    const rows = readTable(core, x.reshape(-1, x.shape[shape.length]), "x");
    return lookUp(core, rows, { data: counted(check.count(shape)), shape }, { add: addend });
  }

  /**
   * @typedef {object} Read
   * @property {Rows} words
   * @property {{data: Int32Array, shape: number[]}} ids
   * @property {number} T
   * @property {Record<string, Rows>} tables  those beside the words
   * @property {Record<string, any>} given  the same as the caller passed them
   * @property {Norm} norm
   */

  /**
   * @param {unknown} ids @param {unknown} tables @param {readonly string[]} names  of the tables
   *   beside the words; a `?` after those that may be missing
   * @returns {Read}
   */
  function readInput(ids, tables, names) {
    if (typeof tables !== "object" || tables === null) {
      throw new TypeError(`tables must be an object of tables; got ${check.describe(tables)}`);
    }
    const { words, ...others } = /** @type {Record<string, unknown>} */ (tables);
    const known = names.map((name) => name.replace("?", ""));
    const odd = Object.keys(others).find((name) => !known.includes(name));
    if (odd !== undefined) {
      throw new TypeError(`tables must be among words, ${known.join(", ")}; got ${odd}`);
    }
    const read = readTable(core, words, "tables.words");
    /** @type {Record<string, Rows>} */
    const beside = {};
    for (const name of names.filter((name) => !name.startsWith("norm"))) {
      const key = name.replace("?", "");
      if (others[key] === undefined && name.endsWith("?")) continue;
      const table = readTable(core, others[key], `tables.${key}`);
      if (table.D !== read.D) {
        throw new RangeError(
          `tables.${key} must be as wide as tables.words, ${read.D}; got ${table.D}`,
        );
      }
      beside[key] = table;
    }
    const rows = readIds(ids, read.N);
    const T = rows.shape[rows.shape.length - 1];
    if (T === undefined) throw new RangeError("ids must have shape [..., T]; got []");
    return {
      words: read,
      ids: rows,
      T,
      tables: beside,
      given: others,
      norm: readNorm(others.norm),
    };
  }

  /**
   * The rows of segments, one for each token.
   * @param {Read} read @param {unknown} given  ids of segments; none are all 0
   */
  function segmentRows({ ids, T, tables: { segments: table } }, given) {
    if (!table) return undefined;
    const zeros = new Int32Array(T);
    const segments = readIds(given === undefined ? zeros : given, table.N, "segments");
    const tail = ids.shape.slice(ids.shape.length - segments.shape.length);
    if (segments.shape.length === 0 || tail.join() !== segments.shape.join()) {
      throw new RangeError(
        `segments must have the last axes of [${ids.shape.join(", ")}]; got [${segments.shape.join(", ")}]`,
      );
    }
    return lookUp(core, table, segments);
  }

  return {
    /**
     * The transformer of 2017: words times sqrt(D), plus sines.
     *
     *     dropout(words[id] * sqrt(D) + PE[past + t])
     *
     * @template {boolean} [Shown=false]
     * @param {TensorInput} ids  [..., T]
     * @param {{words: TableInput}} tables  [V, D]
     * @param {Common<Shown> & Dropping & {past?: number}} [options]  `past`: tokens already in the
     *   cache, default 0
     * @returns {Result<Shown>} float32 [..., T, D], or all stages; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Vaswani et al. 2017, https://arxiv.org/abs/1706.03762, sections 3.4, 3.5 and 5.4
     * @example
     * inputEmbeddings.vaswani([1], { words: [[0, 0, 0, 0], [1, 2, 3, 4]] }).toArray()
     * // [[2, 5, 6, 9]]
     */
    vaswani(ids, tables, options) {
      const defaults = { ...DROPPING, past: 0 };
      const given = check.options(options, defaults, "inputEmbeddings.vaswani");
      const offset = check.integer(given.past, "past", 0);
      const read = readInput(ids, tables, []);
      const positions = rooms.sinusoidal.table(read.T, read.words.D, { offset });
      return run(read, { scale: "sqrt", positions }, given);
    },

    /**
     * GPT-2: words plus learned positions.
     *
     *     dropout(words[id] + positions[past + t])
     *
     * @template {boolean} [Shown=false]
     * @param {TensorInput} ids  [..., T]
     * @param {{words: TableInput, positions: TableInput}} tables  wte [V, D] and wpe [1024, D]
     * @param {Common<Shown> & Dropping & {past?: number}} [options]  `past`: tokens already in the
     *   cache, default 0
     * @returns {Result<Shown>} float32 [..., T, D], or all stages; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind, or a position beyond the
     *   table
     * @see Radford et al. 2019; openai/gpt-2, src/model.py
     * @example
     * inputEmbeddings.gpt2([1, 1], { words: [[0], [10]], positions: [[1], [2], [3]] }, { past: 1 }).toArray()
     * // [[12], [13]]
     */
    gpt2(ids, tables, options) {
      const given = check.options(options, { ...DROPPING, past: 0 }, "inputEmbeddings.gpt2");
      const past = check.integer(given.past, "past", 0);
      const read = readInput(ids, tables, ["positions"]);
      const rule = { ...presets.gpt2, past };
      const positions = rooms.learned.lookup(read.given.positions, read.T, rule);
      return run(read, { positions }, given);
    },

    /**
     * BERT: words, segments and positions, normalised.
     *
     *     dropout(LayerNorm((words[id] + segments[segment]) + positions[t]))
     *
     * @template {boolean} [Shown=false]
     * @param {TensorInput} ids  [..., T]
     * @param {{words: TableInput, positions: TableInput, segments: TableInput, norm?: Norm}} tables
     *   [V, D], [512, D], [2, D] and the LayerNorm's weights
     * @param {Common<Shown> & Dropping & {segments?: TensorInput, eps?: number}} [options]
     *   `segments`: the segment of each token [T] or [..., T], from `tokenTypeIds.ids`, default 0; `eps`:
     *   default 1e-12
     * @returns {Result<Shown>} float32 [..., T, D], or all stages; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind, or a position beyond the
     *   table
     * @see Devlin et al. 2018, https://arxiv.org/abs/1810.04805, section 3; transformers,
     *   models/bert/modeling_bert.py
     * @example
     * const tables = { words: [[1, 2]], positions: [[0, 1]], segments: [[0, 0], [2, 0]] };
     * inputEmbeddings.bert([0], tables, { intermediates: true, segments: [1] }).sum?.toArray()
     * // [[3, 3]]
     */
    bert(ids, tables, options) {
      const defaults = { ...DROPPING, segments: undefined, eps: 1e-12 };
      const given = check.options(options, defaults, "inputEmbeddings.bert");
      const read = readInput(ids, tables, ["positions", "segments", "norm?"]);
      const segments = segmentRows(read, given.segments);
      const positions = rooms.learned.lookup(read.given.positions, read.T, presets.bert);
      const norm = { ...read.norm, eps: given.eps };
      return run(read, { segments, positions, norm }, given);
    },

    /**
     * RoBERTa: as BERT, but positions counted from paddingIdx + 1 and not for padding, and one
     * segment.
     *
     *     dropout(LayerNorm((words[id] + segments[0]) + positions[positionIds.fromTokens(ids)]))
     *
     * @template {boolean} [Shown=false]
     * @param {TensorInput} ids  [..., T]
     * @param {{words: TableInput, positions: TableInput, segments?: TableInput, norm?: Norm}} tables
     *   [V, D], [514, D], [1, D] and the LayerNorm's weights
     * @param {Common<Shown> & Dropping & {paddingIdx?: number, eps?: number}} [options]
     *   `paddingIdx`: default 1; `eps`: default 1e-5
     * @returns {Result<Shown>} float32 [..., T, D], or all stages; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind, or a position beyond the
     *   table
     * @see Liu et al. 2019, https://arxiv.org/abs/1907.11692; transformers,
     *   models/roberta/modeling_roberta.py
     * @example
     * const tables = { words: [[5], [0]], positions: [[0], [10], [20], [30]] };
     * inputEmbeddings.roberta([0, 1], tables, { intermediates: true }).sum?.toArray()
     * // [[25], [10]]
     */
    roberta(ids, tables, options) {
      const defaults = { ...DROPPING, paddingIdx: 1, eps: 1e-5 };
      const given = check.options(options, defaults, "inputEmbeddings.roberta");
      const paddingIdx = check.integer(given.paddingIdx, "paddingIdx", 0);
      const read = readInput(ids, tables, ["positions", "segments?", "norm?"]);
      const segments = segmentRows(read, undefined);
      const rows = rooms.positionIds.fromTokens(read.ids, { paddingIdx });
      const positions = rooms.learned.lookup(read.given.positions, rows, {
        rows: presets.roberta.rows,
      });
      const norm = { ...read.norm, eps: given.eps };
      return run(read, { segments, positions, norm }, given);
    },

    /**
     * OPT: words plus learned positions that begin at row 2 and skip padding.
     *
     *     words[id] + positions[positionIds.fromMask(mask, { convention: "opt", past })]
     *
     * @template {boolean} [Shown=false]
     * @param {TensorInput} ids  [..., T]
     * @param {{words: TableInput, positions: TableInput}} tables  [V, D] and [2050, D]
     * @param {Common<Shown> & {past?: number, mask?: TensorInput}} [options]  `past`: tokens already
     *   in the cache, default 0; `mask`: the attention mask [past + T] or [..., past + T], default
     *   all 1
     * @returns {Result<Shown>} float32 [..., T, D], or all stages; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind, or a position beyond the
     *   table
     * @see Zhang et al. 2022, https://arxiv.org/abs/2205.01068; transformers,
     *   models/opt/modeling_opt.py
     * @example
     * const tables = { words: [[1]], positions: [[0], [10], [20], [30]] };
     * inputEmbeddings.opt([0, 0], tables, { mask: [0, 1] }).toArray()
     * // [[11], [21]]
     */
    opt(ids, tables, options) {
      const defaults = { ...COMMON, past: 0, mask: undefined };
      const given = check.options(options, defaults, "inputEmbeddings.opt");
      const past = check.integer(given.past, "past", 0);
      const read = readInput(ids, tables, ["positions"]);
      const table = read.given.positions;
      const { shape } = read.ids;
      let positions;
      if (given.mask === undefined) {
        positions = rooms.learned.lookup(table, read.T, { ...presets.opt, past });
      } else {
        const rows = rooms.positionIds.fromMask(given.mask, { convention: "opt", past });
        if (shape.slice(shape.length - rows.shape.length).join() !== rows.shape.join()) {
          const all = [...shape.slice(0, -1), past + read.T];
          throw new RangeError(
            `mask must have the last axes of [${all.join(", ")}]; got [..., ${past + Number(rows.shape.at(-1))}]`,
          );
        }
        positions = rooms.learned.lookup(table, rows, { rows: presets.opt.rows });
      }
      return run(read, { positions }, { ...given, ...KEEPING });
    },

    /**
     * BLOOM: words, normalised; positions come later, as ALiBi.
     *
     *     LayerNorm(words[id])
     *
     * @template {boolean} [Shown=false]
     * @param {TensorInput} ids  [..., T]
     * @param {{words: TableInput, norm?: Norm}} tables  [V, D] and the LayerNorm's weights
     * @param {Common<Shown> & {eps?: number}} [options]  `eps`: default 1e-5
     * @returns {Result<Shown>} float32 [..., T, D], or all stages; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see BigScience 2022, https://arxiv.org/abs/2211.05100; transformers,
     *   models/bloom/modeling_bloom.py
     * @example
     * inputEmbeddings.bloom([0], { words: [[1, 3]] }, { eps: 0 }).toArray()
     * // [[-1, 1]]
     */
    bloom(ids, tables, options) {
      const given = check.options(options, { ...COMMON, eps: 1e-5 }, "inputEmbeddings.bloom");
      const read = readInput(ids, tables, ["norm?"]);
      const norm = { ...read.norm, eps: given.eps };
      return run(read, { norm }, { ...given, ...KEEPING });
    },

    /**
     * Gemma: words times sqrt(D), where sqrt(D) is first rounded to bfloat16, as the weights are:
     * 45.25 for D = 2048. The product itself is float32 here. Positions come later, as RoPE.
     *
     *     words[id] * bfloat16(sqrt(D))
     *
     * @template {boolean} [Shown=false]
     * @param {TensorInput} ids  [..., T]
     * @param {{words: TableInput}} tables  [V, D]
     * @param {Common<Shown>} [options]
     * @returns {Result<Shown>} float32 [..., T, D], or all stages; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Gemma Team 2024, https://arxiv.org/abs/2403.08295; transformers,
     *   models/gemma3/modeling_gemma3.py, Gemma3TextScaledWordEmbedding
     * @example
     * inputEmbeddings.gemma([0], { words: { data: new Float32Array(2048).fill(1), shape: [1, 2048] } }).at(0, 0)
     * // 45.25
     */
    gemma(ids, tables, options) {
      const given = check.options(options, COMMON, "inputEmbeddings.gemma");
      const read = readInput(ids, tables, []);
      return run(read, { scale: "sqrt", scaleDtype: "bfloat16" }, { ...given, ...KEEPING });
    },
  };
}

/** 0, 1, ... @param {number} count */
function counted(count) {
  return Int32Array.from({ length: count }, (_, t) => t);
}

/** @param {unknown} value @returns {Norm} */
function readNorm(value) {
  if (value === undefined) return {};
  if (typeof value !== "object" || value === null) {
    throw new TypeError(`tables.norm must be {weight, bias}; got ${check.describe(value)}`);
  }
  const { weight, bias, ...more } = /** @type {Norm} */ (value);
  const [odd] = Object.keys(more);
  if (odd !== undefined) throw new TypeError(`tables.norm must be {weight, bias}; got ${odd}`);
  return { weight, bias };
}
