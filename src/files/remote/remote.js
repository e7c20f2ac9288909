import * as check from "../../runtime/check.js";
import { abortSignal, describe } from "../../runtime/check.js";
import { RemoteError } from "../../runtime/errors.js";
import { inFunction, nameMethods } from "../../runtime/named.js";
import { inPieces } from "../bytes.js";
import { addressOf, shown } from "./address.js";
import { Flight } from "./flight.js";
import { each, exactly, get, refused, upTo } from "./get.js";
import { Pieces } from "./pieces.js";
import { DEFAULTS, settingsOf } from "./settings.js";
import { Store } from "./store.js";

/**
 * @import { Reading, Slice, Use } from "../bytes.js"
 * @import { Chunks, Settings, Traffic } from "./get.js"
 * @import { RemoteOptions } from "./settings.js"
 */

/**
 * What the first response says about a file.
 * @typedef {object} Opened
 * @property {number} size
 * @property {Uint8Array<ArrayBuffer>} first  the first bytes of the file; all of them if the server sent it as a whole
 * @property {string} url @property {string | null} etag
 * @property {string} version  identifies this version of the file; "" if unknown
 */

/** The size of the first request: it returns the file's size, and contains most headers. */
const FIRST = 65_536;

/** The size of pieces that `each` stores in Cache Storage. */
const PIECE = 8 * 2 ** 20;

/**
 * The size of one request of `each`: a response is paused while a piece of it is stored, and servers time out.
 */
const MAX_STORED = 4 * PIECE;

/**
 * Opens a file over HTTP. Each read is one GET request of one range, without a preceding HEAD or OPTIONS request.
 * The first request reads 64 KiB, which are cached. Requests are not retried: call again after a failure.
 *
 * The server must answer range requests with status 206 and, across origins, expose `Content-Range` and `ETag`;
 * without range support, small files are read as a whole. A file that changes while it is open is refused by its ETag or
 * else its date. A weak ETag need not change with every byte, and of a file with neither nobody can say whether it
 * changed: its rows may be of two versions. Only https addresses are read (http on this machine),
 * without cookies.
 *
 * @param {string | URL} url  may be relative in a page or a worker
 * @param {RemoteOptions} [options]
 * @returns {Promise<RemoteFile>} a source for `safetensors.read`, `npy.read` and the like
 * @throws {TypeError | RangeError} if url is not such an address or an option is invalid
 * @throws {RemoteError} if the file cannot be read; `code` names the reason
 * @see RFC 9110 14.2, range requests; Fetch standard 2.2.2, CORS-safelisted `Range`
 * @example
 * const header = '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}';
 * const parts = [BigUint64Array.of(BigInt(header.length)), header, Float32Array.of(1.5, 2.5)];
 * const body = await new Blob(parts).arrayBuffer();
 * const headers = { "Content-Range": `bytes 0-${body.byteLength - 1}/${body.byteLength}` };
 * const fetch = async () => new Response(body, { status: 206, headers }); // instead of the network
 * const source = await remote("https://example.org/model.safetensors", { fetch });
 * const file = await safetensors.read(source);
 * const a = await file.tensor("a");
 * a.at(1) // 2.5
 * source.requests // 1
 */
export async function remote(url, options) {
  try {
    const wishes = check.options(options, DEFAULTS);
    const address = addressOf(url, "url");
    return await open(address, settingsOf(wishes, address.origin), abortSignal(wishes.signal));
  } catch (error) {
    throw inFunction("remote", error);
  }
}

/**
 * @param {URL} address @param {Settings} settings @param {AbortSignal} [signal]
 * @returns {Promise<RemoteFile>}
 */
export async function open(address, settings, signal) {
  const traffic = { requests: 0, bytesRead: 0 };
  const counted = { ...settings, traffic: [...settings.traffic, traffic] };
  const opened = await openedBy(address, counted, signal);
  const { size, first, version } = opened;
  const store =
    version !== "" && first.length < size && settings.storage > 0
      ? await Store.open(address, version, settings.storage)
      : undefined;
  return new RemoteFile(address, counted, opened, store, traffic);
}

/**
 * Reads a small file as a whole. The response may be compressed.
 *
 * @param {URL} address @param {Settings} settings
 * @param {{maxBytes: number, signal?: AbortSignal}} wish  `maxBytes`: the maximal number of bytes
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export function whole(address, settings, { maxBytes, signal }) {
  return get(address, settings, { signal }, async (response, chunks) => {
    if (response.status !== 200) throw refused(response, address);
    const bytes = await upTo(response, chunks, maxBytes);
    if (bytes !== undefined) return bytes;
    const rule = `${shown(address)} must have at most ${maxBytes} bytes`;
    throw new RemoteError("REMOTE_LONG", `${rule}; got more`);
  });
}

/**
 * @param {URL} address @param {Settings} settings @param {AbortSignal} [signal]
 * @returns {Promise<Opened>}
 */
