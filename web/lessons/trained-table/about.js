/** @type {import("../lessons.js").About} */
export default {
  title: "Inside a trained table",
  question: "What does a trained table know about words?",
  group: "words",
  minutes: 20,
  before: ["lookup"],
  able: [],
  recap: [],
  further: [],
};
