// The modules' own tests once more, on another build of the package.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { FAMILIES } from "../scripts/modules.js";
import { project } from "../scripts/setup.js";

/**
 * @param {string} module  the build's, from the project's folder
 * @param {string[]} [folders]  of tests/
 * @returns {number} how many tests passed; none failed
 */
export function passTests(module, folders = FAMILIES.slice()) {
  const tests = folders.flatMap((folder) =>
    readdirSync(join(project, "tests", folder))
      .filter((name) => name.endsWith(".test.js"))
      .map((name) => join("tests", folder, name)),
  );
  const env = { ...process.env, PHASOR_ENTRY: pathToFileURL(join(project, module)).href };
  Reflect.deleteProperty(env, "NODE_TEST_CONTEXT"); // a run of its own, not a part of this one
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--test", "--test-reporter=tap", ...tests],
    { cwd: project, env, encoding: "utf8", maxBuffer: 1 << 28 },
  );
  const failures = stdout.split("\n").filter((line) => /^\s*not ok/.test(line));
  assert.equal(status, 0, failures.join("\n") + stderr);
  const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
  assert.ok(passed > tests.length);
  return passed;
}
