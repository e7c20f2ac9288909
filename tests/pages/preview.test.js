import assert from "node:assert/strict";
import { test } from "node:test";
import { PREVIEW } from "../../web/template/meta.js";
import { picture } from "../../web/vite/preview.js";

test("the picture of shared links is a PNG of the size that pages tell", async () => {
  const bytes = Buffer.from(await picture());
  assert.equal(bytes.toString("latin1", 1, 4), "PNG");
  assert.deepEqual(
    [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
    [PREVIEW.width, PREVIEW.height],
  );
});
