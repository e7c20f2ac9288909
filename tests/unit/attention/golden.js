import { alibi, t5 } from "../reference/bias.js";
import { numbers } from "../reference/samples.js";

/** @import { Phasor } from "phasor" */
/** @import { Stored } from "../../truth/golden.js" */

/**
 * What a golden case of attention asks for, in our words.
 * @param {Phasor["rope"]} rope @param {Record<string, any>} params @param {Record<string, Stored>} inputs
 */
export function optionsOf(rope, params, inputs) {
  const { scale, causal, bias, key_mask, rope: turned } = params;
  const [, H, Tq] = inputs.q.shape;
  const Tk = inputs.k.shape[2];
  const table = turned && rope.table(inputs.position_ids, turned.rotary_dim);
  const biases = {
    none: () => undefined,
    alibi: () => alibi(H, Tq, Tk),
    t5: () => t5(numbers(inputs.table), H, Tq, Tk, /** @type {any} */ (params)),
  };
  return {
    scale,
    causal: Boolean(causal),
    bias: biases[/** @type {keyof typeof biases} */ (bias)](),
    keyMask: key_mask ? inputs.key_mask : undefined,
    rope: table,
    layout: /** @type {"halves" | "interleaved" | undefined} */ (
      turned && (turned.layout === "interleaved" ? "interleaved" : "halves")
    ),
  };
}
