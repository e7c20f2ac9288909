"""Makes a configuration tiny: fewer layers, heads, words and experts, and heads as wide as before."""

import copy

LAYERS = set(
    "num_hidden_layers n_layer n_layers num_layers layers encoder_layers decoder_layers depth "
    "num_decoder_layers num_encoder_layers num_temporal_layers encoder_num_layers".split()
)
HEADS = set(
    "num_attention_heads n_head n_heads num_heads attention_heads encoder_attention_heads "
    "decoder_attention_heads encoder_num_attention_heads num_encoder_attention_heads".split()
)
KEY_HEADS = {"num_key_value_heads", "num_kv_heads", "n_head_kv", "encoder_num_key_value_heads"}
WIDTHS = {"hidden_size", "n_embd", "d_model", "embed_dim", "dim"}
INNER = set(
    "intermediate_size ffn_dim encoder_ffn_dim decoder_ffn_dim d_ff n_inner moe_intermediate_size "
    "shared_expert_intermediate_size ffn_hidden_size intermediate_size_mlp hidden_dim "
    "shared_intermediate_size expert_ffn_hidden_size dense_intermediate_size "
    "encoder_intermediate_size".split()
)
EXPERTS = {"num_experts", "num_local_experts", "n_routed_experts", "moe_num_experts"}
CHOSEN = set(
    "num_experts_per_tok num_experts_per_token moe_topk top_k moe_k moe_router_topk".split()
)
GROUPS = {"n_group", "topk_group", "num_expert_group"}
WORDS = set(
    "vocab_size text_vocab_size vocab_size_per_layer_input encoder_vocab_size src_vocab_size "
    "tgt_vocab_size".split()
)
PERIODS = set(
    "sliding_window_pattern no_rope_layer_interval full_attention_interval attn_layer_period "
    "global_attn_every_n_layers interleave_moe_layer_step".split()
)
KINDS = ("layer_types", "layers_block_type", "block_types")
LEFT_OUT = set(
    "transformers_version _name_or_path dtype torch_dtype out_features out_indices stage_names "
    "_out_features _out_indices".split()
)

# What a configuration computes from the others, and a smaller one anew.
COMPUTED = {
    "zamba": {"attention_head_dim", "attention_hidden_size"},
    "xlstm": {"embedding_dim", "num_blocks"},
    "zamba2": {"attention_hidden_size", "hybrid_layer_ids", "mamba_headdim"},
}

_ROPE = {"rope_type": "default", "rope_theta": 10000.0}
_GLM_V = {"rope_parameters": {**_ROPE, "partial_rotary_factor": 0.5, "mrope_section": [8, 12, 12]}}

