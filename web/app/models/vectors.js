// Word vectors as text, or in word2vec's binary format, and tables of the reader's own with labels and groups. A file
// is read in pieces, and only as far as its first rows.

/**
 * @typedef {object} Vectors
 * @property {string} format
 * @property {string[]} words  [V]
 * @property {Float32Array} data  [V, D]
 * @property {number} dim
 * @property {string[] | undefined} groups  [V], of a table with a second column of text; "" for none
 * @property {boolean} isCut  whether the file has more rows
 *
 * @typedef {object} Limits
 * @property {number} rows  the most rows to read
 * @property {(done: number, total: number) => void} [progress]  bytes of the file
 */

/** Files that this module reads, by their names; a text may be compressed by gzip. */
const NAMES = /\.(txt|vec|csv|tsv|glove|bin)(\.gz)?$/i;

/** A longer line, a wider table or a longer word is no word vector. */
const [LINE, WIDTH, WORD] = [2 ** 20, 16_384, 1000];

/** A decimal number. */
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Whether a file may hold word vectors, by its name. @param {{name: string}} file */
export function isVectors({ name }) {
  return NAMES.test(name) && !/^(pytorch_model|tf_model|training_args|vocab|merges)\b/i.test(name);
}

/**
 * Reads word vectors: GloVe, word2vec and fastText as text (a word and its numbers on each line), word2vec's binary
 * format, CSV and TSV (columns of text are the label and the group; the others are numbers).
 *
 * @param {Blob & {name: string}} file @param {Limits} limits
 * @returns {Promise<Vectors>}
 * @throws {RangeError} with the line that is wrong
 */
export async function readVectors(file, { rows, progress }) {
  const name = file.name.replace(/\.gz$/i, "");
  const isBinary = /\.bin$/i.test(name);
  const chunks = chunksOf(file, progress);
  try {
    if (isBinary) return await binary(chunks, rows);
    const separator = /\.csv$/i.test(name) ? "," : /\.tsv$/i.test(name) ? "\t" : " ";
    const lines = linesOf(chunks);
    return separator === " " ? await spaced(lines, rows) : await columns(lines, rows, separator);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    if (error instanceof RangeError || name === file.name) throw error;
    throw new RangeError(`The compressed file is damaged: ${message}`, { cause: error });
  } finally {
    await chunks.return(undefined); // the rest of the file is not read
  }
}

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
  const decoder = new TextDecoder();
  let [rest, line] = ["", 0];
  for await (const chunk of chunks) {
    const parts = decoder.decode(chunk, { stream: true }).split("\n");
    parts[0] = rest + parts[0]; // what came before has no line end and is not searched again
    rest = parts.pop() ?? "";
    if (rest.length > LINE) throw wrong(line + parts.length + 1, "must be shorter", "a longer one");
    for (const part of parts) {
      const text = part.replace(/\r$/, "");
      ++line;
      if (text.trim() !== "") yield { text, line };
    }
  }
  const text = (rest + decoder.decode()).replace(/\r$/, "");
  if (text.trim() !== "") yield { text, line: line + 1 };
  return undefined;
}

/** @param {number} line @param {string} rule @param {string} got */
function wrong(line, rule, got) {
  return new RangeError(`line ${line} ${rule}; got ${got}`);
}

