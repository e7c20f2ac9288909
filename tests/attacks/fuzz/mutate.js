/** Changes of files that keep most of their structure. */

/** @import { Random } from "./random.js" */

/** Keys and words that mean something to a reader, to JavaScript or to Python. */
export const NAMES = Object.freeze([
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf", "length", "then", ""],
  ...["__metadata__", "dtype", "shape", "data_offsets", "weight_map", "metadata", "model", "vocab"],
  ...["merges", "added_tokens", "id", "content", "special", "type", "F32", "a", "\0", "\u{1f600}"],
  ...["[PAD]", "##ing", "<0xE2>", "\u2581", "\u0120the", "NaN", "null", "0", "-1", "../x"],
]);

/** JSON values, well-formed and not. */
const VALUES = Object.freeze([
  ...["0", "-0", "1", "-1", "1.0", "1e0", "2e3", "1e999", "-1e999", "1E-400", "0.5", "01", "+1"],
  ...["9007199254740993", "18446744073709551616", "4294967296", "1e", ".5", "5.", "0x10", "NaN"],
  ...["Infinity", "true", "false", "null", "True", "None", "undefined", '""', '"a"', "'a'"],
  ...['"\\ud800"', '"\\u0000"', '"\\x"', '"\\', '"\u2028"', "[]", "{}", "[[]]", '[{"a":[]}]'],
  ...['{"":{}}', '{"__proto__":{"a":1}}', '{"a":1,"a":2}', "[1,]", "[,]", "()", "(1)", "(1,)"],
]);

/** Changes a file in one to four ways. @param {Random} random @param {Uint8Array<ArrayBuffer>} file */
export function mutated(random, file) {
  for (let n = random.between(1, 4); n > 0; --n) file = once(random, file);
  return file;
}

/** @param {Random} random @param {Uint8Array<ArrayBuffer>} file @returns {Uint8Array<ArrayBuffer>} */
function once(random, file) {
  const copy = file.slice();
  // Readers decide by the first bytes and the last; those get half of the changes.
  const near = random.pick([file.length, file.length, 64, 512]);
  const at = random.below(Math.max(1, Math.min(near, file.length)));
  const spot = random.happens(0.2) ? Math.max(0, file.length - 1 - at) : at;
  const length = Math.min(random.pick([1, 1, 2, 4, 8, 16, 300]), file.length - spot);
  switch (random.below(9)) {
    case 0:
      if (copy.length > 0) copy[spot] ^= 1 << random.below(8);
      return copy;
    case 1:
      if (copy.length > 0)
        copy[spot] = random.pick([0, 1, 9, 10, 32, 34, 44, 58, 91, 123, 127, 255]);
      return copy;
    case 2:
      return joined(file.subarray(0, spot), file.subarray(spot + length));
    case 3:
      return joined(file.subarray(0, spot), random.bytes(length), file.subarray(spot));
    case 4: {
      const from = random.below(file.length + 1);
      return joined(
        file.subarray(0, spot),
        file.subarray(from, from + length),
        file.subarray(spot),
      );
    }
    case 5:
      return file.slice(0, spot);
    case 6:
      return joined(file, random.bytes(random.between(1, 64)));
    case 7:
      return overwritten(copy, spot, 4, BigInt(Math.round(random.edge())));
    default:
      return overwritten(copy, spot, random.pick([2, 8]), BigInt(Math.round(random.edge())));
  }
}

/** @param {Uint8Array<ArrayBuffer>} file @param {number} at @param {number} size @param {bigint} value */
export function overwritten(file, at, size, value) {
  for (let i = 0; i < size && at + i < file.length; ++i) {
    file[at + i] = Number((value >> BigInt(8 * i)) & 255n);
  }
  return file;
}

/** @param {...(Uint8Array | ArrayLike<number>)} parts */
export function joined(...parts) {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|'[^']*'|[-+]?[0-9][0-9.eE+-]*|[A-Za-z_]+|\s+|[\s\S]/gu;

/**
 * Changes one to three tokens of JSON, or of anything that is spelled like it.
 * @param {Random} random @param {string} text
 */
export function mutatedText(random, text) {
  const tokens = text.match(TOKEN) ?? [];
  for (let n = random.between(1, 3); n > 0; --n) {
    const at = random.below(tokens.length + 1);
    const count = random.pick([1, 1, 2, 3, 8]);
    switch (random.below(8)) {
      case 0:
        tokens.splice(at, count);
        break;
      case 1:
        tokens.splice(at, 0, ...tokens.slice(at, at + count));
        break;
      case 2:
      case 3:
        tokens.splice(at, 1, random.pick(VALUES));
        break;
      case 4:
        tokens.splice(at, 1, JSON.stringify(random.pick(NAMES)));
        break;
      case 5:
        tokens.splice(at, 1, String(random.edge()));
        break;
      case 6: {
        const from = random.below(tokens.length + 1);
        tokens.splice(at, 0, ...tokens.slice(from, from + count));
        break;
      }
      default:
        tokens.splice(at, 0, nested(random));
    }
  }
  return tokens.join("");
}

/** Arrays and objects in each other, closed or not. @param {Random} random */
function nested(random) {
  const depth = random.pick([1, 3, 63, 64, 65, 1000]);
  const [open, close] = random.pick([
    ["[", "]"],
    ['{"a":', "}"],
    ["(", ")"],
  ]);
  return open.repeat(depth) + random.pick(VALUES) + close.repeat(random.happens(0.9) ? depth : 1);
}
