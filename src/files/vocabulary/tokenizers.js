import { boolean, describe, integer, options as readOptions } from "../../runtime/check.js";
import { nameFunctions, namespace } from "../../runtime/named.js";

/**
 * A tokenizer of any library, in the form that this package takes.
 * @typedef {object} TokenizerLike
 * @property {(text: string) => number[]} encode  the ids of a text's tokens
 * @property {(ids: readonly number[]) => string} decode  the text of ids
 */

/**
 * Adapts the tokenizers of public libraries to one interface. The package does not contain a tokenizer.
 */
export const tokenizers = /* @__PURE__ */ namespace("tokenizers", {
  /**
   * Adapts an encoding of gpt-tokenizer.
   *
   * @param {{encode: Function, decode: Function}} encoding  the module of an encoding:
   *   `await import("gpt-tokenizer/encoding/r50k_base")`
   * @param {{special?: readonly string[]}} [options]  `special`: names of special tokens to
   *   recognize in text, such as "<|endoftext|>". By default they are encoded as ordinary text
   * @returns {TokenizerLike} which keeps a reference to encoding
   * @throws {TypeError}  if encoding has no encode and decode, or a name is not a string
   * @throws {RangeError} if a name does not encode to one token
   * @see https://github.com/niieani/gpt-tokenizer
   * @example
   * const encoding = await import("gpt-tokenizer/encoding/r50k_base");
   * const gpt2 = tokenizers.gpt(encoding, { special: ["<|endoftext|>"] });
   * gpt2.encode(" cat<|endoftext|>") // [3797, 50256]
   */
  gpt(encoding, options) {
    const { encode, decode } = methods(encoding, "encoding");
    /** @type {{special?: readonly string[]}} */
    const defaults = { special: [] };
    const { special } = readOptions(options, defaults);
    const names = Array.from(special ?? [], (name) => checkedText(name, "special"));
    const asText = { disallowedSpecial: new Set() };
    const encodePiece = (/** @type {string} */ piece) =>
      idsOf(encode(piece, names.includes(piece) ? { allowedSpecial: new Set([piece]) } : asText));
    for (const name of names) {
      if (encodePiece(name).length === 1) continue;
      throw new RangeError(`special must hold names of special tokens; got ${describe(name)}`);
    }
    const longestFirst = [...names].sort((a, b) => b.length - a.length);
    const escaped = longestFirst.map((name) => name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
    const pattern = names.length > 0 ? new RegExp(`(${escaped.join("|")})`) : undefined;
    return nameFunctions("Tokenizer", {
      encode(text) {
        const whole = checkedText(text, "text");
        // gpt-tokenizer 4.0.0 recognizes a special token only at the beginning of a text, so the text is split here.
        return pattern ? whole.split(pattern).flatMap(encodePiece) : encodePiece(whole);
      },
      decode: (ids) => decode(idsOf(ids)),
    });
  },

  /**
   * Adapts a tokenizer of `@huggingface/tokenizers` or transformers.js. By default it does not add the tokens that a
   * model expects around a text ([CLS], [SEP]).
   *
   * @param {{encode: Function, decode: Function}} tokenizer  `new Tokenizer(json, config)`
   * @param {{special?: boolean}} [options]  `special`: whether to add these tokens, and to keep them
   *   when decoding. Default: false
   * @returns {TokenizerLike} which keeps a reference to tokenizer
   * @throws {TypeError} if tokenizer has no encode and decode, or an option has the wrong type
   * @see https://github.com/huggingface/tokenizers.js
   * @example
   * const vocab = { "[UNK]": 0, cat: 1, "##s": 2 };
   * const model = { type: "WordPiece", unk_token: "[UNK]", continuing_subword_prefix: "##", vocab };
   * const parts = { normalizer: null, post_processor: null, decoder: { type: "WordPiece", prefix: "##" } };
   * const json = { added_tokens: [], pre_tokenizer: { type: "Whitespace" }, ...parts, model };
   * const { Tokenizer } = await import("@huggingface/tokenizers");
   * tokenizers.huggingface(new Tokenizer(json, {})).encode("cats") // [1, 2]
   */
  huggingface(tokenizer, options) {
    const { special } = readOptions(options, { special: false });
    return ofHuggingFace(tokenizer, boolean(special, "special"));
  },
});

/**
 * @param {{encode: Function, decode: Function}} tokenizer @param {boolean} special
 * @returns {TokenizerLike}
 */
export function ofHuggingFace(tokenizer, special) {
  const { encode, decode } = methods(tokenizer, "tokenizer");
  return nameFunctions("Tokenizer", {
    encode(text) {
      const encoded = encode(checkedText(text, "text"), { add_special_tokens: special });
      return idsOf(encoded?.ids ?? encoded);
    },
    decode(ids) {
      const list = idsOf(ids);
      // @huggingface/tokenizers 0.2.0 requires at least one id.
      return list.length > 0 ? decode(list, { skip_special_tokens: !special }) : "";
    },
  });
}

/**
 * @param {any} library @param {string} argument
 * @returns {{encode: Function, decode: Function}} bound to the library
 */
function methods(library, argument) {
  if (typeof library?.encode !== "function" || typeof library.decode !== "function") {
    throw new TypeError(`${argument} must have encode and decode; got ${describe(library)}`);
  }
  return {
    encode: (/** @type {unknown[]} */ ...all) => library.encode(...all),
    decode: (/** @type {unknown[]} */ ...all) => library.decode(...all),
  };
}

/** @param {unknown} text @param {string} argument */
function checkedText(text, argument) {
  if (typeof text === "string") return text;
  throw new TypeError(`${argument} must be a string; got ${describe(text)}`);
}

/**
 * @param {any} ids  an array, a typed array
 * @returns {number[]}
 */
function idsOf(ids) {
  if (ids === null || typeof ids !== "object" || typeof ids.length !== "number") {
    throw new TypeError(`ids must be a list of whole numbers; got ${describe(ids)}`);
  }
  return Array.from(ids, (id) => integer(id, "ids", 0));
}
