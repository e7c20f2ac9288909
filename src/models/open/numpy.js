/**
 * Weights in the formats of NumPy, .npz and .npy. The package has this in a separate file (`open-numpy` in
 * scripts/package/build.js), which `phasor/open` imports for such files alone.
 */
import { describe } from "../../runtime/check.js";
import { readIds } from "../../runtime/ids.js";
import { allocate } from "../../files/bytes.js";
import { storedNpy } from "../../files/npy/npy.js";
import { readNpz } from "../../files/npz/npz.js";
import { readReading, readSignal } from "../../files/reading.js";
import { readStored, readStream, refuseName } from "../../files/tensors.js";

/**
 * @import {Source} from "../../files/bytes.js"
 * @import {Stored, StoredOptions} from "../../files/tensors.js"
 * @import {NpzOptions} from "../../files/npz/npz.js"
 * @import {Weights} from "./weights.js"
 */

/**
 * @param {"npz" | "npy"} format @param {Source} source @param {string} path @param {NpzOptions} limits
 * @returns {Promise<Weights>}
 */
export async function readArrays(format, source, path, limits) {
  if (format === "npz") return ofArrays(await readNpz(source, limits));
  return ofArray(await storedNpy(source, { signal: limits.signal }), path);
}

/** @param {Awaited<ReturnType<typeof readNpz>>} file @returns {Weights} */
function ofArrays(file) {
  return {
    format: "npz",
    isSharded: false,
    names: file.names,
    metadata: new Map(),
    info: (name, options) => file.info(name, options),
    stored: async (name, options) => {
      const { rows, ...reading } = readStored(options);
      return rowsOf(name, await file.stored(name, reading), rows);
    },
    stream: async (name, use, reading) => use(await file.stored(name, reading), 0),
  };
}

/** @param {Stored} array @param {string} path @returns {Weights} */
function ofArray(array, path) {
  const name = path.replace(/^.*\//, "").replace(/\.npy$/i, "") || "array";
  const { shape, dtype } = array;
  const byteLength = array.bytes.length;
  const info = Object.freeze({ name, dtype, shape, byteLength });
  const own = (/** @type {unknown} */ wanted) =>
    wanted === name || refuseName(wanted, "name", [name]);
  return {
    format: "npy",
    isSharded: false,
    names: [name],
    metadata: new Map(),
    info: async (wanted, options) => {
      readSignal(options).signal?.throwIfAborted();
      own(wanted);
      return info;
    },
    stored: async (wanted, options) => {
      const { rows, ...given } = readStored(options);
      const { signal, progress } = readReading(given);
      signal?.throwIfAborted();
      own(wanted);
      progress?.(byteLength, byteLength);
      return rows === undefined
        ? { ...array, bytes: array.bytes.slice() }
        : rowsOf(name, array, rows);
    },
    stream: async (wanted, use, options) => {
      const { signal, progress } = readReading(readStream(use, options));
      signal?.throwIfAborted();
      own(wanted);
      await use(array, 0);
      progress?.(byteLength, byteLength);
    },
  };
}

/**
 * Copies some rows of an array that is in memory.
 * @param {string} name @param {Stored} array @param {StoredOptions["rows"]} rows  all if undefined
 * @returns {Stored}
 */
function rowsOf(name, array, rows) {
  if (rows === undefined) return array;
  const { bytes, dtype, shape } = array;
  if (shape.length === 0) {
    throw new RangeError(`name must be of a tensor with rows; got ${describe(name)}, shape []`);
  }
  const ids = readIds(rows, shape[0], "rows");
  const size = bytes.length / Math.max(shape[0], 1);
  const gathered = allocate(Uint8Array, ids.data.length * size, `${ids.data.length} rows`);
  for (const [place, row] of ids.data.entries()) {
    gathered.set(bytes.subarray(row * size, (row + 1) * size), place * size);
  }
  return { bytes: gathered, dtype, shape: [...ids.shape, ...shape.slice(1)] };
}
