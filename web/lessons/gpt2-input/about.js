/** @type {import("../lessons.js").About} */
export default {
  title: "Build GPT-2’s input",
  question: "Can you build what enters GPT-2 from its file alone?",
  group: "models",
  minutes: 40,
  before: ["pieces", "learned", "whole-input"],
  able: [
    "Find a token’s vector in a safetensors file, by its byte.",
    "Say which row of the position table each token gets, with padding and with a cache.",
    "Write GPT-2’s input in a few lines, and check it against another program.",
  ],
  recap: [
    "A safetensors file starts with a header that gives the name, the shape and the bytes of every tensor.",
    "GPT-2’s input is the row of the token’s id in wte plus the row of its position in wpe, and nothing else.",
    "Positions continue after the tokens in the cache, and padding in front must not be counted.",
  ],
  further: [
    {
      text: "GPT-2’s own code, src/model.py",
      href: "https://github.com/openai/gpt-2/blob/master/src/model.py",
    },
    {
      text: "The safetensors format",
      href: "https://github.com/huggingface/safetensors#format",
    },
  ],
};
