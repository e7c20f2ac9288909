// The libraries that arrays are exchanged with. The light ones are development dependencies; the
// larger ones are there once `npm run x -- test:interop` has installed them.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createRequire } from "node:module";
import { project } from "../../../scripts/setup/setup.js";

/** Where `npm run x -- test:interop` installs what libraries/package.json names. */
export const larger = join(project, "build", "interop", "libraries");

/** The Python that it gives NumPy, safetensors and gguf. */
export const python = join(project, "build", "interop", "python", "bin", "python");

/**
 * The folder of node_modules that holds a library.
 * @param {string} name
 * @returns {string | undefined} nothing where it is not installed
 */
export function holderOf(name) {
  return [project, larger]
    .map((folder) => join(folder, "node_modules"))
    .find((folder) => existsSync(join(folder, name)));
}

/** Why a test that needs a library is skipped; false where it runs. @param {string} name */
export function without(name) {
  return holderOf(name) === undefined && `npm run x -- test:interop installs ${name}`;
}

/**
 * A library as a program that imports it by name gets it.
 * @param {string} name
 * @returns {Promise<any>}
 */
export async function library(name) {
  const holder = holderOf(name);
  if (holder === undefined) throw new Error(`${name} is not installed`);
  const entry = createRequire(join(holder, "..", "package.json")).resolve(name);
  return import(pathToFileURL(entry).href);
}
