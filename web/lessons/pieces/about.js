/** @type {import("../lessons.js").About} */
export default {
  title: "Text to tokens",
  question: "How is text cut into pieces?",
  group: "words",
  minutes: 20,
  before: [],
  able: [
    "Run byte-pair encoding by hand: count pairs, merge, count again.",
    "Cut a new word with learned merges.",
    "Explain why tokens are neither letters nor words, and what decides how many a text needs.",
  ],
  recap: [
    "Letters make texts long, and no list contains every word. Tokens are pieces between the two.",
    "Byte-pair encoding merges the most frequent pair of neighboring pieces, again and again; each merge adds one token.",
    "A new word is cut by the same merges in the same order, so text that resembles the training text needs the fewest tokens; the same sentence in another language may need several times as many.",
  ],
  further: [
    {
      text: "Sennrich, Haddow and Birch, 2016, Neural machine translation of rare words with subword units",
      href: "https://arxiv.org/abs/1508.07909",
    },
    {
      text: "Wu et al., 2016, Google's neural machine translation system, section 4.1 (WordPiece)",
      href: "https://arxiv.org/abs/1609.08144",
    },
  ],
};
