/** How pairs turned in training. */

/** @import { Rotary } from "../../models/index.js" */
/** @import { RopeModules } from "../../positional/rotary/rope/index.js" */

/**
 * The frequencies of training, before a scaling for longer texts.
 * @param {RopeModules} modules @param {Rotary} rotary @param {number} trained
 */
export function trainedFrequencies({ rope }, { dim, options: { base, scaling } }, trained) {
  const kept =
    scaling?.type === "proportional"
      ? { scaling: { ...scaling, factor: 1 } }
      : scaling?.type === "longrope" && { scaling, length: trained };
  return rope.frequencies(dim, { base, ...kept }).frequencies.data;
}
