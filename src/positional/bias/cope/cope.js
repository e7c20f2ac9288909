/** @import { Core, Raw } from "../../../runtime/wasm.js" */
/** @import { TensorInput } from "../../../runtime/tensor.js" */
import * as check from "../../../runtime/check.js";
import { overRows } from "../../../runtime/memory.js";
import { asFloat32, Tensor } from "../../../runtime/tensor.js";
import { readSpan } from "../../../runtime/span.js";

/**
 * CoPE: contextual position encoding (Golovneva et al. 2024).
 * @param {Core} core
 */
export function cope(core) {
  const raw =
    /**
     * @type {Raw & {
     *   cope_bias(logits: number, positions: number, first: number, row: number, Tq: number, Tk: number,
     *     P: number, out: number, rows: number): number,
     * }}
     */ (core.raw);

  return {
    /**
     * CoPE: positions that count only some of the tokens between, those whose gates the context
     * opens.
     *
     *     p_ij = min(sum over l = j .. i of sigmoid(logits_il), P - 1)
     *     bias_ij = position logits of p_ij, linear between the two whole positions beside it
     *
     * and -Infinity for j > i. A key whose logit is -Infinity is not counted.
     * Accuracy: double throughout, rounded once.
     *
     * @param {TensorInput} logits  q_i . k_j before the bias, [..., Tq, Tk]
     * @param {TensorInput} positionLogits  q_i . e_p for the P learned positions, [..., Tq, P]
     * @param {{offset?: number, out?: Float32Array | Tensor}} [options]  `offset`, the position of the
     *   first query (default: Tk - Tq); `out` is filled instead of a new array, and may be the logits
     * @returns {Tensor} float32, the shape of logits; the caller's own
     * @throws {TypeError | RangeError} if an argument is of the wrong kind or shapes do not agree
     * @see Golovneva et al. 2024, Contextual position encoding, https://arxiv.org/abs/2405.18719
     * @example
     * cope.bias([[0, 0, 0]], [[10, 20, 40]]).toArray()
     * // [[30, 20, 15]]
     */
    bias(logits, positionLogits, options = {}) {
      const where = "cope.bias";
      const { offset, out } = check.options(options, { offset: undefined, out: undefined }, where);
      const scores = asFloat32(logits, "logits");
      const axes = scores.shape.length;
      if (axes < 2) {
        throw new RangeError(
          `logits must have shape [..., Tq, Tk]; got [${scores.shape.join(", ")}]`,
        );
      }
      const [Tq, Tk] = scores.shape.slice(-2);
      const { first } = readSpan(Tq, Tk, offset);
      const places = asFloat32(positionLogits, "positionLogits");
      const P = places.shape[axes - 1];
      const agree = places.shape.slice(0, -1).join() === scores.shape.slice(0, -1).join();
      if (places.shape.length !== axes || !agree || P === 0) {
        throw new RangeError(
          `positionLogits must have shape [${scores.shape.slice(0, -1).join(", ")}, P]; got [${places.shape.join(", ")}]`,
        );
      }
      const result = check.destination(out, scores.shape);
      const pieces = /** @type {const} */ ([
        { data: scores.data, row: Tk },
        { data: places.data, row: P },
        { data: result, row: Tk, way: "out" },
      ]);
      const rows = Tk === 0 ? 0 : check.count(scores.shape.slice(0, -1));
      overRows(core, where, rows, pieces, (count, row, [from, by, at]) =>
        raw.cope_bias(from, by, first, row, Tq, Tk, P, at, count),
      );
      return new Tensor(result, scores.shape);
    },
  };
}
