// The tools of the heavy environments, in a separate folder that is never committed.

import { cp, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installFromNpm } from "../../../../scripts/setup/install.js";
import { project } from "../../../../scripts/setup/setup.js";

/** A project with the tools, and the package, in its node_modules. */
export const folder = join(project, "build/matrix");

/**
 * Install the tools, if they are not there already, and the package afresh.
 *
 * @param {string} installed  the package, as npm has installed it somewhere
 */
export async function install(installed) {
  await installFromNpm("the heavy environments", dirname(fileURLToPath(import.meta.url)), folder);
  // Bun and Vite would read this project's own, which takes "phasor" for src/.
  await writeFile(join(folder, "tsconfig.json"), "{}\n");
  const to = join(folder, "node_modules/phasor");
  await rm(to, { recursive: true, force: true });
  await cp(installed, to, { recursive: true });
}
