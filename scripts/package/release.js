// Makes a release of the committed state: checks, builds, packs, then a commit and a tag. Pushing the tag
// publishes it (.github/workflows/publish.yml).
//   npm run release -- 0.2.0
//   npm run release -- 0.2.0 --dry-run   the same, and everything is put back

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { sectionOf } from "./notes.js";
import { removeProxies, writeProxies } from "./proxies.js";
import { run, runScript, step } from "../setup/run.js";
import { project, setup } from "../setup/setup.js";

/** The files that a release changes. */
const changed = ["package.json", "package-lock.json", "CHANGELOG.md"];

/**
 * @param {string} version
 * @param {object} options
 * @param {boolean} options.dryRun
 * @param {string} options.compiler  version of Emscripten
 * @param {() => Promise<unknown>} options.prepare  builds dist/, and tests what is to be packed
 * @param {string} [options.folder]  a repository with a package
 * @throws {Error} in words, when something is not as a release needs it; nothing is changed then
 */
export async function release(version, { dryRun, compiler, prepare, folder = project }) {
  const git = async (/** @type {string[]} */ ...args) =>
    (await run("git", args, { cwd: folder, capture: true })).stdout.trim();
  const npm = async (/** @type {string[]} */ ...args) =>
    (await run("npm", args, { cwd: folder, capture: true })).stdout;
  const read = (/** @type {string} */ path) => readFile(join(folder, path), "utf8");

  const status = await git("status", "--porcelain");
  if (status) throw new Error(`Everything must be committed; got\n${status}`);
  const tags = (await git("tag", "--list", "v*")).split("\n").filter(Boolean);
  checkVersion(version, JSON.parse(await read("package.json")).version, tags);
  const log = await read("CHANGELOG.md");
  const heading = headingOf(log, version, compiler);

  try {
    const date = new Date().toISOString().slice(0, 10);
    await writeFile(join(folder, "CHANGELOG.md"), log.replace(heading, `## ${version} (${date})`));
    await npm("version", version, "--no-git-tag-version", "--allow-same-version");
    await prepare();
    await mkdir(join(folder, "build"), { recursive: true });
    const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", "build"];
    writeProxies(folder);
    const [packed] = JSON.parse((await npm(...pack)).replace(/^[^[]*/, ""));
    console.log(describe(packed));
    if (dryRun) return;
    await git("commit", "--quiet", "--message", version, ...changed);
    await git("tag", "--annotate", "--message", version, `v${version}`);
  } finally {
    removeProxies(folder);
    // Restores the files if the commit failed.
    await git("checkout", "--quiet", "HEAD", "--", ...changed);
  }
}

/** @param {string} version @param {string} current @param {string[]} tags */
function checkVersion(version, current, tags) {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(version)) {
    throw new Error(`version must be three numbers such as 0.2.0; got ${version}.`);
  }
  if (isNewer(current, version)) {
    throw new Error(`version must not be older than package.json's ${current}; got ${version}.`);
  }
  const last = tags.map((tag) => tag.slice(1)).find((released) => !isNewer(version, released));
  if (last)
    throw new Error(`version must be newer than ${last}, which is released; got ${version}.`);
}

/** @param {string} a @param {string} b */
function isNewer(a, b) {
  const [ours, theirs] = [a, b].map((version) => version.split(".").map(Number));
  const at = ours.findIndex((number, i) => number !== theirs[i]);
  return at >= 0 && ours[at] > theirs[at];
}

/**
 * The heading of a version in the changelog, whose section names the compiler.
 *
 * @param {string} log @param {string} version @param {string} compiler
 */
function headingOf(log, version, compiler) {
  const section = sectionOf(log, version);
  const words = `Built with Emscripten ${compiler}.`;
  if (!section.includes(words)) {
    throw new Error(`CHANGELOG.md must say of ${version} what it is built with: "${words}"`);
  }
  return section.split("\n")[0];
}

/**
 * What is to be published, as npm packs it.
 *
 * @param {{ name: string, version: string, filename: string, size: number, unpackedSize: number,
 *   integrity: string, files: { path: string, size: number }[] }} packed
 */
function describe({ name, version, filename, size, unpackedSize, integrity, files }) {
  const isType = (/** @type {string} */ path) => path.endsWith(".d.ts");
  const rows = files
    .filter(({ path }) => !isType(path))
    .map(({ path, size }) => `  ${size.toLocaleString("en").padStart(11)}  ${path}`);
  const types = files.filter(({ path }) => isType(path)).length;
  return [
    `\n${name} ${version}: build/${basename(filename)}`,
    ...rows,
    `  and ${types} declarations of types`,
    `  ${size.toLocaleString("en")} bytes, ${unpackedSize.toLocaleString("en")} unpacked`,
    `  ${integrity}`,
  ].join("\n");
}

async function main() {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { "dry-run": { type: "boolean", default: false } },
  });
  const dryRun = values["dry-run"];
  const tools = await setup(["packages", "emscripten", "browser"]);
  const compiler = String(tools.emscripten).split(" ")[0];
  await release(String(positionals[0]), {
    dryRun,
    compiler,
    async prepare() {
      const { build } = await import("./build.js");
      await build();
      const tests = ["tests/hosts/package/package.test.js", "tests/hosts/package/sizes.test.js"];
      await step("Testing what is packed", () =>
        run(process.execPath, ["--test", ...tests], { cwd: project, env: tools.env, quiet: true }),
      );
    },
  });
  console.log(
    dryRun
      ? "\nNothing was changed: this was a dry run."
      : "\nCommitted and tagged; git push --follow-tags publishes it.",
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  await runScript(main);
}
