/** @import { Phasor } from "phasor" */
import { safetensors } from "phasor/files";
import { open } from "phasor/open";
import { count } from "../../app/numbers.js";
import { SIZE, STD } from "../../app/text/gpt2.js";

/** The width and the positions of the file that the page makes. */
export const WIDTH = 8;
export const POSITIONS = 1024;

/** The spread of new positions: openai/gpt-2, src/model.py. */
const POSITIONS_STD = 0.01;

/** The bytes in front of the header, which say how long it is. */
const LENGTH_BYTES = 8;

/** Bytes of a float32. */
export const NUMBER_BYTES = 4;

/**
 * What the header says of a tensor.
 * @typedef {{ dtype: string, shape: number[], data_offsets: [begin: number, end: number] }} Entry
 */

/** @typedef {Awaited<ReturnType<typeof openedFile>>} GptFile */

/**
 * A file like GPT-2's, with its words and positions but with narrow vectors of random numbers, and of its first block only
 * some tensors.
 *
 * @param {Phasor} phasor @param {number} seed
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function smallFile({ embedding }, seed) {
  const random = (
    /** @type {number} */ rows,
    /** @type {number} */ columns,
    /** @type {number} */ std,
    /** @type {number} */ from,
  ) => embedding.create(rows, columns, { std, seed: from, storage: "on-demand" }).weights();
  const all = (/** @type {number} */ x) => new Float32Array(WIDTH).fill(x);
  return safetensors.write(
    {
      "wte.weight": random(SIZE, WIDTH, STD, seed),
      "wpe.weight": random(POSITIONS, WIDTH, POSITIONS_STD, seed + 100),
      "h.0.ln_1.weight": all(1),
      "h.0.ln_1.bias": all(0),
      "h.0.attn.c_attn.weight": random(WIDTH, 3 * WIDTH, STD, seed + 200),
      "ln_f.weight": all(1),
    },
    { metadata: { format: "pt" } },
  );
}

/** config.json of a GPT-2 of these sizes. @param {number} width @param {number} positions */
export function configOf(width, positions) {
  const sizes = { vocab_size: SIZE, n_embd: width, n_positions: positions };
  return { model_type: "gpt2", ...sizes, n_layer: 1, n_head: 1 };
}

/**
 * Opens a file of GPT-2: by the package, and its header by hand.
 *
 * @param {Phasor} phasor
 * @param {readonly File[]} files  the weights, and others beside them
 * @throws {Error} if it is no such file
 */
export async function openedFile(phasor, files) {
  const found = await open(files, { phasor });
  const { wordEmbeddings: words, positionEmbeddings: positions, tensorNames } = found;
  const blob = files.find(({ name }) => name === found.file) ?? files[0];
  if (!words || !positions || words.shape[0] !== SIZE || found.format !== "safetensors") {
    const got = words ? `a table of ${count(words.shape[0])} tokens` : "no table of tokens";
    throw new RangeError(
      `the file must be GPT-2's, with ${count(SIZE)} tokens, a table of positions and the ending .safetensors; got ${got}`,
    );
  }
  for (const { name, dtype } of [words, positions]) {
    if (dtype !== "float32") throw new RangeError(`${name} must be float32; got ${dtype}`);
  }
  const config = configOf(words.shape[1], positions.shape[0]);
  const model = found.config ? found : await open(files, { phasor, config });
  return {
    model,
    blob,
    ...(await headerOf(blob)),
    dim: words.shape[1],
    rows: positions.shape[0],
    names: {
      words: String(tensorNames.wordEmbeddings),
      positions: String(tensorNames.positionEmbeddings),
    },
  };
}

/**
 * The header of a safetensors file, read by hand.
 * @param {Blob} blob
 */
async function headerOf(blob) {
  const length = await blob.slice(0, LENGTH_BYTES).arrayBuffer();
  const dataAt = LENGTH_BYTES + Number(new DataView(length).getBigUint64(0, true));
  const text = await blob.slice(LENGTH_BYTES, dataAt).text();
  const { __metadata__: _, ...entries } = JSON.parse(text);
  return {
    /** The first bytes, which say how long the header is. */
    first: new Uint8Array(length),
    /** The bytes in front of the tensors'. */
    dataAt,
    text,
    entries: /** @type {Record<string, Entry>} */ (entries),
  };
}

/** The byte of the data at which a row of a tensor begins. @param {GptFile} file @param {string} name @param {number} row */
export function offsetOf({ entries }, name, row) {
  const { data_offsets, shape } = entries[name];
  return data_offsets[0] + row * shape[1] * NUMBER_BYTES;
}

/**
 * Rows of a tensor, read by hand from their bytes.
 *
 * @param {GptFile} file @param {string} name @param {readonly number[]} rows
 * @returns {Promise<number[][]>}
 */
export function rowsByHand(file, name, rows) {
  return Promise.all(
    rows.map(async (row) => {
      const at = file.dataAt + offsetOf(file, name, row);
      const bytes = await file.blob.slice(at, at + file.dim * NUMBER_BYTES).arrayBuffer();
      const view = new DataView(bytes);
      return Array.from({ length: file.dim }, (_, d) => view.getFloat32(d * NUMBER_BYTES, true));
    }),
  );
}
