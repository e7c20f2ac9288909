import assert from "node:assert/strict";
import { test } from "node:test";
import { applied, mutantsOf } from "../../../scripts/test/mutate/mutants.js";

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
