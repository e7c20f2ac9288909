// GPT-2's vocabulary as a tokenizer.json has it, made of the one in gpt-tokenizer.

import pieces from "gpt-tokenizer/bpeRanks/r50k_base";

const END_OF_TEXT = "<|endoftext|>";

/** GPT-2's alphabet: a letter for each byte. */
function alphabet() {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isVisible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCharCode(isVisible ? byte : next++);
  });
}

/** @returns {string} */
export function tokenizer() {
  const letters = alphabet();
  /** @type {Record<string, number>} */
  const vocab = { [END_OF_TEXT]: pieces.length };
  for (const [id, piece] of pieces.entries()) {
    const bytes = typeof piece === "string" ? Buffer.from(piece) : Uint8Array.from(piece);
    vocab[Array.from(bytes, (byte) => letters[byte]).join("")] = id;
  }
  return JSON.stringify({
    added_tokens: [{ id: pieces.length, content: END_OF_TEXT, special: true }],
    decoder: { type: "ByteLevel" },
    model: { type: "BPE", vocab, merges: [] },
  });
}
