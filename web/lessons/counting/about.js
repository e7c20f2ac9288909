/** @type {import("../lessons.js").About} */
export default {
  title: "Counting positions",
  question: "Why not just number the words 0, 1, 2?",
  group: "positions",
  minutes: 20,
  before: ["order"],
  able: [
    "Name the fault of integers, of fractions and of binary digits as positions.",
    "Explain sinusoids as binary digits that change smoothly.",
    "Say what a single wave tells of a position, and what it does not.",
  ],
  recap: [
    "Integers grow without bound and drown the word; fractions of the length make a step mean something different in each text.",
    "Binary digits stay small and mean the same everywhere, but neighbors can differ in one digit or in all.",
    "Waves are smooth digits. A sine and a cosine together rotate by the same angle at each step, so the dot product of two positions depends only on their distance.",
  ],
  further: [
    {
      text: "Vaswani et al., 2017, Attention is all you need, section 3.5",
      href: "https://arxiv.org/abs/1706.03762",
    },
  ],
};
