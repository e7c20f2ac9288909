/**
 * Which tensor of a model is what: the names that families of models give to their tables.
 */
import { numbersBeside, plainName } from "./packed.js";

/**
 * @typedef {{readonly name: string, readonly shape: readonly number[], readonly dtype?: string}} Named
 *
 * @typedef {object} Roles  names of tensors; undefined where a model has none
 * @property {string | undefined} wordEmbeddings  the table of words, [V, D]
 * @property {string | undefined} positionEmbeddings  a learned table, [L, D]
 * @property {string | undefined} tokenTypeEmbeddings  BERT's token types, [S, D]
 * @property {string | undefined} normWeight  of the LayerNorm right after the sum, [D]
 * @property {string | undefined} normBias
 * @property {string | undefined} projectionWeight  of the linear layer from the width of the words, [D, E]
 * @property {string | undefined} projectionBias  [D]
 * @property {string | undefined} lmHead  the output projection, [V, D], where it does not share the word embeddings
 * @property {string | undefined} bias  T5's relative attention bias of the first layer, [buckets, H]
 */

/**
 * The ends of names, best first. A prefix (`transformer.`, `model.language_model.`, `bert.`) means the same part of a
 * larger model. A leading dot means: the whole name, or after a dot.
 * @type {Readonly<Record<keyof Roles, readonly string[]>>}
 */
const ENDS = {
  wordEmbeddings: [
    ".token_embd.weight", // GGUF
    ".wte.weight", // GPT-2, GPT-J, MPT, Phi-1
    ".shared.weight", // T5, BART
    ".embeddings.word_embeddings.weight", // BERT, RoBERTa
    ".word_embeddings.weight", // BLOOM, Falcon
    ".encoder.embed_tokens.weight", // FSMT
    ".embed_tokens.weight", // LLaMA, Mistral, Qwen, Gemma, Phi-3, OPT, Whisper
    ".embed_in.weight", // GPT-NeoX
    ".tok_embeddings.weight", // Meta's own LLaMA, Mistral's own
    ".embeddings.tok_embeddings.weight", // ModernBERT
    ".word_embedding.weight", // XLNet
    ".token_embedding.weight", // CLIP
    ".tokens_embed.weight", // GPT
    ".transformer.embeddings.weight", // XLM
    ".w.weight", // CTRL
    ".embed.weight", // DeepSeek's own
    ".wte.embedding.weight",
    ".embedding.weight",
    ".embeddings", // Model2Vec
    ".embeddings.weight",
  ],
  positionEmbeddings: [
    ".position_embd.weight", // GGUF
    ".wpe.weight", // GPT-2
    ".embeddings.position_embeddings.weight", // BERT, RoBERTa
    ".encoder.embed_positions.weight", // BART, Whisper
    ".decoder.embed_positions.weight", // OPT
    ".embed_positions.weight",
    ".position_embeddings.weight",
    ".position_embedding.weight", // CLIP
    ".positions_embed.weight", // GPT
    ".position_embeddings", // ViT, [1, L, D]
    ".pos_embed", // timm
  ],
  tokenTypeEmbeddings: [
    ".token_types.weight",
    ".token_type_embeddings.weight",
    ".segment_emb.weight", // Kosmos-2.5
  ],
  normWeight: [
    ".token_embd_norm.weight",
    ".embeddings.LayerNorm.weight",
    ".embeddings.LayerNorm.gamma", // TensorFlow's name
    ".word_embeddings_layernorm.weight", // BLOOM
    ".emb_ln.weight", // Nomic, Jina
    ".embeddings.norm.weight", // ModernBERT
    ".embeddings.layer_norm.weight", // ESM
    ".encoder.layernorm_embedding.weight", // BART
    ".layernorm_embedding.weight",
    ".layer_norm_emb.weight", // XLM
  ],
  normBias: [
    ".token_embd_norm.bias",
    ".embeddings.LayerNorm.bias",
    ".embeddings.LayerNorm.beta",
    ".word_embeddings_layernorm.bias",
    ".emb_ln.bias",
    ".embeddings.norm.bias",
    ".embeddings.layer_norm.bias",
    ".encoder.layernorm_embedding.bias",
    ".layernorm_embedding.bias",
    ".layer_norm_emb.bias",
  ],
  projectionWeight: [
    ".embedding_hidden_mapping_in.weight", // ALBERT, RemBERT
    ".embeddings_project.weight", // ELECTRA, ConvBERT, RoFormer
    ".embeddings.projection.weight", // FNet
    ".embeddings.embed_proj.weight", // DeBERTa
    ".project_in.weight", // OPT-350m
    ".embedding_projection.weight",
  ],
  projectionBias: [
    ".embedding_hidden_mapping_in.bias",
    ".embeddings_project.bias",
    ".embeddings.projection.bias",
    ".embeddings.embed_proj.bias",
    ".project_in.bias",
  ],
  lmHead: [
    ".output.weight", // GGUF, Meta's own
    ".lm_head.weight",
    ".embed_out.weight", // GPT-NeoX
    ".lm_head.decoder.weight", // RoBERTa
    ".cls.predictions.decoder.weight", // BERT
  ],
  bias: [
    ".encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    ".decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
    ".enc.blk.0.attn_rel_b.weight", // GGUF
  ],
};

