import assert from "node:assert/strict";
import { test } from "node:test";
import { consumer } from "../../hosts/consumer.js";
import { filesOf, promised } from "./guide.js";

test("guide context: its programs print the output that it shows", async (t) => {
  const { node } = await consumer(t);
  for (const code of (await filesOf("context")).values()) {
    const lines = promised(code);
    assert.ok(lines.length > 0);
    assert.deepEqual(node(code).trim().split("\n"), lines);
  }
});
