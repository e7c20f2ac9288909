// What test files need of the package, by what they and the modules that they import say.

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { project } from "../setup/setup.js";

/** The module through which tests take the build that they are about. */
const SUBJECT = join("tests", "phasor.js");

/**
 * The texts of modules and of those in tests/ that they import by a path, but for `tests/phasor.js`.
 * @param {string[]} paths  from the project's folder
 * @returns {Map<string, string>} by path
 */
function textsOf(paths) {
  /** @type {Map<string, string>} */
  const texts = new Map();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (path === SUBJECT || texts.has(path) || !path.startsWith("tests")) continue;
    if (!existsSync(join(project, path))) continue; // an import in a text
    const text = readFileSync(join(project, path), "utf8");
    texts.set(path, text);
    for (const [, to] of text.matchAll(/(?:\bfrom|\bimport\(?)\s*"(\.[^"]*)"/g)) {
      waiting.push(relative(project, join(project, dirname(path), to)));
    }
  }
  return texts;
}

/**
 * Whether tests take the package from `tests/phasor.js` alone: then any build of the default entry will do. Those that
 * import an entry by name, or say where the package is built, need it as it ships.
 * @param {string[]} tests  paths in tests/
 */
export function needDefaultEntryAlone(tests) {
  const texts = textsOf(tests.map((path) => join("tests", path)));
  return [...texts.values()].every(
    (text) => !/"phasor(\/[\w-]+)?"|\bdist\b|scripts\/(package\/build|site\/page)/.test(text),
  );
}

/** The words that choose C++ tests: "cpp" alone stands for all of them. @param {string[]} words */
export const wordsOfCpp = (words) => words.filter((word) => word !== "cpp");

/**
 * The sources of the core that C++ tests call: those in the folders of the headers that they include, and of the headers
 * that these sources include.
 * @param {string[]} tests  paths from the project's folder
 * @returns {string[]} the same way
 */
export function coreSourcesOf(tests) {
  /** @type {Set<string>} */
  const paths = new Set(tests);
  for (const path of paths) {
    const text = readFileSync(join(project, path), "utf8");
    for (const [, name] of text.matchAll(/^#include "(.+)"/gm)) {
      const header = join("src", name);
      if (!existsSync(join(project, header))) continue; // one of the tests' own
      paths.add(header);
      for (const beside of readdirSync(join(project, dirname(header)))) {
        if (/(?<!\.bind)\.cpp$/.test(beside)) paths.add(join(dirname(header), beside));
      }
    }
  }
  return [...paths].filter((path) => path.startsWith("src") && path.endsWith(".cpp")).sort();
}
