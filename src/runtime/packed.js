/** Packs and unpacks errors for messages between threads, which lose their classes and fields. */
import { describe } from "./check.js";
import { CoreError, DisposedError, LoadError, OutOfMemoryError } from "./errors.js";

/** @typedef {{name: string, message: string, stack?: string, fields: object, cause?: PackedError}} PackedError */

/** Causes of causes that are kept: an error may be its own. */
const MOST_CAUSES = 8;

/**
 * @param {unknown} thrown
 * @param {number} [causes]  that are kept
 * @returns {PackedError}
 */
export function packError(thrown, causes = MOST_CAUSES) {
  const isThing = Object(thrown) === thrown && !(thrown instanceof Error);
  const error = thrown instanceof Error ? thrown : new Error(isThing ? describe(thrown) : String(thrown)); // prettier-ignore
  const { name, message, stack, cause } = error;
  const packed = { name, message, stack, fields: fieldsOf(error) };
  if (cause === undefined || causes === 0) return packed;
  return { ...packed, cause: packError(cause, causes - 1) };
}

/** The fields of an error that a message can have. @param {Error} error */
function fieldsOf(error) {
  /** @type {Record<string, unknown>} */
  const fields = {};
  for (const key of Object.keys(error)) {
    try {
      fields[key] = structuredClone(/** @type {any} */ (error)[key]);
    } catch {
      // A function, for example.
    }
  }
  return fields;
}

/**
 * Restores an error with its class.
 * @param {PackedError} packed
 * @param {Error} [asked]  created at the call, whose callers are appended to the stack
 * @param {Record<string, Function>} [classes]  of the caller, by name
 * @returns {Error}
 */
export function unpackError({ name, message, stack, fields, cause }, asked, classes) {
  const own = { CoreError, DisposedError, LoadError, OutOfMemoryError, ...classes };
  const Class = [own, globalThis, globalThis.WebAssembly]
    .map((from) => /** @type {any} */ (from)?.[name])
    .find((found) => found?.prototype instanceof Error);
  const error = new Error(message, cause && { cause: unpackError(cause) });
  if (Class) Object.setPrototypeOf(error, Class.prototype);
  const callers = asked?.stack?.replace(/^Error\n/, "");
  const whole = [stack, callers].filter(Boolean).join("\n");
  return Object.defineProperty(Object.assign(error, fields), "stack", {
    value: whole,
    configurable: true,
    writable: true,
  });
}
