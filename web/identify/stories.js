// What the examples are made of, and what they should have been.

/** @type {Readonly<Record<string, {port: string, note: string}>>} */
export const stories = Object.freeze({
  squared: {
    port: "A port of gpt-oss",
    note: "Should be: cosines and sines times 1.34657. YaRN’s factor was applied twice.",
  },
  interleaved: {
    port: "A port of Llama 3.1",
    note: "Should be: halves, the layout of the checkpoints on Hugging Face.",
  },
  unscaled: {
    port: "A port of Llama 3.1",
    note: "Should be: llama3 with factor 8. Short texts hardly show it.",
  },
  offset: {
    port: "A port of Llama 3.1",
    note: "Should be: positions from 0. The table alone shows it: scores depend on differences only.",
  },
  bfloat16: {
    port: "A port of Qwen 2.5",
    note: "Should be: positions as they are. From 256 on neighbors have the same row.",
  },
  mixed: {
    port: "Vectors of a port",
    note: "Should be: pairs and table of one layout. Lengths of vectors change, so this is no rotation.",
  },
  noise: {
    port: "Random numbers between −1 and 1",
    note: "A name for these would be a guess. The answer says which step failed.",
  },
});
