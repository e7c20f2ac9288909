// Every public function says what it is, what it takes and gives, and where it is from: the reference
// of the site and the help of editors are made of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readReference } from "../web/reference/read.js";

/** @import { Entry, Named, Page } from "../web/reference/read.js" */

const pages = await readReference();
const entries = pages.flatMap((page) => page.entries.map((entry) => ({ page, entry })));
const functions = entries.filter(({ entry }) => entry.kind === "function");

/** Whether something is said of it. @param {Named} named @returns {boolean} */
const isTold = ({ text, byDefault, options }) =>
  text !== "" || byDefault !== "" || (options.length > 0 && options.every(isTold));

/** What holds for all, or the names of those for which it does not. @param {{entry: Entry, page: Page}[]} list @param {(entry: Entry, page: Page) => unknown} holds */
function all(list, holds) {
  assert.ok(list.length > 20);
  const bad = list.filter(({ entry, page }) => !holds(entry, page));
  assert.deepEqual(
    bad.map(({ entry }) => `${entry.file}: ${entry.name}`),
    [],
  );
}

test("documentation: every function, class and type begins with a summary", () => {
  all(entries, ({ text }) => text !== "");
});

test("documentation: every parameter and every option has a description or a default", () => {
  all(functions, ({ parameters }) => parameters.every(isTold));
});

test("documentation: every result has a description, and a tensor its shape", () => {
  all(functions, ({ type }) => type !== "");
  all(functions, ({ type, returns }) => type === "void" || returns !== "");
  const tensors = functions.filter(({ entry }) => /\bTensor\b/.test(entry.type));
  all(tensors, ({ returns, text }) => /\[.*\]|\bshapes?\b/i.test(`${returns} ${text}`));
});

test("documentation: every function with arguments says when it throws", () => {
  const taking = functions.filter(({ entry }) => entry.parameters.length > 0);
  all(taking, ({ throws }) => throws.length > 0 && throws.every(({ text }) => text !== ""));
});

test("documentation: every function has an example that shows a value", () => {
  all(functions, ({ examples }) => examples.some((example) => /\/\/ \S/.test(example)));
});

test("documentation: every function cites its paper or reference code", () => {
  all(functions, ({ see }, page) => see.length > 0 || page.see.length > 0);
});

test("documentation: members of objects and classes are described, with their options", () => {
  const members = entries.flatMap(({ page, entry }) =>
    entry.members.map((member) => ({ page, entry: member })),
  );
  all(members, ({ text }) => text !== "");
  all(members, ({ parameters }) =>
    parameters.every(({ options }) => options.length === 0 || options.every(isTold)),
  );
});
