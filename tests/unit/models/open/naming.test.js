import assert from "node:assert/strict";
import { test } from "node:test";
import { tensorNamesOf } from "../../../../src/models/open/naming.js";

/** Tensors of a model: those named, and one of a layer. @param {Record<string, number[]>} named */
const tensors = (named) =>
  Object.entries({ "model.layers.0.self_attn.q_proj.weight": [8, 8], ...named }).map(
    ([name, shape]) => ({ name, shape }),
  );

/**
 * What each family calls its tables, in the files that its authors publish.
 * @type {Record<string, [named: Record<string, number[]>, roles: Record<string, string>]>}
 */
const FAMILIES = {
  "GPT-2 as published, without its head": [
    { "wte.weight": [20, 8], "wpe.weight": [10, 8], "h.0.ln_1.weight": [8], "ln_f.weight": [8] },
    { wordEmbeddings: "wte.weight", positionEmbeddings: "wpe.weight" },
  ],
  "GPT-2 with its head": [
    {
      "transformer.wte.weight": [20, 8],
      "transformer.wpe.weight": [10, 8],
      "lm_head.weight": [20, 8],
    },
    {
      wordEmbeddings: "transformer.wte.weight",
      positionEmbeddings: "transformer.wpe.weight",
      lmHead: "lm_head.weight",
    },
  ],
  BERT: [
    {
      "bert.embeddings.word_embeddings.weight": [20, 8],
      "bert.embeddings.position_embeddings.weight": [10, 8],
      "bert.embeddings.token_type_embeddings.weight": [2, 8],
      "bert.embeddings.LayerNorm.gamma": [8],
      "bert.embeddings.LayerNorm.beta": [8],
      "bert.encoder.layer.0.attention.output.LayerNorm.gamma": [8],
      "cls.predictions.transform.LayerNorm.gamma": [8],
    },
    {
      wordEmbeddings: "bert.embeddings.word_embeddings.weight",
      positionEmbeddings: "bert.embeddings.position_embeddings.weight",
      tokenTypeEmbeddings: "bert.embeddings.token_type_embeddings.weight",
      normWeight: "bert.embeddings.LayerNorm.gamma",
      normBias: "bert.embeddings.LayerNorm.beta",
    },
  ],
  RoBERTa: [
    {
      "roberta.embeddings.word_embeddings.weight": [20, 8],
      "roberta.embeddings.position_embeddings.weight": [10, 8],
      "roberta.embeddings.token_type_embeddings.weight": [1, 8],
      "roberta.embeddings.LayerNorm.weight": [8],
      "roberta.embeddings.LayerNorm.bias": [8],
      "lm_head.decoder.weight": [20, 8],
      "lm_head.layer_norm.weight": [8],
    },
    {
      wordEmbeddings: "roberta.embeddings.word_embeddings.weight",
      positionEmbeddings: "roberta.embeddings.position_embeddings.weight",
      tokenTypeEmbeddings: "roberta.embeddings.token_type_embeddings.weight",
      normWeight: "roberta.embeddings.LayerNorm.weight",
      normBias: "roberta.embeddings.LayerNorm.bias",
      lmHead: "lm_head.decoder.weight",
    },
  ],
  "LLaMA, Mistral, Qwen, Phi-3": [
    { "model.embed_tokens.weight": [20, 8], "model.norm.weight": [8], "lm_head.weight": [20, 8] },
    { wordEmbeddings: "model.embed_tokens.weight", lmHead: "lm_head.weight" },
  ],
  "Gemma, whose head is its table": [
    { "model.embed_tokens.weight": [20, 8], "model.norm.weight": [8] },
    { wordEmbeddings: "model.embed_tokens.weight" },
  ],
  "a model of text and pictures": [
    {
      "language_model.model.embed_tokens.weight": [20, 8],
      "vision_tower.vision_model.embeddings.patch_embedding.weight": [8, 3, 2, 2],
      "language_model.lm_head.weight": [20, 8],
    },
    {
      wordEmbeddings: "language_model.model.embed_tokens.weight",
      lmHead: "language_model.lm_head.weight",
    },
  ],
  "InstructBLIP, whose Q-Former has a second table of words": [
    {
      "qformer.embeddings.word_embeddings.weight": [20, 8],
      "qformer.embeddings.position_embeddings.weight": [10, 8],
      "language_model.model.embed_tokens.weight": [20, 8],
      "language_model.lm_head.weight": [20, 8],
    },
    {
      wordEmbeddings: "language_model.model.embed_tokens.weight",
      lmHead: "language_model.lm_head.weight",
    },
  ],
  "GPT-NeoX": [
    { "gpt_neox.embed_in.weight": [20, 8], "embed_out.weight": [20, 8] },
    { wordEmbeddings: "gpt_neox.embed_in.weight", lmHead: "embed_out.weight" },
  ],
  OPT: [
    {
      "model.decoder.embed_tokens.weight": [20, 8],
      "model.decoder.embed_positions.weight": [12, 8],
    },
    {
      wordEmbeddings: "model.decoder.embed_tokens.weight",
      positionEmbeddings: "model.decoder.embed_positions.weight",
    },
  ],
  BLOOM: [
    {
      "word_embeddings.weight": [20, 8],
      "word_embeddings_layernorm.weight": [8],
      "word_embeddings_layernorm.bias": [8],
      "h.0.input_layernorm.weight": [8],
    },
    {
      wordEmbeddings: "word_embeddings.weight",
      normWeight: "word_embeddings_layernorm.weight",
      normBias: "word_embeddings_layernorm.bias",
    },
  ],
  T5: [
    {
      "shared.weight": [20, 8],
      "encoder.embed_tokens.weight": [20, 8],
      "decoder.embed_tokens.weight": [20, 8],
      "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight": [32, 4],
      "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight": [32, 4],
      "lm_head.weight": [20, 8],
    },
    {
      wordEmbeddings: "shared.weight",
      lmHead: "lm_head.weight",
      bias: "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    },
  ],
  MPT: [
    { "transformer.wte.weight": [20, 8], "transformer.blocks.0.norm_1.weight": [8] },
    { wordEmbeddings: "transformer.wte.weight" },
  ],
  Falcon: [
    { "transformer.word_embeddings.weight": [20, 8], "lm_head.weight": [20, 8] },
    { wordEmbeddings: "transformer.word_embeddings.weight", lmHead: "lm_head.weight" },
  ],
  GGUF: [
    {
      "token_embd.weight": [20, 8],
      "position_embd.weight": [10, 8],
      "token_types.weight": [2, 8],
      "token_embd_norm.weight": [8],
      "token_embd_norm.bias": [8],
      "blk.0.attn_output.weight": [8, 8],
      "output_norm.weight": [8],
      "output.weight": [20, 8],
    },
    {
      wordEmbeddings: "token_embd.weight",
      positionEmbeddings: "position_embd.weight",
      tokenTypeEmbeddings: "token_types.weight",
      normWeight: "token_embd_norm.weight",
      normBias: "token_embd_norm.bias",
      lmHead: "output.weight",
    },
  ],
};

for (const [family, [named, roles]] of Object.entries(FAMILIES)) {
  test(`tensors are found by the names of ${family}`, () => {
    const found = Object.entries(tensorNamesOf(tensors(named))).filter(
      ([, name]) => name !== undefined,
    );
    assert.deepEqual(Object.fromEntries(found), roles);
  });
}

test("a classifier head is not an output table of words", () => {
  const { lmHead } = tensorNamesOf(
    tensors({ "embeddings.word_embeddings.weight": [20, 8], "lm_head.weight": [3, 8] }),
  );
  assert.equal(lmHead, undefined);
});

test("a single table is the table of words, whatever its name", () => {
  assert.equal(tensorNamesOf([{ name: "vectors", shape: [20, 8] }]).wordEmbeddings, "vectors");
  assert.equal(tensorNamesOf(tensors({ vectors: [20, 8] })).wordEmbeddings, undefined);
});

test("projections of layers are never mistaken for the model's tables", () => {
  const { wordEmbeddings, lmHead } = tensorNamesOf([
    { name: "blk.0.output.weight", shape: [20, 8] },
    { name: "model.layers.3.embedding.weight", shape: [20, 8] },
    { name: "x", shape: [2, 2] },
  ]);
  assert.deepEqual([wordEmbeddings, lmHead], [undefined, undefined]);
});

test("a table that words and output share may have kept the name of the output alone", () => {
  for (const head of ["lm_head.weight", "cls.predictions.decoder.weight", "embed_out.weight"]) {
    const named = tensors({ [head]: [20, 8], "model.norm.weight": [8] });
    const shares = { wordEmbeddings: head, lmHead: undefined };
    const has = { wordEmbeddings: undefined, lmHead: head };
    for (const [known, expected] of /** @type {const} */ ([
      [undefined, shares],
      [{ isTied: true }, shares],
      [{ isTied: false }, has],
      [{ isPart: true }, has],
      [{ isPart: true, isTied: true }, has],
    ])) {
      const { wordEmbeddings, lmHead } = tensorNamesOf(named, known);
      assert.deepEqual({ wordEmbeddings, lmHead }, expected, `${head} ${JSON.stringify(known)}`);
      const alone = tensorNamesOf([{ name: head, shape: [20, 8] }], known);
      assert.deepEqual({ ...expected }, { wordEmbeddings: alone.wordEmbeddings, lmHead: alone.lmHead });
    } // prettier-ignore
  }
  const { wordEmbeddings } = tensorNamesOf(tensors({ "output.weight": [20, 8] }));
  assert.equal(
    wordEmbeddings,
    undefined,
    "GGUF always has the table; of others it is a classifier",
  );
});

test("the only table of a part of a model need not be the table of words", () => {
  const layer = [{ name: "model.layers.9.mlp.down_proj.weight", shape: [20, 8] }];
  assert.equal(tensorNamesOf(layer, { isPart: true }).wordEmbeddings, undefined);
});
