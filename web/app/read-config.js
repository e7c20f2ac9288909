// Reads the text of a config.json, and says where it stops being JSON.

import { models } from "phasor/models";

/**
 * @param {string} text  of a config.json
 * @param {{tower?: "text" | "vision" | "audio"}} [options]
 * @returns {ReturnType<typeof models.fromConfig>}
 * @throws {TypeError | RangeError} with the place of a syntax error
 */
export function readConfig(text, options = {}) {
  if (text.trim() === "")
    throw new TypeError("config must be the text of a config.json; got nothing");
  try {
    return models.fromConfig(text, options);
  } catch (error) {
    const { cause } = /** @type {Error} */ (error);
    if (!(cause instanceof SyntaxError) || cause.message.startsWith("more than")) throw error;
    const place = placeOf(text, endOf(text));
    throw new TypeError(`config must be JSON; got something else ${place}`, { cause: error });
  }
}

/** @param {string} text @param {number} at */
function placeOf(text, at) {
  if (at === text.length) return "at its end";
  const before = text.slice(0, at).split("\n");
  const [line, column] = [before.length, before[before.length - 1].length + 1];
  const found = text.slice(at).split("\n", 1)[0].slice(0, 20).trimEnd();
  return `in line ${line}, column ${column}: ${JSON.stringify(found)}`;
}

const TOKEN =
  /[[\]{},:]|"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*"|-?(?:(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|Infinity)(?![\w.])|(?:true|false|null|NaN)(?!\w)/uy;

/**
 * Where a text stops being JSON. Engines say it in different words, and of short texts not at all.
 * @param {string} text
 */
export function endOf(text) {
  /** What closes the objects and arrays that are open. @type {string[]} */
  const open = [];
  let wanted = "value";
  for (let at = 0; ; at += TOKEN.lastIndex - at) {
    while (" \t\n\r".includes(text[at] ?? "x")) ++at;
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text)?.[0];
    const next = token && after(wanted, token, open);
    if (!next) return at;
    wanted = next;
  }
}

/**
 * What is wanted after a token, or undefined if it is not what was wanted.
 * @param {string} wanted @param {string} token @param {string[]} open
 */
function after(wanted, token, open) {
  const isFirst = wanted === "first";
  const inObject = open[open.length - 1] === "}";
  if (token === open[open.length - 1] && (isFirst || wanted === "comma")) {
    open.pop();
    return open.length > 0 ? "comma" : "end";
  }
  if (wanted === "comma") return token === "," ? (inObject ? "key" : "value") : undefined;
  if (wanted === "key" || (isFirst && inObject)) return token[0] === '"' ? "colon" : undefined;
  if (wanted === "colon") return token === ":" ? "value" : undefined;
  if (wanted === "end") return undefined;
  if (token === "{" || token === "[") {
    open.push(token === "{" ? "}" : "]");
    return "first";
  }
  if ("]}:,".includes(token)) return undefined;
  return open.length > 0 ? "comma" : "end";
}