/** The number of axes of a role's tensor, if not two. */
const AXES = { normWeight: 1, normBias: 1, projectionBias: 1 };

/** Layers repeat these names; only the model's own tensors count. */
const LAYER = /(^|\.)(layers?|h|blocks?|blk)\.\d+\./;

/** The parts of a model for pictures and sound have such names too. */
const TOWER =
  /(^|\.)(vision|visual|vpm|vit|image|audio|speech|mm|multi_modal|depth|codec|qformer|resampler|mask|prompt|protein)\w*\./;

/**
 * Finds the tensors of a model's embedding layer by their names.
 *
 * @param {readonly Named[]} tensors
 * @param {object} [known]
 * @param {boolean} [known.isPart]  of a model: a table that is missed may be in another file
 * @param {boolean} [known.isTied]  whether the output shares the table of words, as the configuration says
 * @param {ReadonlyMap<string, string>} [known.shared]  the tensor that a name shares
 * @returns {Roles}
 */
export function tensorNamesOf(tensors, { isPart = false, isTied, shared = new Map() } = {}) {
  const outside = tensors.filter(({ name }) => !LAYER.test(name));
  const text = outside.filter(({ name }) => !TOWER.test(name));
  const top = find(text, ENDS.wordEmbeddings, 2) ? text : outside;
  const roles = /** @type {Roles} */ ({});
  for (const role of /** @type {(keyof Roles)[]} */ (Object.keys(ENDS))) {
    const among = role === "bias" ? tensors : top;
    roles[role] = find(among, ENDS[role], /** @type {any} */ (AXES)[role] ?? 2);
  }
  const own = roles.lmHead;
  if (roles.wordEmbeddings === undefined && !isPart) {
    // Of a table that both share, a file may keep the name of the output alone.
    const isKept = isTied !== false && own !== undefined && !own.endsWith("output.weight");
    const only = isKept ? own : onlyTable(tensors.filter(({ name }) => !shared.has(name)));
    if (only !== own || isTied !== false) roles.wordEmbeddings = only;
  }
  const words = tensors.find(({ name }) => name === roles.wordEmbeddings);
  const head = tensors.find(({ name }) => name === roles.lmHead);
  // An output of another shape belongs to a classifier; the shape of packed integers is their own.
  const isPacked = [head, words].some((each) => /int/.test(each?.dtype ?? ""));
  if (head && words && !isPacked && String(head.shape) !== String(words.shape)) {
    roles.lmHead = undefined;
  }
  const [first, second] = [words, head].map((each) => shared.get(each?.name ?? "") ?? each?.name);
  if (first === second) roles.lmHead = undefined;
  return roles;
}

/**
 * Whether `tensorNamesOf` may select a tensor of this name.
 * @param {string} name
 */
export function mayBeTable(name) {
  const ends = Object.values(ENDS).flat();
  return !LAYER.test(name) && ends.some((end) => `.${plainName(name)}`.endsWith(end));
}

/** Whether a tensor belongs to a table of words, whose numbers it does not have. @param {string} name */
export function isBesideWords(name) {
  const numbers = numbersBeside(name);
  const ends = ENDS.wordEmbeddings;
  return (
    numbers !== undefined && !LAYER.test(name) && ends.some((end) => `.${numbers}`.endsWith(end))
  );
}

/** Whether a tensor has a name of outputs. @param {string | undefined} name */
export const isOutput = (name) =>
  name !== undefined && ENDS.lmHead.some((end) => `.${plainName(name)}`.endsWith(end));

/**
 * @param {readonly Named[]} tensors @param {readonly string[]} ends @param {number} axes
 * @returns {string | undefined} the shortest, if several have the same end (an encoder's and a decoder's)
 */
function find(tensors, ends, axes) {
  for (const end of ends) {
    const found = tensors
      .filter(({ name, shape }) => `.${plainName(name)}`.endsWith(end) && hasAxes(shape, axes))
      .sort((a, b) => a.name.length - b.name.length || (a.name < b.name ? -1 : 1));
    if (found.length > 0) return found[0].name;
  }
  return undefined;
}

/** Whether a shape has `axes` axes, preceded only by axes of size 1. @param {readonly number[]} shape @param {number} axes */
function hasAxes(shape, axes) {
  const first = shape.length - axes;
  return first >= 0 && shape.slice(0, first).every((size) => size === 1);
}

/** The table of a file with a single table; scales are none. @param {readonly Named[]} tensors */
function onlyTable(tensors) {
  const tables = tensors.filter(({ name, shape }) => shape.length === 2 && !numbersBeside(name));
  return tables.length === 1 ? tables[0].name : undefined;
}
