import assert from "node:assert/strict";
import { test } from "node:test";
import { measureSums } from "../../../scripts/data/sums.js";
import { phasor } from "../../phasor.js";

const sums = measureSums(phasor);

test("accuracy of sums: on the golden cases phasor's largest and typical errors are at most PyTorch's", () => {
  const beside = sums.filter(({ torch }) => torch);
  assert.equal(beside.length, 7);
  for (const { what, sums, golden, torch } of beside) {
    for (const of of /** @type {const} */ (["most", "typical"])) {
      const [ours, theirs] = [golden, torch].map((errors) => errors?.[of] ?? NaN);
      assert.ok(theirs > 0 && ours <= theirs, `${what} in ${sums}, ${of}: ${ours} ${theirs}`);
    }
  }
});

test("accuracy of sums: in double the typical error is at most that in float32", () => {
  for (const { what, random } of sums.filter(({ sums }) => sums === "float32")) {
    const inDouble = sums.find((other) => other.what === what && other.sums === "float64");
    assert.ok((inDouble?.random.typical ?? NaN) <= random.typical * 1.01, what);
    assert.ok(random.most > 0 && random.typical <= random.most, what);
  }
});
