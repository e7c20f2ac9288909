/** @type {import("../lessons.js").About} */
export default {
  title: "Tokens to vectors",
  question: "How does a word become numbers?",
  group: "words",
  minutes: 20,
  before: ["pieces"],
  able: [
    "Say what a lookup returns, and in which shape, for a sentence and for a batch.",
    "Multiply a one-hot vector by a table.",
    "Compute how many parameters and bytes a table takes.",
  ],
  recap: [
    "A token's id is the index of a row in the embedding table; looking it up copies that row.",
    "The product of a token's one-hot vector and the table is the token's row.",
    "The same token has the same vector in every sentence and at every position.",
    "Ids of shape [B, T] become vectors of shape [B, T, D].",
  ],
  further: [
    {
      text: "Press and Wolf, 2017, Using the output embedding to improve language models",
      href: "https://arxiv.org/abs/1608.05859",
    },
  ],
};
