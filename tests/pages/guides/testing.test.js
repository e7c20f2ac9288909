// Jest, Vitest, TypeScript and ESLint themselves run these files in `npm run x -- test:matrix`; here Node does.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import { project } from "../../../scripts/setup/setup.js";
import { consumer } from "../../hosts/consumer.js";
import { filesOf } from "./guide.js";

const { folder, put, node } = await consumer({ after });
const files = await filesOf("testing");
const text = (/** @type {string} */ name) => String(files.get(name));

/** What Jest and Vitest give to a test, of Node. */
const globals = `
  import assert from "node:assert/strict";
  import { createRequire } from "node:module";
  const require = createRequire(import.meta.url);
  const expect = (value) => ({
    toBe: (other) => assert.equal(value, other),
    toEqual: (other) => assert.deepEqual(value, other),
  });
  const test = async (name, work) => { await work(); console.log(name); };
`;

for (const name of [
  "positions.test.js",
  "rope.test.js",
  "files.test.js",
  "vitest/positions.test.js",
]) {
  test(`guide testing: ${name} passes`, () => {
    const code = text(name).replace('import { expect, test } from "vitest";', "");
    assert.equal(node(globals + code), /^test\("([^"]+)"/m.exec(code)?.[1]);
  });
}

test("guide testing: Jest's map has exactly the entries with some of the modules", async () => {
  await put("jest.config.cjs", text("jest.config.cjs"));
  const { moduleNameMapper } = createRequire(join(folder, "index.js"))("./jest.config.cjs");
  const [[pattern, to]] = Object.entries(moduleNameMapper);
  assert.equal(to, "phasor");
  const { exports } = createRequire(import.meta.url)(join(project, "package.json"));
  const mapped = Object.keys(exports)
    .map((path) => path.replace(/^\./, "phasor"))
    .filter((name) => new RegExp(pattern).test(name));
  const all = Object.keys(await (await import("phasor")).load());
  assert.equal(mapped.length, 7);
  for (const name of mapped) {
    const modules = Object.keys(await (await import(name)).load());
    assert.deepEqual(
      modules.filter((module) => !all.includes(module)),
      [],
      name,
    );
  }
});

test("guide testing: the program compiles with the settings that it shows", async () => {
  await put("positions.ts", text("positions.ts"));
  await put("tsconfig.json", text("tsconfig.json"));
  const tsc = join(project, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [tsc], { cwd: folder, encoding: "utf8" });
  assert.equal(stdout, "");
  assert.equal(status, 0);
});
