/**
 * Explores a table of word embeddings.
 */
import * as check from "../../runtime/check.js";
import { inFunction, nameMethods } from "../../runtime/named.js";
import { Tensor } from "../../runtime/tensor.js";

/**
 * @import {EmbeddingTable, QuantizedTable, Phasor, PrincipalComponents} from "../../index.js"
 * @import {Vocabulary} from "../../files/index.js"
 */

/**
 * A token: its id, or its exact text (" cat" is not "cat").
 * @typedef {number | string} Token
 */

/**
 * Reads rows [N, D] of a table before it was quantized.
 * @typedef {(ids: Tensor<Int32Array> | readonly number[]) => Promise<Tensor>} ReadRows
 */

/**
 * A row that was found.
 * @typedef {object} Neighbor
 * @property {number} id  the row
 * @property {string} text  of the token, or its id if there is no vocabulary
 * @property {number} score  the value of the metric
 */

/**
 * Options of a search.
 * @typedef {object} SearchOptions
 * @property {number} [k]  the number of results. Default: 10
 * @property {"cosine" | "dot" | "euclidean"} [metric]  Default: `cosine`
 */

/**
 * The norms of rows, and their mean similarity.
 * @typedef {object} Lengths
 * @property {Tensor} norms  float32 [V]
 * @property {number} mean  of the norms
 * @property {number} std  the standard deviation (divisor V)
 * @property {number} min  the smallest norm
 * @property {number} max  the largest norm
 * @property {number} median  of the norms
 * @property {{counts: Tensor<Int32Array>, edges: Tensor}} histogram  int32 [bins], float32 [bins + 1]
 * @property {Tensor} byRank  float32 [groups]: the mean norm of groups of consecutive ids of equal size, the
 *   lowest ids first. In vocabularies of BPE and lists by frequency, frequent tokens have low ids
 * @property {number} meanCosine  the mean cosine of all pairs of different rows: the anisotropy
 */

/**
 * A row with an unusual norm.
 * @typedef {object} Outlier
 * @property {number} id  the row
 * @property {string} text  of the token
 * @property {number} norm  of the row
 * @property {number} deviations  the distance from the median norm, in units of 1.4826 times the median
 *   absolute deviation, which estimates the standard deviation of a normal distribution
 */

/** The number of rows that are processed together. */
const TILE = 1024;

/** 1 / the 75 % quantile of the normal distribution. */
const NORMAL = 1.4826;

/**
 * Explores a table of word embeddings: nearest neighbors, norms, similarities, duplicates and outliers.
 *
 * @param {Phasor} phasor  the instance that owns the table
 * @param {EmbeddingTable | QuantizedTable} table  in memory: `await model.wordEmbeddings.load()`
 * @param {object} [options]
 * @param {Vocabulary} [options.vocabulary]  maps rows to texts and texts to rows
 * @param {ReadRows} [options.rows]  reads the rows of the file, for `exactly`:
 *   `(ids) => model.wordEmbeddings.rows(ids)`
 * @returns {Explorer} usable until the table is disposed
 * @throws {TypeError} if table is not a table in memory
 * @see Mikolov, Yih, Zweig 2013, Linguistic regularities in continuous space word representations;
 *   Ethayarajh 2019, https://arxiv.org/abs/1909.00512 (anisotropy); Rumbelow and Watkins 2023,
 *   SolidGoldMagikarp (tokens that were never trained)
 * @example
 * const { embedding } = phasor;
 * const table = embedding.from([[3, 0], [0, 2], [2, 1], [0, 2]]);
 * const words = explore(phasor, table, { vocabulary: await vocabulary.words(["a", "b", "c", "d"]) });
 * words.nearest("a", { k: 1 })[0].text // "c"
 * words.duplicates() // [[1, 3]]
 */
export function explore(phasor, table, options) {
  try {
    const { vocabulary, rows } = check.options(options, EXPLORE);
    return new Explorer(phasor, table, vocabulary, rows);
  } catch (error) {
    throw inFunction("explore", error);
  }
}

/**
 * Explores a table of word embeddings. Tokens are given by id or text.
 */
export class Explorer {
  static name = "Explorer";

  #phasor;
  #table;
  #vocabulary;
  #read;

  /**
   * @param {Phasor} phasor @param {EmbeddingTable | QuantizedTable} table
   * @param {Vocabulary | undefined} vocabulary @param {ReadRows | undefined} read
   */
  constructor(phasor, table, vocabulary, read) {
    nameMethods(Explorer);
    if (typeof table?.lookup !== "function") {
      throw new TypeError(`table must be a table in memory; got ${check.describe(table)}`);
    }
    this.#phasor = phasor;
    this.#table = table;
    this.#vocabulary = vocabulary;
    this.#read = read;
    Object.freeze(this);
  }

  /** The explored table. */
  get table() {
    return this.#table;
  }

