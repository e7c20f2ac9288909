import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { project } from "../scripts/setup.js";

test("assertions: the rooms' tests pass on the build with Emscripten's own checks", (t) => {
  const tests = ["tokens", "positions", "attention", "geometry", "training", "api"].flatMap(
    (folder) =>
      readdirSync(join(project, "tests", folder))
        .filter((name) => name.endsWith(".test.js"))
        .map((name) => join("tests", folder, name)),
  );
  const entry = pathToFileURL(join(project, "build", "assertions", "index.js")).href;
  const env = { ...process.env, PHASOR_ENTRY: entry };
  Reflect.deleteProperty(env, "NODE_TEST_CONTEXT"); // a run of its own, not a part of this one
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--test", "--test-reporter=tap", ...tests],
    { cwd: project, env, encoding: "utf8", maxBuffer: 1 << 28 },
  );
  const failures = stdout.split("\n").filter((line) => /^\s*not ok/.test(line));
  assert.equal(status, 0, failures.join("\n") + stderr);
  const passed = Number(/^# pass (\d+)$/m.exec(stdout)?.[1]);
  t.diagnostic(`${passed} tests`);
  assert.ok(passed > tests.length);
});
