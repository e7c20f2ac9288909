/**
 * The entry phasor/open as a user gets it, with the core under test.
 */
import { phasor } from "../../../phasor.js";

const { open, explore, FileError, RemoteError } = await import("phasor/open");

export { explore, FileError, phasor, RemoteError };

/** @type {typeof open} */
export const openModel = (source, options) => open(source, { phasor, ...options });
export { open };
