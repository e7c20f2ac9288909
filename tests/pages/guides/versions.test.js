import assert from "node:assert/strict";
import { test } from "node:test";
import { consumer } from "../../hosts/consumer.js";
import { filesOf, promised } from "./guide.js";

test("guide versions: an error has the name and the code that the guide shows", async (t) => {
  const { node } = await consumer(t);
  const code = String((await filesOf("versions")).get("errors.mjs"));
  assert.deepEqual(node(code).split("\n"), promised(code));
});
