/**
 * Decoders of the lab, trained, each with a hash of its weights. It runs in every engine: it imports nothing.
 */

/** All schemes. */
export const SCHEMES = /** @type {const} */ ([
  "none",
  "learned",
  "sinusoidal",
  "rope",
  "xpos",
  "alibi",
  "t5Bias",
  "kerple",
  "sandwich",
  "fire",
  "shaw",
  "cope",
]);

/**
 * FNV-1a of 64 bits over the numbers of all parameters, as tests/unit/bits.h.
 * @param {Record<string, {data: ArrayBufferView}>} weights
 */
function hashOf(weights) {
  let hash = 0xcbf29ce484222325n;
  for (const { data } of Object.values(weights)) {
    for (const byte of new Uint8Array(data.buffer, data.byteOffset, data.byteLength)) {
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
    }
  }
  return hash.toString(16).padStart(16, "0");
}

/** The steps after which weights are compared; tests/unit/lab/lab.test.cpp makes the first ones, too. */
const COMPARED = 20;

/**
 * Trains on the task needle: one layer of width 32, 200 steps.
 * @param {Pick<typeof import("phasor/lab"), "load">} entry @param {number} [steps]  fewer of the 200
 * @returns {Promise<Record<string, string>>} hashes, by the scheme and the steps made
 */
export async function trained({ load }, steps = 200) {
  const { lab } = await load();
  const task = lab.tasks.needle();
  const { vocabulary } = task;
  /** @type {Record<string, string>} */
  const found = {};
  for (const scheme of SCHEMES) {
    const model = lab.decoder({ vocabulary, position: { scheme }, seed: 1 });
    for (const { step } of model.train(task, { steps: 200, every: COMPARED })) {
      const made = step + 1;
      if (made === COMPARED || made === 200) found[`${scheme} ${made}`] = hashOf(model.weights());
      if (made >= steps) break;
    }
    model.dispose();
  }
  return found;
}
