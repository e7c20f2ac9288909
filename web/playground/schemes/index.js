import { alibi } from "./alibi.js";
import { bands, gaussian, nerf, timesteps } from "./fourier.js";
import { axialRope, sincosGrid } from "./grid.js";
import { fire, kerple, sandwich } from "./kernel-bias.js";
import { learnedPositions } from "./learned-positions.js";
import { mrope } from "./mrope.js";
import { deberta, shaw, transformerXL } from "./relative.js";
import { rope } from "./rope.js";
import { sinusoidal } from "./sinusoidal.js";
import { t5Bias } from "./t5-bias.js";
import { windowBias } from "./window-bias.js";
import { xpos } from "./xpos.js";

/** @import { Scheme } from "./scheme.js" */

/** Schemes by what they do with positions, in the order in which they are offered. */
export const FAMILIES = Object.freeze({
  "Added to the input": [sinusoidal, learnedPositions],
  "Rotating queries and keys": [rope, xpos, mrope],
  "Added to the logits": [alibi, t5Bias, kerple, sandwich, fire, shaw, transformerXL, deberta],
  Images: [sincosGrid, axialRope, windowBias],
  "Continuous numbers": [timesteps, gaussian, nerf, bands],
});

/** By name. @type {Readonly<Record<string, Scheme>>} */
export const schemes = Object.freeze(
  Object.fromEntries(
    Object.values(FAMILIES)
      .flat()
      .map((scheme) => [scheme.name, scheme]),
  ),
);

export { VIEWS } from "./scheme.js";
