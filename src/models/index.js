/**
 * phasor/models: how public models embed tokens and encode positions, from their config.json. Plain
 * JavaScript, without the compiled core.
 */
export { atlas } from "./atlas.js";
export { models } from "./models.js";

/**
 * @typedef {import("./presets.js").ModelName} ModelName
 * @typedef {import("./config.js").Model} Model
 * @typedef {import("./config.js").Rotary} Rotary
 */
