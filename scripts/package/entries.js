// What the package exports, as its package.json has it.

import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { project } from "../setup/setup.js";

/**
 * @typedef {object} Entry
 * @property {string} name  as it is imported: "phasor/files"
 * @property {string} file  path in the package: "dist/files.js"
 */

/**
 * Every entry but package.json itself; core.wasm once, without the query that some hosts ask for.
 *
 * @param {string} [folder]  with a package.json
 * @returns {Entry[]}
 */
export function entriesOf(folder = project) {
  const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return Object.entries(exports)
    .filter(([path]) => path !== "./package.json" && !path.includes("?"))
    .map(([path, target]) => ({
      name: posix.join(name, path),
      file: posix.normalize(target.default ?? target),
    }));
}

/** Whether an entry is a module, rather than a file to be read. @param {Entry} entry */
export const isModule = ({ file }) => file.endsWith(".js");
