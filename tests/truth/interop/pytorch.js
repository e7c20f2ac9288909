// The trainings that PyTorch has run as programs, and a hash of each program.

/** @typedef {import("phasor/lab").Lab["lab"]} Lab */
/** @typedef {import("../../../src/lab/pytorch.js").Made} Made */
/** @typedef {import("../../../src/lab/pytorch.js").Training} Training */

/**
 * A training.
 * @typedef {object} Run
 * @property {(lab: Lab) => import("phasor/lab").Task} task
 * @property {Made} made @property {Training} training
 * @property {string} hash  of the program
 * @property {number} [equal]  the steps whose losses are equal, if not all: in corners the last bit decides
 */

/** A scheme on the task "needle". @param {any} scheme @param {string} hash @param {number} [equal] @returns {Run} */
const needle = (scheme, hash, equal) => ({
  task: (lab) => lab.tasks.needle(),
  made: /** @type {Made} */ ({ position: { scheme }, seed: 1 }),
  training: {},
  hash,
  equal,
});

/** @type {Record<string, Run>} */
export const RUN = {
  none: needle("none", "332af5156aee65cd"),
  learned: needle("learned", "4ec20d87e822e83e"),
  sinusoidal: needle("sinusoidal", "c603aeb4efad3edc"),
  rope: needle("rope", "b28f7f1766803213"),
  xpos: needle("xpos", "10c52a1035f87ed1"),
  alibi: needle("alibi", "cb0002d5a3fb4993"),
  t5Bias: needle("t5Bias", "bd01f4a3c046ffda"),
  kerple: needle("kerple", "ff05856697f9423c"),
  sandwich: needle("sandwich", "1a5121856f8bdef7"),
  fire: needle("fire", "2d8ac5d9a10f7b2f", 20),
  shaw: needle("shaw", "0e2bf82a7c28943c"),
  cope: needle("cope", "baf65c3b0d07f8be", 30),
  "kerple of powers, two layers, a bias of in_proj, no clipping": {
    task: (lab) => lab.tasks.back(),
    made: /** @type {Made} */ ({ position: { scheme: "kerple", kernel: "power" }, seed: 2, layers: 2, heads: 4, bias: true }), // prettier-ignore
    training: { clip: 0, steps: 30 },
    hash: "6ef3a3f834b446da",
  },
  "alibi of three heads, tied, other betas and decay": {
    task: (lab) => lab.tasks.latest(),
    made: /** @type {Made} */ ({ position: { scheme: "alibi" }, seed: 3, dim: 48, heads: 3, tied: true }), // prettier-ignore
    training: { steps: 40, betas: [0.8, 0.95], weightDecay: 0.3, warmup: 5, floor: 0.5 },
    hash: "595e6d5ac14a5b1a",
  },
  "rope of half the columns, another length, batch and rate": {
    task: (lab) => lab.tasks.first(),
    made: /** @type {Made} */ ({ position: { scheme: "rope", base: 500, fraction: 0.5 }, seed: 4, dim: 64, heads: 4 }), // prettier-ignore
    training: { steps: 40, length: 20, batch: 7, learningRate: 4e-3 },
    hash: "a890af3d4b0a725c",
  },
};
