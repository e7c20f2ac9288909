/** The modules of this folder, each a function of a core. */
export { ngramIds } from "./ngram_ids/ngram_ids.js";
