/** The modules of this folder, each a function of a core. */
export { nearest } from "./nearest/nearest.js";
export { pca } from "./pca/pca.js";
export { procrustes } from "./procrustes/procrustes.js";
export { rounding } from "./rounding/rounding.js";
export { similarity } from "./similarity/similarity.js";
export { statistics } from "./statistics/statistics.js";
