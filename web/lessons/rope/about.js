/** @type {import("../lessons.js").About} */
export default {
  title: "Rotary positions",
  question: "What happens to attention when queries and keys rotate?",
  group: "positions",
  minutes: 30,
  before: ["sinusoidal"],
  able: [
    "Rotate a pair of numbers for a position, by hand.",
    "Prove in three lines what happens to a dot product when both tokens move.",
    "Tell the two layouts apart, and say what happens when they are mixed up.",
  ],
  recap: [
    "RoPE rotates each pair of a query and of a key by an angle that grows with the position.",
    "Rotation preserves lengths, and moving both tokens preserves the angle between query and key.",
    "So the dot product depends only on the contents of the two vectors and on their distance.",
  ],
  further: [
    {
      text: "Su et al., 2021, RoFormer: enhanced transformer with rotary position embedding",
      href: "https://arxiv.org/abs/2104.09864",
    },
  ],
};
