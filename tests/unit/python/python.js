// The Python helper's tests (test_phasor.py), in a Pyodide that runs in Node.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { load } from "phasor";
import { load as loadLab } from "phasor/lab";
import { models } from "phasor/models";
import { figures } from "phasor/plots";
import { project } from "../../../scripts/setup/setup.js";

/** @typedef {import("pyodide").PyodideInterface} Pyodide */

/**
 * Where the package's entry is, as `phasor.load` takes it.
 */
export const entry = pathToFileURL(join(project, "dist/index.js")).href;

/**
 * Python that can `import phasor`, with the tests' way to ask JavaScript for the same.
 *
 * @param {Pyodide} python
 * @returns {Promise<Pyodide>}
 */
export async function withPhasor(python) {
  const phasor = await load();
  const modules = { ...phasor, ...(await loadLab()), models, plots: figures() };
  const names = Object.keys(modules);
  python.registerJsModule("javascript", {
    /** @param {string} code  an expression of modules */
    evaluate: (code) => Function(...names, `return (${code})`)(...Object.values(modules)),
    entry,
  });
  const dist = join(project, "dist");
  python.FS.mkdir("package");
  for (const [from, to] of [
    [join(dist, "phasor.py"), "phasor.py"],
    [join(dist, "index.js"), "package/index.js"],
    ...["plots.js", "lab.js", "lab-parts.js"].map((name) => [join(dist, name), `package/${name}`]),
    [join(project, "tests/unit/python/test_phasor.py"), "test_phasor.py"],
  ]) {
    python.FS.writeFile(to, await readFile(from));
  }
  return python;
}

/**
 * Runs each test of test_phasor.py as one of Node's, named after what its docstring says.
 *
 * @param {Pyodide} python  of `withPhasor`
 * @param {string} where  said before each name
 */
export async function testPython(python, where) {
  const tests = /** @type {[string, string][]} */ (
    (await python.runPythonAsync("import test_phasor; await test_phasor.start()")).toJs()
  );
  for (const [name, sentence] of tests) {
    test(`${where}: ${sentence}`, () => python.runPythonAsync(`await test_phasor.run("${name}")`));
  }
}
