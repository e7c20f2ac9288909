// The runner of the tiers: what fails once is flaky where a tier retries, what fails twice has failed.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { closing } from "../../../scripts/test/runner.js";
import { run } from "../../../scripts/setup/run.js";
import { project } from "../../../scripts/setup/setup.js";

await mkdir(join(project, "build"), { recursive: true });
const folder = await mkdtemp(join(project, "build", "runner-"));
after(() => rm(folder, { recursive: true }));

/** A test file that notes each of its runs, so that a test can fail in the first alone. @param {string} body */
const file = (body) => `
import assert from "node:assert/strict";
import { appendFileSync, existsSync } from "node:fs";
import { describe, test } from "node:test";
const runs = new URL(import.meta.url).pathname + ".runs";
const isFirst = !existsSync(runs);
appendFileSync(runs, "1");
${body}`;

const files = {
  "steady.test.js": `test("passes", () => {}); test("is left out", { skip: true }, () => {});`,
  "once.test.js": `describe("outer", () => {
    test("fails once", () => assert.ok(!isFirst, "as on a loaded\\nmachine"));
    test("passes", () => {});
  });`,
  "twice.test.js": `test("outer", async (t) => { await t.test("fails twice", () => assert.fail("always")); });`,
  "shared.test.js": `import { testAll } from "./shared.js"; testAll(isFirst);`,
  "load.test.js": `if (isFirst) throw new Error("in loading"); test("passes", () => {});`,
};
// Tests that are defined in a file that is no test, as those of every page are.
const shared = `
import assert from "node:assert/strict";
import { test } from "node:test";
export const testAll = (isFirst) => test("of a shared file", () => assert.ok(!isFirst, "as before"));`;
await writeFile(join(folder, "shared.js"), shared);
for (const [name, body] of Object.entries(files)) await writeFile(join(folder, name), file(body));

/**
 * Runs the files as a tier, in a separate process: Node's runner does not run within a test.
 * @param {string[]} names @param {boolean} retries @param {string} [late]  code of the builds that files wait for
 * @returns {Promise<import("../../../scripts/test/runner.js").Result>}
 */
