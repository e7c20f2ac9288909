/** @import { Phasor } from "phasor" */
/** @import { Token, Vocabulary } from "./tokens.js" */
import { label } from "./tokens.js";

/** GPT-2's vocabulary: 50,256 pieces of text and one end-of-text. */
export const SIZE = 50257;

/** The standard deviation of a new table, as in GPT-2 before training. */
export const STD = 0.02;

const END_OF_TEXT = "<|endoftext|>";

/**
 * GPT-2's byte-pair encoding, with a new table of any width. The tokenizer is fetched by this call.
 *
 * @param {Phasor} phasor
 * @returns {Promise<Vocabulary>}
 */
export async function loadGpt2({ embedding }) {
  const [encoding, { default: pieces }, { tokenizers }] = await Promise.all([
    import("gpt-tokenizer/encoding/r50k_base"),
    import("gpt-tokenizer/bpeRanks/r50k_base"),
    import("phasor/files"),
  ]);
  const { encode } = tokenizers.gpt(encoding, { special: [END_OF_TEXT] });
  return {
    size: SIZE,
    /** @param {string} text @returns {Token[]} */
    tokenize: (text) =>
      encode(text).map((id) => ({ label: label(show(pieces[id] ?? END_OF_TEXT)), id })),
    table: (dim, seed) => embedding.create(SIZE, dim, { std: STD, seed, storage: "on-demand" }),
  };
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * A token's text with its spaces made visible, or its bytes if they are not whole characters.
 * @param {string | readonly number[]} piece
 */
function show(piece) {
  if (typeof piece === "string") return visible(piece);
  try {
    return visible(strict.decode(Uint8Array.from(piece)));
  } catch {
    return piece.map((byte) => byte.toString(16).toUpperCase().padStart(2, "0")).join(" ");
  }
}

/** @param {string} text */
function visible(text) {
  return text
    .replaceAll(" ", "␣")
    .replaceAll("\n", "↵")
    .replaceAll("\t", "⇥")
    .replace(/[\p{C}\p{Z}\p{VS}]/gu, (character) => {
      const code = /** @type {number} */ (character.codePointAt(0));
      return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    });
}
