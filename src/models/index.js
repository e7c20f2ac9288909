/**
 * phasor/models: what public models do with tokens and positions, and what a config.json says of
 * it. Plain JavaScript, without the compiled core.
 */
export { models } from "./models.js";
