/**
 * What the golden files, after Hugging Face's configurations, call by other names.
 */

/** @import { Scaling } from "../../../src/positional/rotary/rope/scaling.js" */

/**
 * The options of rope.frequencies and rope.table that a case's params stand for.
 * @param {Record<string, any>} params
 */
export function rotary(params) {
  const { rope_theta: base, seq_len: length } = params;
  return { base, length, scaling: scaling(params) };
}

/** @param {Record<string, any>} params @returns {Scaling | undefined} */
function scaling(params) {
  const { factor, rope_type: type } = params;
  const { max_position_embeddings: maxLength, original_max_position_embeddings: originalLength } =
    params;
  switch (type) {
    case "default":
      return undefined;
    case "linear":
      return { type, factor };
    case "dynamic":
      return { type, factor, maxLength };
    case "ntk_alpha":
      return { type: "ntk", alpha: params.alpha };
    case "yarn":
      return {
        ...{ type, factor, originalLength, truncate: params.truncate },
        ...{ betaFast: params.beta_fast, betaSlow: params.beta_slow },
        ...{ mscale: params.mscale, mscaleAllDim: params.mscale_all_dim },
        attentionFactor: params.attention_factor,
      };
    case "longrope":
      return {
        ...{ type, shortFactor: params.short_factor, longFactor: params.long_factor },
        ...{ originalLength, factor: maxLength / originalLength },
      };
    case "llama3":
      return {
        ...{ type, factor, originalLength },
        ...{ lowFreqFactor: params.low_freq_factor, highFreqFactor: params.high_freq_factor },
      };
    case "proportional":
      return { type, factor, partialRotaryFactor: params.partial_rotary_factor };
    default:
      throw new Error(`the golden files have an unknown rope_type, ${type}`);
  }
}
