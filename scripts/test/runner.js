// Runs test files by Node's runner, some once more, and prints how they went and what they cost.

import { join, relative } from "node:path";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { isNight } from "../../tests/sample.js";
import { Meter } from "./cpu.js";
import { project } from "../setup/setup.js";

/**
 * A test that failed.
 * @typedef {object} Failure
 * @property {string} file  path in tests/
 * @property {string} test  its name after those of the tests around it
 * @property {string} line  the first line of the failure
 */

/**
 * The result of a run.
 * @typedef {object} Outcome
 * @property {Record<string, number>} counts  of tests, by how they ended
 * @property {Failure[]} failed
 * @property {Set<string>} passed  "file > test"
 */

/** The name of what fails outside of tests, as in loading. */
const WHOLE = "the whole file";

/** Minutes after which a file is given up. */
const PATIENCE = isNight ? 60 : 20;

/** @param {Pick<Failure, "file" | "test">} failure */
const nameOf = ({ file, test }) => `${file} > ${test}`;

/** Totals that Node's runner prints at the end of each file; those of all files come at the end. */
const TOTAL = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) /;

/**
 * A build that some files wait for, while the others run.
 * @typedef {{ paths: RegExp, ready: Promise<unknown> }} Late
 */

/**
 * Runs files in this order and prints their tests. (`node --test` sorts files by name.) Each has a separate run, so
 * that a test belongs to the file that ran it: one that several files import defines tests of each.
 * @param {string[]} files  paths in tests/ @param {number} concurrency
 * @param {Late[]} [late]  builds of some of the files, which come next when they are ready
 * @returns {Promise<Outcome>}
 */
async function runFiles(files, concurrency, late = []) {
  /** @type {Outcome} */
  const outcome = {
    counts: { tests: 0, passed: 0, failed: 0, skipped: 0 },
    failed: [],
    passed: new Set(),
  };
  const report = new PassThrough({ objectMode: true });
  const printed = finished(
    report.pipe(new spec()).on("data", (text) => process.stdout.write(text)),
  );
  const waiting = files.filter((file) => !late.some(({ paths }) => paths.test(file)));
  const builds = late.map(async ({ paths, ready }) => {
    await ready.catch((error) => {
      waiting.length = 0; // as if nothing had been built
      throw error;
    });
    waiting.unshift(...files.filter((file) => paths.test(file)));
  });
  const runNext = async () => {
    for (const build of [undefined, ...builds]) {
      await build;
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        for (const event of await runFile(file, outcome)) report.write(event);
      }
    }
  };
  await Promise.all([...Array.from({ length: concurrency }, runNext), ...builds]);
  const { tests, passed, failed, skipped } = outcome.counts;
  for (const message of [
    `tests ${tests}`,
    `pass ${passed}`,
    `fail ${failed}`,
    `skipped ${skipped}`,
  ]) {
    report.write({ type: "test:diagnostic", data: { nesting: 0, message } });
  }
  report.end();
  await printed;
  return outcome;
}

/**
 * Runs a file and adds its tests to what came out.
 * @param {string} file  path in tests/ @param {Outcome} outcome
 * @returns {Promise<object[]>} the events to print
 */
async function runFile(file, { counts, failed, passed }) {
  const path = join(project, "tests", file);
  const events = [];
  /** The tests around the next event. @type {string[]} */
  let within = [];
  /** @param {{ name: string, nesting: number }} event */
  const testOf = ({ name, nesting }) => ({
    file,
    test: name === path ? WHOLE : [...within.slice(0, nesting), name].join(" > "),
  });
  /** @type {AsyncIterable<{ type: string, data: any }>} */
  const stream = run({ files: [path], concurrency: 1, timeout: PATIENCE * 60_000 });
  for await (const event of stream) {
    const { type, data } = event;
    if (type === "test:diagnostic" && data.nesting === 0 && TOTAL.test(data.message)) continue;
    events.push(event);
    if (type === "test:start") within = [...within.slice(0, data.nesting), data.name];
    if (type !== "test:pass" && type !== "test:fail") continue;
    const hasPassed = type === "test:pass";
    if (data.details.type !== "suite") {
      counts.tests += 1;
      counts[hasPassed ? (data.skip === undefined ? "passed" : "skipped") : "failed"] += 1;
    }
    if (hasPassed) passed.add(nameOf(testOf(data)));
    else if (data.details.error.failureType !== "subtestsFailed") {
      const cause = data.details.error.cause ?? data.details.error;
      failed.push({ ...testOf(data), line: String(cause.message ?? cause).split("\n")[0] });
    }
  }
  return events;
}

