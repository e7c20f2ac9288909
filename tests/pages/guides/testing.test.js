// Jest, Vitest, TypeScript and ESLint themselves take these files in `npm run x -- test:matrix`; here Node does.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, test } from "node:test";
import { project } from "../../../scripts/setup/setup.js";
import { consumer } from "../../hosts/consumer.js";
import { filesOf } from "./guide.js";

const { node } = await consumer({ after });
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

test("guide testing: where CommonJS has phasor for another entry, it has all that the entry has", async () => {
  const { exports } = createRequire(import.meta.url)(join(project, "package.json"));
  const same = Object.keys(exports)
    .filter((path) => path !== "." && exports[path].require === exports["."].require)
    .map((path) => path.replace(/^\./, "phasor"));
  assert.equal(same.length, 9);
  const whole = await import("phasor");
  const all = Object.keys(await whole.load());
  for (const name of same) {
    const entry = await import(name);
    const missing = [
      ...Object.keys(entry).filter((exported) => !(exported in whole)),
      ...Object.keys(await entry.load()).filter((module) => !all.includes(module)),
    ];
    assert.deepEqual(missing, [], name);
  }
});