function openedBy(address, settings, signal) {
  return get(address, settings, { begin: 0, end: FIRST, signal }, async (response, chunks) => {
    const { status, headers } = response;
    const url = response.url === "" ? address.href : response.url;
    const about = { url, etag: headers.get("etag"), version: versionOf(response) };
    if (status === 206) {
      const { size, end } = partOf(response, address, 0, FIRST);
      return { ...about, size, first: await exactly(chunks, end, address) };
    }
    if (status === 416 && headers.get("content-range") === "bytes */0") {
      return { ...about, size: 0, first: new Uint8Array(0) }; // an empty file has no ranges
    }
    if (status !== 200) throw refused(response, address);
    refuseEncoding(response, address); // of a range; some platforms decode it, and Deno does not
    const first = await upTo(response, chunks, settings.maxBytes);
    if (first !== undefined) return { ...about, size: first.length, first };
    const rule = `${shown(address)} must answer ranges with 206 or have at most ${settings.maxBytes} bytes`;
    throw new RemoteError("REMOTE_RANGE", `${rule}; got 200 and more`);
  });
}

/** @param {Response} response */
function versionOf({ headers }) {
  return headers.get("etag") ?? headers.get("last-modified") ?? "";
}

/**
 * Checks that a 206 response contains the requested range.
 * @param {Response} response @param {URL} address @param {number} begin @param {number} end
 */
function partOf(response, address, begin, end) {
  refuseEncoding(response, address);
  const { headers } = response;
  const type = headers.get("content-type") ?? "";
  if (/^multipart\//i.test(type)) {
    const rule = `${shown(address)} must send a single range`;
    throw new RemoteError("REMOTE_RANGE", `${rule}; got ${describe(type)}`);
  }
  const range = headers.get("content-range");
  const [from, last, size] = (/^bytes (\d+)-(\d+)\/(\d+)$/.exec(range ?? "") ?? [])
    .slice(1)
    .map(Number);
  const rightEnd = Math.min(end, size);
  if (from !== begin || last !== rightEnd - 1 || !Number.isSafeInteger(size) || size <= begin) {
    const rule = `${shown(address)} must send bytes ${begin}-${end - 1} with their Content-Range`;
    throw new RemoteError("REMOTE_RANGE", `${rule}; got ${range?.slice(0, 60) ?? "none"}`);
  }
  return { size, end: rightEnd };
}

/** @param {Response} response @param {URL} address */
function refuseEncoding({ headers }, address) {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding === "identity") return;
  const rule = `${shown(address)} must send ranges of the file as it is`;
  throw new RemoteError("REMOTE_ENCODING", `${rule}; got ${encoding.slice(0, 40)}`);
}

/**
 * An open file over HTTP, with a Blob's `size` and `slice`.
 */
export class RemoteFile {
  static name = "RemoteFile";

  #address;
  #settings;
  #first;
  #version;
  /** Copies that callers never see. @type {Pieces<Uint8Array<ArrayBuffer>>} */
  #memory;
  #store;
  /** @type {Map<string, Flight<Uint8Array<ArrayBuffer>>>} */
  #flights = new Map();
  /** The network use of this file. */
  #traffic;

  /**
   * @param {URL} address @param {Settings} settings @param {Opened} opened
   * @param {Store | undefined} store @param {Readonly<Traffic>} traffic
   */
  constructor(address, settings, { size, first, url, etag, version }, store, traffic) {
    nameMethods(RemoteFile);
    this.#address = address;
    this.#settings = settings;
    this.#first = first;
    this.#version = version;
    this.#memory = new Pieces(settings.memory);
    this.#store = store;
    this.#traffic = traffic;
    /** The size of the file in bytes. @readonly */
    this.size = size;
    /** The address after redirects. @readonly */
    this.url = url;
    /** The ETag that the server sends, such as '"0a1b"', or null. @readonly @type {string | null} */
    this.etag = etag;
    Object.freeze(this);
  }

  /** The number of requests so far; redirects are not counted. */
  get requests() {
    return this.#traffic.requests;
  }

  /** The number of bytes read so far. */
  get bytesRead() {
    return this.#traffic.bytesRead;
  }

