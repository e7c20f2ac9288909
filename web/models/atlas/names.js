/** Schemes as the page calls them. @type {Readonly<Record<string, string>>} */
export const NAMES = Object.freeze({
  rope: "RoPE",
  axialRope: "axial RoPE",
  learnedPositions: "learned table",
  sinusoidal: "sinusoids",
  t5Bias: "T5 bias",
  transformerXL: "Transformer-XL",
  alibi: "ALiBi",
  sincosGrid: "sinusoids of a grid",
  windowBias: "bias of windows",
  none: "no positions",
  other: "not computed here",
  unknown: "not known",
});
