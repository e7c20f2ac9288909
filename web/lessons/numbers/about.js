/** @type {import("../lessons.js").About} */
export default {
  title: "Precision",
  question: "Why do two programs disagree about the same sine?",
  group: "models",
  minutes: 20,
  advanced: true,
  before: ["sinusoidal"],
  able: [],
  recap: [],
  further: [],
};
