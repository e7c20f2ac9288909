/** @type {import("../lessons.js").About} */
export default {
  title: "Sinusoids",
  question: "How can waves encode a position?",
  group: "positions",
  minutes: 25,
  before: ["counting"],
  able: [
    "Compute any number of the sinusoidal table by hand.",
    "Say which waves separate neighbors and which separate the beginning from the end.",
    "Say what a matrix must do to turn the vector of one position into that of another.",
  ],
  recap: [
    "A position becomes D numbers: sines and cosines of D/2 waves, from fast to slow.",
    "Two positions never have the same vector, and the dot product of two vectors depends only on their distance.",
    "Moving by k positions rotates each pair by a fixed angle, wherever it starts.",
  ],
  further: [
    {
      text: "Vaswani et al., 2017, Attention is all you need, section 3.5",
      href: "https://arxiv.org/abs/1706.03762",
    },
  ],
};
