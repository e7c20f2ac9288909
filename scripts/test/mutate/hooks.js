// Node's loader, with the sources in place of the bundles, and one of them changed.

import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";

const project = new URL("../../../", import.meta.url);
const { compilerOptions } = JSON.parse(await readFile(new URL("tsconfig.json", project), "utf8"));

/** The source of each entry. @type {Map<string, string>} */
const entries = new Map(
  Object.entries(compilerOptions.paths).map(([name, [path]]) => [
    name,
    new URL(path, project).href,
  ]),
);
/** With the names that the sources call; scripts/test/mutate.js writes them. */
const core = new URL("build/mutate/core.wasm", project);
const blocks = new URL("build/mutate/blocks.js", project).href;

/** @typedef {{ file: string, source: string }} Changed */

/** @type {Changed | undefined} */
let mutant;

/** @param {Changed | undefined} data */
export function initialize(data) {
  mutant = data && { ...data, file: pathToFileURL(data.file).href };
}

/** @param {string} name @param {object} context @param {Function} next */
export function resolve(name, context, next) {
  if (name === "phasor-core/binary") return { url: "phasor:core", shortCircuit: true };
  const url = name === "phasor-core/blocks" ? blocks : entries.get(name);
  return url ? { url, shortCircuit: true } : next(name, context);
}

/** @param {string} url @param {object} context @param {Function} next */
export async function load(url, context, next) {
  if (url === "phasor:core") {
    const source = `
      import { readFile } from "node:fs/promises";
      export const binary = () => readFile(new URL(${JSON.stringify(core.href)}));
    `;
    return { format: "module", shortCircuit: true, source };
  }
  if (url === mutant?.file) return { format: "module", shortCircuit: true, source: mutant.source };
  return next(url, context);
}
