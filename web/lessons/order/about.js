/** @type {import("../lessons.js").About} */
export default {
  title: "Why position",
  question: "Can attention tell “dog bites man” from “man bites dog”?",
  group: "positions",
  minutes: 15,
  before: ["lookup"],
  able: [],
  recap: [],
  further: [],
};
