// Packages that only some tests need, in separate folders below build/.

import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fill } from "./once.js";
import { run } from "./run.js";
import { again, setup } from "./setup.js";

/**
 * The date that fixes the versions of what a package.json leaves open: the dependencies of the packages
 * that it names. It replaces a lock file.
 */
const DAY = "2026-11-21";

/** A different date installs again. */
const self = fileURLToPath(import.meta.url);

/**
 * Installs from npm what a package.json names.
 *
 * @param {string} what  for the reader
 * @param {string} from  the folder of the package.json
 * @param {string} folder  gets it, and node_modules
 */
export function installFromNpm(what, from, folder) {
  const list = join(from, "package.json");
  return fill(folder, `Installing ${what} from npm`, [list, self], () => {
    cpSync(list, join(folder, "package.json"));
    const options = ["--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund"];
    const install = ["install", `--before=${DAY}`, ...options];
    return again(() => run("npm", install, { cwd: folder, quiet: true }));
  });
}

/**
 * Installs from PyPI what a requirements.txt names.
 *
 * @param {string} what  for the reader
 * @param {string} list  the requirements.txt
 * @param {string} folder  becomes a virtual environment
 * @param {string[]} [options]  of pip install
 */
export async function installFromPyPI(what, list, folder, options = ["--no-deps"]) {
  await fill(folder, `Installing ${what} from PyPI`, [list, self], async () => {
    const { python, pip } = await setup(["python"]);
    // Debian's venv cannot install pip, so the system's pip is used.
    await run(String(python), ["-m", "venv", "--without-pip", folder], { quiet: true });
    const into = ["--python", join(folder, "bin/python"), "--disable-pip-version-check"];
    const install = [...into, "install", "--no-compile", ...options, "-r", list]; // most is never imported
    await again(() => run(String(pip), install, { quiet: true }));
  });
}
