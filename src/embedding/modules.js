/** The modules of this folder, each a function of a core. */
export { dropout } from "./dropout/dropout.js";
export { dtypes } from "./dtypes/dtypes.js";
export { embedding } from "./embedding/embedding.js";
export { embeddingBag } from "./embedding_bag/embedding_bag.js";
export { normalize } from "./normalize/normalize.js";
export { pooling } from "./pooling/pooling.js";
export { tokenTypeIds } from "./token_type_ids/token_type_ids.js";
