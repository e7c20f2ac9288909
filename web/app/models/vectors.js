// Word vectors as text, or in word2vec's binary format, and tables of the reader's own with labels and groups. A file
// is read in pieces, and only as far as its first rows.

import { begin, shortened } from "../text/begin.js";

/**
 * @typedef {object} Vectors
 * @property {string} format
 * @property {string[]} words  [V]
 * @property {Float32Array} data  [V, D]
 * @property {number} dim
 * @property {string[] | undefined} groups  [V], of a table whose rows have colors; "" for none
 * @property {Choice | undefined} choice  of a table: its columns that are no part of the vectors
 * @property {boolean} isCut  whether the file has more rows
 *
 * @typedef {object} Limits
 * @property {number} rows  the most rows to read
 * @property {(done: number, total: number) => void} [progress]  bytes of the file
 * @property {string} [label] @property {string} [color]  names of columns, where the reader chose them; "" for none
 *
 * @typedef {object} Choice  of the columns that a table has besides its numbers
 * @property {string[]} names  of all of them
 * @property {string} label  the one whose text names the rows, or "": their numbers do
 * @property {string} color  the one whose values are groups, or ""
 *
 * @typedef {Blob & {name: string}} Named
 */

/** Files that this module reads, by their names; a text may be compressed by gzip. */
const NAMES = /\.(txt|vec|csv|tsv|glove|bin)(\.gz)?$/i;

/** A longer line, a wider table or a longer word is no word vector. */
const [LINE, WIDTH, WORD] = [2 ** 20, 16_384, 1000];

/** A decimal number. */
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;

/** What is meant as a number, where one must be. */
const ALMOST = /^[+-]?(nan|inf|infinity|null|none|n\/?a|\d*,\d+(e[+-]?\d+)?)$/i;

/** White space of ASCII. Other white space may be a word, as in fastText's wiki.en.vec. */
const WHITE = " \t\r\v\f";

/** A text without white space at its end. @param {string} text */
function ended(text) {
  let end = text.length;
  while (end > 0 && WHITE.includes(text[end - 1])) --end;
  return text.slice(0, end);
}

/** A text without white space at its ends. @param {string} text */
function trimmed(text) {
  let begin = 0;
  while (begin < text.length && WHITE.includes(text[begin])) ++begin;
  return ended(text.slice(begin));
}

/** Whether a file may hold word vectors, by its name. @param {{name: string}} file */
export function isVectors({ name }) {
  return NAMES.test(name) && !/^(pytorch_model|tf_model|training_args|vocab|merges)\b/i.test(name);
}

/** Names of files with the labels of vectors, as the Embedding Projector calls them. */
const META = /meta|label/i;

/**
 * Which of the reader's files hold vectors and their labels; undefined if they are files of a model.
 *
 * @template {{name: string}} File
 * @param {readonly File[]} files
 * @returns {{file: File, metadata: File | undefined} | undefined}
 * @throws {RangeError} if two files are no pair
 */
export function vectorFiles(files) {
  if (files.length === 0 || files.length > 2 || !files.every(isVectors)) return undefined;
  const [first, second] = files;
  if (!second) return { file: first, metadata: undefined };
  const named = files.filter(({ name }) => META.test(name));
  if (named.length !== 1) {
    const names = files.map(({ name }) => name).join(" and ");
    throw new RangeError(
      `one of two files must have "metadata" in its name: the labels of the vectors; got ${names}`,
    );
  }
  return { file: named[0] === first ? second : first, metadata: named[0] };
}

/**
 * Reads word vectors: GloVe, word2vec and fastText as text (a word and its numbers on each line), word2vec's binary
 * format, CSV and TSV (columns of text are labels and groups; the others are numbers), and the pair of files of
 * TensorFlow's Embedding Projector: vectors.tsv has numbers alone, metadata.tsv the labels.
 *
 * @param {Named} file @param {Limits} limits @param {Named} [metadata]
 * @returns {Promise<Vectors>}
 * @throws {RangeError} with the line that is wrong
 */
