/** What the configurations of some families may leave out about heads: their widths, and how many have keys. */

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
    "128 - afmoe beam cohere2_moe cosmos3_edge_text cwm dia_decoder dia_encoder ernie4_5 flint glm glm4 helium higgs_audio_v2 hrm_text hy_v3 internlm3 iquestcoder jetmoe kolibri1 laguna lara_mini lfm3 llama4_text mellum minimax_m2 minimax_m3 minimax_m3_vl_text ministral3 molmo2_text muse_glimmer_text paddleocr_vl paddleocr_vl_text qwen2_5_omni_talker qwen3 qwen3_asr_text qwen3_vl_text seed_oss solar_open step3p5 step3p7 zaya",
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

/**
 * The numbers of heads with keys and values, where they are not those of queries. Latent attention has one latent for all.
 */
const KEY_VALUE_HEADS = new Map(
  [
    "1 dbrx deepseek_v4",
    "2 csm_depth_decoder_model embedding_gemma2_text ernie4_5 gemma3n_text glm glm4 glm4v_text glm_image_text internlm3 muse_glimmer_text openai_privacy_filter paddleocr_vl paddleocr_vl_text qwen3_5_moe_text qwen3_next qwen3_omni_moe_talker_text qwen4_exp_text starcoder2 zaya",
    "4 dia_decoder diffusion_gemma_text dory ernie4_5_moe ernie4_5_vl_moe_text flint gemma2 gemma3_text gemma4_text gemma4_unified_text granite_docling_text granite_swa kolibri1 lara_mini lfm3 mellum mimo_v2_flash minimax_m3_vl_text neomme qwen2_5_omni_talker qwen2_5_omni_text qwen3_5_text qwen3_moe qwen3_omni_moe_text sarvam_moe smollm3 t5_gemma_module t5gemma2_decoder t5gemma2_text vaultgemma",
    "5 bitnet",
    "8 bamba beam cosmos3_edge_text csm cwm emu3_text_model evolla exaone exaone4_5_vision falcon_h1 glm4_moe glm4v_moe_text glm_ocr_text gpt_oss higgs_audio_v2 hy_v3 iquestcoder jamba laguna lfm2 lfm2_moe lfm3_vl_vision llama4_text minimax minimax_m2 ministral ministral3 mistral mixtral mllama_text_model molmo2_text nemotron_h phi4_multimodal phimoe qwen2_5_vl_text qwen2_vl_text seed_oss solar_open step3p5 voxtral_realtime_text",
    "10 unlimited_ocr_text",
    "12 gemma4_vision",
    "16 dia_encoder gemma jetmoe muse_spark_text qwen2_moe qwen3_vl_moe_text zamba",
    "20 helium",
    "32 chameleon dots1 exaone4 exaone_moe qwen2 qwen3 qwen3_asr_text qwen3_vl_text stablelm",
  ].flatMap((line) => {
    const [heads, ...types] = line.split(" ");
    return types.map(
      (type) => /** @type {[string, object]} */ ([type, { num_key_value_heads: Number(heads) }]),
    );
  }),
);
/** All query heads share one with keys, unless the file says otherwise. */
for (const type of ["falcon", "gpt_bigcode"]) KEY_VALUE_HEADS.set(type, { multi_query: true });

/** Families whose code divides the hidden size by the heads where the width of a head is null. */
const DIVIDED = new Set(["ernie4_5", "paddleocr_vl", "paddleocr_vl_text"]);

/** What a file of a family may leave out about heads. @param {string} type @param {Record<string, unknown>} config */
export const headDefaults = (type, { head_dim: width }) => ({
  ...(width === null && DIVIDED.has(type) ? undefined : WIDTHS.get(type)),
  ...KEY_VALUE_HEADS.get(type),
});

/** Those of a family's latent attention. @param {string} type @returns {Latent | undefined} */
export function latentWidths(type) {
  const widths = WIDTHS.get(type);
  return widths && "qk_rope_head_dim" in widths ? widths : undefined;
}
