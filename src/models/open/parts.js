/**
 * Models in several files: the parts of a GGUF model, and what the name of a file says.
 */
import { describe } from "../../runtime/check.js";
import { FileError } from "../../runtime/errors.js";
import { refuseName } from "../../files/tensors.js";
import { has } from "./place.js";

/**
 * @import { GgufFile } from "../../files/gguf/gguf.js"
 * @import { Place } from "./place.js"
 */

/** Which of how many files, from 1 on. @typedef {{number: number, count: number}} Part */

/** The name of a part, as llama.cpp, transformers and others write it. */
const NAME = /^(.*[-_./])?(\d{1,5})-of-(\d{1,5})(\.\w+)$/;

/** The most parts; the largest models have some hundred. */
const MOST_PARTS = 1024;

/**
 * The part that a file is by its name.
 * @param {string} path
 * @returns {Part | undefined} undefined if it is whole
 */
export function partOf(path) {
  const [, , number, count] = NAME.exec(path) ?? [];
  return Number(count) > 1 ? { number: Number(number), count: Number(count) } : undefined;
}

/** The files without the later parts of GGUF models, by their names. @param {readonly string[]} files */
export function withoutLaterParts(files) {
  const models = new Set();
  return [...files].sort().filter((file) => {
    const isPart = partOf(file) && /\.gguf$/i.test(file);
    const model = isPart ? file.replace(NAME, "$1$3$4") : undefined;
    const isLater = model !== undefined && models.has(model);
    models.add(model);
    return !isLater;
  });
}

/** Where something is missed, if that is in a part of a model. @param {Part | undefined} part */
export const inPart = (part) =>
  part ? ` in its part ${part.number} of ${part.count}; open the whole model` : "";

/**
 * Opens all parts of a GGUF model.
 *
 * @param {Place} place @param {string} path  of the first part @param {GgufFile} first
 * @param {(path: string) => Promise<GgufFile>} read
 * @returns {Promise<GgufFile[]>}
 * @throws {FileError} OPEN_PART: a part is missing or is another one
 */
export async function partsOf(place, path, first, read) {
  const count = numberAt(first, "count");
  if (count === undefined || count < 2) return [first];
  const nameOf = (/** @type {number} */ number) =>
    path.replace(NAME, (_, front = "", own, of, end) =>
      [front, String(number).padStart(own.length, "0"), "-of-", of, end].join(""),
    );
  const named = partOf(path);
  const got = `${describe(path)}, ${saidBy(first)}`;
  if (named?.count !== count || count > MOST_PARTS) {
    const rule = `file must be named NAME-00001-of-${String(count).padStart(5, "0")}.gguf`;
    refuse(`${rule} as the first of at most ${MOST_PARTS} parts; got ${got}`);
  }
  if (named.number !== 1) {
    const rule = `file must be the first part, ${describe(nameOf(1))}, with the others beside it`;
    refuse(`${rule}; got ${got}`);
  }
  const paths = Array.from({ length: count }, (_, i) => nameOf(i + 1));
  const missing = paths.filter((each) => !has(place, each));
  if (missing.length > 0) {
    const rule = `source must have all ${count} parts of the model`;
    const lacks = missing.slice(0, 3).map(describe).join(", ");
    const more = missing.length > 3 ? ` and ${missing.length - 3} more` : "";
    refuse(`${rule} (pass their folder or all files); got none named ${lacks}${more}`);
  }
  const files = [first, ...(await Promise.all(paths.slice(1).map(read)))];
  const total = numberAt(first, "tensors.count");
  files.forEach((file, i) => {
    const isIt = numberAt(file, "no") === i && numberAt(file, "count") === count;
    if (isIt && numberAt(file, "tensors.count") === total) return;
    const rule = `${describe(paths[i])} must be ${said(i, count, total)}`;
    refuse(`${rule}; got ${saidBy(file)}`);
  });
  return files;
}

/**
 * The tensors of all parts as those of one file.
 * @param {GgufFile[]} files
 */
export function joined(files) {
  /** @type {Map<string, GgufFile>} */
  const places = new Map();
  for (const file of files) {
    for (const name of file.names) {
      if (places.has(name))
        refuse(`tensors must be in one part each; got two of ${describe(name)}`);
      places.set(name, file);
    }
  }
  const total = numberAt(files[0], "tensors.count");
  if (files.length > 1 && total !== undefined && total !== places.size) {
    refuse(`the parts must have ${total} tensors (split.tensors.count); got ${places.size}`);
  }
  const names = Object.freeze([...places.keys()]);
  const at = (/** @type {string} */ name) => places.get(name) ?? refuseName(name, "name", names);
  return {
    names,
    metadata: files[0].metadata, // only the first describes the model
    info: (/** @type {string} */ name) => at(name).info(name),
    /** @type {GgufFile["stored"]} */
    stored: async (name, options) => at(name).stored(name, options),
    /** @type {GgufFile["stream"]} */
    stream: async (name, use, options) => at(name).stream(name, use, options),
  };
}

/** What a file says of itself. @param {GgufFile} file */
function saidBy(file) {
  const [no, count, total] = KEYS.map((key) => numberAt(file, key));
  return count === undefined ? "a file that is no part" : said(no ?? 0, count, total);
}

const KEYS = /** @type {const} */ (["no", "count", "tensors.count"]);

/** @param {number} no @param {number} count @param {number | undefined} total  tensors */
const said = (no, count, total) =>
  `part ${no + 1} of ${count}${total === undefined ? "" : ` of a model of ${total} tensors`}`;

/** A whole number of `split`. @param {GgufFile} file @param {typeof KEYS[number]} key */
function numberAt({ metadata }, key) {
  const value = metadata.get(`split.${key}`);
  return Number.isInteger(value) ? Number(value) : undefined;
}

/** @param {string} message @returns {never} */
function refuse(message) {
  throw new FileError("OPEN_PART", message);
}
