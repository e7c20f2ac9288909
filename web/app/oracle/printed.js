// Reads numbers from text: the prints of NumPy and of PyTorch, JSON, and rows of a CSV file.

/** @import { Arrays, Read } from "./arrays.js" */
import { quoted } from "../models/label.js";
import { count } from "../numbers.js";
import { chosenOf } from "./arrays.js";

/** The most characters that are read. */
const MOST = 8_000_000;

/** What is around the numbers of a print, and says nothing of them. */
const AROUND =
  /\bParameter containing:|\b(?:torch|np|numpy|jnp)\.|\b(?:tensor|array|Array)(?=\()|\b(?:dtype|device|requires_grad|grad_fn|size|shape)=(?:'[^']{0,40}'|"[^"]{0,40}"|<[^>]{0,80}>|\([^)]{0,80}\)|[\w.]{1,40})/g;

const TOKEN =
  /([[\](){}])|([+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?\b|nan\b))|([a-z_][\w.]*)\s*["']?\s*[:=]?|([,;\t]|\r?\n|["']|[^\S\n]+)|([^])/giy;

/** @typedef {{name: string, numbers: number[], shape: number[]}} Block */

/**
 * @param {string} text
 * @returns {Read}
 */
export function readText(text) {
  if (text.trim() === "") throw new RangeError("Paste numbers first: cosines, then sines.");
  if (text.length > MOST) {
    throw new RangeError(`A text must have at most ${count(MOST)} characters; got ${count(text.length)}. Save the arrays as .npz instead.`); // prettier-ignore
  }
  if (/\.{3}|…/.test(text)) {
    throw new RangeError(
      "This print leaves numbers out (…). Print all of them: np.set_printoptions(threshold=sys.maxsize), or torch.set_printoptions(profile='full').",
    );
  }
  const blocks = blocksOf(text.replace(/^>>> ?/gm, "").replace(AROUND, " "));
  const named = namedOf(blocks);
  const { names, choices } = chosenOf([...named.keys()], undefined);
  /** @type {Arrays} */
  const arrays = {};
  for (const [name, of] of Object.entries(names)) {
    const { numbers, shape } = /** @type {Block} */ (named.get(of));
    arrays[name] = { data: Float64Array.from(numbers), shape };
  }
  const isRotation = "cos" in names || "q" in names;
  return { arrays, names, choices, ...(isRotation ? precisionOf(text) : { notes: [] }) };
}

/**
 * The name of each block: its own; for two without names cos and sin; for one what its axes allow.
 * @param {Block[]} blocks
 */
function namedOf(blocks) {
  const isPair = blocks.length === 2 && blocks.every(({ name }) => name === "");
  if (isPair) [blocks[0].name, blocks[1].name] = ["cos", "sin"];
  if (blocks.length === 1 && blocks[0].name === "") {
    const { shape } = blocks[0];
    if (shape.length < 3 || shape[0] !== 2)
      return new Map([[shape.length < 3 ? "table" : "bias", blocks[0]]]);
    const [half, rest] = [blocks[0].numbers.length / 2, shape.slice(1)]; // [2, T, C], as JSON has it
    const part = (/** @type {string} */ name, /** @type {number} */ at) => ({ name, numbers: blocks[0].numbers.slice(at, at + half), shape: rest }); // prettier-ignore
    return new Map([["cos", part("cos", 0)], ["sin", part("sin", half)]]); // prettier-ignore
  }
  /** @type {Map<string, Block>} */
  const named = new Map();
  for (const [i, block] of blocks.entries()) {
    const name = block.name || `array ${i + 1}`;
    if (named.has(name)) throw new RangeError(`There must be one array ${quoted(name)}; got two.`);
    named.set(name, block);
  }
  return named;
}

/** @param {string} text */
function blocksOf(text) {
  /** @type {Block[]} */
  const blocks = [];
  const reader = new Reader(blocks);
  TOKEN.lastIndex = 0;
  let line = 1;
  for (let match = TOKEN.exec(text); match; match = TOKEN.exec(text)) {
    const [whole, bracket, number, word, between, strange] = match;
    if (strange !== undefined) throw wrong(strange, line);
    if (bracket === "[") reader.open();
    else if (bracket === "]") reader.close(line);
    else if (number !== undefined) reader.number(numberOf(number));
    else if (word !== undefined) {
      if (reader.isInside) throw wrong(word, line);
      reader.name(word);
    } else if (between?.includes("\n")) reader.line(line);
    line += whole.split("\n").length - 1;
  }
  reader.end(line);
  return blocks;
}

/** The number of a text; JSON and Python spell some in their own ways. @param {string} text */
function numberOf(text) {
  if (/nan/i.test(text)) return NaN;
  return /inf/i.test(text) ? (text.startsWith("-") ? -Infinity : Infinity) : Number(text);
}

/** @param {string} got @param {number} line */
const wrong = (got, line) =>
  new RangeError(`The text must hold numbers, brackets and names of arrays; got ${quoted(got)} in line ${count(line)}. This page reads prints of NumPy and PyTorch, JSON and CSV.`); // prettier-ignore

/** Arrays in brackets, or lines of numbers until an empty one. */
class Reader {
  #blocks;
  #name = "";
  /** @type {number[]} */
  #numbers = [];
  /** How many parts each open bracket has. @type {number[]} */
  #counts = [];
  /** The length of each depth. @type {number[]} */
  #shape = [];
  /** Numbers of a line without brackets, and lines. */
  #inLine = 0;
  #lines = 0;
  #columns = 0;
  /** Of brackets around the numbers. */
  #depth = 0;

  /** @param {Block[]} blocks */
  constructor(blocks) {
    this.#blocks = blocks;
  }

  get isInside() {
    return this.#counts.length > 0;
  }

  open() {
    if (!this.isInside) this.#finish();
    if (this.#counts.length > 0) this.#counts[this.#counts.length - 1] += 1;
    this.#counts.push(0);
    if (this.#counts.length > 6) throw new RangeError("An array must have at most 6 axes.");
  }

  /** @param {number} line */
  close(line) {
    const depth = this.#counts.length - 1;
    const length = this.#counts.pop();
    if (length === undefined) throw new RangeError(`Brackets must agree; got one “]” too many in line ${count(line)}.`); // prettier-ignore
    const known = (this.#shape[depth] ??= length);
    if (known !== length) {
      throw new RangeError(`Rows must have one length; the first has ${count(known)}, and that which ends in line ${count(line)} has ${count(length)}.`); // prettier-ignore
    }
    if (depth === 0) this.#push(this.#shape);
  }

  /** @param {number} x */
  number(x) {
    const depth = this.#counts.length;
    if (this.#numbers.length === 0) this.#depth = depth;
    if (depth !== this.#depth)
      throw new RangeError("An array must have its numbers at one depth of brackets.");
    this.#numbers.push(x);
    if (this.isInside) this.#counts[this.#counts.length - 1] += 1;
    else this.#inLine += 1;
  }

  /** @param {string} word */
  name(word) {
    this.#finish();
    this.#name = word;
  }

  /** @param {number} line */
  line(line) {
    if (this.isInside) return;
    if (this.#inLine === 0) return this.#finish(); // an empty line
    this.#columns ||= this.#inLine;
    if (this.#columns !== this.#inLine) {
      throw new RangeError(`Rows must have one length; got ${count(this.#columns)} and, in line ${count(line)}, ${count(this.#inLine)}.`); // prettier-ignore
    }
    this.#lines += 1;
    this.#inLine = 0;
  }

  /** @param {number} line */
  end(line) {
    if (this.isInside) throw new RangeError("Brackets must agree; the last one is not closed.");
    this.line(line);
    this.#finish();
  }

  #finish() {
    if (this.#inLine > 0) this.line(0);
    if (this.#lines > 0) this.#push([this.#lines, this.#columns]);
  }

  /** @param {number[]} shape */
  #push(shape) {
    if (this.#numbers.length !== shape.reduce((size, of) => size * of, 1))
      throw new RangeError("An array must have numbers at one depth of its brackets alone.");
    if (this.#numbers.length > 0)
      this.#blocks.push({ name: this.#name, numbers: this.#numbers, shape });
    [this.#numbers, this.#shape, this.#name] = [[], [], ""];
    [this.#lines, this.#columns, this.#inLine] = [0, 0, 0];
  }
}

/**
 * How exact printed numbers are: PyTorch prints four digits after the point.
 * @param {string} text
 * @returns {Pick<Read, "notes" | "precision">}
 */
function precisionOf(text) {
  const [, narrow] = /\b(bfloat16|float16)\b/.exec(text) ?? [];
  if (narrow) return { precision: /** @type {"float16"} */ (narrow), notes: [] };
  const digits = Array.from(text.matchAll(/\.(\d+)/g), ([, digits]) => digits.length);
  const most = digits.reduce((a, b) => Math.max(a, b), 0);
  if (most === 0 || most >= 7) return { notes: [] };
  if (most < 3) {
    throw new RangeError(`Numbers must have at least three digits after the point; got ${most}.`);
  }
  const precision = most === 3 ? "bfloat16" : "float16";
  const note = `The numbers have ${most} digits after the point, so they were compared as ${precision} numbers are. More digits show slower pairs: torch.set_printoptions(precision=8).`;
  return { precision, notes: [note] };
}
