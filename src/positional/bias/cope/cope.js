/** @import { Core } from "../../../runtime/wasm.js" */
/** @import { OptionsOf } from "../../../runtime/options.js" */
/** @import { Tensor, TensorInput } from "../../../runtime/tensor.js" */
import * as arrays from "../../../runtime/arrays.js";
import { wrongShape } from "../../../runtime/errors.js";
import { overRows } from "../../../runtime/memory.js";
import * as option from "../../../runtime/options.js";
import { output } from "../../../runtime/result.js";
import { readSpan } from "../../../runtime/span.js";
import { asFloat32 } from "../../../runtime/input.js";

const BIAS = option.optionSet(() => ({
  /** The position of the first query. Default: Tk - Tq, so that the last query sees the last key. */
  offset: option.value(/** @type {number | undefined} */ (undefined)),
  /** Filled instead of a new array. It may be the logits. */
  out: option.out(),
}));

/**
 * CoPE, contextual position encoding (Golovneva et al. 2024).
 * @param {Core} core
 */
export function cope(core) {
  const { raw } = core;

  const module = {
    /**
     * Computes the bias of contextual positions: the position of a key is the sum of the gates from it
     * to the query, so that the context decides which tokens count.
     *
     *     p_ij = min(sum over l = j .. i of sigmoid(logits_il), P - 1)
     *     bias_ij = the position logits at p_ij, linear between the integer positions on both sides
     *
     * and -Infinity for j > i. The gate of a key whose logit is -Infinity is 0.
     * Accuracy: in double, rounded once.
     *
     * @param {TensorInput} logits  q_i . k_j before the bias, [..., Tq, Tk]
     * @param {TensorInput} positionLogits  q_i . e_p for the P learned positions, [..., Tq, P]
     * @param {OptionsOf<typeof BIAS>} [options]
     * @returns {Tensor} float32, the shape of logits
     * @throws {TypeError | RangeError} if an argument has the wrong type or shapes do not agree
     * @see Golovneva et al. 2024, Contextual position encoding, https://arxiv.org/abs/2405.18719
     * @example
     * cope.bias([[0, 0, 0]], [[10, 20, 40]]).toArray()
     * // [[30, 20, 15]]
     */
    bias(logits, positionLogits, options = {}) {
      const { offset, out } = BIAS.read(options);
      const scores = readScores(logits);
      const { shape, Tq, Tk } = scores;
      const { first } = readSpan(Tq, Tk, offset);
      const positions = readPositionLogits(positionLogits, shape.slice(0, -1));
      const P = positions.P;
      const result = output(out, shape);
      const pieces = /** @type {const} */ ([
        { data: scores.data, row: Tk },
        { data: positions.data, row: P },
        { data: result.data, row: Tk, direction: "out" },
      ]);
      const rows = Tk === 0 ? 0 : arrays.count(shape.slice(0, -1));
      overRows(core, rows, pieces, (rows, row, [logits, positions, out]) =>
        raw.cope_bias({ logits, positions, out, first, row, rows, Tq, Tk, P }),
      );
      return result.done();
    },
  };
  return option.withOptions(module, { bias: BIAS });
}

/** @param {unknown} logits */
function readScores(logits) {
  const { data, shape } = asFloat32(logits, "logits");
  if (shape.length < 2) {
    throw wrongShape("logits", "[..., Tq, Tk]", shape);
  }
  const [Tq, Tk] = shape.slice(-2);
  return { data, shape, Tq, Tk };
}

/** @param {unknown} positionLogits @param {number[]} rows  the shape without its last axis */
function readPositionLogits(positionLogits, rows) {
  const { data, shape } = asFloat32(positionLogits, "positionLogits");
  const P = shape[rows.length];
  const agree = shape.slice(0, -1).join() === rows.join();
  if (shape.length !== rows.length + 1 || !agree || P === 0) {
    throw wrongShape("positionLogits", `[${rows.join(", ")}, P]`, shape);
  }
  return { data, P };
}