export async function readVectors(file, limits, metadata = undefined) {
  if (!metadata) return read(file, limits.progress, (chunks, name) => vectorsOf(chunks, name, limits)); // prettier-ignore
  const { rows, isCut } = await read(file, limits.progress, (chunks, name) =>
    numbersOf(linesOf(chunks), separatorOf(name), limits.rows),
  );
  const size = rows.words.length;
  const labels = await read(metadata, undefined, (chunks, name) =>
    labelsOf(linesOf(chunks), separatorOf(name), { name: metadata.name, size, isCut }),
  );
  return rows.table("Embedding Projector", isCut, labels, limits);
}

/**
 * @template Result
 * @param {Named} file @param {Limits["progress"]} progress
 * @param {(chunks: AsyncGenerator<Uint8Array, undefined>, name: string) => Promise<Result>} use
 */
async function read(file, progress, use) {
  const name = file.name.replace(/\.gz$/i, "");
  const chunks = chunksOf(file, progress);
  try {
    return await use(chunks, name);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    if (error instanceof RangeError || name === file.name) throw error;
    throw new RangeError(`The compressed file is damaged: ${message}`, { cause: error });
  } finally {
    await chunks.return(undefined); // the rest of the file is not read
  }
}

/** @param {AsyncGenerator<Uint8Array, undefined>} chunks @param {string} name @param {Limits} limits */
async function vectorsOf(chunks, name, limits) {
  if (/\.bin$/i.test(name)) return binary(chunks, limits.rows);
  const lines = linesOf(chunks);
  return /\.[ct]sv$/i.test(name)
    ? columns(lines, separatorOf(name), limits)
    : spaced(lines, limits.rows);
}

/** @param {string} name  of a table */
const separatorOf = (name) => (/\.csv$/i.test(name) ? "," : "\t");

/**
 * The bytes of a file in pieces.
 * @param {Blob & {name: string}} file @param {Limits["progress"]} progress
 * @returns {AsyncGenerator<Uint8Array, undefined>}
 */
