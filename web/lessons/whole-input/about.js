/** @type {import("../lessons.js").About} */
export default {
  title: "The whole input",
  question: "What exactly enters GPT-2, BERT and LLaMA?",
  group: "models",
  minutes: 25,
  before: ["lookup", "learned"],
  able: [],
  recap: [],
  further: [],
};
