/** @type {import("../lessons.js").About} */
export default {
  title: "Why position",
  question: "Can attention tell “dog bites man” from “man bites dog”?",
  group: "positions",
  minutes: 20,
  before: ["attention"],
  able: [
    "Test whether the order of the words changes an output of attention.",
    "Say which positional information lets attention distinguish a sentence from its reverse.",
    "Decide whether a sum of words and positions reveals the order.",
  ],
  recap: [
    "Attention compares vectors and adds them up. Without positions, nothing in it depends on the order of the words.",
    "Positions added to the vectors, rotations of queries and keys, or a causal mask make the order visible; a penalty that is the same on both sides does not show the direction of a sentence.",
    "The sum of all words and all positions is the same in every order: it is attention that combines a word with its position.",
  ],
  further: [
    {
      text: "Haviv et al., 2022, Transformer language models without positional encodings still learn positional information",
      href: "https://arxiv.org/abs/2203.16634",
    },
    {
      text: "Kazemnejad et al., 2023, The impact of positional encoding on length generalization in transformers",
      href: "https://arxiv.org/abs/2305.19466",
    },
  ],
};
