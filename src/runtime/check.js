/**
 * Checks of arguments. Each returns the value as a plain one or throws `TypeError` (wrong kind) or `RangeError`
 * (wrong value): "ARGUMENT must RULE; got VALUE". The public function adds its name (named.js).
 */
import { didYouMean } from "./suggest.js";

/**
 * The options of a call: each named option read once, the default where it is undefined, and an
 * option that does not exist refused.
 * @template {Record<string, unknown>} Options
 * @param {unknown} given
 * @param {Options} defaults  every option with its default
 * @param {string} [argument]  that has them
 * @returns {Options}
 */
export function options(given, defaults, argument) {
  /** @type {Record<string, unknown>} */
  const read = { ...defaults };
  if (given === undefined) return /** @type {Options} */ (read);
  known(given, defaults, argument);
  for (const name of Object.keys(defaults)) {
    const value = /** @type {Record<string, unknown>} */ (given)[name];
    if (value !== undefined) read[name] = value;
  }
  return /** @type {Options} */ (read);
}

/**
 * The names of the options of a call, each of which exists.
 * @param {unknown} given @param {object} defaults  has every option's name @param {string} [argument]
 * @returns {string[]} its own
 */
export function known(given, defaults, argument = "options") {
  if (!isRecord(given))
    throw new TypeError(`${argument} must be an object; got ${describe(given)}`);
  const names = Object.keys(given);
  for (const name of names) {
    if (!Object.hasOwn(defaults, name)) throw unknownOption(name, Object.keys(defaults), argument);
  }
  return names;
}

/**
 * An argument whose parts have names: each that is there is one of those. As an `out` for several results, a part is
 * `parts && (parts.NAME ?? null)`, for `output` refuses null: undefined would mean a new array.
 * @param {unknown} given @param {readonly string[]} names @param {string} [argument]
 * @returns {Record<string, unknown> | undefined}
 */
export function parts(given, names, argument = "out") {
  if (given === undefined) return undefined;
  const named = /** @type {Record<string, unknown>} */ (given);
  const isMore = (/** @type {string} */ key) => named[key] !== undefined && !names.includes(key);
  const odd = isObject(given) ? Object.keys(given).find(isMore) : describe(given);
  if (odd === undefined) return named;
  throw new TypeError(`${argument} must be {${names.join(", ")}}; got ${odd}`);
}

/**
 * Throws for options that change nothing in a call.
 * @param {object} given  the options of the call @param {readonly string[]} names @param {string} owner  with which they do
 */
export function refuseIdle(given, names, owner) {
  for (const name of names) {
    const value = /** @type {Record<string, unknown>} */ (given)[name];
    if (value !== undefined) {
      throw new RangeError(`${name} must come with ${owner}; got ${describe(value)}`);
    }
  }
}

/**
 * Whether a value is an array; undefined for a proxy that was revoked, of which the engine says nothing.
 * @param {unknown} value
 */
function arrayness(value) {
  try {
    return Array.isArray(value);
  } catch {
    return undefined;
  }
}

/** "[object Map]": the same for values of all realms. @param {unknown} value @returns {string} */
export const tagOf = (value) => Object.prototype.toString.call(value);

/** @param {unknown} value @returns {value is object} */
const isAnyObject = (value) => typeof value === "object" && value !== null;

/**
 * Whether a value is a response, of this realm or another. Naming the class would make Node load its fetch, which takes
 * 20 ms.
 * @param {any} value
 * @returns {value is Response}
 */
export const isResponse = (value) =>
  isAnyObject(value) && tagOf(value) === "[object Response]" && "headers" in value;

/** Whether a value is an address, of this realm or another. @param {unknown} value @returns {value is URL} */
export const isURL = (value) => tagOf(value) === "[object URL]";

/** Whether a value is an array that can be read. @param {unknown} value @returns {value is any[]} */
export const isList = (value) => arrayness(value) === true;

/**
 * Whether a value is an object whose members can be read, or an array.
 * @param {unknown} value @returns {value is object}
 */
export const isObject = (value) => isAnyObject(value) && arrayness(value) !== undefined;

/**
 * Whether a value is an object whose members can be read, and no array.
 * @param {unknown} value @returns {value is Record<string, unknown>}
 */
export const isRecord = (value) => isAnyObject(value) && arrayness(value) === false;

/** @param {string} name @param {readonly string[]} known @param {string} argument */
export function unknownOption(name, known, argument) {
  const rule = known.length === 0 ? "be empty" : `have only ${known.join(", ")}`;
  return new TypeError(`${argument} must ${rule}; got ${describe(name)}${didYouMean(name, known)}`);
}

