// The results of a class: one line for each member, which is checked before it is pooled.

/** @import { Recorded, SchemeName, Setup } from "./setup.js" */
/** @import { Run } from "./runs.js" */
import { lengthsOf, measureOf, rowOf, schemes, SIZES, sizesOf, STD } from "./setup.js";

/** What a line begins with. */
const HEAD = "phasor-lab/1";

/** What stands for settings that are all as recorded. */
const USUAL = "-";

/** The largest seed of the page: the last of five from 99 on. */
const LAST_SEED = 103;

/** A line that is not pooled; the message says why. */
export class LineError extends RangeError {}

/**
 * One training of a line.
 * @typedef {{scheme: SchemeName, seed: number, values: number[], bits: string}} Result
 */

/** The settings that are not as usual, as the page's address has them. @param {Recorded} recorded @param {Setup} setup */
export function settingsOf(recorded, setup) {
  const { task, reading, ...given } = setup;
  const now = { task, ...given, reading: reading ?? "none" };
  const sizes = sizesOf(recorded, task);
  const usual = { task: "back", ...sizes, std: STD, factor: 8, reading: "none", temperature: 1 };
  const names = /** @type {const} */ ([
    "task",
    ...SIZES,
    "std",
    "factor",
    "reading",
    "temperature",
  ]);
  const others = names.filter((name) => now[name] !== usual[name]);
  return String(new URLSearchParams(others.map((name) => [name, String(now[name])])));
}

/** FNV-1a of 32 bits, 8 hexadecimal digits: it notices a slip, not a cheat. @param {string} text */
function sumOf(text) {
  let sum = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) sum = Math.imul(sum ^ byte, 0x01000193) >>> 0;
  return sum.toString(16).padStart(8, "0");
}

/**
 * The line of the trainings of this page; "" of none.
 * @param {Recorded} recorded @param {Setup} setup @param {readonly Run[]} runs
 */
export function lineOf(recorded, setup, runs) {
  const measure = measureOf(setup.task);
  const results = runs.flatMap(({ scheme, seed, tests, bits, isFinal }) => {
    const values = tests.map((test) => test[measure].toFixed(4));
    return bits && isFinal ? [[scheme, seed, values.join(","), bits].join(":")] : [];
  });
  if (results.length === 0) return "";
  const text = [HEAD, settingsOf(recorded, setup) || USUAL, ...results].join(" ");
  return `${text} ${sumOf(text)}`;
}

/** What is shown of words that were typed. @param {string} text */
const quoted = (text) => `\u201c${text.length > 40 ? `${text.slice(0, 39)}\u2026` : text}\u201d`;

/** Settings as words. @param {string} settings */
const named = (settings) => (settings ? quoted(settings) : "all as recorded, task 3 back");

/**
 * Reads a line.
 * @param {string} line @param {Recorded} recorded @param {Setup} setup  that of the page
 * @returns {Result[]}
 * @throws {LineError}
 */
export function readLine(line, recorded, setup) {
  const parts = line.trim().split(/\s+/);
  const [head, given, ...rest] = parts;
  if (head !== HEAD) throw new LineError(`it must begin with ${quoted(HEAD)}; got ${quoted(head)}`);
  const sum = rest.pop() ?? "";
  const text = parts.slice(0, -1).join(" ");
  if (rest.length === 0 || sum !== sumOf(text)) {
    throw new LineError("a part of it is missing or was changed: its sum is not that of its text");
  }
  const wanted = settingsOf(recorded, setup);
  const settings = given === USUAL ? "" : given;
  if (settings !== wanted) {
    throw new LineError(`its settings are ${named(settings)}; this page has ${named(wanted)}`);
  }
  return rest.map((result) => readResult(result, recorded, setup));
}

/** @param {string} text @param {Recorded} recorded @param {Setup} setup @returns {Result} */
function readResult(text, recorded, setup) {
  const [name, seedText, valuesText = "", bits = ""] = text.split(":");
  if (!Object.hasOwn(schemes, name)) throw new LineError(`${quoted(name)} is no scheme of the lab`);
  const scheme = /** @type {SchemeName} */ (name);
  const seed = /^\d{1,3}$/.test(seedText) ? Number(seedText) : 0;
  if (seed < 1 || seed > LAST_SEED) {
    const got = quoted(seedText ?? "");
    throw new LineError(`a seed must be a whole number from 1 to ${LAST_SEED}; got ${got}`);
  }
  const where = `${schemes[scheme]}, seed ${seed}`;
  const values = valuesText.split(",").map((x) => (/^\d+\.\d{4}$/.test(x) ? Number(x) : NaN));
  const lengths = lengthsOf(setup);
  const isLoss = measureOf(setup.task) === "loss";
  if (values.length !== lengths.length) {
    throw new LineError(
      `${where}: it must have ${lengths.length} results, one for each length; got ${values.length}`,
    );
  }
  if (values.some((x) => !(x <= (isLoss ? Infinity : 1)))) {
    const rule = isLoss ? "losses must be numbers" : "accuracies must be numbers from 0 to 1";
    throw new LineError(`${where}: ${rule}, with four decimals; got ${quoted(valuesText)}`);
  }
  if (!/^[0-9a-f]{16}$/.test(bits)) {
    throw new LineError(`${where}: bits must be 16 hexadecimal digits; got ${quoted(bits)}`);
  }
  const known = rowOf(recorded, { ...setup, reading: null }, scheme)?.bits[seed - 1];
  if (known && known !== bits) {
    throw new LineError(`${where}: its weights have the bits ${bits}, and recorded are ${known}`);
  }
  return { scheme, seed, values, bits };
}

/**
 * What a class found: the results of each scheme by seed, and the lines that are left out.
 * @param {string} text  a line for each member @param {Recorded} recorded @param {Setup} setup
 */
export function pooled(text, recorded, setup) {
  /** @type {Map<SchemeName, (Result & {line: number})[]>} */
  const found = new Map();
  /** @type {{line: number, words: string}[]} */
  const refused = [];
  let [lines, repeated] = [0, 0];
  for (const [i, row] of text.split("\n").entries()) {
    if (row.trim() === "") continue;
    const line = i + 1;
    try {
      const results = readLine(row, recorded, setup).map((result) => ({ ...result, line }));
      const fresh = results.filter((result) => isFresh(result, found.get(result.scheme)));
      for (const result of fresh) {
        found.set(result.scheme, [...(found.get(result.scheme) ?? []), result]);
      }
      lines += 1;
      repeated += results.length - fresh.length;
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      refused.push({ line, words: error.message });
    }
  }
  for (const all of found.values()) all.sort((a, b) => a.seed - b.seed);
  return { found, refused, lines, repeated };
}

/**
 * Whether a seed is new; the same run has the same bits everywhere.
 * @param {Result} result @param {readonly (Result & {line: number})[]} [before]
 */
function isFresh({ scheme, seed, values, bits }, before = []) {
  const twin = before.find((one) => one.seed === seed);
  if (!twin) return true;
  if (twin.bits === bits && String(twin.values) === String(values)) return false;
  throw new LineError(
    `${schemes[scheme]}, seed ${seed}: other results than line ${twin.line} has; the same run has the same bits everywhere`,
  );
}
