/**
 * Error classes. Bad arguments are `TypeError` (the wrong type) or `RangeError` (a wrong value, length or
 * shape) with the message "FUNCTION: ARGUMENT must RULE; got VALUE"; all other errors are here.
 *
 * Each class sets its static `name`, because the bundle shortens identifiers and consoles show
 * `constructor.name`.
 */

/**
 * Each entry of the package is bundled with its own copy of these classes. A brand makes `instanceof` answer
 * the same for all copies: an error of phasor/open is a FileError of phasor/files.
 */
const BRANDS = {
  CoreError: Symbol.for("phasor.CoreError"),
  DisposedError: Symbol.for("phasor.DisposedError"),
  FileError: Symbol.for("phasor.FileError"),
  LoadError: Symbol.for("phasor.LoadError"),
  OutOfMemoryError: Symbol.for("phasor.OutOfMemoryError"),
  RemoteError: Symbol.for("phasor.RemoteError"),
};

/** @param {unknown} value @param {symbol} brand */
function isBranded(value, brand) {
  return typeof value === "object" && value !== null && brand in value;
}

/** Words for `phasor::Status`; the index is the number. @type {readonly string[]} */
export const STATUS = Object.freeze(["ok", "bad shape", "bad parameter", "bad index"]);

/**
 * The error for an argument of another shape.
 * @param {string} name  of the argument @param {string} rule  the shape that it must have @param {readonly number[]} shape
 */
export const wrongShape = (name, rule, shape) =>
  new RangeError(`${name} must have shape ${rule}; got [${shape.join(", ")}]`);

/** There is not enough memory. Nothing has changed, and the next call works. */
export class OutOfMemoryError extends RangeError {
  /** @override */
  static name = "OutOfMemoryError";

  /** @override @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return isBranded(value, BRANDS.OutOfMemoryError);
  }

  /** @internal */
  get [BRANDS.OutOfMemoryError]() {
    return true;
  }

  /** @param {string} what @param {number} bytes */
  constructor(what, bytes) {
    super(`${what} must fit in memory; got a request for ${bytes} bytes`);
    this.name = "OutOfMemoryError";
    /** How many were asked for. */
    this.bytes = bytes;
  }
}

/** A table or an index was used after `dispose()`. */
export class DisposedError extends TypeError {
  /** @override */
  static name = "DisposedError";

  /** @override @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return isBranded(value, BRANDS.DisposedError);
  }

  /** @internal */
  get [BRANDS.DisposedError]() {
    return true;
  }

  /** @param {string} what */
  constructor(what) {
    super(`${what} has been disposed`);
    this.name = "DisposedError";
  }
}

/** The WebAssembly core could not be started; `cause` is the engine's own error. */
export class LoadError extends Error {
  /** @override */
  static name = "LoadError";

  /** @override @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return isBranded(value, BRANDS.LoadError);
  }

  /** @internal */
  get [BRANDS.LoadError]() {
    return true;
  }

  /** @param {string} message @param {{cause?: unknown}} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = "LoadError";
  }
}

/** The bytes of a response that has the core. @param {Response} response @returns {Promise<ArrayBuffer>} */
export async function bytesOfResponse(response) {
  const { ok, status, url } = response;
  if (!ok) throw new LoadError(`phasor could not read its core from ${url || "a response"}: status ${status}`); // prettier-ignore
  return response.arrayBuffer().catch((cause) => {
    throw new LoadError(`phasor could not read its core: ${cause.message}`, { cause });
  });
}

/** The core stopped in the middle of a call, which is a bug in phasor. Call `load()` for a new one. */
export class CoreError extends Error {
  /** @override */
  static name = "CoreError";

  /** @override @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return isBranded(value, BRANDS.CoreError);
  }

  /** @internal */
  get [BRANDS.CoreError]() {
    return true;
  }

  /** @param {string} message @param {{cause?: unknown}} [options] */
  constructor(message, options) {
    super(message, options);
    this.name = "CoreError";
  }
}

/**
 * A file was refused. `code` names the rule that it broke, e.g. "SAFETENSORS_OFFSETS".
 */
export class FileError extends Error {
  /** @override */
  static name = "FileError";

  /** @override @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return isBranded(value, BRANDS.FileError);
  }

  /** @internal */
  get [BRANDS.FileError]() {
    return true;
  }

  /** @param {string} code @param {string} message @param {{cause?: unknown}} [options] */
  constructor(code, message, options) {
    super(message, options);
    this.name = "FileError";
    /** The rule that was broken. */
    this.code = code;
  }
}

/**
 * A file could not be read over the network. `code` names the rule that was broken:
 *
 *   REMOTE_STATUS    the server refused; `status` says how
 *   REMOTE_RANGE     it sent other bytes than those asked for, or the whole of a large file
 *   REMOTE_CHANGED   the file is no longer the one that was opened
 *   REMOTE_ENCODING  it sent a part of a compressed file
 *   REMOTE_SHORT     fewer bytes came than were promised
 *   REMOTE_LONG      more came, or more than may
 *   REMOTE_STALLED   for too long, none came
 *   REMOTE_ORIGIN    it sent us on to an address that is not allowed
 *   REMOTE_NETWORK   there was no answer, or it broke off; `cause` is the platform's own error
 *   REMOTE_ANSWER    a hub's answer is not of its form
 */
export class RemoteError extends Error {
  /** @override */
  static name = "RemoteError";

  /** @override @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return isBranded(value, BRANDS.RemoteError);
  }

  /** @internal */
  get [BRANDS.RemoteError]() {
    return true;
  }

  /**
   * @param {string} code @param {string} message
   * @param {{cause?: unknown, status?: number, retryAfter?: number}} [options]
   */
  constructor(code, message, { cause, status, retryAfter } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "RemoteError";
    /** The rule that was broken. */
    this.code = code;
    /** Of the answer, where it is what was wrong: 404, ... */
    this.status = status;
    /** In how many seconds to ask again, where the server says so. */
    this.retryAfter = retryAfter;
  }
}

/**
 * Throws unless the core returned ok. Arguments have been checked before, so this is a bug in phasor.
 * @param {number} status
 */
export function checkStatus(status) {
  if (status !== 0) {
    const got = STATUS[status] ?? status;
    throw new CoreError(`the core must accept its arguments; got ${got}, please report this`);
  }
}
