/** @type {import("../lessons.js").About} */
export default {
  title: "T5’s buckets",
  question: "How exact must a distance be to be useful?",
  group: "positions",
  minutes: 15,
  advanced: true,
  before: ["alibi"],
  able: [
    "Compute the bucket of a distance by hand.",
    "Count the position numbers that T5 learns.",
    "Say which distances T5 cannot tell apart.",
  ],
  recap: [
    "T5 adds one learned number for each bucket of distances and each head to the scores.",
    "Near distances have a bucket each, far ones share buckets that grow by the logarithm.",
    "One table serves all layers, and all far distances share the last bucket.",
  ],
  further: [],
};
