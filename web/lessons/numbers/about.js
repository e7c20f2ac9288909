/** @type {import("../lessons.js").About} */
export default {
  title: "Precision",
  question: "Why do two programs disagree about the same sine?",
  group: "models",
  minutes: 20,
  advanced: true,
  before: ["sinusoidal"],
  able: [
    "Say where float32 loses the digits of an angle.",
    "Predict which positions bfloat16 cannot tell apart.",
    "Name the step of a computation whose rounding matters.",
  ],
  recap: [
    "Rounding is relative: errors of frequencies grow with the position.",
    "bfloat16 represents every integer up to 256 and then skips.",
    "Angles belong in float32 or better; only their sines and cosines may be rounded further.",
  ],
  further: [],
};
