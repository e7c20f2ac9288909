import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { corpus } from "../../../scripts/data/corpus.js";

/** What the lab's default alphabet reads without a change. */
const TEXT = /^(?! )(?:[a-z.,']| (?! )){218980,219000}$/;

test("corpus: the file is the one that recorded results were made with", () => {
  const file = readFileSync(new URL("../../../web/lab/corpus.txt", import.meta.url));
  assert.match(file.toString("latin1"), TEXT);
  const digest = createHash("sha256").update(file).digest("hex");
  assert.equal(digest, "d1d6b7f0813c26dfc987d6bc267ed815e671d5704e138b64dc30a6ecf5055217");
});

test("corpus: the program makes such a text of the present pages, without programs and formulas", () => {
  const text = corpus();
  assert.match(text, TEXT);
  for (const word of ["mathrm", "cdot", "px", "rem", "doctype"]) {
    assert.ok(!text.includes(` ${word} `), word);
  }
});
