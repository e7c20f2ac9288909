/** @type {import("../lessons.js").About} */
export default {
  title: "Precision",
  question: "Why do two programs disagree about the same sine?",
  group: "models",
  minutes: 25,
  advanced: true,
  before: ["sinusoidal"],
  able: [
    "Find the numbers that float32, float16 and bfloat16 have near a value, and say where float32 loses the digits of an angle.",
    "Predict which positions bfloat16 cannot tell apart.",
    "Name the step of a computation whose rounding matters.",
  ],
  recap: [
    "Rounding is relative: errors of frequencies grow with the position.",
    "bfloat16 has every whole number up to 256; beyond it skips some.",
    "Angles belong in float32 or better; only their sines and cosines may be rounded further.",
  ],
  further: [
    {
      text: "Hugging Face transformers, pull request 29285, which keeps rotary angles in float32",
      href: "https://github.com/huggingface/transformers/pull/29285",
    },
  ],
};
