// GGUF files of llama.cpp's converter, whose layers rotate and keep what those of the same configuration do: a record of
// `npm run x -- test:atlas`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { fileOf, keptOf } from "./converted.js";
import { compareSpelling } from "./spellings.js";
import { phasor } from "../../phasor.js";
import { fromGguf } from "phasor/open";

/** @type {import("./converted.js").Converted[]} */
const files = JSON.parse(readFileSync(new URL("./converted.json", import.meta.url), "utf8"));

describe("GGUF files of llama.cpp's converter", () => {
  for (const file of files) {
    test(`fromGguf reads ${file.metadata["general.architecture"]}: ${file.name}`, () => {
      const fromConfig = () => fromGguf(...fileOf(file));
      const { result, why } = compareSpelling(file, { models: { fromConfig }, phasor });
      assert.equal(result, "agrees", why.join("; "));
      const kept = keptOf(fromConfig());
      if (kept && file.kept) assert.equal(kept, file.kept);
    });
  }

  test("there is one file of each architecture that can be compared", () => {
    assert.ok(files.length >= 55, String(files.length));
  });
});
