import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";
import { buildSync } from "esbuild";
import { covered } from "../../../scripts/test/covered.js";
import { project } from "../../../scripts/setup/setup.js";

/** Sources, by name; `never` is in no bundle. */
const SOURCES = {
  "index.js": 'export { sign } from "./sign.js";\nexport { idle } from "./idle.js";\n',
  "sign.js": `export function sign(x) {
  if (x < 0) {
    return -1;
  }
  return x > 0 ? 1 : 0;
}
`,
  "idle.js": `export function idle(x) {
  return x + 1;
}
`,
  "never.js": "export const never = 1;\n",
};

test("coverage: lines and blocks of a bundle's sources count as covered only if they ran", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "phasor-coverage-"));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "src"));
  for (const [name, code] of Object.entries(SOURCES)) writeFileSync(join(root, "src", name), code);
  const outfile = join(root, "dist/index.mjs");
  const entryPoints = [join(root, "src/index.js")];
  const how = /** @type {const} */ ({ bundle: true, format: "esm", minify: true, sourcemap: true });
  buildSync({ entryPoints, outfile, ...how });
  writeFileSync(
    join(root, "main.mjs"),
    'import { sign } from "./dist/index.mjs";\nif (sign(3) !== 1) throw new Error();\n',
  );
  const env = { ...process.env, NODE_V8_COVERAGE: join(root, "coverage/v8") };
  execFileSync(process.execPath, ["main.mjs"], { cwd: root, env });

  const PATH = [join(project, "node_modules/.bin"), process.env.PATH].join(delimiter);
  const files = await covered(root, join(root, "coverage"), { ...process.env, PATH });
  /** @param {string} name @returns {Partial<import("../../../scripts/test/covered.js").Coverage>} */
  const of = (name) => files.find(({ file }) => file === `src/${name}.js`) ?? {};
  assert.equal(files.length, 4);
  const none = { file: "src/never.js", lines: 1, covered: 0, blocks: 1, ran: 0 };
  assert.deepEqual(of("never"), none);
  // Which line a block of minified code begins in is V8's and the map's matter, which lines did not run is not.
  const [sign, idle] = [of("sign"), of("idle")];
  assert.ok(sign.covered === 4 || sign.covered === 5, `${sign.covered} of 6 lines: not return -1`);
  assert.ok(Number(sign.ran) < Number(sign.blocks), `${sign.ran} of ${sign.blocks} blocks`);
  assert.ok(Number(idle.covered) < 3, `${idle.covered} of 3 lines: not the function`);
});
