// Some hundred mutated files for each reader, the same every time. `npm run test:attacks` makes more.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { caseOf, judged, targets } from "./attack.js";

const CASES = 300;

describe("fuzz: mutated files are refused by the rules or read as they say", () => {
  for (const target of targets) {
    test(target.name, async () => {
      for (let index = 0; index < CASES; ++index) {
        const { broken } = await judged(target, caseOf(target, 1, index));
        assert.equal(broken, undefined, `case ${index}`);
      }
    });
  }
});
