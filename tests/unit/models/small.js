/** A small decoder's configuration. @param {Record<string, unknown>} [more] */
export const llama = (more = {}) => ({
  model_type: "llama",
  vocab_size: 100,
  hidden_size: 64,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 4,
  max_position_embeddings: 4096,
  ...more,
});
