/** @type {import("../lessons.js").About} */
export default {
  title: "Longer context",
  question: "How can a model handle longer texts than it was trained on?",
  group: "models",
  minutes: 25,
  advanced: true,
  before: ["rope"],
  able: [],
  recap: [],
  further: [],
};
