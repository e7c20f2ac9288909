/** @type {import("../lessons.js").About} */
export default {
  title: "The whole input",
  question: "What exactly enters GPT-2, BERT and LLaMA?",
  group: "models",
  minutes: 35,
  before: ["lookup", "learned"],
  able: [
    "Write down what enters the first layer of GPT-2, BERT and LLaMA.",
    "Explain why some models multiply their embeddings by the square root of D.",
    "Compute LayerNorm of a short vector by hand, and say which tables of a model are trained and which are buffers.",
  ],
  recap: [
    "GPT-2 adds a word and a position vector, BERT a segment vector too, and LLaMA adds nothing.",
    "LayerNorm removes the mean and the size of a vector, so a common factor of the tables has no effect.",
    "Dropout divides what it keeps by 1 − p, so the mean over many steps stays the same.",
  ],
  further: [
    {
      text: "Devlin et al., 2018, BERT: pre-training of deep bidirectional transformers, section 3",
      href: "https://arxiv.org/abs/1810.04805",
    },
    {
      text: "Vaswani et al., 2017, Attention is all you need, sections 3.4 and 5.4",
      href: "https://arxiv.org/abs/1706.03762",
    },
    {
      text: "Ba, Kiros and Hinton, 2016, Layer normalization",
      href: "https://arxiv.org/abs/1607.06450",
    },
  ],
};
