// The commands of the README install the packages themselves, so what they load before that must need none.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { project } from "../../../scripts/setup/setup.js";

/** `import … from "x"`, `import "x"` and `export … from "x"`, at the beginning of a line. */
const STATIC = /^(?:import|export)\s(?:[^;"']*?\sfrom\s)?"([^"]+)"/gm;

/** What a module requires where it is loaded. */
const REQUIRED = /\bcreateRequire\(import\.meta\.url\)\("([^"]+)"\)/g;

/**
 * Packages that are loaded with a module, and by which file.
 * @param {string} file @param {Set<string>} [seen]
 * @returns {string[]}
 */
function packagesOf(file, seen = new Set()) {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(file, "utf8");
  const found = [STATIC, REQUIRED].flatMap((pattern) => [...text.matchAll(pattern)]);
  const imports = found.map(([, name]) => name);
  return imports.flatMap((name) => {
    if (name.startsWith("node:")) return [];
    if (name.startsWith(".")) return packagesOf(join(dirname(file), name), seen);
    return [`${name} in ${file.slice(project.length + 1)}`];
  });
}

const PROGRAMS = "x site/start package/build test/tiers bench/bench package/wheel".split(" ");
for (const script of PROGRAMS) {
  test(`fresh clone: scripts/${script}.js loads no package before the packages are installed`, () => {
    assert.deepEqual(packagesOf(join(project, `scripts/${script}.js`)), []);
  });
}

test("fresh clone: a package that a module imports is found, also through other modules", () => {
  const found = packagesOf(join(project, "scripts/site/fonts.js"));
  assert.ok(found.includes("subset-font in scripts/site/fonts.js"), found.join());
  assert.ok(packagesOf(join(project, "scripts/site/page-speed.js")).length > 0);
});
