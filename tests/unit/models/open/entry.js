/**
 * The entry phasor/open as a user gets it, with the core under test.
 */
import assert from "node:assert/strict";
import { phasor } from "../../../phasor.js";

const { open, explore, FileError, RemoteError } = await import("phasor/open");

export { explore, FileError, phasor, RemoteError };

/** @type {typeof open} */
export const openModel = (source, options) => open(source, { phasor, ...options });
export { open };

/** For assert.rejects. @param {string} code @param {RegExp} message */
export const fileError = (code, message) => (/** @type {any} */ error) => {
  assert.ok(error instanceof FileError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return true;
};
