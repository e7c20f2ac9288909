/** The modules of this folder, each a function of a core. */
export { skipgram } from "./skipgram/skipgram.js";
