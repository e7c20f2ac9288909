import { join } from "node:path";
import { readFileSync } from "node:fs";
import { fontPackages } from "../../scripts/site/fonts.js";
import { BORROWED, notices as textOf, packageOf } from "../../scripts/package/notices.js";
import { project } from "../../scripts/setup/setup.js";

/** The bundled packages, including those of workers, which Vite builds before the pages. @type {Set<string>} */
const packages = new Set([BORROWED, ...fontPackages]);

/** Notes that a bundle has modules of these paths. @param {Iterable<string>} paths */
export function note(paths) {
  for (const path of paths) {
    const name = packageOf(path);
    if (name) packages.add(name);
  }
}

/** Finds the packages of a build. @returns {import("vite").Plugin} */
export const noticing = () => ({
  name: "noticing",
  generateBundle(_, bundle) {
    for (const made of Object.values(bundle)) {
      if (made.type === "chunk") note(Object.keys(made.modules));
    }
  },
});

/**
 * The notices of all bundled packages: licenses.txt.
 * @returns {import("vite").Plugin}
 */
export const notices = () => ({
  name: "notices",
  generateBundle() {
    const core = readFileSync(join(project, "dist/core.LEGAL.txt"), "utf8");
    const own = `phasor\n\n${readFileSync(join(project, "LICENSE"), "utf8").trim()}\n`;
    const data = readFileSync(join(project, "web/data/minilm-license.txt"), "utf8").trim();
    const model = `sentence-transformers/all-MiniLM-L6-v2: its embedding layer, rounded\n\n${data}\n`;
    const source = [own, core, model, textOf(packages)].join(`\n${"-".repeat(80)}\n\n`);
    this.emitFile({ type: "asset", fileName: "licenses.txt", source });
  },
});
