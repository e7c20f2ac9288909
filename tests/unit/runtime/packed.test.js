import assert from "node:assert/strict";
import { test } from "node:test";
import { packError } from "../../../src/runtime/packed.js";

test("a thrown text is the message of the error that another thread gets; other values are described", () => {
  const messages = ["stop", undefined, {}].map((thrown) => packError(thrown).message);
  assert.deepEqual(messages, ["stop", "undefined", "an object"]);
});
