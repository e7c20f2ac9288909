/** @type {import("../lessons.js").About} */
export default {
  title: "Which one?",
  question: "Which positional encoding fits which task?",
  group: "positions",
  minutes: 30,
  before: ["learned", "rope", "alibi"],
  able: [
    "Say what changes under each scheme when a sentence moves, and when it is reversed.",
    "Compute the parameters and the operations of each scheme for a model of any size.",
    "Choose a scheme for a task, and give a number as the reason.",
  ],
  recap: [
    "Learned tables and sinusoids depend on the position itself; RoPE, ALiBi and T5’s bias depend only on the difference of two positions.",
    "Only the learned table grows with the training length, and only schemes that act on scores cost more in a longer text.",
    "No scheme is best for every task: parameters, cost, direction and longer texts favor different schemes.",
  ],
  further: [
    {
      text: "Vaswani et al., 2017, Attention is all you need, section 3.5",
      href: "https://arxiv.org/abs/1706.03762",
    },
    {
      text: "Press, Smith and Lewis, 2022, Train short, test long: ALiBi compared with other schemes",
      href: "https://arxiv.org/abs/2108.12409",
    },
  ],
};
