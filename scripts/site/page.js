// Builds the page into build/page. `node scripts/site/page.js` builds the package first.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { address } from "./address.js";
import { api } from "../package/api.js";
import { build } from "../package/build.js";
import { filesIn, once } from "../setup/once.js";
import { run, step } from "../setup/run.js";
import { project } from "../setup/setup.js";

/** @typedef {import("../setup/setup.js").Tools} Tools */

/** Where the page is built. */
export const page = join(project, "build", "page");

/**
 * Builds the page with Vite, unless nothing that goes into it has changed.
 *
 * @param {Tools} [tools] of a build of the package just made; without them it is built first
 */
export async function buildPage(tools) {
  const { env } = tools ?? (await build({ types: false }));
  const { buildFonts } = await import("./fonts.js"); // it needs a package, which a fresh clone does not have yet
  await buildFonts();
  await api();
  const from = [
    "web",
    "build/api.json",
    "build/fonts",
    "src",
    "scripts/package/modules.js",
    "scripts/site/policy.js",
    "scripts/site/address.js",
    "scripts/package/notices.js",
    "package.json",
    "package-lock.json",
    "scripts/data/accuracy.js",
    "tests/unit/reference", // which measure the errors
    ...filesIn("dist", ".js"),
  ];
  await once("page", { from, to: ["build/page"], by: address }, () =>
    step("Building the page", () => {
      const vite = join(project, "node_modules/vite/bin/vite.js");
      const config = join(project, "web/vite.config.js");
      const options = ["--config", config, "--configLoader", "native", "--logLevel", "warn"];
      return run(process.execPath, [vite, "build", ...options], { cwd: project, env, quiet: true });
    }),
  );
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await buildPage();
