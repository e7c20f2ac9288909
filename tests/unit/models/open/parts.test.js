// Models in several files: all of them, and some of them.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { safetensors } from "phasor/files";
import { FileError, openModel as open } from "./entry.js";

/** @param {string} code @param {RegExp} message */
const fileError = (code, message) => (/** @type {any} */ error) => {
  assert.ok(error instanceof FileError, String(error));
  assert.equal(error.code, code, error.message);
  assert.match(error.message, message);
  return true;
};

/** A table of three words. @param {number} first */
const table = (first) => ({
  data: Float32Array.from({ length: 12 }, (_, i) => first + i),
  shape: [3, 4],
});

describe("a model in shards", () => {
  const names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"];
  const weight_map = {
    "model.embed_tokens.weight": names[0],
    ...{ "lm_head.weight": names[1], "model.norm.weight": names[1] },
    ...{ "model.layers.0.a.weight": names[1], "model.layers.0.b.weight": names[1] },
  };
  const index = Buffer.from(JSON.stringify({ weight_map }));
  const shard = safetensors.write({ "model.embed_tokens.weight": table(0) });

  test("is refused without one of its files: the error names it and its tensors", async () => {
    const message =
      /^files must have "model-00002-of-00002.safetensors", with the tensors "lm_head.weight", "model.norm.weight", "model.layers.0.a.weight" and 1 more; got no such file$/;
    const folder = await mkdtemp(join(tmpdir(), "phasor-shards-"));
    try {
      const source = { "model.safetensors.index.json": index, [names[0]]: shard };
      for (const [name, bytes] of Object.entries(source)) await writeFile(join(folder, name), bytes);
      for (const each of [source, folder]) {
        await assert.rejects(open(each), fileError("SAFETENSORS_SHARD", message));
      }
      const read = safetensors.sharded(index, (name) => /** @type {any} */ (source)[name]);
      await assert.rejects(
        (await read).tensor("lm_head.weight"),
        fileError("SAFETENSORS_SHARD", message),
      );
      assert.equal((await (await read).tensor("model.embed_tokens.weight")).size, 12);
    } finally {
      await rm(folder, { recursive: true });
    } // prettier-ignore
  });
});
