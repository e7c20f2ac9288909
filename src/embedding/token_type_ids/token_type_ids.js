/** @import { OptionsOf } from "../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../runtime/tensor.js" */
import { readIntegers } from "../../runtime/axes.js";
import * as check from "../../runtime/check.js";
import { readIds } from "../../runtime/ids.js";
import * as option from "../../runtime/options.js";
import { outputInt32 } from "../../runtime/result.js";

/** Ids are below this without a vocabulary. */
const ANY = 2 ** 31;

const ONE_OR_TWO = {
  rule: "1 or 2 numbers",
  fits: (/** @type {number} */ n) => n === 1 || n === 2,
};

const IDS = option.optionSet(() => ({
  /** The model whose special tokens are added. */
  form: option.choice(["bert", "roberta"]),
  /** The length T that the result is padded to with 0, as BERT pads. Default: the length of the text with its special tokens. */
  length: option.integer(),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

const FROM_IDS = option.optionSet(() => ({
  /** The id of the separator. 102 is [SEP] of the English BERT models. */
  separator: option.integer({ default: 102, min: 0 }),
  /** The id of the padding. 0 is [PAD] of the English BERT models. */
  paddingIdx: option.integer({ default: 0, min: 0 }),
  /** Filled instead of a new array. */
  out: option.outInt32(),
}));

/**
 * BERT's token types: which text of a pair each token belongs to (Devlin et al. 2018).
 */
export function tokenTypeIds() {
  const module = {
    /**
     * Computes the token types of one text or of a pair of texts, with special tokens.
     *
     *     bert      [CLS] A ... [SEP] B ... [SEP]        0 .. 0  1 .. 1
     *     roberta   <s> A ... </s> </s> B ... </s>       0 .. 0, since its table has one row
     *
     * @param {ArrayLike<number>} lengths  the number of tokens of A, or of A and of B, without special tokens
     * @param {OptionsOf<typeof IDS>} [options]
     * @returns {Tensor<Int32Array>} int32 [T]
     * @throws {TypeError | RangeError} if an argument has the wrong type or is out of range
     * @see Devlin et al. 2018, BERT, https://arxiv.org/abs/1810.04805, section 3; Liu et al. 2019,
     *   RoBERTa, https://arxiv.org/abs/1907.11692
     * @example
     * tokenTypeIds.ids([3, 2]).toArray()
     * // [0, 0, 0, 0, 0, 1, 1, 1]
     */
    ids(lengths, options = {}) {
      const { form, length, out } = IDS.read(options);
      const texts = readIntegers(lengths, "lengths", 0, ONE_OR_TWO);
      const isBert = form === "bert";
      const specials = isBert ? [2, 1] : [2, 2];
      const parts = texts.map((tokens, part) => tokens + specials[part]);
      const whole = parts.reduce((sum, tokens) => sum + tokens, 0);
      const T = length === undefined ? whole : check.integer(length, "length", whole);
      const result = outputInt32(out, [T]);
      result.data.fill(0);
      if (isBert) result.data.fill(1, parts[0], whole);
      return result.done();
    },

    /**
     * Computes the token types of token ids from their separators. BERT's [SEP] ends a text and belongs to
     * it.
     *
     *     type[t] = the number of separators before t in its row, 0 for padding
     *
     * @param {TensorInput} ids  [..., T]
     * @param {OptionsOf<typeof FROM_IDS>} [options]
     * @returns {Tensor<Int32Array>} int32, the shape of ids
     * @throws {TypeError | RangeError} if an argument has the wrong type, or a row has a third text
     * @see Devlin et al. 2018, BERT, https://arxiv.org/abs/1810.04805, section 3
     * @example
     * tokenTypeIds.fromIds([101, 7592, 102, 2088, 102, 0]).toArray()
     * // [0, 0, 0, 1, 1, 0]
     */
    fromIds(ids, options = {}) {
      const { separator, paddingIdx, out } = FROM_IDS.read(options);
      const { data, shape } = readIds(ids, ANY);
      const T = shape[shape.length - 1] ?? 1;
      const types = new Int32Array(data.length);
      for (let t = 0, before = 0; t < data.length; ++t) {
        if (t % T === 0) before = 0;
        if (data[t] === paddingIdx) continue;
        if (before > 1) {
          throw new RangeError(
            `ids must contain at most two texts a row, each ended by ${separator}; got a third at ${t}`,
          );
        }
        types[t] = before;
        if (data[t] === separator) ++before;
      }
      const result = outputInt32(out, shape);
      result.data.set(types);
      return result.done();
    },
  };
  return option.withOptions(module, { ids: IDS, fromIds: FROM_IDS });
}
