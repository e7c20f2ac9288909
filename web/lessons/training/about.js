/** @type {import("../lessons.js").About} */
export default {
  title: "What training does",
  question: "Why do words that are used in similar contexts get similar vectors?",
  group: "words",
  minutes: 25,
  before: ["lookup", "trained-table"],
  able: [],
  recap: [],
  further: [],
};
