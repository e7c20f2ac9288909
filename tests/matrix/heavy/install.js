// The tools of the heavy environments, in a folder of their own that is never committed.

import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run, step } from "../../../scripts/run.js";
import { project } from "../../../scripts/setup.js";

/** A project with the tools, and the package, in its node_modules. */
export const folder = join(project, "build/matrix");

const here = dirname(fileURLToPath(import.meta.url));
const lists = ["package.json", "package-lock.json"];

/**
 * Install the tools, if they are not there already, and the package afresh.
 *
 * @param {string} installed  the package, as npm has installed it somewhere
 */
export async function install(installed) {
  await mkdir(folder, { recursive: true });
  if (!(await isThere())) {
    for (const list of lists) await cp(join(here, list), join(folder, list));
    // Bun and Vite would read this project's own, which takes "phasor" for src/.
    await writeFile(join(folder, "tsconfig.json"), "{}\n");
    const args = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    await step("Installing the heavy environments into build/matrix", async () => {
      await run("npm", args, { cwd: folder, quiet: true });
      await cp(join(here, "package-lock.json"), stamp);
    });
  }
  const to = join(folder, "node_modules/phasor");
  await rm(to, { recursive: true, force: true });
  await cp(installed, to, { recursive: true });
}

/** A copy of the list that was installed to its end. */
const stamp = join(folder, "node_modules/.installed.json");

async function isThere() {
  const read = (/** @type {string} */ path) => readFile(path, "utf8").catch(() => "");
  return (await read(stamp)) === (await read(join(here, "package-lock.json")));
}
