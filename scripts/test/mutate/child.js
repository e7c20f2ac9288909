// A process of scripts/test/mutate.js: it measures which mutants each test reaches, or tries mutants.

import { readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { reachedOf } from "./reached.js";
import { begin, collected, pending } from "./tests.js";

/** @import { Mutant } from "./mutants.js" */

/**
 * A mutant with the tests that may notice it, the quickest first: the test's file, its place there, its milliseconds.
 * @typedef {{ id: number, file: string, index: number, tests: [file: string, index: number, ms: number][] }} Job
 */

/** A test that takes longer than this multiple of its usual time hangs. */
const PATIENCE = 8;

const project = fileURLToPath(new URL("../../../", import.meta.url));
const session = new Session();
session.connect();

/** @param {string} method @param {object} [params] */
function post(method, params) {
  let answer = /** @type {any} */ (undefined);
  session.post(method, params, (error, result) => {
    if (error) throw error;
    answer = result;
  });
  return answer;
}

/** @type {(reason: unknown) => void} */
let fail = () => {};
process.on("uncaughtException", (error) => fail(error));
process.on("unhandledRejection", (error) => fail(error));

/** @param {() => Promise<void>} test @param {number} limit  in milliseconds @returns {Promise<boolean>} */
async function passes(test, limit) {
  let timer;
  const other = new Promise((_, reject) => {
    fail = reject;
    timer = setTimeout(reject, limit);
  });
  try {
    await Promise.race([test(), other]);
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

/** @type {Map<string, (() => Promise<void>)[]>} */
const files = new Map();

/** The tests of a file. @param {string} file */
async function testsOf(file) {
  const known = files.get(file);
  if (known) return known;
  begin();
  await import(pathToFileURL(join(project, file)).href);
  await Promise.all(pending);
  files.set(file, [...collected]);
  return [...collected];
}

/** @param {any} message */
const send = (message) => new Promise((resolve) => process.send?.(message, resolve));

/**
 * For each test the mutants that it reaches; index -1: importing the file.
 * @param {string} file @param {Record<string, Mutant[]>} mutants  by source
 */
async function measure(file, mutants) {
  const take = () => {
    const { result } = post("Profiler.takePreciseCoverage");
    return Object.entries(mutants).map(([source, list]) => {
      const url = pathToFileURL(join(project, source)).href;
      const scripts = result.filter((/** @type {any} */ each) => each.url === url);
      const functions = scripts.flatMap((/** @type {any} */ script) => script.functions);
      const { length } = readFileSync(join(project, source));
      return [source, ...reachedOf(list, functions, length)];
    });
  };
  const tests = await testsOf(file);
  await send({ file, index: -1, reached: take() });
  for (const [index, test] of tests.entries()) {
    const isFirstGood = await passes(test, 60_000);
    const reached = take();
    const began = Date.now();
    const isGood = isFirstGood && (await passes(test, 60_000));
    await send({ file, index, isGood, ms: Date.now() - began, reached });
    take();
  }
}

/** What a test has done to mutants of a source. @type {Map<string, { kills: number, ms: number }>} */
const known = new Map();

/** @param {Job} job @param {boolean} isFirst  whether nothing is imported yet */
async function attempt({ id, file, index: number, tests }, isFirst) {
  const { choose } = await import(`phasor:mutant/${file}`);
  const of = (/** @type {Job["tests"][number]} */ [test, index, ms]) => {
    const key = `${file} ${test} ${index}`;
    if (!known.has(key)) known.set(key, { kills: 0, ms });
    return /** @type {{ kills: number, ms: number }} */ (known.get(key));
  };
  /** The quickest first, but those first that have noticed many. @param {Job["tests"][number]} one */
  const worth = (one) => (of(one).kills + 0.1) / (of(one).ms + 2);
  const order = tests.toSorted((a, b) => worth(b) - worth(a));
  for (const [test, index, ms] of order) {
    const limit = 2000 + PATIENCE * ms;
    if (!isFirst) await testsOf(test);
    choose(number);
    await send({ id, limit, test });
    const one = await testsOf(test).then(
      (all) => all[index],
      () => undefined,
    );
    const began = Date.now();
    const isKilled = !one || !(await passes(one, limit));
    if (!isFirst) choose(-1);
    if (!isKilled) continue;
    const done = of([test, index, ms]);
    ++done.kills;
    done.ms = Math.max(done.ms, Date.now() - began);
    await send({ id, killed: true, test, index });
    // What the mutant has left behind may break the tests of the next ones.
    if (isFirst || !one || !(await passes(one, limit))) process.exit();
    return;
  }
  await send({ id, killed: false });
}

process.on("disconnect", () => process.exit()); // mutate.js has ended
process.on("message", async (/** @type {any} */ { measured, mutants, jobs, isFirst }) => {
  if (measured) {
    post("Profiler.enable");
    post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    for (const file of measured) await measure(file, mutants);
  } else for (const job of jobs) await attempt(job, isFirst);
  process.exit();
});
