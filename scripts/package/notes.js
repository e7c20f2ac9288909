// Prints what the changelog says of a version: the text of its release on GitHub.
//   node scripts/package/notes.js 0.2.0

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { project } from "../setup/setup.js";

/**
 * @param {string} log  CHANGELOG.md @param {string} version
 * @returns {string} the version's section with its heading
 * @throws {Error} if it has none
 */
export function sectionOf(log, version) {
  const section = log.split(/^(?=## )/m).find((text) => /^## (\S+)/.exec(text)?.[1] === version);
  if (!section) throw new Error(`CHANGELOG.md must have a section "## ${version}".`);
  return section;
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const log = await readFile(join(project, "CHANGELOG.md"), "utf8");
  const [, ...lines] = sectionOf(log, process.argv[2]).split("\n");
  console.log(lines.join("\n").trim());
}
