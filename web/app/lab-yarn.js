/** How YaRN is read in the lab: in short texts, the usual betas would interpolate every pair. */
export const YARN = Object.freeze({
  betaFast: 4,
  betaSlow: 1,
  ramp: /** @type {const} */ ("turns"),
});
