/** @type {import("../lessons.js").About} */
export default {
  title: "ALiBi",
  question: "What if far tokens are simply made to count less?",
  group: "positions",
  minutes: 20,
  before: ["order"],
  able: [],
  recap: [],
  further: [],
};
