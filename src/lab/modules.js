/** The modules of this folder, each a function of a core. */
export { lab } from "./lab/lab.js";
