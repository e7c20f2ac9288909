// What the tests of notebooks need: the programs that notebooks are written for, below build/notebooks.

import { cpSync, existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fill } from "./once.js";
import { run } from "./run.js";
import { again, project, setup } from "./setup.js";

const tests = join(project, "tests/notebooks");
const installed = join(project, "build/notebooks");

/** Every package.json of tests/notebooks/NAME, in build/notebooks/NAME. */
async function installPackages() {
  for (const name of readdirSync(tests)) {
    const files = ["package.json", "package-lock.json"].map((file) => join(tests, name, file));
    if (!files.every((file) => existsSync(file))) continue;
    const what = `Installing the npm packages of ${name}`;
    await fill(join(installed, name), what, files, async (folder) => {
      for (const file of files) cpSync(file, join(folder, basename(file)));
      const options = { cwd: folder, quiet: true };
      await again(() => run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], options));
    });
  }
}

/** @param {string} python @param {string} pip */
async function installPython(python, pip) {
  const list = (/** @type {string} */ name) => join(tests, "jupyterlite", name);
  const quiet = { quiet: true };
  const from = [list("requirements.txt")];
  await fill(join(installed, "python"), "Installing JupyterLite", from, async (folder) => {
    // Debian's venv cannot bring pip along, so the system's installs.
    await run(python, ["-m", "venv", "--without-pip", folder], quiet);
    const into = ["--python", join(folder, "bin/python")];
    await again(() => run(pip, [...into, "install", "--no-deps", "-r", from[0]], quiet));
  });
  const download = (/** @type {string} */ name) =>
    fill(join(installed, name), `Downloading ${name}`, [list(`${name}.txt`)], (folder) => {
      const forPyodide = ["--no-deps", "--only-binary=:all:", "--python-version=3.14"];
      const args = ["download", "--require-hashes", ...forPyodide, "-d", folder];
      return again(() => run(pip, [...args, "-r", list(`${name}.txt`)], quiet));
    });
  await download("wheels");
  try {
    await download("wheels-numpy");
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    console.log(`${message} Without NumPy for Pyodide, the tests that need it are skipped.`);
  }
}

/** Installs what is missing or has changed. */
export async function fillNotebooks() {
  const { python, pip } = await setup(["packages", "python"]);
  await installPackages();
  await installPython(String(python), String(pip));
}
