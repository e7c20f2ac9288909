// What layers keep of a token and how far they see, by the keys of public configurations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { llama } from "./small.js";
import { models } from "phasor/models";

/** @param {Record<string, unknown>} more */
const cacheOf = (more) => models.fromConfig(llama(more)).cache;

test("models.fromConfig: cache has the numbers and the window of layers that are alike", () => {
  const full = { kind: "full_attention", layers: 4, numbers: 128 };
  assert.deepEqual(cacheOf({}), [full]);
  assert.deepEqual(cacheOf({ num_key_value_heads: 1 }), [{ ...full, numbers: 32 }]);
  assert.deepEqual(cacheOf({ sliding_window: 8 }), [full], "LLaMA does not read it");
  assert.deepEqual(cacheOf({ model_type: "mistral", sliding_window: 8 }), [{ ...full, window: 8 }]);
  const turns = { model_type: "gemma2", sliding_window: 8, head_dim: 16 };
  assert.deepEqual(cacheOf(turns), [
    { ...full, layers: 2, window: 8 },
    { ...full, layers: 2 },
  ]);
  const latent = { qk_rope_head_dim: 4, qk_nope_head_dim: 8, kv_lora_rank: 20, v_head_dim: 8 };
  assert.deepEqual(cacheOf({ model_type: "deepseek_v3", ...latent }), [
    { ...full, numbers: 24, latent: true },
  ]);
  assert.deepEqual(cacheOf({ model_type: "chatglm", multi_query_group_num: 2 })?.[0].numbers, 64);
});

test("models.fromConfig: encoders have no cache, and neither have other schemes", () => {
  for (const model_type of ["nomic_bert", "eurobert", "bert", "t5"]) {
    const { cache } = models.fromConfig({
      ...llama({ model_type, d_kv: 16 }),
      ...{ relative_attention_num_buckets: 8, relative_attention_max_distance: 16 },
    });
    assert.equal(cache, undefined, model_type);
  }
});
