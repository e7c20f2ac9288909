/** @type {import("../lessons.js").About} */
export default {
  title: "What training does",
  question: "How does training find a vector for each word?",
  group: "words",
  minutes: 30,
  before: ["lookup", "trained-table"],
  able: [
    "Carry out one step of training by hand.",
    "Predict from a text which of its words get similar vectors.",
    "Say which vectors change in a training step.",
  ],
  recap: [
    "Random vectors of many dimensions are nearly at right angles; training gives directions a meaning.",
    "A context word pulls the vector of its center word, a negative sample pushes it, each in proportion to its error.",
    "Words with the same context words are pulled in the same directions, so their vectors become similar.",
  ],
  further: [
    {
      text: "Mikolov et al., 2013, Distributed representations of words and phrases, section 2.2",
      href: "https://arxiv.org/abs/1310.4546",
    },
    {
      text: "Rong, 2014, word2vec parameter learning explained",
      href: "https://arxiv.org/abs/1411.2738",
    },
  ],
};
