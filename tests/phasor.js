/**
 * The package under test, as a user gets it: by its name, or the build that PHASOR_ENTRY (a file:
 * URL) names, so that the same tests run against the release and the assertions build.
 */
export const entry = process.env.PHASOR_ENTRY ?? "phasor";

/** @type {typeof import("phasor")} */
const published = await import(entry);

export const { load, pool, Tensor, optionsOf, schemesOf } = published;
export const { CoreError, DisposedError, LoadError, OutOfMemoryError } = published;

/** @typedef {import("phasor").Tensor} Tensor */

/** One core for all tests of a file; tests that need their own call `load()`. */
export const phasor = await load();
