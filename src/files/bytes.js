/**
 * Reads the bytes of a file from memory, a Blob, or any object that can be sliced like one.
 */
import { describe } from "../runtime/check.js";
import { FileError, OutOfMemoryError, RemoteError } from "../runtime/errors.js";

/**
 * Options for reading.
 * @typedef {object} Reading
 * @property {AbortSignal} [signal]  aborts the read: the promise rejects with the signal's reason
 * @property {(done: number, total: number) => void} [progress]  called with the number of
 *   bytes read so far and their total
 *
 * @typedef {(chunk: Uint8Array<ArrayBuffer>, at: number) => void | Promise<void>} Use
 *   receives chunks in order, with their offsets. A chunk is valid until the function, or its promise, completes
 */

/**
 * A part of a file.
 * @typedef {object} Slice
 * @property {(reading?: Reading) => Promise<ArrayBuffer>} arrayBuffer  returns a new buffer, like a Blob's
 * @property {(use: Use, reading?: Reading) => Promise<void>} [each]  passes on its bytes in
 *   chunks
 * @typedef {{size: number, slice(begin: number, end: number): Slice}} BlobLike
 *   a Blob, a File, the result of Node's `fs.openAsBlob` or of `remote`
 */

/**
 * A file: an object like a Blob, a buffer, or a view of one.
 * @typedef {BlobLike | ArrayBufferLike | ArrayBufferView} Source
 */

/**
 * A file whose ranges can be read.
 * @typedef {object} Bytes
 * @property {number} size  of the whole file
 * @property {(begin: number, end: number, reading?: Reading) => Promise<Uint8Array<ArrayBuffer>>} read
 *   a copy of exactly the bytes from begin to end - 1, aligned for every typed array
 * @property {(begin: number, end: number, use: Use, reading?: Reading) => Promise<void>} each
 *   the same bytes in order, without holding all of them in memory
 */

/** The chunk size for sources without `each`. */
const CHUNK = 2 ** 21;

/**
 * Wraps a source. Nothing is read yet.
 *
 * @param {unknown} source  a Blob or an object like one, an ArrayBuffer, or any view of one
 * @returns {Bytes}
 * @throws {TypeError} if it is none of these
 */
export function bytesOf(source) {
  if (ArrayBuffer.isView(source)) {
    return inMemory(source.buffer, source.byteOffset, source.byteLength);
  }
  if (isBuffer(source)) return inMemory(source, 0, source.byteLength);
  const blob = /** @type {BlobLike | null | undefined} */ (source);
  const size = blob?.size;
  if (
    !blob ||
    typeof blob.slice !== "function" ||
    !Number.isSafeInteger(size) ||
    Number(size) < 0
  ) {
    throw new TypeError(
      `source must be a Blob, an ArrayBuffer, a typed array or have size and slice(begin, end); got ${describe(source)}`,
    );
  }
  return inBlob(blob, Number(size));
}

/**
 * Creates a typed array, or throws `OutOfMemoryError`.
 * @template {ArrayBufferView} T
 * @param {{new (length: number): T, BYTES_PER_ELEMENT: number}} Kind
 * @param {number} length
 * @param {string} what  for the message
 * @returns {T}
 */
export function allocate(Kind, length, what) {
  try {
    return new Kind(length);
  } catch {
    throw new OutOfMemoryError(what, length * Kind.BYTES_PER_ELEMENT);
  }
}

/**
 * @param {ArrayBufferLike} buffer @param {number} offset @param {number} size
 * @returns {Bytes}
 */
function inMemory(buffer, offset, size) {
  refuseDetached(buffer);
  /** @type {Bytes["read"]} */
  const read = async (begin, end, { signal, progress } = {}) => {
    signal?.throwIfAborted();
    if (buffer.byteLength < offset + size) throw tooFew(begin, end, 0); // transferred or shrunk
    const copy = allocate(Uint8Array, end - begin, "a copy of the file's bytes");
    if (end > begin) copy.set(new Uint8Array(buffer, offset + begin, end - begin));
    progress?.(end - begin, end - begin);
    return copy;
  };
  return { size, read, each: chunksOf(read) };
}

/**
 * @param {BlobLike} blob @param {number} size
 * @returns {Bytes}
 */
