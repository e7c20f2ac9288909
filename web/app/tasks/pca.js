/** @import { Phasor, Tensor } from "phasor" */

/**
 * Numbers and their shape: the part of a Tensor that can be sent to or from a worker.
 * @template [Data=Float32Array]
 * @typedef {{data: Data, shape: readonly number[]}} Plain
 */

/**
 * Principal components of points.
 *
 * @param {Phasor} phasor
 * @param {{points: Plain, components?: number}} args  [N, D]; k, default 2
 * @returns {AsyncGenerator<never, {mean: Plain, components: Plain, projected: Plain, ratio: Plain}>}
 *   [D], [k, D], [N, k], [k]
 */
// eslint-disable-next-line require-yield -- one computation without progress
export async function* pca(phasor, { points, components }) {
  const found = phasor.pca(points, { components });
  return {
    mean: plain(found.mean),
    components: plain(found.components),
    projected: plain(found.projected),
    ratio: plain(found.explainedVarianceRatio),
  };
}

/** @param {Tensor<any>} tensor  of float32 @returns {Plain} */
export function plain({ data, shape }) {
  return { data, shape };
}
