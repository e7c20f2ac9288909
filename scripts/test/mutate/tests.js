// Stands in for node:test and node:assert/strict: tests are collected, and child.js runs each as often as it wants.

import { strict as assert } from "node:assert";

/** @typedef {() => unknown} Work */
/** @typedef {{ outer?: Suite, before: Work[], beforeEach: Work[], afterEach: Work[], ready?: Promise<void> }} Suite */

/** The tests since it was emptied. @type {(() => Promise<void>)[]} */
export const collected = [];

/** What asynchronous suites still do. @type {unknown[]} */
export const pending = [];

/** @param {Suite} [outer] @returns {Suite} */
const suiteIn = (outer) => ({ outer, before: [], beforeEach: [], afterEach: [] });
let suite = suiteIn();

/** The file that is imported next has its own hooks. */
export function begin() {
  collected.length = 0;
  suite = suiteIn();
}

/** @param {Suite} suite @param {"before" | "beforeEach" | "afterEach"} when */
async function run(suite, when) {
  if (suite.outer) await run(suite.outer, when);
  const all = async () => {
    for (const work of suite[when]) await work();
  };
  await (when === "before" ? (suite.ready ??= all()) : all());
}

/** @param {string} _ @param {any[]} rest */
export function test(_, ...rest) {
  const own = suite;
  collected.push(async () => {
    /** @type {Work[]} */
    const last = [];
    const context = {
      skip() {},
      diagnostic() {},
      after: (/** @type {Work} */ work) => last.push(work),
    };
    await run(own, "before");
    await run(own, "beforeEach");
    try {
      await rest.at(-1)(context);
    } finally {
      for (const work of last) await work();
      await run(own, "afterEach");
    }
  });
}

/** @param {string} _ @param {any[]} rest */
export function describe(_, ...rest) {
  const outer = suite;
  suite = suiteIn(outer);
  pending.push(rest.at(-1)());
  suite = outer;
}

/** @param {Work} work */
export const before = (work) => suite.before.push(work);
/** @param {Work} work */
export const beforeEach = (work) => suite.beforeEach.push(work);
/** @param {Work} work */
export const afterEach = (work) => suite.afterEach.push(work);
/** The process ends. */
export function after() {}

/** Node writes the difference of two long arrays in seconds. */
const differs = new Error("the values differ");
/** @param {unknown} a @param {unknown} b */
const equal = (a, b) => assert.equal(a, b, differs);
/** @param {unknown} a @param {unknown} b */
const deepEqual = (a, b) => assert.deepEqual(a, b, differs);
export default Object.assign((/** @type {unknown} */ value) => assert.ok(value), {
  ...assert,
  equal,
  deepEqual,
});