  /**
   * Returns the id of a token.
   *
   * @param {Token} token
   * @returns {number}
   * @throws {TypeError | RangeError} if there is no such id, or no token with exactly this text
   */
  id(token) {
    if (typeof token !== "string") {
      return check.integer(token, "token", 0, this.#table.vocabulary - 1);
    }
    const id = this.#vocabulary?.find(token);
    if (id === undefined || id >= this.#table.vocabulary) {
      const rule = this.#vocabulary
        ? "a whole token of the vocabulary (a tokenizer may cut it into several)"
        : "an id where there is no vocabulary";
      throw new RangeError(`token must be ${rule}; got ${check.describe(token)}`);
    }
    return id;
  }

  /**
   * Returns the text of a token, or its id in digits if there is no vocabulary or it lacks the token.
   *
   * @param {number} id
   * @returns {string}
   * @throws {TypeError | RangeError} if there is no such id
   */
  text(id) {
    check.integer(id, "id", 0, this.#table.vocabulary - 1);
    const vocabulary = this.#vocabulary;
    return vocabulary?.tokens[id] ? vocabulary.text(id) : String(id);
  }

  /**
   * Finds the nearest neighbors of a token, without the token.
   *
   * @param {Token} token
   * @param {SearchOptions} [options]
   * @returns {Neighbor[]} best first
   * @throws {TypeError | RangeError} if there is no such token, or an option is invalid
   */
  nearest(token, options) {
    const id = this.id(token);
    const { k, metric } = check.options(options, SEARCH);
    return this.#found(
      this.#phasor.nearest(this.#table, this.#table.lookup(id), { k, metric, exclude: [id] }),
    );
  }

  /**
   * Finds the nearest neighbors of a token by the rows of the file. Of a table that was rounded, the rows
   * that may be among the k nearest are read again and compared.
   *
   * @param {Token} token
   * @param {SearchOptions} [options]
   * @returns {Promise<Neighbor[]>} best first, as `nearest` finds them in a table that was not rounded
   * @throws {TypeError | RangeError} if there is no such token, an option is invalid, or explore has no
   *   `rows`
   */
  async exactly(token, options) {
    const { k, metric } = check.options(options, SEARCH);
    const id = this.id(token);
    const read = this.#read;
    if (!read) throw new RangeError("rows must be given to explore for this; got none");
    const { nearest } = this.#phasor;
    const query = (await read([id])).row(0);
    const wanted = { k, metric, exclude: [id] };
    const ids = nearest.candidates(this.#table, query, wanted);
    return this.#found(nearest(await read(ids), query, { ...wanted, ids }));
  }

  /** Frees the table. Further calls do nothing. */
  dispose() {
    this.#table.dispose();
  }

  static {
    const { dispose: value } = this.prototype;
    if (Symbol.dispose) Object.defineProperty(this.prototype, Symbol.dispose, { value });
  }

  /**
   * Solves the analogy "a is to b as c is to ?": finds the tokens nearest to b - a + c, computed with
   * normalized rows, without the three.
   *
   * @param {readonly [a: Token, b: Token, c: Token]} tokens
   * @param {SearchOptions} [options]
   * @returns {Neighbor[]} best first
   * @throws {TypeError | RangeError} if there is no such token, or an option is invalid
   */
  analogy(tokens, options) {
    const { k, metric } = check.options(options, SEARCH);
    const triple = this.#ids(tokens);
    if (triple.length !== 3) {
      throw new RangeError(`tokens must be three, a, b and c; got ${triple.length}`);
    }
    return this.#found(this.#phasor.nearest.analogy(this.#table, triple, { k, metric }));
  }

  /**
   * Computes the cosine of each pair of tokens.
   *
   * @param {readonly Token[]} tokens  N of them
   * @returns {Tensor} float32 [N, N]
   * @throws {TypeError | RangeError} if there is no such token
   */
  cosines(tokens) {
    return this.#phasor.similarity.matrix(this.#table.lookup(this.#ids(tokens)));
  }

  /**
   * Computes statistics of the norms of the rows, and their mean cosine.
   *
   * @param {object} [options]
   * @param {number} [options.bins]  of the histogram. Default: 40
   * @param {number} [options.groups]  of `byRank`. Default: 32
   * @returns {Lengths}
   * @throws {TypeError | RangeError} if an option is invalid, or no row is finite
   */
  norms(options) {
    const { bins, groups } = check.options(options, { bins: 40, groups: 32 });
    const { statistics } = this.#phasor;
    const { mean, std, min, max, median, histogram, meanCosine } = statistics.summary(this.#table, {
      bins,
    });
    const norms = statistics.norms(this.#table);
    const V = norms.size;
    const count = Math.min(check.integer(groups, "groups"), V);
    const byRank = Float32Array.from({ length: count }, (_, group) => {
      const [from, to] = [group, group + 1].map((each) => Math.floor((each * V) / count));
      const finite = norms.data.subarray(from, to).filter(Number.isFinite); // as for the mean of all
      return finite.reduce((sum, norm) => sum + norm, 0) / finite.length;
    });
    return {
      norms,
      mean,
      std,
      min,
      max,
      median,
      histogram,
      meanCosine,
      byRank: new Tensor(byRank, [count]),
    };
  }

  /**
   * Finds rows whose norm is far from the median: tokens that training has hardly seen, or seen most.
   *
   * @param {object} [options]
   * @param {number} [options.deviations]  the minimal distance, as in `Outlier`. Default: 6
   * @returns {Outlier[]} the farthest first
   * @throws {TypeError | RangeError} if deviations is not a number > 0
   */
  outliers(options) {
    const { deviations } = check.options(options, { deviations: 6 });
    const least = check.finite(deviations, "deviations", "a number > 0", (x) => x > 0);
    const norms = Float64Array.from(this.#phasor.statistics.norms(this.#table).data);
    const middle = median(norms);
    const spread = NORMAL * median(norms.map((norm) => Math.abs(norm - middle)));
    return Array.from(norms, (norm, id) => {
      const far = Math.abs(norm - middle);
      return { id, norm, deviations: far === 0 ? 0 : far / spread };
    })
      .filter((each) => each.deviations >= least)
      .sort((a, b) => b.deviations - a.deviations || a.id - b.id)
      .map((each) => ({ ...each, text: this.text(each.id) }));
  }

  /**
   * Finds rows with equal bits: padding of the vocabulary, and tokens that were never trained.
   *
   * @returns {number[][]} groups of two or more ids, in ascending order
   */
  duplicates() {
    /** Rows by their hash. @type {Map<number, number[]>} */
    const alike = new Map();
    const V = this.#table.vocabulary;
    for (let first = 0; first < V; first += TILE) {
      const { data, shape } = this.#rows(first, Math.min(TILE, V - first));
      const words = new Uint32Array(data.buffer, data.byteOffset, data.length);
      for (let row = 0; row < shape[0]; ++row) {
        const hash = hashOf(words.subarray(row * shape[1], (row + 1) * shape[1]));
        const ids = alike.get(hash);
        if (ids) ids.push(first + row);
        else alike.set(hash, [first + row]);
      }
    }
    return [...alike.values()]
      .filter((ids) => ids.length > 1)
      .flatMap((ids) => this.#equal(ids))
      .sort((a, b) => a[0] - b[0]);
  }

  /**
   * Computes the principal components of all rows, or of some.
   *
   * @param {object} [options]
   * @param {readonly Token[]} [options.tokens]  whose rows to use. Default: all
   * @param {number} [options.components]  the number of components. Default: 2
   * @returns {PrincipalComponents} exact; `projected` holds the coordinates of a map
   * @throws {TypeError | RangeError} if there is no such token, or an option is invalid
   */
  components(options) {
    const defaults = { tokens: undefined, components: 2 };
    const { tokens, components } = check.options(options, defaults);
    const rows = tokens === undefined ? this.#table : this.#table.lookup(this.#ids(tokens));
    return this.#phasor.pca(rows, { components });
  }

  /** @param {unknown} tokens @returns {number[]} */
  #ids(tokens) {
    if (!Array.isArray(tokens)) {
      throw new TypeError(`tokens must be an array of tokens; got ${check.describe(tokens)}`);
    }
    return tokens.map((token) => this.id(token));
  }

  /** @param {number} first @param {number} count */
  #rows(first, count) {
    return this.#table.lookup(Int32Array.from({ length: count }, (_, row) => first + row));
  }

  /** Groups the rows that are equal, of rows with equal hashes. @param {readonly number[]} ids @returns {number[][]} */
  #equal(ids) {
    /** @type {Map<string, number[]>} */
    const groups = new Map();
    for (const id of ids) {
      const { data } = this.#table.lookup([id]);
      const key = String(new Uint32Array(data.buffer, data.byteOffset, data.length));
      const group = groups.get(key);
      if (group) group.push(id);
      else groups.set(key, [id]);
    }
    return [...groups.values()].filter((group) => group.length > 1);
  }

  /** @param {import("../../index.js").Neighbors} found @returns {Neighbor[]} */
  #found({ ids, scores }) {
    return Array.from(ids.data, (id, i) => ({ id, text: this.text(id), score: scores.data[i] }));
  }
}

const EXPLORE = Object.freeze({ vocabulary: undefined, rows: undefined });

const SEARCH = Object.freeze({ k: 10, metric: /** @type {const} */ ("cosine") });

/**
 * Hashes words with the steps of MurmurHash3. Numbers with few significant bits differ in their high bits only, which
 * the steps mix into the low ones.
 * @param {Uint32Array} words
 */
function hashOf(words) {
  let hash = 0;
  for (const word of words) {
    let mixed = Math.imul(word, 0xcc9e2d51);
    mixed = Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
    hash ^= mixed;
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  return hash;
}

/** @param {Float64Array} numbers */
function median(numbers) {
  const sorted = numbers.slice().sort();
  const half = (sorted.length - 1) / 2;
  return (sorted[Math.floor(half)] + sorted[Math.ceil(half)]) / 2;
}
