/** The tasks of the lab, each a function of its options. */
export { addition } from "./addition.js";
export { back } from "./back.js";
export { even } from "./even.js";
export { first } from "./first.js";
export { induction } from "./induction.js";
export { latest } from "./latest.js";
export { needle } from "./needle.js";
export { text } from "./text.js";