/** A short quotation. @param {string} text */
const quoted = (text) => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}\u2026` : text);

/** Rows that arrive one by one. */
class Rows {
  /** @type {string[]} */
  words = [];
  /** @type {string[]} */
  groups = [];
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
      if (!Number.isFinite(x)) throw wrong(line, "must have decimal numbers", quoted(text));
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
    const groups = this.groups.some(Boolean) ? this.groups : undefined;
    return { format, words, dim, groups, data: this.#data.slice(0, words.length * dim), isCut };
  }
}

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
  for await (const { text, line } of lines) {
    const parts = text.trim().split(/[ \t]+/);
    if (isFirst && /^\d+ \d+$/.test(parts.join(" "))) {
      [header, dim, isFirst] = [true, Number(parts[1]), false];
      continue;
    }
    isFirst = false;
    if (rows.isFull) return rows.result(header ? "word2vec text" : "GloVe text", true);
    dim ||= numbersAtEnd(parts);
    const begin = Math.max(1, parts.length - dim);
    rows.add(parts.slice(0, begin).join(" "), parts.slice(begin), line);
    if (rows.dim !== dim) {
      throw wrong(line, `must have ${dim} numbers after the word`, String(rows.dim));
    }
  }
  return rows.result(header ? "word2vec text" : "GloVe text", false);
}

/** How many of the last parts of a line are numbers. @param {string[]} parts */
function numbersAtEnd(parts) {
  let n = 0;
  while (n < parts.length - 1 && NUMBER.test(parts[parts.length - 1 - n])) ++n;
  return n;
}

/**
 * A table: the first column of text is the label, the second the group, columns of numbers are the vector. A first
 * line without numbers names the columns.
 *
 * @param {AsyncIterable<{text: string, line: number}>} lines @param {number} most @param {string} separator
 */
async function columns(lines, most, separator) {
  const rows = new Rows(most);
  const format = separator === "," ? "CSV" : "TSV";
  /** @type {ReturnType<typeof kindsOf> | undefined} */
  let kinds;
  /** @type {string[] | undefined} */
  let names;
  for await (const { text, line } of lines) {
    const cells = separator === "," ? commas(text, line) : text.split("\t");
    if (!kinds) {
      if (!names && !cells.some((cell) => NUMBER.test(cell.trim()))) {
        names = cells;
        continue;
      }
      kinds = kindsOf(names ?? [], cells);
    }
    if (rows.isFull) return rows.result(format, true);
    if (cells.length !== kinds.width) {
      throw wrong(line, `must have ${kinds.width} columns`, String(cells.length));
    }
    const word = kinds.label < 0 ? String(rows.words.length) : cells[kinds.label].trim();
    rows.groups.push(kinds.group < 0 ? "" : cells[kinds.group].trim().slice(0, WORD));
    rows.add(word, kinds.numbers.map((i) => cells[i].trim()), line); // prettier-ignore
  }
  return rows.result(format, false);
}

/** Names of the columns that are no numbers, whatever they hold. */
const [LABEL, GROUP] = [/^(label|word|token|name|id)$/i, /^(group|class|category|colou?r)$/i];

/** What the columns hold. @param {string[]} names @param {string[]} cells  of the first row */
function kindsOf(names, cells) {
  const all = [...cells.keys()];
  const named = (/** @type {RegExp} */ kind) => names.findIndex((name) => kind.test(name.trim()));
  const texts = all.filter((i) => !NUMBER.test(cells[i].trim()));
  const taken = named(GROUP);
  const label = named(LABEL) >= 0 ? named(LABEL) : (texts.find((i) => i !== taken) ?? -1);
  const group = taken >= 0 ? taken : (texts.find((i) => i !== label) ?? -1);
  const numbers = all.filter((i) => i !== label && i !== group && !texts.includes(i));
  return { label, group, numbers, width: cells.length };
}

/** The cells of a line of CSV. @param {string} text @param {number} line */
function commas(text, line) {
  if (!text.includes('"')) return text.split(",");
  const cells = [];
  for (let at = 0; at <= text.length;) {
    if (text[at] !== '"') {
      const end = text.indexOf(",", at);
      cells.push(text.slice(at, end < 0 ? undefined : end));
      at = end < 0 ? text.length + 1 : end + 1;
      continue;
    }
    const found = /^"((?:[^"]|"")*)"(,|$)/.exec(text.slice(at));
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
    words.push(decoded(await bytes.until(32, WORD)).replace(/^\n/, ""));
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
  return { format: "word2vec binary", words, data, dim, groups: undefined, isCut };
}

/** @param {Uint8Array} bytes */
const decoded = (bytes) => new TextDecoder().decode(bytes);

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
