import * as check from "../../runtime/check.js";
import { RemoteError } from "../../runtime/errors.js";
import { inPieces } from "../bytes.js";
import { addressOf, shown } from "./address.js";
import { Flight } from "./flight.js";
import { each, exactly, get, refused, upTo } from "./get.js";
import { Pieces } from "./pieces.js";
import { DEFAULTS, settingsOf, signalOf } from "./settings.js";
import { Store } from "./store.js";

/**
 * @import { Reading, Slice, Use } from "../bytes.js"
 * @import { Chunks, Settings, Traffic } from "./get.js"
 * @import { RemoteOptions } from "./settings.js"
 */

/**
 * What the first answer says of a file.
 * @typedef {object} Opened
 * @property {number} size
 * @property {Uint8Array<ArrayBuffer>} first  its first bytes; all of them if it came whole
 * @property {string} url @property {string | null} etag
 * @property {string} version  what tells it from a later file at the same address; empty if nothing
 */

/** How many bytes are asked for at once: they give the size, and most headers need no more. */
const FIRST = 65_536;

/** In pieces of how many bytes what is read as it comes is kept in the browser's storage. */
const PIECE = 8 * 2 ** 20;

/**
 * How many bytes one request asks for then: an answer waits while a piece of it is stored, and servers do
 * not let it wait for ever.
 */
const MOST_STORED = 4 * PIECE;

/**
 * Open a file over HTTP, of which only the bytes that are asked for will be read: by one GET of one
 * range each, without a HEAD or an OPTIONS before it. The first asks for 64 KiB at once, which are
 * kept. Nothing is asked twice: who fails may try again.
 *
 * The server must answer ranges with 206 and, across origins, expose `Content-Range` and `ETag`; a
 * server that knows no ranges may give a small file whole. Only https is read (http on this
 * machine), without cookies.
 *
 * @param {string | URL} url  in a page or a worker it may be relative
 * @param {RemoteOptions} [options]
 * @returns {Promise<RemoteFile>} what `safetensors.read` and `npy.read` take as a source
 * @throws {TypeError | RangeError} if url is no such address or an option is wrong
 * @throws {RemoteError} if it cannot be read; `code` says why
 * @see RFC 9110 14.2, range requests; Fetch standard 2.2.2, CORS-safelisted `Range`
 * @example
 * const header = '{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}';
 * const parts = [BigUint64Array.of(BigInt(header.length)), header, Float32Array.of(1.5, 2.5)];
 * const body = await new Blob(parts).arrayBuffer();
 * const headers = { "Content-Range": `bytes 0-${body.byteLength - 1}/${body.byteLength}` };
 * const fetch = async () => new Response(body, { status: 206, headers }); // a server of its own
 * const source = await remote("https://example.org/model.safetensors", { fetch });
 * const file = await safetensors.read(source);
 * const a = await file.tensor("a");
 * a.at(1) // 2.5
 * source.requests // 1
 */