# What a default configuration lacks for its model to run, or for every kind of layer to occur.
NEEDED = {
    "afmoe": {"mup_enabled": True},
    "albert": {"embedding_size": 32},
    "autoformer": {"prediction_length": 4},
    "bamba": {"attn_layer_indices": [1]},
    "chameleon": {"vocabulary_map": {"<image>": 9}, "image_token_id": 9},
    "cohere_compass_text": {
        "layer_types": ["sliding_attention", "full_attention"] * 20,
        "rope_parameters": {"sliding_attention": _ROPE, "full_attention": _ROPE},
    },
    "convbert": {"embedding_size": 32},
    "dbrx": {"attn_config": {"kv_n_heads": 2, "clip_qkv": 8, "rope_theta": 10000.0}},
    "deepseek_ocr2_text": {
        **{"n_group": 1, "topk_group": 1, "num_experts_per_tok": 2},
        "mlp_layer_types": ["dense", "sparse"] * 16,
    },
    "diffusion_gemma_text": {"num_experts": 4, "top_k_experts": 2, "moe_intermediate_size": 32},
    "dory": {
        "layer_types": ["sliding_attention", "mlp", "full_attention", "mlp"] * 18,
        **{"n_input_layers": 2, "n_recurrent_layers": 2, "n_output_layers": 0},
    },
    "dots1": {"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2},
    "electra": {"embedding_size": 32},
    "esm": {"vocab_size": 64, "pad_token_id": 1, "mask_token_id": 32},
    "gemma3n_text": {"num_kv_shared_layers": 0},
    "glm4_moe": {"head_dim": 128},
    "glm4v_text": _GLM_V,
    "glm4v_moe_text": {"head_dim": 128, **_GLM_V},
    "glm_image_text": _GLM_V,
    "granitemoehybrid": {
        "position_embedding_type": "rope",
        "layer_types": ["linear_attention", "full_attention"] * 16,
    },
    "hunyuan_v1_dense": {"head_dim": 64},
    "hunyuan_v1_moe": {"head_dim": 64},
    "hunyuan_vl_text": {
        **{"head_dim": 64, "num_key_value_heads": 2},
        "rope_parameters": {**_ROPE, "mrope_section": [8, 8, 8, 8]},
    },
    "lfm2_moe": {"layer_types": ["conv", "full_attention"] * 16, "num_dense_layers": 2},
    "ministral": {"head_dim": 64},
    "moonshine_streaming": {"num_key_value_heads": 8},
    "nemotron": {"head_dim": 64, "num_key_value_heads": 2},
    "opt": {"word_embed_proj_dim": 32},
    "pix2struct_text_model": {"initializer_range": 0.02},
    "qwen3_omni_moe_text": {"head_dim": 128},
    "qwen3_omni_moe_talker_text": {"head_dim": 128, "shared_expert_intermediate_size": 64},
    "qwen4_exp_text": {
        **{"indexer_n_heads": 2, "indexer_kv_heads": 1, "indexer_head_dim": 256},
        **{"indexer_budget": 16, "indexer_compress_ratio": 4, "output_gate_type": "sigmoid"},
    },
    "roformer": {"embedding_size": 32},
    "step3p5": {"sliding_window": 16},
    "t5_gemma_module": {"dropout_rate": 0.0},
    "t5gemma2_decoder": {"dropout_rate": 0.0},
    "t5gemma2_text": {"dropout_rate": 0.0},
    "xlstm": {"num_heads": 2, "hidden_size": 64},
    "zamba": {"layers_block_type": ["linear_attention", "hybrid"] * 38},
    "zamba2": {
        **{"use_mem_rope": True, "n_mamba_heads": 4},
        "layers_block_type": ["linear_attention", "hybrid"] * 27,
    },
}

# Further configurations of a family, by name.
# 21 is among the ids of the first text.
_MASKED = {"token_dropout": True, "mask_token_id": 21}
VARIANTS = {
    "esm-masked": ("esm", {**_MASKED, "emb_layer_norm_before": True}),
    "esm-rotary": ("esm", {**_MASKED, "position_embedding_type": "rotary", "rope_theta": 5e4}),
}


def layers_of(config):
    """How many layers show every kind: at least 4, where there are as many."""
    counts = (config.get(key) for key in LAYERS)
    count = next((n for n in counts if isinstance(n, int)), None)
    wanted = 4
    kinds = next((config[key] for key in KINDS if isinstance(config.get(key), list)), None)
    if kinds and count:
        first = next(n for n in range(1, len(kinds) + 1) if set(kinds[:n]) == set(kinds))
        wanted = max(first, min(4, count))
    for key in PERIODS:
        if isinstance(config.get(key), int) and 0 < config[key] <= 12:
            wanted = max(wanted, config[key])
    return count, wanted


def shrink(config, narrow):
    """The tiny configuration; `narrow` says whether there are fewer heads, too."""
    computed = COMPUTED.get(config.get("model_type"), set())
    config = {key: copy.deepcopy(value) for key, value in config.items() if key not in computed}
    config.update(NEEDED.get(config.get("model_type"), {}))
    count, wanted = layers_of(config)
    width = next((config[key] for key in WIDTHS if isinstance(config.get(key), int)), None)
    heads = next((config[key] for key in HEADS if isinstance(config.get(key), int)), None)
    few = 4 if config.get("model_type") == "codegen" else 2
    narrow_width = width // heads * few if narrow and width and heads and heads > 2 else None

    def tiny(key, value):
        if isinstance(value, dict) and value.get("model_type") is not None:
            return shrink(value, narrow)
        if key == "per_layer_config" and isinstance(value, dict):
            return {layer: entry for layer, entry in value.items() if int(layer) < wanted}
        if isinstance(value, list):
            if key.endswith("_token_id"):
                return 2
            return value[:wanted] if count and len(value) == count > wanted else value
        if value is None and key in CHOSEN:
            return 2
        if not isinstance(value, int) or isinstance(value, bool):
            return value
        if key in LAYERS:
            return min(value, wanted)
        if key in INNER:
            return min(value, 64)
        if key in EXPERTS:
            return min(value, 4)
        if key in CHOSEN:
            return min(value, 2)
        if key in GROUPS:
            return 1
        if key in WORDS:
            return min(value, 512)
        if key.endswith("_token_id"):
            return value if value <= 400 else 3
        if narrow_width and key in WIDTHS:
            return narrow_width
        if narrow_width and key in HEADS:
            return min(value, few)
        if narrow_width and key in KEY_HEADS and value > 1:
            return 1 if value < heads else few
        return value

    return {key: tiny(key, value) for key, value in config.items() if key not in LEFT_OUT}
