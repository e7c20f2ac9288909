/** Packs and unpacks errors for messages between threads, which lose their classes and fields. */
import { CoreError, DisposedError, LoadError, OutOfMemoryError } from "./errors.js";

/** @typedef {{name: string, message: string, stack?: string, fields: object, cause?: PackedError}} PackedError */

/**
 * @param {unknown} thrown
 * @returns {PackedError}
 */
export function packError(thrown) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack, cause } = error;
  const packed = { name, message, stack, fields: { ...error } };
  return cause === undefined ? packed : { ...packed, cause: packError(cause) };
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
