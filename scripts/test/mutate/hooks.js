// Node's loader, with the sources in place of the bundles, those of a folder with all their changes.

import { existsSync } from "node:fs";
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

const tests = new URL("tests.js", import.meta.url).href;

/** Of the sources with all their changes. @type {URL | undefined} */
let switched;

/** @param {string | undefined} folder */
export function initialize(folder) {
  switched = folder === undefined ? undefined : pathToFileURL(`${folder}/`);
}

/** @param {string} name @param {object} context @param {Function} next */
export function resolve(name, context, next) {
  if (name.startsWith("phasor:")) return { url: name, shortCircuit: true };
  if (name === "node:test" || name === "node:assert/strict")
    return { url: tests, shortCircuit: true };
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
  if (url.startsWith("phasor:mutant/")) {
    const source = "export let $ = -1; export const choose = (i) => { $ = i; };";
    return { format: "module", shortCircuit: true, source };
  }
  const changed =
    switched && url.startsWith(project.href) && new URL(url.slice(project.href.length), switched);
  if (!changed || !existsSync(changed)) return next(url, context);
  return { format: "module", shortCircuit: true, source: await readFile(changed) };
}
