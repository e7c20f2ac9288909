// GPT-2's tokenizer.json as it is published, made of the pieces in gpt-tokenizer.

import ranked from "gpt-tokenizer/bpeRanks/r50k_base";

const END_OF_TEXT = "<|endoftext|>";

/** A letter for each byte, as GPT-2 writes them. */
const letters = (() => {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isVisible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCharCode(isVisible ? byte : next++);
  });
})();

/** The tokens by their ids, which are their ranks: those that were joined earlier come first. */
const tokens = ranked.map((piece) => {
  const bytes = typeof piece === "string" ? Buffer.from(piece) : Uint8Array.from(piece);
  return Array.from(bytes, (byte) => letters[byte]).join("");
});
const ids = new Map(tokens.map((token, id) => [token, id]));

/**
 * The two tokens that a token was joined of: what is left of its letters when all that came before it has
 * been joined.
 * @param {string} token @param {number} id
 */
function halves(token, id) {
  const parts = [...token];
  while (parts.length > 2) {
    let [at, least] = [0, id];
    for (let i = 1; i < parts.length; ++i) {
      const rank = ids.get(parts[i - 1] + parts[i]) ?? id;
      if (rank < least) [at, least] = [i - 1, rank];
    }
    parts.splice(at, 2, parts[at] + parts[at + 1]);
  }
  return parts.join(" ");
}

/** @returns {string} */
export function tokenizer() {
  const merges = tokens.flatMap((token, id) => (token.length > 1 ? [halves(token, id)] : []));
  const byteLevel = { type: "ByteLevel", add_prefix_space: false, trim_offsets: true };
  const end = { id: tokens.length, content: END_OF_TEXT, special: true, normalized: true };
  return JSON.stringify({
    version: "1.0",
    ...{ truncation: null, padding: null },
    added_tokens: [{ ...end, single_word: false, lstrip: false, rstrip: false }],
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: { ...byteLevel, add_prefix_space: true, trim_offsets: false },
    decoder: { ...byteLevel, add_prefix_space: true },
    model: { type: "BPE", vocab: { ...Object.fromEntries(ids), [END_OF_TEXT]: end.id }, merges },
  });
}

/** The tokenizer_config.json beside it. */
export const tokenizerConfig = JSON.stringify({
  ...{ add_prefix_space: false, model_max_length: 1024, tokenizer_class: "GPT2Tokenizer" },
  ...{ bos_token: END_OF_TEXT, eos_token: END_OF_TEXT, unk_token: END_OF_TEXT },
  clean_up_tokenization_spaces: false,
});
