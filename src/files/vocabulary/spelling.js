/**
 * How vocabularies spell bytes. A token may contain part of a UTF-8 character, which text files cannot contain, so each
 * family of tokenizers encodes bytes differently.
 */

/**
 * @typedef {"bytes" | "sentencepiece" | "wordpiece" | "plain"} Style
 *   bytes:         each byte is a letter of GPT-2's alphabet: " cat" is "Ġcat"
 *   sentencepiece: a space is "▁", a single byte "<0xE2>"
 *   wordpiece:     continuations of a word begin with "##"
 *   plain:         unchanged
 *
 * @typedef {object} Spelling
 * @property {Style} style
 * @property {string} suffix  the end of tokens that end a word ("</w>" in CLIP), or ""
 */

const encoder = new TextEncoder();
const BYTE = /^<0x([0-9A-Fa-f]{2})>$/;
const CONTINUES = "##";
const SPACE = "\u2581"; // of SentencePiece

/**
 * GPT-2's alphabet: the visible characters of Latin-1 represent themselves, the letters from U+0100 on
 * the other 68 bytes.
 * @type {readonly string[]}
 */
const ALPHABET = Object.freeze(alphabet());

/** @type {ReadonlyMap<string, number>} */
const BYTES = new Map(ALPHABET.map((letter, byte) => [letter, byte]));

function alphabet() {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const isVisible = (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad);
    return String.fromCharCode(isVisible ? byte : next++);
  });
}

/**
 * The bytes of a token.
 * @param {string} token @param {Spelling} spelling
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function bytesOf(token, { style, suffix }) {
  if (suffix !== "" && token.endsWith(suffix) && token !== suffix) {
    const word = bytesOf(token.slice(0, -suffix.length), { style, suffix: "" });
    return Uint8Array.of(...word, 0x20);
  }
  if (style === "bytes") {
    const bytes = Array.from(token, (letter) => BYTES.get(letter));
    const isSpelt = bytes.every((byte) => byte !== undefined);
    return isSpelt ? Uint8Array.from(bytes) : encoder.encode(token);
  }
  if (style === "sentencepiece") {
    const [, hex] = BYTE.exec(token) ?? [];
    return hex ? Uint8Array.of(parseInt(hex, 16)) : encoder.encode(token.replaceAll(SPACE, " "));
  }
  const continues = style === "wordpiece" && token.startsWith(CONTINUES) && token !== CONTINUES;
  return encoder.encode(continues ? token.slice(CONTINUES.length) : token);
}

/**
 * The possible spellings of a text as one token, the most likely first.
 * @param {string} text @param {Spelling} spelling
 * @returns {string[]}
 */
export function spellingsOf(text, { style, suffix }) {
  const ends = suffix !== "" && text.endsWith(" ") && text !== " ";
  const word = ends ? text.slice(0, -1) : text;
  const bytes = encoder.encode(word);
  const spellings = [word];
  if (style === "bytes") spellings[0] = Array.from(bytes, (byte) => ALPHABET[byte]).join("");
  if (style === "sentencepiece") {
    spellings[0] = word.replaceAll(" ", SPACE);
    const hex = (/** @type {number} */ byte) => byte.toString(16).toUpperCase().padStart(2, "0");
    if (bytes.length === 1) spellings.push(`<0x${hex(bytes[0])}>`);
  }
  return [...spellings.map((each) => (ends ? each + suffix : each)), text];
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8; bytes that are not part of a complete character become <0xE2>.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function textOf(bytes) {
  try {
    return strict.decode(bytes);
  } catch {
    let text = "";
    for (let at = 0; at < bytes.length;) {
      const length = bytes[at] < 0xc0 ? 1 : bytes[at] < 0xe0 ? 2 : bytes[at] < 0xf0 ? 3 : 4;
      try {
        text += strict.decode(bytes.subarray(at, at + length));
        at += length;
      } catch {
        text += `<0x${bytes[at++].toString(16).toUpperCase().padStart(2, "0")}>`;
      }
    }
    return text;
  }
}
