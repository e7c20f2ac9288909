/**
 * How vocabularies spell bytes. A token may contain part of a UTF-8 character, which text files cannot contain, so each
 * family of tokenizers encodes bytes differently.
 */

/**
 * @typedef {"bytes" | "sentencepiece" | "plain"} Style
 *   bytes:         each byte is a letter of GPT-2's alphabet: " cat" is "Ġcat"
 *   sentencepiece: a space is "▁", a single byte "<0xE2>"
 *   plain:         unchanged
 *
 * @typedef {object} Spelling
 * @property {Style} style
 * @property {string} [prefix]  the beginning of tokens that continue a word ("##" in BERT); none by default
 * @property {string} suffix  the end of tokens that end a word ("</w>" in CLIP), or ""
 */

/** Made when they are first used: jsdom has no such classes. @type {{encoder?: TextEncoder, decoder?: TextDecoder}} */
const made = {};
const encoder = () => (made.encoder ??= new TextEncoder());
const decoder = () => (made.decoder ??= new TextDecoder("utf-8", { ignoreBOM: true }));
const BYTE = /^<0x([0-9A-Fa-f]{2})>$/;
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
export function bytesOf(token, { style, prefix = "", suffix }) {
  if (prefix !== "" && token.startsWith(prefix) && token !== prefix) {
    return bytesOf(token.slice(prefix.length), { style, suffix });
  }
  if (suffix !== "" && token.endsWith(suffix) && token !== suffix) {
    const word = bytesOf(token.slice(0, -suffix.length), { style, suffix: "" });
    const spaced = new Uint8Array(word.length + 1).fill(0x20);
    spaced.set(word);
    return spaced;
  }
  if (style === "bytes") {
    const bytes = new Uint8Array(token.length);
    for (let i = 0; i < token.length; ++i) {
      const byte = BYTES.get(token[i]);
      if (byte === undefined) return encoder().encode(token);
      bytes[i] = byte;
    }
    return bytes;
  }
  if (style === "sentencepiece") {
    const [, hex] = BYTE.exec(token) ?? [];
    return hex ? Uint8Array.of(parseInt(hex, 16)) : encoder().encode(token.replaceAll(SPACE, " "));
  }
  return encoder().encode(token);
}

/**
 * The possible spellings of a text as one token, the most likely first.
 * @param {string} text @param {Spelling} spelling
 * @returns {string[]}
 */
export function spellingsOf(text, { style, suffix }) {
  const ends = suffix !== "" && text.endsWith(" ") && text !== " ";
  const word = ends ? text.slice(0, -1) : text;
  const bytes = encoder().encode(word);
  const spellings = [word];
  if (style === "bytes") spellings[0] = Array.from(bytes, (byte) => ALPHABET[byte]).join("");
  if (style === "sentencepiece") {
    spellings[0] = word.replaceAll(" ", SPACE);
    const hex = (/** @type {number} */ byte) => byte.toString(16).toUpperCase().padStart(2, "0");
    if (bytes.length === 1) spellings.push(`<0x${hex(bytes[0])}>`);
  }
  return [...spellings.map((each) => (ends ? each + suffix : each)), text];
}

/**
 * Decodes UTF-8; bytes that are not part of a complete character become <0xE2>.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function textOf(bytes) {
  let broken = 0;
  for (let at = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at);
    if (length === 0) ++broken;
    at += length || 1;
  }
  if (broken === 0) return decoder().decode(bytes);
  const spelt = new Uint8Array(bytes.length + 5 * broken);
  for (let at = 0, to = 0; at < bytes.length;) {
    const length = lengthAt(bytes, at);
    for (const end = at + length; at < end;) spelt[to++] = bytes[at++];
    if (length > 0) continue;
    const hex = bytes[at++].toString(16).toUpperCase(); // two digits: they are 0x80 and more
    for (const sign of `<0x${hex}>`) spelt[to++] = sign.charCodeAt(0);
  }
  return decoder().decode(spelt);
}

/**
 * The bytes of the character that begins at a byte; 0 if none does, or it is not complete.
 * @param {Uint8Array} bytes @param {number} at
 */
function lengthAt(bytes, at) {
  const first = bytes[at];
  const second = bytes[at + 1];
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  // The second byte excludes long forms of short characters, surrogates, and what is beyond U+10FFFF.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (!(second >= least && second <= most)) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  for (let i = 2; i < length; ++i) if ((bytes[at + i] & 0xc0) !== 0x80) return 0;
  return length;
}
