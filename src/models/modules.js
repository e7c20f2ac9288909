/** The modules of this folder, each a function of a core. */
export { inputEmbeddings } from "./input_embeddings/input_embeddings.js";
