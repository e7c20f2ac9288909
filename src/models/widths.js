/** The widths of heads that the configurations of some families may leave out. */

/**
 * @typedef {{qk_rope_head_dim: number, qk_nope_head_dim: number}} Latent
 * @typedef {Latent | {head_dim: number}} Widths
 */

/**
 * What a file may leave out: with latent attention the rotated and the other columns of a head, otherwise its width, which
 * is no part of the model's there.
 */
const WIDTHS = new Map(
  [
    "64 128 axk1 bailing_hybrid deepseek_v2 deepseek_v3 deepseek_v32 dots3_note_text kimi_k2 longcat_flash sarvam_mla youtu",
    "64 192 glm4_moe_lite glm_moe_dsa hy_v4 hy_v4_vl_text",
    "64 64 mistral4",
    "32 64 axk2 minicpm3",
    "64 - gpt_oss kimi_linear mamba2 muse_spark_text neomme openai_privacy_filter sarvam_moe",
    "128 - afmoe beam cohere2_moe cosmos3_edge_text cwm dia_encoder ernie4_5 flint glm glm4 helium higgs_audio_v2 hrm_text hy_v3 internlm3 iquestcoder jetmoe kolibri1 laguna lara_mini lfm3 llama4_text mellum minimax_m2 minimax_m3 minimax_m3_vl_text ministral3 molmo2_text muse_glimmer_text paddleocr_vl_text qwen2_5_omni_talker qwen3 qwen3_vl_text seed_oss solar_open step3p5 step3p7 zaya",
    "192 - mimo_v2_flash",
    "256 - diffusion_gemma_text dory embedding_gemma2_text gemma gemma2 gemma3_text gemma3n_text gemma4_text gemma4_unified_text qwen3_5_moe_text qwen3_5_text qwen3_next qwen4_exp_text t5_gemma_module t5gemma2_decoder t5gemma2_text vaultgemma",
    "512 - deepseek_v4",
  ].flatMap((line) => {
    const [width, rest, ...types] = line.split(" ");
    const [first, other] = [Number(width), Number(rest)];
    const widths = isNaN(other)
      ? { head_dim: first }
      : { qk_rope_head_dim: first, qk_nope_head_dim: other };
    return types.map((type) => /** @type {[string, Widths]} */ ([type, widths]));
  }),
);

/** The widths of a family's heads that a file may leave out. @param {string} type */
export const headWidths = (type) => WIDTHS.get(type);

/** Those of a family's latent attention. @param {string} type @returns {Latent | undefined} */
export function latentWidths(type) {
  const widths = WIDTHS.get(type);
  return widths && "qk_rope_head_dim" in widths ? widths : undefined;
}
