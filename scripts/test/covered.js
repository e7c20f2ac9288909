// What runs of Node have covered of the sources of bundles, for `npm run x -- test:coverage`.

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { run } from "../setup/run.js";

/**
 * Lines of a file, and those that ran; of JavaScript also V8's blocks, to which branches lead, and those that ran.
 * @typedef {{ file: string, lines: number, covered: number, blocks?: number, ran?: number }} Coverage
 */

/**
 * The coverage of each source below src/, through the source maps of dist/. A source that no run has loaded is one block.
 * @param {string} root  of src/ and dist/ @param {string} folder  in which v8/ is what Node has written, by NODE_V8_COVERAGE
 * @param {NodeJS.ProcessEnv} env  to find c8
 * @returns {Promise<Coverage[]>}
 */
export async function covered(root, folder, env) {
  // Without dist/ the bundles were left out before they are mapped; excluded after it, each source in them would count
  // as covered, because Node names it by a URL.
  const report = ["--reporter=json-summary", "--include=src/**", "--include=dist/**", "--all"];
  const folders = ["--temp-directory", join(folder, "v8"), "--reports-dir", folder];
  await run("c8", ["report", ...folders, ...report, "--src=src"], { cwd: root, env, quiet: true });
  const { total: _, ...files } = JSON.parse(
    readFileSync(join(folder, "coverage-summary.json"), "utf8"),
  );
  return Object.entries(files).flatMap(([path, { lines, branches }]) => {
    const file = relative(root, path).replaceAll("\\", "/");
    if (!file.startsWith("src/")) return [];
    const [blocks, ran] = [branches.total, branches.covered];
    return [{ file, lines: lines.total, covered: lines.covered, blocks, ran }];
  });
}

/** @param {string} title @param {readonly Coverage[]} files */
export function print(title, files) {
  const share = (/** @type {number} */ part, /** @type {number} */ all) =>
    `${(all > 0 ? (100 * part) / all : 100).toFixed(1).padStart(5)} %`;
  const shares = (/** @type {Omit<Coverage, "file">} */ { lines, covered, blocks, ran = 0 }) =>
    share(covered, lines) + (blocks === undefined ? "" : `  ${share(ran, blocks)}`);
  const left = (/** @type {Coverage} */ { lines, covered, blocks = 0, ran = 0 }) =>
    [`${lines - covered} lines`, ...(blocks > ran ? [`${blocks - ran} blocks`] : [])].join(", ");
  const sum = (/** @type {"lines" | "covered" | "blocks" | "ran"} */ key) =>
    files.reduce((total, file) => total + (file[key] ?? 0), 0);
  const isWhole = (/** @type {Coverage} */ { lines, covered, blocks = 0, ran = 0 }) =>
    covered === lines && ran === blocks;
  const hasBlocks = files.some(({ blocks }) => blocks !== undefined);
  const of = hasBlocks ? `, ${share(sum("ran"), sum("blocks")).trim()} of blocks` : "";
  console.log(`\n${title}: ${share(sum("covered"), sum("lines")).trim()} of lines${of}`);
  console.log(`  100 % of ${files.filter(isWhole).length} files; the others:`);
  const others = files.filter((file) => !isWhole(file));
  others.sort((a, b) => a.covered / a.lines - b.covered / b.lines);
  for (const file of others) console.log(`  ${shares(file)}  ${file.file} (${left(file)})`);
}
