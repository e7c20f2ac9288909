// An empty project with the packed package installed, as a user has it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { project } from "../scripts/setup.js";

/**
 * @param {{ after: (clean: () => Promise<void>) => void }} t  whose end removes the project
 */
export async function consumer(t) {
  const folder = await mkdtemp(join(tmpdir(), "phasor-consumer-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  // What is packed is dist/ as it stands: `npm test` has just built it.
  const pack = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], project);
  const [{ filename, files }] = JSON.parse(pack.slice(pack.indexOf("[\n")));
  await writeFile(join(folder, "package.json"), '{ "type": "module", "private": true }\n');
  npm(["install", "--offline", "--no-save", join(folder, filename)], folder);
  return {
    folder,
    tarball: join(folder, filename),
    /** Paths in the package. @type {string[]} */
    packed: files.map((/** @type {{path: string}} */ file) => file.path).sort(),
    /** @param {string} path @param {string} text */
    async put(path, text) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
  };
}

/** @param {string[]} args @param {string} cwd */
function npm(args, cwd) {
  const { status, stdout, stderr } = spawnSync("npm", args, { cwd, encoding: "utf8" });
  assert.equal(status, 0, stderr);
  return stdout;
}
