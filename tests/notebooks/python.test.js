import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { test } from "node:test";
import { project } from "../../scripts/setup.js";
import { testPython, withPhasor } from "../python/python.js";
import { lacksNumpy, pyodide } from "./site.js";

// The same tests as in tests/python/, now with NumPy.
if (lacksNumpy) test("phasor.py with NumPy", { skip: lacksNumpy }, () => {});
else {
  const folder = join(project, "build/notebooks/jupyterlite/node_modules/pyodide");
  const { loadPyodide } = await import(pathToFileURL(join(folder, "pyodide.mjs")).href);
  const python = await loadPyodide();
  const numpy = Object.entries(await pyodide("numpy")).find(([name]) => name.startsWith("numpy-"));
  python.unpackArchive(/** @type {[string, Uint8Array]} */ (numpy)[1], "wheel");
  await testPython(await withPhasor(python), "phasor.py with NumPy");
}
