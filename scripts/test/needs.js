// What test files need of the package, by what they and the modules that they import say.

import { existsSync, readFileSync } from "node:fs";
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