export async function remote(url, options) {
  const wishes = check.options(options, DEFAULTS, "remote");
  const address = addressOf(url, "url");
  return open(address, settingsOf(wishes, address.origin), signalOf(wishes.signal));
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
 * A text or another small file, whole. It may come compressed.
 *
 * @param {URL} address @param {Settings} settings
 * @param {{most: number, signal?: AbortSignal}} wish  how many bytes it may have
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export function whole(address, settings, { most, signal }) {
  return get(address, settings, { signal }, async (response, chunks) => {
    if (response.status !== 200) throw refused(response, address);
    const bytes = await upTo(response, chunks, most);
    if (bytes !== undefined) return bytes;
    const rule = `${shown(address)} must have at most ${most} bytes`;
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
    const first = await upTo(response, chunks, settings.most);
    if (first !== undefined) return { ...about, size: first.length, first };
    const rule = `${shown(address)} must answer ranges with 206 or have at most ${settings.most} bytes`;
    throw new RemoteError("REMOTE_RANGE", `${rule}; got 200 and more`);
  });
}

/** @param {Response} response */
function versionOf({ headers }) {
  return headers.get("etag") ?? headers.get("last-modified") ?? "";
}

/**
 * Which part of which file a 206 says that it holds; it must be the one that was asked for.
 * @param {Response} response @param {URL} address @param {number} begin @param {number} end
 */
function partOf({ headers }, address, begin, end) {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding !== "identity") {
    const rule = `${shown(address)} must send ranges of the file as it is`;
    throw new RemoteError("REMOTE_ENCODING", `${rule}; got ${encoding.slice(0, 40)}`);
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

/**
 * An open file over HTTP, with a Blob's `size` and `slice`.
 */
export class RemoteFile {
  static name = "RemoteFile";

  #address;
  #settings;
  #first;
  #version;
  /** Copies that nobody else holds. @type {Pieces<Uint8Array<ArrayBuffer>>} */
  #memory;
  #store;
  /** @type {Map<string, Flight<Uint8Array<ArrayBuffer>>>} */
  #flights = new Map();
  /** What was asked for this file. */
  #traffic;

  /**
   * @param {URL} address @param {Settings} settings @param {Opened} opened
   * @param {Store | undefined} store @param {Readonly<Traffic>} traffic
   */
  constructor(address, settings, { size, first, url, etag, version }, store, traffic) {
    this.#address = address;
    this.#settings = settings;
    this.#first = first;
    this.#version = version;
    this.#memory = new Pieces(settings.memory);
    this.#store = store;
    this.#traffic = traffic;
    /** How many bytes the file has. @readonly */
    this.size = size;
    /** Where it was found, after redirections. @readonly */
    this.url = url;
    /** As the server gives it, e.g. '"0a1b"'; null if it gives none. @readonly @type {string | null} */
    this.etag = etag;
    Object.freeze(this);
  }

  /** How many requests were made so far; redirections are followed without being counted. */
  get requests() {
    return this.#traffic.requests;
  }

  /** How many bytes came so far. */
  get bytesRead() {
    return this.#traffic.bytesRead;
  }

  /**
   * A part of the file. Nothing is read before its `arrayBuffer({ signal, progress })`: from what is
   * kept, or else by one request; who asks for what is on its way waits for the same request.
   *
   * @param {number} [begin]  0 by default; below 0 it counts from the end
   * @param {number} [end]  the first byte that is not meant; the file's size by default
   * @returns {Required<Slice> & {size: number}} whose `arrayBuffer` rejects with a `RemoteError`, or the
   *   signal's reason; so does its `each(use, { signal, progress })`, which gives the bytes as they come,
   *   without having all of them at once
   * @throws {TypeError} if it is no whole number
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
    signalOf(reading.signal)?.throwIfAborted();
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

  /** A copy of what lies in memory. @param {number} begin @param {number} end */
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
    const signal = signalOf(reading.signal);
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
        const last = store ? Math.min(first + MOST_STORED, end) : end;
        while (at < last && !store?.has(at, next(at))) at = next(at);
        await this.#stream(first, at, give, signal);
      }
    }
  }

  /**
   * From the network, and into storage piece by piece.
   * @param {number} begin @param {number} end @param {Use} give @param {AbortSignal} [signal]
   */
  #stream(begin, end, give, signal) {
    const store = this.#store;
    const keep =
      store && inPieces(PIECE, end - begin, (piece, at) => store.keep(begin + at, piece));
    return this.#request(begin, end, signal, (chunks) =>
      each(chunks, end - begin, this.#address, async (chunk, at) => {
        await give(chunk, begin + at);
        await keep?.(chunk);
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
 * A place in a file, as Blob's slice takes it.
 * @param {unknown} place @param {string} name @param {number} size
 */
function within(place, name, size) {
  const at = check.integer(place, name, -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  return Math.min(Math.max(at < 0 ? size + at : at, 0), size);
}
