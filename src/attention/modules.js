/** The modules of this folder, each a function of a core. */
export { attention } from "./attention/attention.js";
