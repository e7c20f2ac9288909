import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { isNight } from "../../sample.js";
import { guide, recorded } from "./recorded.js";

test("guide command-line: its commands print the output in the guide", async () => {
  const text = await readFile(guide, "utf8");
  const html = isNight ? text : text.replace("\n$ npx phasor lab back", "\n$ lab back"); // trains three schemes
  for (const name of "explore rows nearest norms pca table rope xray config identify check vectors sentences lab models".split(
    " ",
  )) {
    assert.ok(html.includes(`\n$ npx phasor ${name} `), name);
  }
  assert.equal(await recorded(html), html, "run node tests/unit/cli/recorded.js");
});