async function outcomeOf(names, retries, late = "[]") {
  const paths = names.map((name) => relative(join(project, "tests"), join(folder, name)));
  const program = join(folder, "program.mjs");
  const code = `
    import { runTier } from "../../scripts/test/runner.js";
    import { until } from "../../tests/until.js";
    import { existsSync, writeFileSync } from "node:fs";
    const at = (name) => new URL(name, import.meta.url);
    const none = async () => async () => {};
    const result = await runTier({ tier: "trial", files: ${JSON.stringify(paths)}, concurrency: 2,
      retries: ${retries}, budget: 0, prepare: async () => ${late}, share: none });
    console.log("\\n" + JSON.stringify(result));`;
  await writeFile(program, code);
  const { stdout } = await run(process.execPath, [program], {
    cwd: project,
    env: { NODE_TEST_CONTEXT: undefined },
    capture: true,
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** @param {import("../../../scripts/test/runner.js").Failure[]} failures */
const linesOf = (failures) => failures.map(({ test, line }) => `${test}: ${line}`);

test("runner: a test that fails, then passes alone, is flaky; one that fails twice has failed", async () => {
  const { counts, flaky, failed } = await outcomeOf(Object.keys(files), true);
  assert.deepEqual(counts, { tests: 8, passed: 2, failed: 5, skipped: 1 });
  assert.deepEqual(linesOf(failed), ["outer > fails twice: always"]);
  assert.equal(flaky.length, 3);
  assert.ok(linesOf(flaky).includes("outer > fails once: as on a loaded"), linesOf(flaky).join());
  assert.ok(linesOf(flaky).includes("of a shared file: as before"), linesOf(flaky).join());
  assert.ok(flaky.some(({ file }) => file.endsWith("load.test.js")));
});

test("runner: without retries each file runs once, and what fails has failed", async () => {
  await Promise.all(Object.keys(files).map((name) => rm(join(folder, `${name}.runs`))));
  const { flaky, failed } = await outcomeOf(["once.test.js", "steady.test.js"], false);
  assert.deepEqual(flaky, []);
  assert.deepEqual(linesOf(failed), ["outer > fails once: as on a loaded"]);
  assert.equal(await readFile(join(folder, "once.test.js.runs"), "utf8"), "1");
});

test("runner: a file waits for its build while others run", async () => {
  await Promise.all(
    Object.keys(files).map((name) => rm(join(folder, `${name}.runs`), { force: true })),
  );
  await writeFile(
    join(folder, "needy.test.js"),
    file(`test("is built", () => {
    assert.ok(existsSync(new URL("built", import.meta.url)));
  });`),
  );
  const ready = `until(() => existsSync(at("steady.test.js.runs")), "others run")
    .then(() => writeFileSync(at("built"), ""))`;
  const names = ["needy.test.js", "steady.test.js"];
  const { counts, failed } = await outcomeOf(names, false, `[{ paths: /needy/, ready: ${ready} }]`);
  assert.deepEqual(failed, []);
  assert.deepEqual(counts, { tests: 3, passed: 2, failed: 0, skipped: 1 });
});

test("runner: a file that ended early is no flaky one if a test of it fails in the second run", async () => {
  const body = `if (isFirst) process.exit(1);
    test("fails", () => assert.fail("always"));`;
  await writeFile(join(folder, "exit.test.js"), file(body));
  const { flaky, failed } = await outcomeOf(["exit.test.js"], true);
  assert.deepEqual(flaky, []);
  assert.deepEqual(
    failed.map(({ test }) => test),
    ["the whole file"],
  );
});

test("runner: a build that fails ends the run with its reason", async () => {
  const late = `[{ paths: /needy/, ready: Promise.reject(new Error("it does not compile")) }]`;
  const ending = outcomeOf(["needy.test.js", "steady.test.js"], false, late);
  await assert.rejects(ending, ({ stderr }) => /it does not compile/.test(stderr));
});

test("runner: CPU seconds are those of all child processes, also of what ends before or after a sample", async (t) => {
  if (!existsSync("/proc/self/stat")) return t.skip("nothing is measured here");
  const burn = `
    function burn() {
      const from = process.cpuUsage();
      for (let used = 0; used < 2e5; ) {
        const { user, system } = process.cpuUsage(from);
        used = user + system;
      }
    }
    burn();`;
  const twice = `${burn}
    console.log("half");
    process.stdin.once("data", () => (burn(), process.exit()));`;
  const code = `
    import { spawn, spawnSync } from "node:child_process";
    import { once } from "node:events";
    import { readFileSync } from "node:fs";
    import { Meter } from "./scripts/test/cpu.js";
    const [node, burn, twice] = ${JSON.stringify([process.execPath, burn, twice])};
    const meter = new Meter((command) => (command.includes(twice) ? "sampled" : "other"));
    spawnSync(node, ["--eval", burn]);
    spawnSync(node, ["--eval", burn]);
    const child = spawn(node, ["--eval", twice]);
    await once(child.stdout, "data");
    meter.sample();
    child.stdin.write("go");
    await once(child, "exit");
    const sum = [...meter.stop().values()].reduce((sum, each) => sum + each, 0);
    const stat = readFileSync("/proc/self/stat", "latin1").split(") ").at(-1).split(" ");
    console.log(JSON.stringify([sum, (Number(stat[13]) + Number(stat[14])) / 100]));`;
  const args = ["--input-type=module", "--eval", code];
  const { stdout } = await run(process.execPath, args, { cwd: project, capture: true });
  const [sum, all] = JSON.parse(stdout);
  assert.ok(all >= 0.75, `four times 0.2 s have been used; got ${all}`);
  assert.ok(Math.abs(sum - all) < 0.005, `${sum} s were measured of ${all}`);
});

test("runner: the closing lines have the counts, what failed, what was flaky, and a budget that is missed", () => {
  const failure = { file: "web/a.test.js", test: "outer > inner", line: "1 !== 2" };
  const lines = closing({
    tier: "web",
    counts: { tests: 3, passed: 1, failed: 2, skipped: 0 },
    failed: [failure],
    flaky: [{ ...failure, test: "other" }],
    wall: 61.2,
    cpu: 120.4,
    build: 20,
    budget: 90,
    files: [["web/a.test.js", 12.34]],
  });
  assert.deepEqual(lines, [
    "web: 3 tests, 1 passed, 2 failed, 0 skipped; 61 s, CPU 100 s of 90 s: over budget, build 20 s",
    "  failed: web/a.test.js > outer > inner: 1 !== 2",
    "  flaky: web/a.test.js > other: 1 !== 2",
    "  CPU seconds of the slowest files:",
    "      12.3 web/a.test.js",
  ]);
});

test("runner: no test is twice in the record of flaky tests: it is mended or removed", async () => {
  const record = JSON.parse(await readFile(join(project, "tests/flaky.json"), "utf8"));
  for (const { date, test, line } of record) {
    assert.match(date, /^\d{4}-\d{2}-\d{2}$/);
    assert.ok(test && line);
  }
  const names = record.map((/** @type {{ test: string }} */ { test }) => test);
  assert.deepEqual(names, [...new Set(names)]);
});
