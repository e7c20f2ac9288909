// Finds in files, or among named arrays, those that phasor/oracle identifies.

import { npy, npz, safetensors } from "phasor/files";
import { quoted } from "../models/label.js";
import { count, megabytes, shape as listed } from "../numbers.js";

/** @typedef {{data: any, shape: readonly number[], dtype?: string}} Numbers */
/** @typedef {Record<string, Numbers>} Arrays  by the names that phasor/oracle has for them */

/** Names of arrays, by those of phasor/oracle. @typedef {Record<string, string>} Chosen */

/** Arrays that were read, and what the page says of them. @typedef {{arrays: Arrays, names: Chosen, choices: Chosen[], notes: string[], precision?: "float16" | "bfloat16"}} Read */

/** The most numbers of an array: 131,072 rows of 128. */
const MOST = 2 ** 24;

/** The most bytes of a file. */
const MOST_BYTES = 2 ** 31;

/** The most files, and the most arrays of a file. */
const MOST_FILES = 16;
const MOST_ARRAYS = 10_000;

/** What a name of vectors becomes after their rotation. */
const AFTER = ["_rotated", "_rot", "_embed", "_out", "_rope", ".rotated", "_after"];

/** Single arrays and pairs of the other kinds, each with other spellings. @type {readonly (readonly [name: string, spellings: RegExp, isNeeded: boolean][])[]} */
const OTHERS = [
  [["bias", /(^|\.)(bias|attention_bias|alibi)$/i, true]],
  [
    ["positionIds", /(^|\.)position_?ids$/i, true],
    ["mask", /(^|\.)(attention_)?mask$/i, false],
  ],
  [
    ["weights", /(^|\.)weights$/i, true],
    ["reference", /(^|\.)reference$/i, true],
  ],
  [["table", /(^|\.)(table|pe|weight)$/i, true]],
];

/** A name with "sin" for its last "cos". A name of a file may be long: it is read once. @param {string} name */
function withSine(name) {
  const word = [...name.matchAll(/cos/gi)].at(-1);
  if (!word) return name;
  const { 0: cos, index } = word;
  return name.slice(0, index) + (cos === "COS" ? "SIN" : "sin") + name.slice(index + cos.length);
}

/**
 * The choices that names of arrays leave, likeliest first.
 * @param {readonly string[]} names
 * @returns {Chosen[]}
 */
export function choicesOf(names) {
  const known = new Set(names);
  /** @type {Chosen[]} */
  const found = [];
  for (const name of names) {
    const other = withSine(name);
    if (other !== name && known.has(other)) found.push({ cos: name, sin: other });
  }
  /** @type {Map<string, string>} */
  const rotated = new Map();
  for (const name of names) {
    const short = /(^|\.)q$/.test(name) ? [name.replace(/q$/, "rotated")] : [];
    const after = AFTER.map((suffix) => name + suffix).concat(short).find((one) => known.has(one)); // prettier-ignore
    if (after !== undefined) rotated.set(name, after);
  }
  for (const [q, after] of rotated) {
    const k = /(^|\.)q$/.test(q) ? q.replace(/q$/, "k") : "";
    const keys = rotated.get(k);
    if (keys !== undefined) found.push({ q, rotated: after, k, k_rotated: keys });
  }
  for (const [q, after] of rotated) found.push({ q, rotated: after });
  for (const parts of OTHERS) {
    const entries = parts.map(([name, spellings]) => [name, names.find((one) => spellings.test(one))]); // prettier-ignore
    if (parts.every(([, , isNeeded], i) => !isNeeded || entries[i][1] !== undefined))
      found.push(Object.fromEntries(entries.filter(([, name]) => name !== undefined)));
  }
  return found;
}

/**
 * The arrays that names stand for.
 * @param {readonly string[]} names @param {Chosen | undefined} wanted  else the likeliest
 */
export function chosenOf(names, wanted) {
  const choices = choicesOf(names);
  if (choices.length === 0) {
    const all = names.slice(0, 8).map(quoted).join(", ");
    const more = names.length > 8 ? ` and ${count(names.length - 8)} more` : "";
    throw new RangeError(
      `There must be arrays named cos and sin, or q and q_rotated; got ${all}${more || (all ? "" : "none")}.`,
    );
  }
  const is = (/** @type {Chosen} */ one) => JSON.stringify(one) === JSON.stringify(wanted);
  return { names: choices.find(is) ?? choices[0], choices };
}

/**
 * Reads files: one .npz or .safetensors, or .npy files.
 * @param {readonly File[]} files @param {Chosen} [wanted]
 * @returns {Promise<Read>}
 */
export async function readFiles(files, wanted) {
  if (files.length > MOST_FILES)
    throw new RangeError(`There must be at most ${MOST_FILES} files; got ${files.length}.`);
  for (const { name, size } of files) {
    if (size > MOST_BYTES)
      throw new RangeError(`${quoted(name)} has ${megabytes(size)} MB: at most 2,147 MB are read.`);
  }
  const kinds = files.map(({ name }) => /\.(npz|safetensors|npy)$/i.exec(name)?.[1].toLowerCase());
  const strange = kinds.indexOf(undefined);
  if (strange >= 0) {
    throw new RangeError(
      `This page reads .npz, .safetensors and .npy files; got ${quoted(files[strange].name)}.`,
    );
  }
  if (kinds.every((kind) => kind === "npy")) return readNpy(files, wanted);
  if (files.length > 1)
    throw new RangeError(`Choose one .npz or .safetensors file, or .npy files alone; got ${files.length} files.`); // prettier-ignore
  const file = await (kinds[0] === "npz" ? npz : safetensors).read(files[0]);
  const all = [...file.names];
  if (all.length > MOST_ARRAYS)
    throw new RangeError(`A file must have at most ${count(MOST_ARRAYS)} arrays; got ${count(all.length)}.`); // prettier-ignore
  const { names, choices } = chosenOf(all, wanted);
  /** @type {Arrays} */
  const arrays = {};
  for (const [name, stored] of Object.entries(names)) {
    checkSize(stored, (await file.info(stored)).shape);
    arrays[name] = await file.tensor(stored);
  }
  return { arrays, names, choices, notes: [] };
}

/** @param {readonly File[]} files @param {Chosen | undefined} wanted @returns {Promise<Read>} */
async function readNpy(files, wanted) {
  const byName = new Map(files.map((file) => [file.name.replace(/\.npy$/i, ""), file]));
  const all = [...byName.keys()];
  // A single file is a table; of others the names say what they are.
  const { names, choices } =
    all.length === 1 && choicesOf(all).length === 0
      ? { names: { table: all[0] }, choices: [{ table: all[0] }] }
      : chosenOf(all, wanted);
  /** @type {Arrays} */
  const arrays = {};
  for (const [name, stored] of Object.entries(names)) {
    const file = /** @type {File} */ (byName.get(stored));
    if (file.size > MOST * 8 + 2 ** 16) throw tooLarge(stored, `${megabytes(file.size)} MB`);
    const tensor = await npy.read(file);
    checkSize(stored, tensor.shape);
    arrays[name] = tensor;
  }
  return { arrays, names, choices, notes: [] };
}

/** @param {string} name @param {readonly number[]} shape */
function checkSize(name, shape) {
  if (shape.reduce((size, of) => size * of, 1) > MOST) throw tooLarge(name, listed(shape));
}

/** @param {string} name @param {string} got */
const tooLarge = (name, got) =>
  new RangeError(`${quoted(name)} must have at most ${count(MOST)} numbers; got ${got}.`);
