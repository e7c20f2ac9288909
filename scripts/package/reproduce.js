// Builds the committed state a second time, in a separate folder, packs it, and compares the tarball with one that
// was packed before.
//   node scripts/package/reproduce.js build/release    the folder with the tarball

import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { run, runScript, step } from "../setup/run.js";
import { project } from "../setup/setup.js";

/**
 * The tarball in a folder.
 * @param {string} folder
 * @returns {Promise<{name: string, digest: string}>} with its SHA-256
 */
export async function tarballIn(folder) {
  const found = (await readdir(folder)).filter((name) => name.endsWith(".tgz"));
  if (found.length !== 1) throw new Error(`${folder} must have one tarball; got ${found.length}.`);
  const bytes = await readFile(join(folder, found[0]));
  return { name: found[0], digest: createHash("sha256").update(bytes).digest("hex") };
}

/**
 * @param {{name: string, digest: string}} first @param {{name: string, digest: string}} second
 * @throws {Error} if they differ
 */
export function mustBeSame(first, second) {
  if (first.name === second.name && first.digest === second.digest) return;
  const both = [first, second].map(({ name, digest }) => `${name} ${digest}`).join("\nsecond ");
  throw new Error(`The same commit must give the same tarball; got\nfirst  ${both}`);
}

/**
 * Runs git in a checkout of any owner: that of a workflow belongs to another user than the container's, which git calls
 * dubious.
 * @param {string} folder @param {string[]} args
 */
export const git = (folder, ...args) =>
  run("git", ["-c", `safe.directory=${folder}`, ...args], { cwd: folder, quiet: true });

/** @param {string} folder  with the first tarball */
async function main(folder) {
  const first = await tarballIn(folder);
  const again = join(project, "build", "again");
  const packed = join(project, "build", "again-packed");
  await rm(packed, { recursive: true, force: true });
  await mkdir(packed, { recursive: true });
  const npm = (/** @type {string[]} */ ...args) => run("npm", args, { cwd: again, quiet: true });
  await git(project, "worktree", "add", "--force", "--detach", again, "HEAD");
  try {
    // The workflow adds the origin of the package there, which git does not know.
    await copyFile(join(project, "package.json"), join(again, "package.json"));
    await step("Installing once more", () => npm("ci", "--ignore-scripts", "--no-audit"));
    await step("Building once more", () => npm("run", "build"));
    await npm("pack", "--pack-destination", packed);
  } finally {
    await git(project, "worktree", "remove", "--force", again);
  }
  mustBeSame(first, await tarballIn(packed));
  console.log(`Built twice, the same: ${first.name} ${first.digest}`);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runScript(() => main(resolve(process.argv[2])));
}
