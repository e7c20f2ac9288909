/** @type {import("../lessons.js").About} */
export default {
  title: "Learned positions",
  question: "What if positions are learned like words, and what happens past the last row?",
  group: "positions",
  minutes: 20,
  before: ["order"],
  able: [],
  recap: [],
  further: [],
};
