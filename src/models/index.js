/**
 * phasor/models: how public models embed tokens and encode positions, from their config.json. Plain
 * JavaScript, without the compiled core.
 */
export { atlas } from "./atlas.js";
export { models } from "./models.js";
