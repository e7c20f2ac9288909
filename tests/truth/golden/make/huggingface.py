"""Rotary frequencies and tables as Hugging Face transformers computes them."""

from types import SimpleNamespace

import torch
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS, RotaryEmbeddingConfigMixin
from transformers.models.gpt_neox.modeling_gpt_neox import GPTNeoXRotaryEmbedding
from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding

CPU = torch.device("cpu")

# Parameters of a case that a configuration does not have.
OURS = {"head_dim", "max_position_embeddings", "rotary_dim", "seq_len", "alpha", "model"}


class Config(RotaryEmbeddingConfigMixin, SimpleNamespace):
    """The part of a model's configuration that the rotary code reads."""


def config(params, **rope_parameters):
    return Config(
        head_dim=params["head_dim"],
        hidden_size=params["head_dim"],
        num_attention_heads=1,
        max_position_embeddings=params.get("max_position_embeddings", 2048),
        rope_parameters={
            **{key: value for key, value in params.items() if key not in OURS},
            **rope_parameters,
        },
    )


def frequencies(params):
    """The inverse frequencies, float32, and the attention factor."""
    if params["rope_type"] == "default":
        return GPTNeoXRotaryEmbedding.compute_default_rope_parameters(config(params), CPU)
    make = ROPE_INIT_FUNCTIONS[params["rope_type"]]
    return make(config(params), CPU, seq_len=params.get("seq_len"))


def tables(params, inverse_frequencies, attention_factor, position_ids):
    """cos and sin [B, L, 2F] by the forward pass of Llama's module, given its frequencies."""
    module = LlamaRotaryEmbedding(config(params, rope_type="default"))
    module.inv_freq, module.attention_scaling = inverse_frequencies, attention_factor
    return module(torch.zeros(1), position_ids)
