// The guides as Markdown: what a page marks up must not be lost, in tables above all.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { markdownOf } from "../../../scripts/package/guides.js";

describe("guides as Markdown", () => {
  /** @type {Record<string, string>} */
  const text = {};
  before(async () => {
    for (const name of ["accuracy", "arrays", "context", "node", "performance"]) {
      text[name] = await markdownOf(name);
    }
  });

  test("exponents stay exponents, in cells and in sentences", () => {
    assert.match(text.accuracy, /^\| Tables, positions within ±2\^20 /m);
    assert.match(text.accuracy, / \| 1\.7e-7 of the pair's length and 2\^−149 \| /);
    assert.doesNotMatch(text.accuracy, /\b2−?(?:20|23|29|31|33|53|128|149|150)\b/);
    assert.match(text.arrays, /2\^-11\b/);
    assert.doesNotMatch(text.arrays, /\^\(\\/);
  });

  test("code in cells stays code, and every row has the cells of its head", () => {
    assert.match(text.accuracy, /^\| Frequencies `rope\.frequencies` \| correctly rounded \|/m);
    assert.match(text.context, /^\| `rope\.cache` \| /m);
    for (const table of text.accuracy.match(/(?:^\|.*\n)+/gm) ?? []) {
      const counts = table.trim().split("\n").map((row) => row.split(/(?<!\\)\|/).length); // prettier-ignore
      assert.equal(new Set(counts).size, 1, table);
    }
  });

  test("links to places of other guides stay links, and what only a page shows is left out", () => {
    assert.match(text.node, /\[Gated models, mirrors, the hub's cache\]\(command-line\.md\)/);
    assert.doesNotMatch(text.performance, /The button|The bars/);
    assert.doesNotMatch(text.accuracy, /The third line/);
  });
});
