// Builds the page into build/page. `node scripts/page.js` builds the package first.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "./build.js";
import { run } from "./run.js";
import { project } from "./setup.js";

/** @typedef {import("./setup.js").Tools} Tools */

/** Where the page is built. */
export const page = join(project, "build", "page");

/**
 * Builds the page with Vite, unless nothing that goes into it has changed.
 *
 * @param {Tools} [tools] of a build of the package just made; without them it is built first
 */
export async function buildPage(tools) {
  tools ??= await build({ types: false });
  const stamp = join(page, ".stamp");
  const bundles = readdirSync(join(project, "dist")).filter((name) => name.endsWith(".js"));
  const wanted = fingerprint([
    ...["web", "package.json", "package-lock.json"],
    ...["src", "scripts/reference.js"], // whose comments are the reference
    ...["scripts/accuracy.js", "tests/reference"], // which measure the errors
    ...bundles.sort().map((name) => `dist/${name}`),
  ]);
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  const vite = join(project, "node_modules/vite/bin/vite.js");
  const config = join(project, "web/vite.config.js");
  const options = ["--config", config, "--configLoader", "native", "--logLevel", "warn"];
  await run(process.execPath, [vite, "build", ...options], {
    cwd: project,
    env: tools.env,
    quiet: true,
  });
  writeFileSync(stamp, wanted); // last: a build that failed leaves none
}

/**
 * Of the names and bytes of files.
 * @param {string[]} paths  files and folders, from the project's root
 */
function fingerprint(paths) {
  const hash = createHash("sha256");
  /** @param {string} path */
  const add = (path) => {
    const at = join(project, path);
    if (statSync(at).isDirectory()) {
      for (const name of readdirSync(at).sort()) add(`${path}/${name}`);
    } else {
      const bytes = readFileSync(at);
      hash.update(`${path}\0${bytes.length}\0`).update(bytes);
    }
  };
  paths.forEach(add);
  return hash.digest("hex");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await buildPage();
