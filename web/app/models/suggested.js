/**
 * Models of the hub to suggest: the size of the table of tokens, and the bytes of a number in the file.
 */
export const SUGGESTED = [
  { name: "openai-community/gpt2", vocabulary: 50257, dim: 768, bytes: 4 },
  { name: "google-bert/bert-base-uncased", vocabulary: 30522, dim: 768, bytes: 4 },
  { name: "sentence-transformers/all-MiniLM-L6-v2", vocabulary: 30522, dim: 384, bytes: 4 },
  { name: "Qwen/Qwen2.5-0.5B", vocabulary: 151936, dim: 896, bytes: 2 },
];
