import assert from "node:assert/strict";
import { test } from "node:test";
import { sharing } from "../../../src/runtime/sharing.js";

test("what is shared is loaded once, and again after a failure", async () => {
  let calls = 0;
  const started = sharing(async () => {
    calls += 1;
    if (calls === 1) throw new Error("no network");
    return { calls };
  });
  await assert.rejects(started(), /no network/);
  const [one, two] = await Promise.all([started(), started()]);
  assert.equal(one, two);
  assert.equal(one, await started());
  assert.equal(calls, 2);
});
