import assert from "node:assert/strict";
import { Session } from "node:inspector";
import { test } from "node:test";
import { runInThisContext } from "node:vm";
import { mutantsOfCpp } from "../../../scripts/test/mutate/cpp.js";
import { applied, mutantsOf, switched } from "../../../scripts/test/mutate/mutants.js";
import { reachedOf } from "../../../scripts/test/mutate/reached.js";

/** The changed sources, in their order. @param {string} source */
const changes = (source) => mutantsOf(source).map((mutant) => applied(source, mutant));

test("mutants: comparisons become their neighbors and opposites", () => {
  assert.deepEqual(changes("x = a < b;"), ["x = a <= b;", "x = a >= b;"]);
  assert.deepEqual(changes("x = a >= b;"), ["x = a > b;", "x = a < b;"]);
  assert.deepEqual(changes("x = a === b;"), ["x = a !== b;"]);
});

test("mutants: && and || are exchanged, ! is removed", () => {
  assert.deepEqual(changes("x = a && b;"), ["x = a || b;"]);
  assert.deepEqual(changes("x = a || !b;"), ["x = a && !b;", "x = a || b;"]);
});

test("mutants: constants are increased and decreased by one", () => {
  assert.deepEqual(changes("x = 65_536;"), ["x = 65537;", "x = 65535;"]);
  assert.deepEqual(changes("x = -0;"), ["x = -1;", "x = -(-1);"]);
});

test("mutants: conditions are negated", () => {
  assert.deepEqual(changes("if (a) b = c ? d : e;"), [
    "if (!(a)) b = c ? d : e;",
    "if (a) b = !(c) ? d : e;",
  ]);
  assert.deepEqual(changes("while (a) b = c;"), ["while (!(a)) b = c;"]);
});

test("mutants: statements that throw, return or only call are removed", () => {
  const source = "function f() { g(); if (a) throw b; return c; }";
  assert.deepEqual(changes(source), [
    "function f() { ; if (a) throw b; return c; }",
    "function f() { g(); if (!(a)) throw b; return c; }",
    "function f() { g(); if (a) ; return c; }",
    "function f() { g(); if (a) throw b; ; }",
  ]);
  assert.deepEqual(changes("class A extends B { constructor() { super(); } }"), []);
});

test("mutants: text, comments and patterns stay, and the line is reported", () => {
  assert.deepEqual(changes('x = "a < 1"; // b && c\ny = /d|1/;'), []);
  const [{ line, what }] = mutantsOf("\n\nx = a < b;");
  assert.deepEqual([line, what], [3, "< -> <="]);
});

test("mutants: a function's last return of undefined stays, and others go", () => {
  assert.deepEqual(changes("function f() { return undefined; }"), []);
  assert.deepEqual(changes("function f() { try { g = h; } catch { return undefined; } }"), []);
  assert.equal(changes("function f() { try { return undefined; } catch {} return b; }").length, 2);
});

test("mutants: a source with all changes does what the source with one of them does", () => {
  const source = `
    const log = [];
    const add = (x) => log.push(x);
    const table = { 1: "one", 2: "two" };
    if (!(a < 2 && b !== 1) || c) add(table[a] + 10);
    else if (b > 0) return add(-1), log;
    add(a === 1 ? 2 ** b : 3);
    for (let i = 0; i < 2; ++i) add(i);
    return log;`;
  const all = switched(source, "file.js", "x").replace('import { $ } from "x";', "");
  const run = (/** @type {string} */ code, /** @type {number[]} */ ...given) =>
    new Function("a", "b", "c", "$", code)(...given);
  const mutants = mutantsOf(`function f(a, b, c) {${source}}`).length;
  assert.equal(mutants, mutantsOf(source).length);
  for (const given of [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [(i & 1) + 1, i & 2, i & 4])) {
    assert.deepEqual(run(all, ...given, -1), run(source, ...given));
    for (const [i, mutant] of mutantsOf(source).entries()) {
      assert.deepEqual(run(all, ...given, i), run(applied(source, mutant), ...given), mutant.what);
    }
  }
});

test("mutants: an operator is reached with its left side, and a test reaches a source of which none was drawn", () => {
  const source = "function f(a, b) { return a || (b && 1); }\nf(1);";
  const session = new Session();
  session.connect();
  /** @param {string} method @param {object} [params] @returns {any} */
  const post = (method, params) => {
    let answer;
    session.post(method, params, (_, result) => (answer = result));
    return answer;
  };
  post("Profiler.enable");
  post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  runInThisContext(source, "reached.js");
  const { result } = post("Profiler.takePreciseCoverage");
  session.disconnect();
  const { functions } = result.find((/** @type {any} */ { url }) => url === "reached.js");
  const mutants = mutantsOf(source);
  const [reached, isAny] = reachedOf(mutants, functions, source.length);
  const what = reached.map((i) => mutants[i].what);
  assert.deepEqual(what, [
    "without return a || (b && 1);",
    "|| -> &&",
    "without f(1);",
    "1 -> 2",
    "1 -> 0",
  ]);
  assert.ok(isAny);
  assert.deepEqual(reachedOf([], functions, source.length), [[], true]);
});

test("mutants of C++: bounds, signs, constants, conditions, loops, calls and arguments", () => {
  const cases = {
    "  for (; i < n; i += 4) g = h;": ["; false; ", "i <= n", "i >= n", "i += 5", "i += 3"],
    "  for (; i + 4 <= n; ++i) g = h;": ["i + 3 <= n", "i + 4 > n"], // the others leave more to the rest
    "  if (a && b) c = 1.5f - d;": ["if (!(a && b))", "a || b", "1.5f + d"],
    "  store(row, wasm_f32x4_add(a, b));": ["  ;", "store(wasm_f32x4_add(a, b), row)"],
    '  f("a < 1", 1e-9);  // b + c': ['f(1e-9, "a < 1")', "  ;"],
    "template <int N, int M> void f(int a, int b);": [],
    "static_assert(1 < 2);": [],
  };
  for (const [source, expected] of Object.entries(cases)) {
    const found = mutantsOfCpp(source).map((mutant) => applied(source, mutant));
    for (const part of expected)
      assert.ok(
        found.some((text) => text.includes(part)),
        part,
      );
    assert.equal(found.length, expected.length, found.join("\n"));
  }
});
