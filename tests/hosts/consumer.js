// An empty project with the packed package installed, as a user has it.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { removeProxies, writeProxies } from "../../scripts/package/proxies.js";
import { fill } from "../../scripts/setup/once.js";
import { project } from "../../scripts/setup/setup.js";

/** Where the package is packed and installed once, for all tests to copy: below it are the project and its list. */
const template = join(project, "build", "consumer");
const made = { project: join(template, "project"), list: join(template, "packed.json") };

/** What a package is packed from. */
const sources = [
  "dist",
  "docs",
  "llms.txt",
  "package.json",
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
];

/**
 * Packs and installs the package, unless it is as the last time. `scripts/test/tiers.js` does it before tests that run at the
 * same time.
 */
export async function installPacked() {
  const from = sources.map((path) => join(project, path));
  await fill(template, "Packing and installing the package", from, async () => {
    await mkdir(made.project);
    const { tarball, packed } = pack(project, made.project);
    await writeFile(join(made.project, "package.json"), '{ "type": "module", "private": true }\n');
    npm(["install", "--offline", "--no-save", tarball], made.project);
    await writeFile(made.list, JSON.stringify({ name: basename(tarball), packed }));
  });
}

/**
 * @param {{ after: (clean: () => Promise<void>) => void }} t  whose end removes the project
 */
export async function consumer(t) {
  const folder = await mkdtemp(join(tmpdir(), "phasor-consumer-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await installPacked();
  await cp(made.project, folder, { recursive: true, verbatimSymlinks: true });
  /** @type {{ name: string, packed: string[] }} */
  const { name, packed } = JSON.parse(await readFile(made.list, "utf8"));
  return {
    folder,
    tarball: join(folder, name),
    /** Paths in the package. */
    packed,
    /** @param {string} path @param {string} text */
    async put(path, text) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    },
    /**
     * What a module prints that runs in the folder.
     * @param {string} code @param {string[]} [flags]  of Node
     */
    node(code, flags = []) {
      return printed(process.execPath, [...flags, "--input-type=module", "--eval", code], folder);
    },
  };
}

/**
 * Pack what lies in a folder. Its dist/ is taken as it stands: `npm test` has just built it.
 * @param {string} folder @param {string} to
 */
export function pack(folder, to) {
  writeProxies(folder);
  const out = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", to], folder);
  removeProxies(folder);
  const [{ filename, files }] = JSON.parse(out.slice(out.indexOf("[\n")));
  return {
    tarball: join(to, filename),
    /** @type {string[]} */
    packed: files.map((/** @type {{path: string}} */ file) => file.path).sort(),
  };
}

/** @param {string[]} args @param {string} cwd */
const npm = (args, cwd) => printed("npm", args, cwd);

/** What a command prints. @param {string} command @param {string[]} args @param {string} [cwd] */
export function printed(command, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  assert.ifError(error);
  assert.equal(status, 0, stderr);
  return stdout.trim();
}
