/** @type {import("../lessons.js").About} */
export default {
  title: "Rotary positions",
  question:
    "How can rotating two vectors make their dot product depend only on how far apart they are?",
  group: "positions",
  minutes: 25,
  before: ["sinusoidal"],
  able: [],
  recap: [],
  further: [],
};
