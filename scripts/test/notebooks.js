// What the tests of notebooks need: the programs that notebooks are written for, below build/notebooks.

import { join } from "node:path";
import { installFromNpm, installFromPyPI } from "../setup/install.js";
import { fill } from "../setup/once.js";
import { run } from "../setup/run.js";
import { again, project, setup } from "../setup/setup.js";

const tests = join(project, "tests/hosts/notebooks");
const folder = join(project, "build/notebooks");

/** Installs what is missing or has changed. @param {string[]} paths  of the tests that need it */
export async function installNotebooks(paths) {
  const lists = join(tests, "jupyterlite");
  if (paths.some((path) => path.includes("observable"))) {
    const [from, to] = [tests, folder].map((each) => join(each, "observable"));
    await installFromNpm("Observable's programs", from, to);
  }
  await installFromNpm("Pyodide's packages", lists, join(folder, "jupyterlite"));
  await installFromPyPI("JupyterLite", join(lists, "requirements.txt"), join(folder, "python"));
  const hosts = join(tests, "widget", "requirements.txt");
  await installFromPyPI("JupyterLab, papermill and marimo", hosts, join(folder, "widget"), []);
  await download("wheels", join(lists, "wheels.txt"));
  try {
    await download("wheels-numpy", join(lists, "wheels-numpy.txt"));
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    console.log(`${message} Without NumPy for Pyodide, the tests that need it are skipped.`);
  }
}

/** Wheels for Pyodide, by their hashes. @param {string} name  of the folder @param {string} list */
async function download(name, list) {
  const { pip } = await setup(["python"]);
  await fill(join(folder, name), `Downloading ${name}`, [list], (to) => {
    const forPyodide = ["--no-deps", "--only-binary=:all:", "--python-version=3.14"];
    const args = ["download", "--require-hashes", ...forPyodide, "-d", to, "-r", list];
    return again(() => run(String(pip), args, { quiet: true }));
  });
}
