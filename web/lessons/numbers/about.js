/** @type {import("../lessons.js").About} */
export default {
  title: "Precision",
  question: "Why do two programs disagree about the same sine?",
  group: "models",
  minutes: 25,
  advanced: true,
  before: ["sinusoidal"],
  able: [
    "Find the numbers near a value that float32, float16 and bfloat16 can represent, and explain how float32 loses the digits of a large angle.",
    "Predict what happens to a position in bfloat16.",
    "Say which steps of a computation may be rounded to 16 bits.",
  ],
  recap: [
    "Rounding errors are relative: the error of a frequency is multiplied by the position.",
    "bfloat16 represents every integer up to 256 and skips some beyond, so neighboring positions become equal.",
    "Angles belong in float32 or better; only their sines and cosines may be rounded further.",
  ],
  further: [
    {
      text: "Hugging Face transformers, pull request 29285, which keeps rotary angles in float32",
      href: "https://github.com/huggingface/transformers/pull/29285",
    },
  ],
};
