/** @type {import("../lessons.js").About} */
export default {
  title: "Learned positions",
  question: "What if positions are learned like words, and what happens past the last row?",
  group: "positions",
  minutes: 20,
  before: ["order"],
  able: [
    "Say which row of a table of positions each token of a padded batch gets.",
    "Predict what rows hold that no training text has reached.",
    "Stretch a table of positions to a longer text.",
  ],
  recap: [
    "Learned positions are a second table, added row by row to the word vectors.",
    "Rows that no training text reaches stay random.",
    "The table ends: a longer text needs a longer table.",
  ],
  further: [],
};
