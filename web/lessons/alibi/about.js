/** @type {import("../lessons.js").About} */
export default {
  title: "ALiBi",
  question: "What if far tokens simply count less?",
  group: "positions",
  minutes: 25,
  before: ["order"],
  able: [
    "Compute the penalty of any head for any distance.",
    "Draw how the weight of a token falls with its distance, in a steep head and in a flat one.",
    "Say in which heads a longer context takes weight from the near tokens.",
  ],
  recap: [
    "ALiBi subtracts a slope from the score once for each step of distance. It does not change the vectors.",
    "With equal scores, each step multiplies the weight by a constant factor, which differs from head to head.",
    "Steep heads see only a few near tokens, flat heads see nearly all.",
  ],
  further: [
    {
      text: "Press et al., 2022, Train short, test long: attention with linear biases enables input length extrapolation",
      href: "https://arxiv.org/abs/2108.12409",
    },
    {
      text: "BigScience Workshop, 2022, BLOOM: a 176B-parameter open-access multilingual language model",
      href: "https://arxiv.org/abs/2211.05100",
    },
  ],
};