/**
 * Runs the files of tests that failed once more, alone: what passes then was flaky.
 * @param {Failure[]} failed
 * @returns {Promise<{ flaky: Failure[], failed: Failure[] }>}
 */
async function runAgain(failed) {
  const files = [...new Set(failed.map(({ file }) => file))];
  console.log(`Once more, alone: ${files.join(", ")}`);
  const { passed, failed: again } = await runFiles(files, 1);
  const wrong = new Set(again.map(({ file }) => file));
  const isFlaky = (/** @type {Failure} */ failure) =>
    passed.has(nameOf(failure)) || (failure.test === WHOLE && !wrong.has(failure.file));
  return { flaky: failed.filter(isFlaky), failed: failed.filter((each) => !isFlaky(each)) };
}

/**
 * The result of a tier, as the last lines of a run print it.
 * @typedef {object} Result
 * @property {string} tier
 * @property {Record<string, number>} counts
 * @property {Failure[]} failed
 * @property {Failure[]} flaky
 * @property {number} wall  seconds
 * @property {number} cpu  seconds, 0 where they are not measured
 * @property {number} build  those of them that the build took, and other programs
 * @property {number} budget  CPU seconds without the build; 0 for none
 * @property {[file: string, seconds: number][]} files  CPU seconds of each, the slowest first
 */

/**
 * Runs the tests of a tier.
 * @param {object} of
 * @param {string} of.tier
 * @param {string[]} of.files  paths in tests/
 * @param {number} of.concurrency
 * @param {boolean} of.retries  whether a failure may be one of a loaded machine
 * @param {number} of.budget  CPU seconds of the whole tier; 0 for none
 * @param {() => Promise<() => Promise<unknown>>} of.share  starts what the files share, and returns what ends it
 * @param {() => Promise<Late[]>} of.prepare  builds what they need
 * @returns {Promise<Result>}
 */
export async function runTier({ tier, files, concurrency, retries, budget, share, prepare }) {
  const start = performance.now();
  const meter = new Meter(groupOf, "browser", (group) => group.endsWith(".test.js"));
  const late = await prepare();
  const building = ownSeconds(); // bundling is in this process
  const end = await share();
  const { counts, failed } = await runFiles(files, concurrency, late).catch(async (error) => {
    await end();
    throw error;
  });
  const judged = retries && failed.length > 0 ? await runAgain(failed) : { failed, flaky: [] };
  await end();
  const seconds = meter.stop();
  const own = seconds.size > 0 ? ownSeconds() : 0;
  const cpu = [...seconds.values()].reduce((sum, each) => sum + each, own);
  return {
    tier,
    counts,
    ...judged,
    wall: (performance.now() - start) / 1000,
    cpu,
    build: seconds.size > 0 ? building + (seconds.get("build") ?? 0) : 0,
    budget,
    files: [...seconds].filter(([group]) => group !== "build").sort(([, a], [, b]) => b - a),
  };
}

/** CPU seconds of this process. */
function ownSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** What a child process is for: a test file, the browser that files share, or a build. @param {string[]} command */
function groupOf(command) {
  const folder = join(project, "tests");
  const test = command.find((word) => word.startsWith(folder) && word.endsWith(".test.js"));
  if (test !== undefined) return relative(folder, test);
  return command.some((word) => word === "--headless") ? "browser" : "build";
}

/** @param {number} x */
const seconds = (x) => `${x.toFixed(0)} s`;

/** The closing lines of a tier. @param {Result} result @returns {string[]} */
export function closing({ tier, counts, failed, flaky, wall, cpu, build, budget, files }) {
  const ended = Object.entries(counts).map(([how, count]) => `${count} ${how}`);
  const limit =
    budget > 0 ? ` of ${seconds(budget)}${cpu - build > budget ? ": over budget" : ""}` : "";
  const spent = cpu > 0 ? `, CPU ${seconds(cpu - build)}${limit}, build ${seconds(build)}` : "";
  const each = (/** @type {string} */ what, /** @type {Failure[]} */ list) =>
    list.map((failure) => `  ${what}: ${nameOf(failure)}: ${failure.line}`);
  const slowest = files
    .slice(0, 10)
    .map(([file, cpu]) => `    ${cpu.toFixed(1).padStart(6)} ${file}`);
  return [
    `${tier}: ${ended.join(", ")}; ${seconds(wall)}${spent}`,
    ...each("failed", failed),
    ...each("flaky", flaky),
    ...(slowest.length > 0 ? ["  CPU seconds of the slowest files:", ...slowest] : []),
  ];
}
