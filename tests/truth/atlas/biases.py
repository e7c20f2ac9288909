"""Writes relative biases as transformers computes them with random weights, and sinusoids of encoders of sound.

    python tests/truth/atlas/biases.py OUTPUT.safetensors OUTPUT.json

Each family has `bias`, and `weight` where it learns one.
"""

import inspect
import json
import os
import sys
from pathlib import Path

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

import torch
from classes import modeling_of
from safetensors.torch import save_file
from transformers import CONFIG_MAPPING

LENGTH = 40
WINDOW = 5


def modeling(family):
    return modeling_of(CONFIG_MAPPING[family])


def attention_of(module):
    """The class of T5's kind that computes buckets, and its heads' table."""
    for cls in vars(module).values():
        if inspect.isclass(cls) and cls.__module__ == module.__name__ and hasattr(cls, "compute_bias"):
            return cls
    raise ValueError("no class computes a bias")


def t5(family):
    config = CONFIG_MAPPING[family]()
    attention = attention_of(modeling(family))(config, has_relative_attention_bias=True)
    weight = torch.nn.init.normal_(attention.relative_attention_bias.weight)
    found = {"bias": attention.compute_bias(LENGTH, LENGTH)[0], "weight": weight}
    attention.is_decoder = True
    return config, {**found, "causal": attention.compute_bias(LENGTH, LENGTH)[0]}


def mpnet(family):
    config = CONFIG_MAPPING[family](num_hidden_layers=1, intermediate_size=8)
    encoder = modeling(family).MPNetEncoder(config)
    weight = torch.nn.init.normal_(encoder.relative_attention_bias.weight)
    x = torch.zeros(1, LENGTH, config.hidden_size)
    return config, {"bias": encoder.compute_position_bias(x)[0], "weight": weight}


def bloom(family):
    config = CONFIG_MAPPING[family](n_head=12, hidden_size=96)
    mask = torch.ones(1, LENGTH)
    return config, {"bias": modeling(family).build_alibi_tensor(mask, 12, torch.float32)}


def mpt(family):
    config = CONFIG_MAPPING[family](n_heads=12, d_model=96)
    return config, {"bias": modeling(family).build_mpt_alibi_tensor(12, LENGTH)}


def swin(family):
    config = CONFIG_MAPPING[family](window_size=WINDOW)
    relative = modeling(family).SwinAttention(config, 24, 3, WINDOW).relative_position_bias
    weight = torch.nn.init.normal_(next(iter(relative.parameters())))
    return config, {"bias": relative()[0], "weight": weight}


def first_swin(family):
    """Swin's bias in the modules that gather it in their forward."""
    config = CONFIG_MAPPING[family](window_size=WINDOW)
    name = next(name for name in vars(modeling(family)) if name.endswith("SwinSelfAttention"))
    attention = getattr(modeling(family), name)(config, 24, 3, WINDOW)
    weight = torch.nn.init.normal_(attention.relative_position_bias_table)
    rows = weight[attention.relative_position_index.view(-1)].view(WINDOW**2, WINDOW**2, 3)
    return config, {"bias": rows.permute(2, 0, 1), "weight": weight}


def deberta(family):
    """The rows of the table of relative positions, beyond the distances that have a row each."""
    config = CONFIG_MAPPING[family](relative_attention=True, position_buckets=32, max_relative_positions=64)
    x, rows = torch.zeros(1, 3 * LENGTH, 1), 2 * config.position_buckets
    distances = modeling(family).build_relative_position(x, x, config.position_buckets, 64)
    return config, {"bias": torch.clamp(distances + rows // 2, 0, rows - 1)[0]}


def sound(family):
    config = CONFIG_MAPPING[family]()
    table = modeling(family).SinusoidsPositionEmbedding(LENGTH, 64).positional_embedding
    return config, {"bias": table}


def whisper(family):
    return CONFIG_MAPPING[family](), {"bias": modeling(family).sinusoids(LENGTH, 64)}


def vit_mae(family):
    config = CONFIG_MAPPING[family](hidden_size=64, image_size=80)
    embeddings = modeling(family).ViTMAEEmbeddings(config)
    embeddings.initialize_weights()
    return config, {"bias": embeddings.position_embeddings[0]}


def refused(family):
    return CONFIG_MAPPING[family](), {}


WAYS = {
    **dict.fromkeys("t5 mt5 umt5 longt5 switch_transformers pop2piano".split(), t5),
    **{"mpnet": mpnet, "bloom": bloom, "mpt": mpt, "swin": swin, "deberta-v2": deberta},
    **dict.fromkeys("donut-swin maskformer-swin".split(), first_swin),
    **{"whisper": whisper, "vit_mae": vit_mae},
    **dict.fromkeys("qwen2_5_omni_audio_encoder qwen3_omni_moe_audio_encoder qwen3_asr_encoder".split(), sound),
    **dict.fromkeys("swinv2 swin2sr beit data2vec-vision xlnet funnel".split(), refused),
}


def main(tensors_to, facts_to):
    facts, tensors = {}, {}
    torch.manual_seed(1)
    for family, way in WAYS.items():
        with torch.no_grad():
            config, found = way(family)
        facts[family] = {"config": config.to_dict()}
        tensors |= {f"{family}/{name}": x.detach().float().clone() for name, x in found.items()}
    save_file({name: x.contiguous() for name, x in tensors.items()}, tensors_to)
    Path(facts_to).write_text(json.dumps(facts, default=str))


main(*sys.argv[1:])
