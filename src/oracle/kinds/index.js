/** The kinds of identify beside rotations, loaded when one is asked for. */
export { identifyBias as bias } from "./bias.js";
export { identifyIds as positionIds } from "./ids.js";
export { identifySinusoids as table } from "./sinusoids.js";
export { identifyWeights as weights } from "./weights.js";
