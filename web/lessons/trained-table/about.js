/** @type {import("../lessons.js").About} */
export default {
  title: "Inside a trained table",
  question: "What does a trained table know about words?",
  group: "words",
  minutes: 30,
  otherSenses: ["query"],
  before: ["lookup"],
  able: [
    "Compute the dot product and the cosine of two vectors by hand.",
    "Find a word's neighbors, and explain what makes them neighbors.",
    "Judge what an analogy, a map and a bias test prove.",
  ],
  recap: [
    "The cosine compares the directions of two vectors, the dot product their lengths as well.",
    "Words that occur in similar contexts have similar vectors, opposites included.",
    "King − man + woman is nearest to king; it is queen only because the three query words are excluded.",
  ],
  further: [
    {
      text: "Linzen, 2016, Issues in evaluating semantic spaces using word analogies",
      href: "https://arxiv.org/abs/1606.07736",
    },
    {
      text: "Nissim, van Noord and van der Goot, 2020, Fair is better than sensational",
      href: "https://arxiv.org/abs/1905.09866",
    },
  ],
};
