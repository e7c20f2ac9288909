/** @import { TensorInput } from "../../runtime/tensor.js" */
import * as check from "../../runtime/check.js";
import { readIds } from "../../runtime/ids.js";
import { Tensor } from "../../runtime/tensor.js";

const FORMS = /** @type {const} */ (["bert", "roberta"]);

/** Ids are below this where no vocabulary says so. */
const ANY = 2 ** 31;

/**
 * Which text of a pair each token belongs to: BERT's token types (Devlin et al. 2018).
 */
export function tokenTypeIds() {
  return {
    /**
     * The segments of one text or a pair, special tokens included.
     *
     *     bert      [CLS] A ... [SEP] B ... [SEP]        0 .. 0  1 .. 1
     *     roberta   <s> A ... </s> </s> B ... </s>       0 .. 0: its table has one row
     *
     * @param {readonly number[]} lengths  tokens of A, or of A and B, without special ones
     * @param {object} [options]
     * @param {typeof FORMS[number]} [options.form]  default `bert`
     * @param {number} [options.length]  T to be padded to with 0, as BERT's padding is
     * @param {Int32Array | Tensor<Int32Array>} [options.out]  filled instead of a new array
     * @returns {Tensor<Int32Array>} int32 [T]; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or out of range
     * @see Devlin et al. 2018, BERT, https://arxiv.org/abs/1810.04805, section 3; Liu et al. 2019,
     *   RoBERTa, https://arxiv.org/abs/1907.11692
     * @example
     * tokenTypeIds.ids([3, 2]).toArray()
     * // [0, 0, 0, 0, 0, 1, 1, 1]
     */
    ids(lengths, options = {}) {
      const defaults = { form: "bert", length: undefined, out: undefined };
      const { form, length, out } = check.options(options, defaults, "tokenTypeIds.ids");
      const texts = readLengths(lengths);
      const isBert = check.oneOf(form, "form", FORMS) === "bert";
      const specials = isBert ? [2, 1] : [2, 2];
      const parts = texts.map((tokens, part) => tokens + specials[part]);
      const whole = parts.reduce((sum, tokens) => sum + tokens, 0);
      const T = length === undefined ? whole : check.integer(length, "length", whole);
      const result = check.destinationInt32(out, [T]);
      result.fill(0);
      if (isBert) result.fill(1, parts[0], whole);
      return new Tensor(result, [T]);
    },

    /**
     * The segments of token ids, told by their separators: BERT's [SEP] ends a text and belongs to it.
     *
     *     segment[t] = separators before t in its row;  0 for padding
     *
     * @param {TensorInput} ids  [..., T]
     * @param {object} [options]
     * @param {number} [options.separator]  default 102, [SEP] of the English BERTs
     * @param {number} [options.paddingIdx]  default 0, their [PAD]
     * @param {Int32Array | Tensor<Int32Array>} [options.out]  filled instead of a new array
     * @returns {Tensor<Int32Array>} int32, the shape of ids; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind, or a row has a third text
     * @see Devlin et al. 2018, BERT, https://arxiv.org/abs/1810.04805, section 3
     * @example
     * tokenTypeIds.fromIds([101, 7592, 102, 2088, 102, 0]).toArray()
     * // [0, 0, 0, 1, 1, 0]
     */
    fromIds(ids, options = {}) {
      const defaults = { separator: 102, paddingIdx: 0, out: undefined };
      const given = check.options(options, defaults, "tokenTypeIds.fromIds");
      const separator = check.integer(given.separator, "separator", 0);
      const paddingIdx = check.integer(given.paddingIdx, "paddingIdx", 0);
      const { data, shape } = readIds(ids, ANY);
      const T = shape[shape.length - 1] ?? 1;
      const segments = new Int32Array(data.length);
      for (let t = 0, before = 0; t < data.length; ++t) {
        if (t % T === 0) before = 0;
        if (data[t] === paddingIdx) continue;
        if (before > 1) {
          throw new RangeError(
            `ids must hold at most two texts a row, each ended by ${separator}; got a third at ${t}`,
          );
        }
        segments[t] = before;
        if (data[t] === separator) ++before;
      }
      const result = check.destinationInt32(given.out, shape);
      result.set(segments);
      return new Tensor(result, shape);
    },
  };
}

/** @param {unknown} lengths */
function readLengths(lengths) {
  if (!Array.isArray(lengths)) {
    throw new TypeError(`lengths must be an array of lengths; got ${check.describe(lengths)}`);
  }
  if (lengths.length < 1 || lengths.length > 2) {
    throw new RangeError(`lengths must be of one text or two; got ${lengths.length}`);
  }
  return Array.from(lengths, (length) => check.integer(length, "lengths", 0));
}
