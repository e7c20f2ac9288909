// The packages of package.json beside this file, installed where git does not look.

import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../../../scripts/run.js";
import { project } from "../../../scripts/setup.js";

const here = dirname(fileURLToPath(import.meta.url));
const folder = join(project, "build/notebooks/observable");
const lists = ["package.json", "package-lock.json"];

/** Whether what is installed is what the lists ask for. */
const isCurrent = () =>
  lists.every((name) => {
    const file = join(folder, name);
    return (
      existsSync(file) && readFileSync(file, "utf8") === readFileSync(join(here, name), "utf8")
    );
  });

/**
 * Installs them, unless they are there.
 *
 * @returns {Promise<string>} the folder that has them in its node_modules
 */
export async function installed() {
  if (isCurrent()) return folder;
  // Made beside and moved when it is whole: another test file may want the same.
  const made = `${folder}-${process.pid}`;
  await mkdir(made, { recursive: true });
  for (const name of lists) await cp(join(here, name), join(made, name));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["ci", ...options], { cwd: made, quiet: true });
  if (!isCurrent()) {
    await rm(folder, { recursive: true, force: true });
    await rename(made, folder);
  }
  await rm(made, { recursive: true, force: true });
  return folder;
}
