/** @type {import("../lessons.js").About} */
export default {
  title: "Attention by hand",
  question: "How does a word gather information from the others?",
  group: "positions",
  minutes: 20,
  before: ["trained-table"],
  able: [
    "Compute a score, a weight and an output of attention with pencil and paper.",
    "Explain the roles of queries, keys and values.",
    "Explain why the scores are divided by √D before the softmax.",
  ],
  recap: [
    "The dot product of a query and a key is a score, and a softmax turns the scores of a query into weights that add up to 1.",
    "The output of a token is the mean of all values under these weights, so it lies between them.",
    "Wide vectors have large dot products, and large scores leave one token with all the weight; dividing by √D prevents that.",
  ],
  further: [
    {
      text: "Vaswani et al., 2017, Attention is all you need, section 3.2",
      href: "https://arxiv.org/abs/1706.03762",
    },
  ],
};