/** The rule of a whole number, which no number may fit: an index of nothing. @param {number} least @param {number} most */
export const wholeRule = (least, most) =>
  least > most
    ? "left out, because no number is allowed here"
    : `a whole number from ${least} to ${most}`;

/** The rule of rows of a table of `N`, which may have none. @param {number} N */
export const rowsRule = (N) => (N > 0 ? `rows from 0 to ${N - 1}` : "no rows");

/** The rule of whole numbers below `end`. @param {number} end */
export const idsRule = (end) =>
  end > 0 ? `whole numbers from 0 to ${end - 1}` : "empty, because there are no rows";

/**
 * A whole number from `least` to `most`.
 * @param {unknown} value @param {string} name @param {number} [least] @param {number} [most]
 * @returns {number}
 */
export function integer(value, name, least = 1, most = 2 ** 31 - 1) {
  const number =
    typeof value === "bigint" && Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof number !== "number") {
    throw new TypeError(`${name} must be a whole number; got ${describe(value)}`);
  }
  if (!Number.isInteger(number) || number < least || number > most) {
    throw new RangeError(`${name} must be ${wholeRule(least, most)}; got ${describe(value)}`);
  }
  return number;
}

/**
 * The number of pairs of an even width.
 * @param {unknown} dim @param {number} [least] @param {number} [most]
 */
export function pairs(dim, least = 2, most) {
  const width = integer(dim, "dim", least, most);
  if (width % 2 !== 0) throw new RangeError(`dim must be even; got ${width}`);
  return width / 2;
}

const anyNumber = () => true;

/**
 * A finite number that `allowed` accepts.
 * @param {unknown} value @param {string} name
 * @param {string} [rule]  the rule in words
 * @param {(number: number) => boolean} [allowed]
 * @returns {number}
 */
export function finite(value, name, rule = "a finite number", allowed = anyNumber) {
  if (typeof value !== "number") {
    throw new TypeError(`${name} must be ${rule}; got ${describe(value)}`);
  }
  if (!Number.isFinite(value) || !allowed(value)) {
    throw new RangeError(`${name} must be ${rule}; got ${describe(value)}`);
  }
  return value;
}

/** The largest float32. */
export const MOST = 3.4028234663852886e38;

/**
 * True or false.
 * @param {unknown} value @param {string} name
 * @returns {boolean}
 */
export function boolean(value, name) {
  if (typeof value === "boolean") return value;
  throw new TypeError(`${name} must be true or false; got ${describe(value)}`);
}

/**
 * What a caller stops a call by.
 * @param {unknown} value
 * @returns {AbortSignal | undefined}
 */
export function abortSignal(value) {
  const signal = /** @type {AbortSignal | undefined} */ (value);
  const has = (/** @type {"addEventListener" | "throwIfAborted"} */ name) =>
    typeof signal?.[name] === "function";
  if (signal === undefined || (has("addEventListener") && has("throwIfAborted"))) return signal;
  throw new TypeError(`signal must be an AbortSignal; got ${describe(signal)}`);
}

/**
 * One of a list of words.
 * @template {string} Word
 * @param {unknown} value @param {string} name @param {readonly Word[]} words
 * @returns {Word}
 */
export function oneOf(value, name, words) {
  if (words.includes(/** @type {Word} */ (value))) return /** @type {Word} */ (value);
  const rule = `one of ${words.map((word) => `"${word}"`).join(", ")}`;
  const Wrong = typeof value === "string" ? RangeError : TypeError;
  const hint = typeof value === "string" ? didYouMean(value, words) : "";
  throw new Wrong(`${name} must be ${rule}; got ${describe(value)}${hint}`);
}

/** The first characters of a text: flags, or code points with their marks and what a joiner joins. */
const BEGIN = /^(?:\p{RI}{2}|.(?:[\p{M}\p{EMod}\u1160-\u11ff]|\u200d.){0,9}){0,57}/su;

/**
 * A value in a few words, for a message.
 * @param {unknown} value
 * @returns {string}
 */
export function describe(value) {
  if (typeof value === "string") {
    return JSON.stringify(value.length > 60 ? `${BEGIN.exec(value)}...` : value);
  }
  if (Object.is(value, -0)) return "-0";
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (typeof value !== "object" || value === null) return String(value);
  if (!isObject(value)) return "a revoked proxy";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  const name = constructorName(value);
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return `${name} of ${/** @type {any} */ (value).length}`;
  }
  return name === "Object" ? "an object" : name;
}

/** @param {object} value */
function constructorName(value) {
  try {
    const name = value.constructor?.name;
    return typeof name === "string" && name !== "" ? name : "an object";
  } catch {
    return "an object"; // a Proxy or getter that throws
  }
}
