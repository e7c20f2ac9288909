import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { counts } from "./golden.js";

/** Ops whose rooms are still to come, with their cases. A room that comes takes its line away. */
const PENDING = Object.freeze({
  attention: 14,
  alibi_bias: 14,
  alibi_bloom: 2,
  alibi_key_bias: 2,
  alibi_slopes: 4,
  analogy: 2,
  bert_embeddings: 1,
  cosine_matrix: 4,
  cosine_pairs: 1,
  embedding_backward: 3,
  embedding_bag: 10,
  embedding_bag_2d: 1,
  embedding_max_norm: 2,
  embedding_padding_init: 1,
  f32_to_bf16_bits: 1,
  f32_to_f16_bits: 1,
  ggml_dequant: 22,
  gguf_read: 4,
  multihead_attention: 1,
  npz_read: 4,
  permutation_equivariance: 1,
  reject: 31,
  gpt2_embeddings: 1,
  l2_matrix: 1,
  l2_normalize: 1,
  layer_norm: 2,
  learned_positions: 1,
  mrope_apply: 2,
  norm_stats: 3,
  npz_read: 4,
  pca: 4,
  pe_dot_products: 1,
  position_ids_from_tokens: 1,
  reject: 31, // gguf 21, npz 10
  rms_norm: 6,
  rope_2d: 1,
  rope_apply: 2, // rope_type other than default
  rope_freqs_cis: 2,
  rope_tables: 17, // rope_type other than default
  sincos2d: 7,
  sine2d_mask: 2,
  sinusoidal_padded: 1,
  t5_bias: 3,
  t5_bucket: 12,
  token_and_position: 2,
  topk: 6,
  xpos: 2,
});

/** How many cases of each op the tests check: what they ask `cases(op, number)` for. */
function checked() {
  /** @type {Map<string, number>} */
  const found = new Map();
  const files = readdirSync(new URL(".", import.meta.url), { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".test.js"))) {
    const text = readFileSync(new URL(file.replaceAll("\\", "/"), import.meta.url), "utf8");
    for (const [, op, number] of text.matchAll(/\bcases\(\s*"(\w+)",\s*(\d+)/g)) {
      found.set(op, (found.get(op) ?? 0) + Number(number));
    }
  }
  return found;
}

test("golden cases are all 390 accounted for: checked by a test, or waiting for their room", (t) => {
  const found = checked();
  const sum = (/** @type {Iterable<number>} */ numbers) => [...numbers].reduce((a, b) => a + b, 0);
  assert.equal(sum(counts.values()), 390);
  for (const op of new Set([...counts.keys(), ...found.keys(), ...Object.keys(PENDING)])) {
    const waiting = /** @type {Record<string, number>} */ (PENDING)[op] ?? 0;
    assert.equal((found.get(op) ?? 0) + waiting, counts.get(op), `cases of ${op}`);
  }
  for (const [op, number] of [...found].sort()) t.diagnostic(`${op}: ${number} checked`);
  t.diagnostic(`${sum(found.values())} checked, ${sum(Object.values(PENDING))} pending`);
});
