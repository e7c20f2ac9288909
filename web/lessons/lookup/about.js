/** @type {import("../lessons.js").About} */
export default {
  title: "Tokens to vectors",
  question: "How does a word become numbers?",
  group: "words",
  minutes: 15,
  before: [],
  able: [],
  recap: [],
  further: [],
};