async function* chunksOf(file, progress) {
  let done = 0;
  /** @type {TransformStream<Uint8Array, Uint8Array>} */
  const counting = new TransformStream({
    transform(chunk, controller) {
      progress?.((done += chunk.length), file.size);
      controller.enqueue(chunk);
    },
  });
  const counted = file.stream().pipeThrough(counting);
  const isPacked = /\.gz$/i.test(file.name);
  const stream = isPacked
    ? counted.pipeThrough(/** @type {any} */ (new DecompressionStream("gzip")))
    : counted;
  const reader = /** @type {ReadableStream<Uint8Array>} */ (stream).getReader();
  try {
    for (;;) {
      const { done: isEnd, value } = await reader.read();
      if (isEnd) return undefined;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/**
 * The lines of a text in UTF-8, without empty ones.
 * @param {AsyncIterable<Uint8Array>} chunks
 * @returns {AsyncGenerator<{text: string, line: number}, undefined>}
 */
async function* linesOf(chunks) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let [rest, line] = ["", 0];
  for await (const chunk of chunks) {
    const parts = decoder.decode(chunk, { stream: true }).split("\n");
    parts[0] = rest + parts[0]; // what came before has no line end and is not searched again
    rest = parts.pop() ?? "";
    if (rest.length > LINE) throw wrong(line + parts.length + 1, "must be shorter", "a longer one");
    for (const part of parts) {
      const text = lineOf(part, ++line);
      if (ended(text) !== "") yield { text, line };
    }
  }
  const text = lineOf(rest + decoder.decode(), ++line);
  if (ended(text) !== "") yield { text, line };
  return undefined;
}

/**
 * A line without its end, and without a byte order mark before it, which is a word where a space follows.
 * @param {string} part @param {number} line
 */
function lineOf(part, line) {
  const text = part.replace(/\r$/, "");
  if (text.includes("\0")) throw wrong(line, "must be text in UTF-8", "a byte that is 0");
  return line === 1 && text[0] === "\ufeff" && text[1] !== " " ? text.slice(1) : text;
}

/** @param {number} line @param {string} rule @param {string} got */
function wrong(line, rule, got) {
  return new RangeError(`line ${line} ${rule}; got ${got}`);
}

/** A short quotation. @param {string} text */
const quoted = (text) => JSON.stringify(shortened(text, 40));

/** Rows that arrive one by one. */
class Rows {
  /** @type {string[]} */
  words = [];
  dim = 0;
  #data = new Float32Array(0);
  #most;

  /** @param {number} most */
  constructor(most) {
    this.#most = most;
  }

  get isFull() {
    return this.words.length === this.#most;
  }

  /** @param {string} word @param {readonly string[]} numbers @param {number} line */
  add(word, numbers, line) {
    this.dim ||= numbers.length;
    if (numbers.length !== this.dim || this.dim === 0 || this.dim > WIDTH) {
      const many = this.words.length === 0 ? `1 to ${WIDTH}` : String(this.dim);
      throw wrong(line, `must have ${many} numbers after the word`, String(numbers.length));
    }
    if (word.length > WORD) {
      throw wrong(line, `must begin with a word of at most ${WORD} letters`, quoted(word));
    }
    this.#grow();
    const at = this.words.length * this.dim;
    for (const [d, text] of numbers.entries()) {
      const x = NUMBER.test(text) ? Math.fround(Number(text)) : NaN;
      if (!Number.isFinite(x)) {
        const got = text === "" ? "an empty cell" : quoted(text);
        throw wrong(line, "must have decimal numbers, with a point", got);
      }
      this.#data[at + d] = x;
    }
    this.words.push(word);
  }

  #grow() {
    const size = (this.words.length + 1) * this.dim;
    if (size <= this.#data.length) return;
    const most = this.#most * this.dim;
    const larger = new Float32Array(Math.min(most, Math.max(size, 2 * this.#data.length, 2 ** 16)));
    larger.set(this.#data);
    this.#data = larger;
  }

  /** @param {string} format @param {boolean} isCut @returns {Vectors} */
  result(format, isCut) {
    const { words, dim } = this;
    if (words.length === 0) throw new RangeError("The file has no vectors");
    const data = this.#data.slice(0, words.length * dim);
    return { format, words, dim, groups: undefined, choice: undefined, data, isCut };
  }

  /**
   * The same with what other columns say.
   * @param {string} format @param {boolean} isCut @param {Labels} labels @param {Pick<Limits, "label" | "color">} chosen
   * @returns {Vectors}
   */
  table(format, isCut, { names, values }, { label: ownLabel, color: ownColor }) {
    const plain = this.result(format, isCut);
    const all = [...names.keys()];
    const byName = (/** @type {string | undefined} */ name) => names.indexOf(name ?? "");
    const like = (/** @type {RegExp} */ kind) => names.findIndex((name) => kind.test(name));
    const asked = byName(ownColor) >= 0 ? byName(ownColor) : like(GROUP);
    const others = all.filter((i) => i !== asked);
    const label = [byName(ownLabel), like(LABEL), ...others].find((i) => i >= 0) ?? -1;
    const grouped = all.filter((i) => i !== label && isGrouped(values[i]));
    const byText = grouped.find((i) => values[i].some((value) => !NUMBER.test(value)));
    const color = ownColor === "" ? -1 : asked >= 0 ? asked : (byText ?? grouped[0] ?? -1);
    const size = plain.words.length;
    const of = (/** @type {number} */ column) => values[column].slice(0, size);
    const groups = color < 0 ? undefined : of(color);
    return {
      ...plain,
      words: label < 0 ? plain.words : of(label).map(begun),
      groups: groups?.some(Boolean) ? groups : undefined,
      choice: { names, label: names[label] ?? "", color: names[color] ?? "" },
    };
  }
}

/** Whether values repeat, so that they may be groups. @param {readonly string[]} values */
const isGrouped = (values) => new Set(values).size <= Math.max(8, values.length / 2);

/** Columns that are no part of the vectors. @typedef {{names: string[], values: string[][]}} Labels */

/** The letters of a label that are kept: it may be a sentence. */
export const SHOWN = 200;

/** A label as it is shown: a sentence, for example, by its beginning. @param {string} text */
const begun = (text) => shortened(text, SHOWN, SHOWN - 1);

/**
 * A word and its numbers on each line, perhaps after a line with the numbers of rows and columns. A word of GloVe may
 * have spaces: the numbers are the last of the line.
 *
 * @param {AsyncIterable<{text: string, line: number}>} lines @param {number} most
 */
async function spaced(lines, most) {
  const rows = new Rows(most);
  let header = false;
  let [dim, isFirst] = [0, true];
  for await (const { text: whole, line } of lines) {
    const text = ended(whole);
    const parts = text.split(/[ \t]+/);
    if (isFirst && /^ ?\d+ \d+$/.test(parts.join(" "))) {
      [header, dim, isFirst] = [true, Number(parts.at(-1)), false];
      continue;
    }
    isFirst = false;
    if (rows.isFull) return rows.result(header ? "word2vec text" : "GloVe text", true);
    dim ||= widthOf(parts, line);
    const begin = Math.max(1, parts.length - dim);
    const isPlain = begin === 1 && parts[0] !== "" && !text.includes("\t");
    const word = isPlain || begin > parts.length - dim ? parts[0] : wordOf(text, dim);
    if (word !== "" && /^ *$/.test(word)) {
      throw wrong(line, "must begin with a word and one space", "spaces");
    }
    rows.add(word, parts.slice(begin), line);
    if (rows.dim !== dim) {
      throw wrong(line, `must have ${dim} numbers after the word`, String(rows.dim));
    }
  }
  return rows.result(header ? "word2vec text" : "GloVe text", false);
}

/** What stands before the last numbers of a line and a space or a tab. @param {string} text @param {number} dim */
function wordOf(text, dim) {
  const isGap = (/** @type {number} */ at) => text[at] === " " || text[at] === "\t";
  let at = text.length;
  for (let n = 0; n < dim; ++n) {
    while (n > 0 && isGap(at - 1)) --at;
    while (at > 0 && !isGap(at - 1)) --at;
  }
  const word = text.slice(0, Math.max(0, at - 1));
  let end = word.length;
  while (end > 0 && word[end - 1] === " ") --end;
  return end === 0 ? word : word.slice(0, end);
}

/**
 * How many numbers follow the word of the first line. The word may be of several parts, but none looks like a number.
 * @param {string[]} parts @param {number} line
 */
function widthOf(parts, line) {
  const width = numbersAtEnd(parts);
  const rest = parts.slice(1, parts.length - width);
  const isMeant = (/** @type {string} */ part) => /\p{Nd}/u.test(part) || ALMOST.test(part);
  const found = rest.find((part) => !NUMBER.test(part) && isMeant(part)) ?? rest.find(isMeant);
  if (found === undefined) return width;
  throw wrong(line, "must have decimal numbers, with a point, after its word", quoted(found));
}

/** How many of the last parts of a line are numbers. @param {string[]} parts */
function numbersAtEnd(parts) {
  let n = 0;
  while (n < parts.length - 1 && NUMBER.test(parts[parts.length - 1 - n])) ++n;
  return n;
}

/**
 * A table: columns of numbers are the vector, the others labels and groups. A first line without numbers names the
 * columns.
 *
 * @param {AsyncIterable<{text: string, line: number}>} lines @param {string} separator @param {Limits} limits
 */
async function columns(lines, separator, limits) {
  const rows = new Rows(limits.rows);
  const format = separator === "\t" ? "TSV" : "CSV";
  /** @type {ReturnType<typeof kindsOf> | undefined} */
  let kinds;
  /** @type {string[] | undefined} */
  let names;
  for await (const { text, line } of lines) {
    const isFirst = !names && !kinds;
    if (isFirst && separator === "," && /^[^,;]*;[^,]*$/.test(text)) separator = ";";
    const cells = cellsOf(text, line, separator, names ? names.length : kinds?.width);
    if (!kinds) {
      const isMeant = (/** @type {string} */ cell, /** @type {number} */ i) =>
        i > 0 && (ALMOST.test(cell) || /\d;[+-]?\d/.test(cell));
      const found = cells.find((cell, i) => isMeant(cell, i) && !isNamed(names?.[i] ?? ""));
      if (found !== undefined) {
        throw wrong(line, "must have decimal numbers, with a point", quoted(found));
      }
      if (isFirst && cells.length === 1 && /[ ,;]/.test(cells[0])) {
        throw wrong(line, `must have ${separator === "," ? "commas" : "tabs"} between its columns`, quoted(text)); // prettier-ignore
      }
      if (!names && !cells.some((cell) => NUMBER.test(cell))) {
        names = namesOf(cells);
        continue;
      }
      kinds = kindsOf(names ?? namesOf(cells.map(() => "")), cells);
      if (kinds.numbers.length === 0) {
        throw wrong(line, "must have columns of numbers", "columns of text alone");
      }
    }
    if (rows.isFull) return rows.table(format, true, kinds, limits);
    for (const [n, i] of kinds.texts.entries()) kinds.values[n].push(begin(cells[i], WORD));
    rows.add(String(rows.words.length), kinds.numbers.map((i) => cells[i]), line); // prettier-ignore
  }
  if (!kinds) throw new RangeError("The file has no vectors");
  return rows.table(format, false, kinds, limits);
}

/**
 * The cells of a line, without spaces around them.
 * @param {string} text @param {number} line @param {string} separator
 * @param {number | undefined} width  how many there must be
 */
function cellsOf(text, line, separator, width) {
  const cells = separator === "\t" ? text.split(separator) : quotedCells(text, line, separator);
  if (width !== undefined && cells.length !== width) {
    throw wrong(line, `must have ${width} columns, as the lines before it`, String(cells.length));
  }
  return cells.map(trimmed);
}

/** Names of columns, each once. @param {readonly string[]} cells */
function namesOf(cells) {
  /** @type {Set<string>} */
  const taken = new Set();
  for (const [i, cell] of cells.entries()) {
    const name = begun(cell) || `column ${i + 1}`;
    let own = name;
    for (let n = 2; taken.has(own); ++n) own = `${name} (${n})`;
    taken.add(own);
  }
  return [...taken];
}

/** Names of columns that are never numbers, whatever their values. */
const [LABEL, GROUP] = [/^(label|word|token|name|title|id)$/i, /^(group|class|category|colou?r)$/i];
const isNamed = (/** @type {string} */ name) => LABEL.test(name) || GROUP.test(name);

/** What the columns hold. @param {string[]} all  names @param {string[]} cells  of the first row */
function kindsOf(all, cells) {
  const isText = (/** @type {number} */ i) => !NUMBER.test(cells[i]) || isNamed(all[i]);
  const texts = [...cells.keys()].filter(isText);
  const numbers = [...cells.keys()].filter((i) => !isText(i));
  const names = texts.map((i) => all[i]);
  return { texts, numbers, names, values: texts.map(() => /** @type {string[]} */ ([])), width: cells.length }; // prettier-ignore
}

/**
 * Vectors without labels: only numbers on each line.
 * @param {AsyncIterable<{text: string, line: number}>} lines @param {string} separator @param {number} most
 */
async function numbersOf(lines, separator, most) {
  const rows = new Rows(most);
  for await (const { text, line } of lines) {
    if (rows.isFull) return { rows, isCut: true };
    rows.add(
      String(rows.words.length),
      cellsOf(text, line, separator, rows.dim || undefined),
      line,
    );
  }
  if (rows.words.length === 0) throw new RangeError("The file has no vectors");
  return { rows, isCut: false };
}

/**
 * The labels of vectors, a line for each. The first line of several columns names them; one column has no name, or
 * one line more than there are vectors.
 *
 * @param {AsyncIterable<{text: string, line: number}>} lines @param {string} separator
 * @param {{name: string, size: number, isCut: boolean}} of  the file; how many vectors; whether there are more
 * @returns {Promise<Labels>}
 */
async function labelsOf(lines, separator, { name, size, isCut }) {
  /** @type {string[][]} */
  const rows = [];
  let more = false;
  for await (const { text, line } of lines) {
    if (rows.length > size) {
      more = true;
      break;
    }
    // A line without text is a label without letters.
    while (rows.length < Math.min(line - 1, size) && (rows[0]?.length ?? 1) === 1) rows.push([""]);
    rows.push(cellsOf(text, line, separator, rows[0]?.length));
  }
  const header = rows.length > size && (!isCut || rows[0].length > 1);
  const isWhole = rows.length - Number(header) >= size && (isCut || !more);
  if (!isWhole) {
    throw new RangeError(
      `${name} must have a line for each of ${size} vectors, and one for the names of its columns if it has several; got ${more ? "more" : rows.length}`,
    );
  }
  const names = namesOf(header ? rows[0] : rows[0].length > 1 ? rows[0].map(() => "") : ["label"]);
  const labels = rows.slice(header ? 1 : 0);
  return { names, values: names.map((_, i) => labels.map((cells) => begin(cells[i], WORD))) };
}

/** The cells of a line of CSV. @param {string} text @param {number} line @param {string} separator */
function quotedCells(text, line, separator) {
  if (!text.includes('"')) return text.split(separator);
  const cells = [];
  for (let at = 0; at <= text.length;) {
    if (text[at] !== '"') {
      const end = text.indexOf(separator, at);
      cells.push(text.slice(at, end < 0 ? undefined : end));
      at = end < 0 ? text.length + 1 : end + 1;
      continue;
    }
    const found = /^"((?:[^"]|"")*)"([,;]|$)/.exec(text.slice(at));
    if (!found) throw wrong(line, "must close each quotation mark", quoted(text.slice(at)));
    cells.push(found[1].replaceAll('""', '"'));
    at += found[0].length;
    if (found[2] === "") break;
  }
  return cells;
}

/**
 * word2vec's binary format: "V D\n", then for each word its letters, a space, and D float32, little-endian.
 * @param {AsyncIterator<Uint8Array>} chunks @param {number} most
 * @returns {Promise<Vectors>}
 */
async function binary(chunks, most) {
  const bytes = new Queue(chunks);
  const header = decoded(await bytes.until(10, 64));
  const [, V, D] = /^(\d+) (\d+)\s*$/.exec(header) ?? [];
  const dim = Number(D);
  if (!(Number(V) > 0 && dim > 0 && dim <= WIDTH)) {
    throw new RangeError(
      `The file must begin with its numbers of rows and columns, as word2vec writes them; got ${quoted(header)}`,
    );
  }
  const size = Math.min(most, Number(V));
  /** @type {string[]} */
  const words = [];
  /** @type {Float32Array[]} */
  const vectors = [];
  while (words.length < size) {
    words.push(decoded(await bytes.until(32, WORD)).replace(/^\n+/, ""));
    const row = new Float32Array(dim);
    const view = new DataView((await bytes.take(4 * dim)).buffer);
    for (let d = 0; d < dim; ++d) row[d] = view.getFloat32(4 * d, true);
    if (!row.every(Number.isFinite)) {
      throw new RangeError(`vector ${words.length} must have finite numbers`);
    }
    vectors.push(row);
  }
  const data = new Float32Array(size * dim);
  for (const [i, row] of vectors.entries()) data.set(row, i * dim);
  const isCut = size < Number(V);
  return {
    format: "word2vec binary",
    words,
    data,
    dim,
    groups: undefined,
    choice: undefined,
    isCut,
  };
}

/** @param {Uint8Array} bytes */
const decoded = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);

/** Bytes that are taken in any lengths, however they arrive. */
class Queue {
  #chunks;
  #held = new Uint8Array(0);
  #at = 0;

  /** @param {AsyncIterator<Uint8Array>} chunks */
  constructor(chunks) {
    this.#chunks = chunks;
  }

  /** Whether more bytes came. */
  async #more() {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    const joined = new Uint8Array(this.#held.length - this.#at + value.length);
    joined.set(this.#held.subarray(this.#at));
    joined.set(value, this.#held.length - this.#at);
    [this.#held, this.#at] = [joined, 0];
    return true;
  }

  /** The bytes before the next byte `sign`, which is dropped. @param {number} sign @param {number} most */
  async until(sign, most) {
    for (;;) {
      const end = this.#held.indexOf(sign, this.#at);
      const length = (end < 0 ? this.#held.length : end) - this.#at;
      if (length > 4 * most) throw new RangeError("The file is not in word2vec's binary format");
      if (end >= 0) {
        const found = this.#held.slice(this.#at, end);
        this.#at = end + 1;
        return found;
      }
      if (!(await this.#more())) throw new RangeError("The file ends within a word");
    }
  }

  /** A copy of the next bytes. @param {number} count */
  async take(count) {
    while (this.#held.length - this.#at < count) {
      if (!(await this.#more())) throw new RangeError("The file ends within a vector");
    }
    this.#at += count;
    return this.#held.slice(this.#at - count, this.#at);
  }
}