  /**
   * Returns a part of the file. It is read by `arrayBuffer({ signal, progress })`: from the cache, or else by one
   * request, which concurrent reads of the same bytes share.
   *
   * @param {number} [begin]  Default: 0. Negative numbers count from the end
   * @param {number} [end]  exclusive. Default: the size of the file
   * @returns {Required<Slice> & {size: number}} whose `arrayBuffer` rejects with a `RemoteError` or the
   *   signal's reason. So does `each(use, { signal, progress })`, which passes on the bytes in chunks without
   *   holding all of them in memory
   * @throws {TypeError} if begin or end is not an integer
   */
  slice(begin = 0, end = this.size) {
    const from = within(begin, "begin", this.size);
    const to = Math.max(from, within(end, "end", this.size));
    return {
      size: to - from,
      arrayBuffer: async (reading = {}) => (await this.#read(from, to, reading)).buffer,
      each: (use, reading = {}) => this.#each(from, to, use, reading),
    };
  }

  /** @param {number} begin @param {number} end @param {Reading} reading */
  async #read(begin, end, reading) {
    abortSignal(reading.signal)?.throwIfAborted();
    const kept = this.#kept(begin, end);
    if (kept !== undefined) {
      reading.progress?.(end - begin, end - begin);
      return kept;
    }
    const key = `${begin}-${end}`;
    const known = this.#flights.get(key);
    if (known !== undefined) return known.join(reading);
    const over = () => void (this.#flights.get(key) === flight && this.#flights.delete(key));
    const flight = new Flight(
      (...how) => this.#load(begin, end, ...how),
      over,
      (bytes) => bytes.slice(),
    );
    this.#flights.set(key, flight);
    return flight.join(reading);
  }

  /** A copy of cached bytes. @param {number} begin @param {number} end */
  #kept(begin, end) {
    if (begin === end) return new Uint8Array(0);
    if (end <= this.#first.length) return this.#first.slice(begin, end);
    const piece = this.#memory.find(begin, end);
    return piece?.kept.slice(begin - piece.begin, end - piece.begin);
  }

  /** @param {number} begin @param {number} end @param {Use} use @param {Reading} reading */
  async #each(begin, end, use, reading) {
    const total = end - begin;
    if (end <= this.#first.length || this.#memory.takes(total)) {
      return use(await this.#read(begin, end, reading), 0);
    }
    const store = this.#store;
    const signal = abortSignal(reading.signal);
    const next = (/** @type {number} */ at) => Math.min(at + PIECE, end);
    /** @param {Uint8Array<ArrayBuffer>} chunk @param {number} at */
    const give = async (chunk, at) => {
      await use(chunk, at - begin);
      reading.progress?.(at + chunk.length - begin, total);
    };
    for (let at = begin; at < end;) {
      signal?.throwIfAborted();
      const kept = await store?.find(at, next(at));
      const first = at;
      at = next(at);
      if (kept) await give(kept, first);
      else {
        const last = store ? Math.min(first + MAX_STORED, end) : end;
        while (at < last && !store?.has(at, next(at))) at = next(at);
        await this.#stream(first, at, give, signal);
      }
    }
  }

  /**
   * Reads from the network and stores each piece.
   * @param {number} begin @param {number} end @param {Use} give @param {AbortSignal} [signal]
   */
  #stream(begin, end, give, signal) {
    const store = this.#store;
    const keep =
      store && inPieces(PIECE, end - begin, (piece, at) => store.keep(begin + at, piece));
    return this.#request(begin, end, signal, (chunks) =>
      each(chunks, end - begin, this.#address, async (chunk, at) => {
        await keep?.(chunk); // before the caller, who may change it
        await give(chunk, begin + at);
      }),
    );
  }

  /**
   * @param {number} begin @param {number} end @param {AbortSignal} signal
   * @param {(done: number, total: number) => void} progress
   */
  async #load(begin, end, signal, progress) {
    const stored = await this.#store?.find(begin, end);
    if (stored !== undefined) progress(end - begin, end - begin);
    const bytes =
      stored ??
      (await this.#request(begin, end, signal, (chunks) =>
        exactly(chunks, end - begin, this.#address, progress),
      ));
    if (this.#memory.takes(bytes.length)) this.#memory.add(begin, end, bytes.slice());
    if (stored === undefined) void this.#store?.keep(begin, bytes);
    return bytes;
  }

  /**
   * @template T
   * @param {number} begin @param {number} end @param {AbortSignal | undefined} signal
   * @param {(chunks: Chunks) => Promise<T>} use
   */
  #request(begin, end, signal, use) {
    const address = this.#address;
    return get(address, this.#settings, { begin, end, signal }, async (response, chunks) => {
      const must = (/** @type {string} */ code, /** @type {string} */ rule) =>
        new RemoteError(code, `${shown(address)} must ${rule}`);
      if (response.status === 200) {
        throw must("REMOTE_RANGE", `go on answering ranges with 206; got 200`);
      }
      if (response.status !== 206) throw refused(response, address);
      const version = versionOf(response);
      if (version !== this.#version) {
        const got = version.slice(0, 80) || "no ETag";
        throw must(
          "REMOTE_CHANGED",
          `stay ${this.#version.slice(0, 80) || "as it was"}; got ${got}`,
        );
      }
      const { size } = partOf(response, address, begin, end);
      if (size !== this.size) {
        throw must("REMOTE_CHANGED", `stay a file of ${this.size} bytes; got ${size}`);
      }
      return use(chunks);
    });
  }
}

/**
 * An offset in a file, as Blob.slice takes it.
 * @param {unknown} place @param {string} name @param {number} size
 */
function within(place, name, size) {
  const at = check.integer(place, name, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return Math.min(Math.max(at < 0 ? size + at : at, 0), size);
}
