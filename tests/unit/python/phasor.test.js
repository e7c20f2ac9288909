import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { loadPyodide } from "pyodide";
import { project } from "../../../scripts/setup/setup.js";
import { testPython, withPhasor } from "./python.js";

// npm's Pyodide has no NumPy: arrays are memoryviews. `npm run x -- test:notebooks` runs the same with it.
await testPython(await withPhasor(await loadPyodide()), "phasor.py");

test("phasor.py: it has the package's version and can be pasted into a notebook", async () => {
  const { version } = JSON.parse(await readFile(join(project, "package.json"), "utf8"));
  const shipped = await readFile(join(project, "dist/phasor.py"), "utf8");
  assert.match(shipped, new RegExp(`^__version__ = "${version.replaceAll(".", "\\.")}"$`, "m"));
  const source = await readFile(join(project, "src/python/phasor.py"), "utf8");
  const code = source.split("\n").filter((line) => line.trim() !== "");
  assert.ok(code.length <= 360, `without its texts it has ${code.length} lines`);
});
