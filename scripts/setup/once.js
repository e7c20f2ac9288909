// Work that is repeated only when its inputs have changed.

import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, relative, resolve } from "node:path";
import { step } from "./run.js";
import { project } from "./setup.js";

/** Records the inputs of each work. */
const memory = join(project, "build", ".once");

/**
 * Makes files from other files, unless both are unchanged since the last time.
 *
 * @param {string} name  of the work
 * @param {object} files  paths from the project's folder; a folder stands for all files in it
 * @param {string[]} files.from
 * @param {string[]} files.to
 * @param {string} [files.by]  what else the result depends on: versions of tools, options
 * @param {() => unknown} work
 */
export async function once(name, { from, to, by = "" }, work) {
  const stamp = join(memory, name.replaceAll("/", "-"));
  const source = digestOf(from, by);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === `${source} ${digestOf(to)}`) return;
  rmSync(stamp, { force: true });
  await work();
  mkdirSync(memory, { recursive: true });
  writeFileSync(stamp, `${source} ${digestOf(to)}`);
}

/**
 * Fills a folder, unless it was filled from the same files.
 *
 * @param {string} folder  below build/
 * @param {string} title  for the reader
 * @param {string[]} from  files
 * @param {(folder: string) => Promise<unknown>} work
 */
export async function fill(folder, title, from, work) {
  const filled = join(folder, ".filled");
  const files = { from: from.map(named), to: [named(filled)] };
  await once(named(folder), files, () =>
    step(title, async () => {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { recursive: true });
      await work(folder);
      writeFileSync(filled, "");
    }),
  );
}

/** A file's path from the project's folder. @param {string} path */
const named = (path) => relative(project, path);

/**
 * The files in a folder whose names end with one of the suffixes.
 *
 * @param {string} folder  from the project's folder
 * @param {...string} suffixes
 */
export function filesIn(folder, ...suffixes) {
  return readdirSync(join(project, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => suffixes.some((suffix) => name.endsWith(suffix)))
    .map((name) => join(folder, name))
    .sort();
}

/**
 * A digest of the names and bytes of files, and of a text.
 * @param {string[]} paths  files and folders, from the project's folder; they may be missing
 * @param {string} [text]
 */
function digestOf(paths, text = "") {
  const hash = createHash("sha256").update(`${text}\0`);
  /** @param {string} path */
  const add = (path) => {
    const at = resolve(project, path);
    if (!existsSync(at)) hash.update(`${path}\0missing\0`);
    else if (statSync(at).isDirectory()) {
      for (const name of readdirSync(at).sort()) add(`${path}/${name}`);
    } else {
      const bytes = readFileSync(at);
      hash.update(`${path}\0${bytes.length}\0`).update(bytes);
    }
  };
  paths.forEach(add);
  return hash.digest("hex");
}
