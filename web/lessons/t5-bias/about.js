/** @type {import("../lessons.js").About} */
export default {
  title: "T5’s buckets",
  question: "How exact must a distance be to be useful?",
  group: "positions",
  minutes: 15,
  advanced: true,
  before: ["alibi"],
  able: [],
  recap: [],
  further: [],
};
