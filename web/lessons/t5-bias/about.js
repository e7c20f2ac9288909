/** @type {import("../lessons.js").About} */
export default {
  title: "T5’s buckets",
  question: "How exact must a distance be to be useful?",
  group: "positions",
  minutes: 25,
  advanced: true,
  before: ["alibi"],
  able: [
    "Compute the bucket of a distance by hand.",
    "Count the numbers that T5 learns for positions.",
    "Say whether T5 can tell two distances apart.",
  ],
  recap: [
    "T5 adds one learned number for each bucket of distances and each head to the scores.",
    "Near distances have a bucket each. Far ones share buckets, each wider than the one before by about the same factor.",
    "All layers share one table, and all far distances share the last bucket.",
  ],
  further: [
    {
      text: "Raffel et al., 2020, Exploring the limits of transfer learning with a unified text-to-text transformer, section 2.1",
      href: "https://arxiv.org/abs/1910.10683",
    },
    {
      text: "Press, Smith and Lewis, 2022, Train short, test long, which compares T5’s bias with ALiBi",
      href: "https://arxiv.org/abs/2108.12409",
    },
  ],
};
