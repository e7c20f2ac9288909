/** The kinds of identify beside rotations, loaded when one is asked for. */
export { identifyWeights as weights } from "./weights.js";