function inBlob(blob, size) {
  /** @type {Bytes["read"]} */
  const read = async (begin, end, reading = {}) => {
    const { signal, progress } = reading;
    signal?.throwIfAborted();
    const buffer = await sliced(blob, begin, end, reading);
    signal?.throwIfAborted(); // the platform's Blob ignores the signal
    const got = isBuffer(buffer) ? buffer.byteLength : 0;
    if (got !== end - begin) throw tooFew(begin, end, got);
    progress?.(got, got);
    return new Uint8Array(buffer);
  };
  const each = chunksOf(read);
  return {
    size,
    read,
    async each(begin, end, use, reading) {
      const slice = slicedOf(blob, begin, end);
      if (typeof slice.each !== "function") return each(begin, end, use, reading);
      let got = 0;
      // Anybody may write a source: what it passes on is counted.
      await slice.each((chunk, at) => {
        const isChunk = ArrayBuffer.isView(chunk) && chunk.byteLength === chunk.length;
        if (!isChunk || at !== got) {
          const wrong = isChunk ? `a chunk at ${at}` : describe(chunk);
          throw new FileError(
            "FILE_READ",
            `source must pass on its bytes from ${begin + got}; got ${wrong}`,
          );
        }
        got += chunk.length;
        if (got > end - begin) throw tooFew(begin, end, got);
        return use(chunk, at);
      }, reading);
      if (got !== end - begin) throw tooFew(begin, end, got);
    },
  };
}

/** @param {Bytes["read"]} read @returns {Bytes["each"]} */
function chunksOf(read) {
  return async (begin, end, use, { signal, progress } = {}) => {
    for (let at = begin; at < end; at += CHUNK) {
      const to = Math.min(at + CHUNK, end);
      await use(await read(at, to, { signal }), at - begin);
      progress?.(to - begin, end - begin);
    }
  };
}

/**
 * Regroups chunks into pieces of one size; the last may be shorter.
 * @param {number} size @param {number} total  bytes of all of them @param {Use} use
 * @returns {(chunk: Uint8Array<ArrayBuffer>) => Promise<void>}
 */
export function inPieces(size, total, use) {
  const piece = allocate(Uint8Array, Math.min(size, total), "a piece of the file");
  let at = 0;
  let filled = 0;
  return async (chunk) => {
    for (let from = 0; from < chunk.length;) {
      const length = Math.min(size, total - at);
      const part = chunk.subarray(from, from + length - filled);
      piece.set(part, filled);
      from += part.length;
      filled += part.length;
      if (filled < length) return;
      await use(piece.subarray(0, length), at);
      at += length;
      filled = 0;
    }
  };
}

/**
 * @param {BlobLike} blob @param {number} begin @param {number} end @param {Reading} reading
 */
async function sliced(blob, begin, end, reading) {
  const slice = slicedOf(blob, begin, end);
  try {
    return await slice.arrayBuffer(reading);
  } catch (cause) {
    reading.signal?.throwIfAborted();
    throw ofSource(cause, begin, end);
  }
}

/**
 * A part of a source, which anybody may write.
 * @param {BlobLike} blob @param {number} begin @param {number} end
 * @returns {Slice}
 */
function slicedOf(blob, begin, end) {
  /** @type {Slice | undefined} */
  let slice;
  try {
    slice = blob.slice(begin, end);
  } catch (cause) {
    throw ofSource(cause, begin, end);
  }
  if (typeof slice?.arrayBuffer === "function") return slice;
  throw new FileError(
    "FILE_READ",
    `source must have slices with arrayBuffer(); got ${describe(slice)}`,
  );
}

/**
 * What a source has thrown, as an error of reading it.
 * @param {unknown} cause @param {number} begin @param {number} end
 */
function ofSource(cause, begin, end) {
  const known =
    [FileError, OutOfMemoryError, RemoteError].some((Class) => cause instanceof Class) ||
    /** @type {any} */ (cause)?.name === "AbortError";
  return known ? cause : tooFew(begin, end, 0, cause);
}

/** @param {ArrayBufferLike} buffer */
function refuseDetached(buffer) {
  try {
    new Uint8Array(buffer); // Node 20 has no `detached`
  } catch {
    throw new TypeError("source must hold its bytes; got a buffer that was transferred");
  }
}

/**
 * @param {number} begin @param {number} end @param {number} got @param {unknown} [cause]
 */
function tooFew(begin, end, got, cause) {
  const why = cause === undefined ? `${got} bytes` : describe(/** @type {any} */ (cause)?.message);
  return new FileError("FILE_READ", `source must return its bytes ${begin} to ${end}; got ${why}`, {
    cause,
  });
}

/** Ask for the length of a buffer: a tag may lie, and another realm's buffer (of a frame) has another class. */
const LENGTHS = [globalThis.ArrayBuffer, globalThis.SharedArrayBuffer].map(
  (Kind) => Kind && Object.getOwnPropertyDescriptor(Kind.prototype, "byteLength")?.get,
);

/** @param {unknown} value @returns {value is ArrayBufferLike} */
function isBuffer(value) {
  return LENGTHS.some((length) => {
    try {
      return length?.call(value) !== undefined;
    } catch {
      return false;
    }
  });
}
