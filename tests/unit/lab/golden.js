import { caseOf } from "../../truth/golden.js";
import { matrix } from "../reference/decoder.js";
import { numbers } from "../reference/samples.js";

/** @import { Case, Stored } from "../../truth/golden.js" */
/** @import { Parameters } from "../reference/decoder.js" */

/**
 * A golden case of op `decoder`, opened: parameters by name, and which of their entries `gradient` and `after` hold.
 * Entries of `after` that mean nothing are left out.
 * @param {Case} found
 */
export function decoderOf({ id, params, inputs, outputs }) {
  const { shapes, thin } = params;
  /** @type {[string, number[], number][]} */
  const sizes = Object.entries(shapes).map(([name, shape]) => [
    name,
    shape,
    shape.reduce((/** @type {number} */ a, /** @type {number} */ b) => a * b, 1),
  ]);
  let at = 0;
  /** @type {Parameters} */
  const start = {};
  for (const [name, shape, size] of sizes) {
    const data = /** @type {Float32Array} */ (inputs.start.data).slice(at, (at += size));
    start[name] = { data, shape };
  }
  const kept = (/** @type {Stored} */ { data }) => {
    let next = 0;
    /** @type {Record<string, Map<number, number>>} */
    const found = {};
    for (const [name, shape, size] of sizes) {
      const step = shape.length === 2 && !name.startsWith("bias.") ? thin : 1;
      found[name] = new Map();
      for (let k = 0; k < size; k += step, ++next) {
        const value = Number(data[next]);
        if (!Number.isNaN(value)) found[name].set(k, value);
      }
    }
    return found;
  };
  const T = inputs.ids.shape[2];
  const ids = matrix(numbers(inputs.ids), T);
  const [steps, batch] = inputs.ids.shape;
  const batches = Array.from({ length: steps }, (_, n) => ids.slice(n * batch, (n + 1) * batch));
  return {
    name: id.slice("lab.".length),
    params,
    start,
    /** [step][B][T] */
    ids: batches,
    /** The token two back. */
    targets: batches.map((texts) => texts.map((text) => text.map((_, t) => text[t - 2] ?? -1))),
    long: matrix(numbers(inputs["long.ids"]), 3 * T),
    /** `logits`, `attention` [L, B, H, T, T], `losses`, `norms`, `long.logits`, ... */
    outputs,
    gradient: kept(outputs.gradient),
    after: kept(outputs.after),
  };
}

/** All 12, for a test that looks at them from another side than reference/decoder.test.js. */
export const decoders = () =>
  "none learned sinusoidal rope rope-half alibi t5 kerple-log kerple-power fire shaw tied"
    .split(" ")
    .map((name) => decoderOf(caseOf(`lab.${name}`)));
