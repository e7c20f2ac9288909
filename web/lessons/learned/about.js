/** @type {import("../lessons.js").About} */
export default {
  title: "Learned positions",
  question: "What if positions are learned like words, and what happens past the last row?",
  group: "positions",
  minutes: 30,
  before: ["order"],
  able: [
    "Say which row of the position table each token of a padded batch gets.",
    "Predict what happens to rows that no training text reaches, and past the last row.",
    "Stretch a position table for a longer text, and count its parameters.",
  ],
  recap: [
    "Learned positions are a second table, added vector by vector to the word vectors.",
    "Positions that are used in similar ways get similar vectors. A row that no text reaches stays random.",
    "The table ends: a longer text causes an error, or needs a longer table.",
  ],
  further: [
    {
      text: "Gehring et al., 2017, Convolutional sequence to sequence learning, section 3.1",
      href: "https://arxiv.org/abs/1705.03122",
    },
    {
      text: "Devlin et al., 2018, BERT: pre-training of deep bidirectional transformers, appendix A.2",
      href: "https://arxiv.org/abs/1810.04805",
    },
    {
      text: "Dosovitskiy et al., 2020, An image is worth 16x16 words, section 3.2",
      href: "https://arxiv.org/abs/2010.11929",
    },
  ],
};
