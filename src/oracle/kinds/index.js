/** The kinds of identify beside plain rotations, loaded when one is asked for. */
export { identifyBias as bias } from "./bias.js";
export { identifyIds as positionIds } from "./ids.js";
export { identifyTable as table } from "./grids.js";
export { together } from "./keys.js";
export { rarer } from "./rarer.js";
export { identifyWeights as weights } from "./weights.js";
