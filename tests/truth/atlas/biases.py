"""Writes relative biases as transformers computes them with random weights, and sinusoids of encoders of sound.

    python tests/truth/atlas/biases.py OUTPUT.safetensors OUTPUT.json

Each family has `bias`, and `weight` where it learns one, or what its bias is computed from. A word behind a family's name
says which of its forms is meant.
"""

import contextlib
import inspect
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

import torch
from classes import modeling_of, models_of
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
    config = CONFIG_MAPPING[family](num_heads=2)
    attention = attention_of(modeling(family))(config, has_relative_attention_bias=True)
    weight = torch.nn.init.normal_(attention.relative_attention_bias.weight)
    found = {"bias": attention.compute_bias(LENGTH, LENGTH)[0], "weight": weight}
    attention.is_decoder = True
    return config, {**found, "causal": attention.compute_bias(LENGTH, LENGTH)[0]}


def pix2struct(family):
    """A decoder, whose bias is causal."""
    config = CONFIG_MAPPING[family](num_heads=2)
    attention = attention_of(modeling(family))(config, has_relative_attention_bias=True)
    weight = torch.nn.init.normal_(attention.relative_attention_bias.weight)
    return config, {"causal": attention.compute_bias(LENGTH, LENGTH)[0], "weight": weight}


def mpnet(family):
    config = CONFIG_MAPPING[family](num_hidden_layers=1, num_attention_heads=2, hidden_size=32)
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
    config = CONFIG_MAPPING[family](relative_attention=True, position_buckets=16, max_relative_positions=32)
    x, rows = torch.zeros(1, 2 * LENGTH, 1), 2 * config.position_buckets
    distances = modeling(family).build_relative_position(x, x, config.position_buckets, 32)
    return config, {"bias": torch.clamp(distances + rows // 2, 0, rows - 1)[0]}


def sound(family):
    config = CONFIG_MAPPING[family]()
    table = modeling(family).SinusoidsPositionEmbedding(LENGTH, 64).positional_embedding
    return config, {"bias": table}


def whisper(family):
    return CONFIG_MAPPING[family](), {"bias": modeling(family).sinusoids(LENGTH, 64)}


def videoprism(family):
    return CONFIG_MAPPING[family](), {"bias": modeling(family).create_sinusoidal_positions(LENGTH, 64)}


def musicgen(family):
    name = "MusicgenMelody" if "melody" in family else "Musicgen"
    table = getattr(modeling(family), f"{name}SinusoidalPositionalEmbedding").get_embedding(LENGTH, 64)
    return CONFIG_MAPPING[family](), {"bias": table}


def frozen(family):
    """The table of a tower for sound: what enters its first layer where the convolutions give zeros."""
    sizes = {"encoder_layers": 1, "encoder_ffn_dim": 8, "encoder_attention_heads": 2, "d_model": 16}
    config = CONFIG_MAPPING[family](max_source_positions=LENGTH, **sizes)
    encoder = models_of(config)[0]._from_config(config).eval()
    for parameter in encoder.conv2.parameters():
        torch.nn.init.zeros_(parameter)
    weight = torch.nn.init.normal_(encoder.embed_positions.weight)
    sound = torch.zeros(1, config.num_mel_bins, 2 * LENGTH)
    mask = {"input_features_mask": torch.ones(1, 2 * LENGTH)} if "audioflamingo" in family else {}
    return config, {"bias": entering(encoder.layers[0], encoder, sound, **mask)[0], "weight": weight}


def entering(layer, model, *args, **kwargs):
    """What a layer gets when the model runs."""
    seen = []

    def hook(_, given, named):
        seen.append([*given, *named.values()][0])

    layer.register_forward_pre_hook(hook, with_kwargs=True)
    model(*args, **kwargs)
    return seen[0]


def table(family, name, **keys):
    """A table of patches as the embeddings of zeros add it, for a picture of 3 x 5 patches of 4 x 4."""
    config = CONFIG_MAPPING[family](hidden_size=16, patch_size=4, num_attention_heads=2, **keys)
    embeddings = getattr(modeling(family), name)(config)
    for key, parameter in embeddings.named_parameters():
        fill = torch.nn.init.normal_ if "position" in key else torch.nn.init.zeros_
        fill(parameter)
    weight = dict(embeddings.named_parameters()).get("position_embeddings")
    return config, embeddings, {} if weight is None else {"weight": weight[0]}


def internvl(family):
    config, embeddings, found = table(family, "InternVLVisionEmbeddings", image_size=[16, 16])
    return config, {**found, "bias": embeddings(torch.zeros(1, 3, 12, 20))[0], "size": torch.tensor([3, 5])}


def yolos(family):
    config, embeddings, found = table(family, "YolosEmbeddings", image_size=[16, 24], num_detection_tokens=3)
    return config, {**found, "bias": embeddings(torch.zeros(1, 3, 12, 20))[0], "size": torch.tensor([3, 5])}


def videomae(family):
    config, embeddings, found = table(family, "VideoMAEEmbeddings", image_size=16, num_frames=4)
    return config, {"bias": embeddings(torch.zeros(1, 4, 3, 16, 16), None)[0]}


def siglip2(family):
    config, embeddings, found = table(family, "Siglip2VisionEmbeddings", num_patches=16)
    size = torch.tensor([3, 5])
    bias = embeddings(torch.zeros(1, 15, 48), size[None])[0]
    return config, {"weight": embeddings.position_embedding.weight, "bias": bias, "size": size}


def sam(family):
    """The table of patches, and the bias of queries in a window."""
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "image_size": 64, "patch_size": 16}
    config = CONFIG_MAPPING[family](**sizes, window_size=WINDOW)
    found = modeling(family)
    name = "SamHQ" if "hq" in family else "Sam"
    attention = getattr(found, f"{name}VisionAttention")(config, WINDOW)
    heights, widths = [torch.nn.init.normal_(x) for x in (attention.rel_pos_h, attention.rel_pos_w)]
    queries = torch.randn(2, WINDOW**2, 8)
    scores = attention.get_decomposed_rel_pos(queries, heights, widths, (WINDOW, WINDOW), (WINDOW, WINDOW))
    encoder = getattr(found, f"{name}VisionEncoder")(config)
    for parameter in encoder.patch_embed.parameters():
        torch.nn.init.zeros_(parameter)
    weight = torch.nn.init.normal_(encoder.pos_embed)
    bias = entering(encoder.layers[0], encoder, torch.zeros(1, 3, 64, 64))
    return config, {
        **{"weight": weight.flatten(0, 2), "bias": bias.flatten(0, 2), "queries": queries},
        **{"heights": heights, "widths": widths, "scores": scores.reshape(2, WINDOW**2, WINDOW**2)},
    }


def detr(family):
    """Sinusoids of a picture whose last row and columns are padding."""
    config = CONFIG_MAPPING[family](d_model=32)
    found = modeling(family)
    mask = torch.ones(1, 5, 7, dtype=torch.int64)
    mask[:, 4], mask[:, :, 5:] = 0, 0
    if hasattr(found, "build_position_encoding"):
        bias = found.build_position_encoding(config)(torch.zeros(1, 3, 5, 7), mask)
    else:
        name = next(name for name in vars(found) if name.endswith("SinePositionEmbedding"))
        sine = getattr(found, name)(config.d_model // 2, normalize=True)
        bias = sine(torch.Size([1, 3, 5, 7]), "cpu", torch.float32, mask)
    # A column of padding alone has angles of millions in Deformable DETR.
    return config, {"bias": (bias * mask[:, None])[0].permute(1, 2, 0), "mask": mask[0]}


def grid(family):
    """Sinusoids of DAB-DETR by a mask, and of Mask2Former, which is given none."""
    width = "hidden_dim" if family == "mask2former" else "hidden_size"
    config = CONFIG_MAPPING[family](**{width: 32})
    found = modeling(family)
    mask = torch.ones(1, 5, 7, dtype=torch.int64)
    if family == "mask2former":
        sine = found.Mask2FormerSinePositionEmbedding(config.hidden_dim // 2, normalize=True)
        bias = sine(torch.Size([1, 3, 5, 7]), "cpu", torch.float32)
    else:
        mask[:, 4], mask[:, :, 5:] = 0, 0
        bias = found.DabDetrSinePositionEmbedding(config)(torch.zeros(1, 3, 5, 7), mask) * mask[:, None]
    return config, {"bias": bias[0].permute(1, 2, 0), "mask": mask[0]}


def vit_mae(family):
    config = CONFIG_MAPPING[family](hidden_size=64, image_size=80)
    embeddings = modeling(family).ViTMAEEmbeddings(config)
    embeddings.initialize_weights()
    return config, {"bias": embeddings.position_embeddings[0]}


@contextlib.contextmanager
def scores():
    """Attention's scores instead of their softmax."""
    same = mock.Mock(side_effect=lambda x, *_, **__: x)
    with mock.patch("torch.nn.functional.softmax", same), mock.patch("torch.softmax", same):
        yield


def randomized(model):
    for p in model.parameters():
        p.copy_(torch.randn(p.shape) * 0.3)
    return model.eval()


def window_network(family, **more):
    """Queries of zeros leave the bias alone."""
    config = CONFIG_MAPPING[family](window_size=WINDOW, **more)
    pretrained = more.get("pretrained_window_sizes", [0])[0]
    name = next(name for name in vars(modeling(family)) if name.endswith("SelfAttention"))
    attention = randomized(getattr(modeling(family), name)(config, 12, 3, WINDOW, [pretrained] * 2))
    attention.query.weight.zero_()
    attention.query.bias.zero_()
    with scores():
        bias = attention(torch.zeros(1, WINDOW**2, 12), output_attentions=True)[1][0]
    first, _, last = attention.continuous_position_bias_mlp
    return config, {"bias": bias, "w1": first.weight, "b1": first.bias, "w2": last.weight}


def beit(family, **keys):
    """What a layer adds to scores: queries of zeros leave the bias alone."""
    sizes = {"hidden_size": 16, "num_attention_heads": 2, "num_hidden_layers": 1, "intermediate_size": 8}
    config = CONFIG_MAPPING[family](**sizes, image_size=32, patch_size=8, **keys)
    model = randomized(models_of(config)[0]._from_config(config, attn_implementation="eager"))
    weights = dict(model.named_parameters())
    queries = [weight for name, weight in weights.items() if "query" in name or "q_proj" in name]
    assert queries
    for weight in queries:
        weight.zero_()
    with scores():
        bias = model(torch.randn(1, 3, 32, 32), output_attentions=True).attentions[0][0]
    tables = [weight for name, weight in weights.items() if name.endswith("relative_position_bias_table")]
    return config, {"bias": bias, **({"weight": tables[0]} if tables else {})}


def beit_table(family):
    """The table of patches, and the bias that is none."""
    config = CONFIG_MAPPING[family](
        hidden_size=16, num_attention_heads=2, image_size=32, patch_size=8, use_absolute_position_embeddings=True
    )
    embeddings = modeling(family).BeitEmbeddings(config)
    for key, parameter in embeddings.named_parameters():
        (torch.nn.init.normal_ if "position" in key else torch.nn.init.zeros_)(parameter)
    rows = embeddings(torch.zeros(1, 3, 32, 32))
    rows = rows[0] if isinstance(rows, tuple) else rows
    return config, {"bias": rows[0], "weight": embeddings.position_embeddings[0]}


def xlnet(family, length=9, memory=0, **more):
    config = CONFIG_MAPPING[family](vocab_size=32, d_model=16, n_layer=1, n_head=2, d_inner=8, **more)
    model = randomized(modeling(family).XLNetModel(config))
    attention = model.layer[0].rel_attn
    core, seen = attention.rel_attn_core, {}
    attention.rel_attn_core = lambda *args, **kw: seen.update(args=args, **kw) or core(*args, **kw)
    types = torch.tensor([[0] * 4 + [1] * (length - 4)])
    mems = [torch.randn(memory, 1, 16)] if memory else None
    ids = torch.randint(0, 32, (1, length))
    with scores():
        result = model(ids, token_type_ids=types, mems=mems, use_mems=True, output_attentions=True)
    q, k, _, _ = seen["args"]
    return config, {
        **{"bias": result.attentions[0][0], "q": q[:, 0].transpose(0, 1), "k": k[:, 0].transpose(0, 1)},
        **{"u": attention.r_w_bias, "v": attention.r_r_bias, "s": attention.r_s_bias},
        "projection": attention.r.permute(1, 2, 0).reshape(16, 16),
        "segments": attention.seg_embed.transpose(0, 1),
        "types": torch.cat([torch.zeros(1, memory), types], dim=1)[0],
    }


def funnel(family, length=13, **more):
    """The positional part of the scores in the last layer of each block, whose queries and keys are pooled alike."""
    config = CONFIG_MAPPING[family](
        vocab_size=32, block_sizes=[1, 2], d_model=16, n_head=2, d_head=8, d_inner=8, **more
    )
    model = randomized(modeling(family).FunnelBaseModel(config))
    found = {}
    for block, layers in enumerate(model.encoder.blocks):
        attention = layers[-1].attention
        part = attention.relative_positional_attention

        def kept(embeds, q, *args, part=part, block=block):
            result = part(embeds, q, *args)
            found.update({f"bias{block}": result[0], f"q{block}": q[0].transpose(0, 1) / attention.scale})
            return result

        attention.relative_positional_attention = kept
        found[f"v{block}"] = attention.r_r_bias
        found[f"projection{block}"] = attention.r_kernel.permute(1, 2, 0).reshape(16, 16)
    model(torch.randint(0, 32, (1, length)))
    return config, found


def layout(family, **more):
    config = CONFIG_MAPPING[family](
        **{"vocab_size": 24, "hidden_size": 24, "num_attention_heads": 2, "intermediate_size": 8},
        **{"max_2d_position_embeddings": 60, "max_position_embeddings": 16, **more},
    )
    module = modeling(family)
    name = next(name for name in vars(module) if name.endswith("Embeddings") and "Patch" not in name)
    embeddings = randomized(getattr(module, name)(config))
    ids = torch.randint(3, 24, (1, 9))
    left, upper = torch.randint(0, 30, (2, 1, 9))
    boxes = torch.stack([left, upper, left + torch.arange(9), upper + 29], dim=-1)
    types = torch.tensor([[0] * 4 + [1] * 5]) if config.type_vocab_size > 1 else torch.zeros(1, 9).long()
    if family == "layoutlmv2":
        own = SimpleNamespace(embeddings=embeddings)
        rows = module.LayoutLMv2Model._calc_text_embeddings(own, ids, boxes, None, types)
    else:
        rows = embeddings(input_ids=ids, bbox=boxes, token_type_ids=types)
    found = {"input": rows[0], "ids": ids[0], "boxes": boxes[0], "types": types[0]}
    found |= {f"weights.{name}": p for name, p in embeddings.named_parameters()}
    if family == "layoutlm":
        return config, found
    encoder = randomized(getattr(module, f"{name.split('Embed')[0].replace('Text', '')}Encoder")(config))
    positions = torch.arange(9)[None]
    if family == "layoutlmv2":
        bias = encoder._calculate_1d_position_embeddings(positions)
        bias = bias + encoder._calculate_2d_position_embeddings(boxes)
    else:
        bias = encoder._compute_position_bias(positions, boxes)
    for axis in ("rel_pos_bias", "rel_pos_x_bias", "rel_pos_y_bias"):
        found[axis] = getattr(encoder, axis).weight.T
    return config, found | {"bias": bias[0]}


def layouts(family):
    return layout(family, coordinate_size=4, shape_size=4)


WAYS = {
    **dict.fromkeys("t5 mt5 umt5 longt5 switch_transformers pop2piano".split(), t5),
    **{"mpnet": mpnet, "bloom": bloom, "mpt": mpt, "swin": swin, "deberta-v2": deberta},
    **dict.fromkeys("donut-swin maskformer-swin".split(), first_swin),
    **{"whisper": whisper, "vit_mae": vit_mae, "pix2struct_text_model": pix2struct},
    **{"videoprism_text_model": videoprism, "musicgen_decoder": musicgen},
    **dict.fromkeys("voxtral_encoder qwen2_audio_encoder".split(), frozen),
    **dict.fromkeys("audioflamingo3_encoder moss_transcribe_diarize_audio".split(), frozen),
    **{"internvl_vision": internvl, "yolos": yolos, "videomae": videomae},
    "siglip2_vision_model": siglip2,
    **dict.fromkeys("sam_vision_model sam_hq_vision_model".split(), sam),
    **dict.fromkeys("detr conditional_detr table-transformer deformable_detr".split(), detr),
    **dict.fromkeys("qwen2_5_omni_audio_encoder qwen3_omni_moe_audio_encoder qwen3_asr_encoder".split(), sound),
    **{"swinv2": window_network, "swin2sr": window_network, "xlnet": xlnet, "funnel": funnel},
    **{"layoutlm": layout, "layoutlmv2": layouts, "layoutlmv3": layouts},
    "musicgen_melody_decoder": musicgen,
    "swinv2 pretrained": lambda family: window_network(family, pretrained_window_sizes=[3] * 4),
    "xlnet clamped": lambda family: xlnet(family, clamp_len=3),
    "xlnet memory": lambda family: xlnet(family, memory=4),
    "xlnet uni": lambda family: xlnet(family, memory=4, attn_type="uni"),
    "funnel factorized": lambda family: funnel(family, attention_type="factorized"),
    "funnel joined": lambda family: funnel(family, separate_cls=False),
    **dict.fromkeys("dab-detr mask2former".split(), grid),
    **dict.fromkeys("beit data2vec-vision".split(), lambda family: beit(family, use_relative_position_bias=True)),
    "beit shared": lambda family: beit(family, use_shared_relative_position_bias=True),
    **dict.fromkeys(["beit none", "data2vec-vision none"], beit),
    "beit table": beit_table,
}


def main(tensors_to, facts_to):
    facts, tensors = {}, {}
    torch.manual_seed(1)
    for family, way in WAYS.items():
        with torch.no_grad():
            config, found = way(family.split()[0])
        facts[family] = {"config": config.to_dict()}
        tensors |= {f"{family}/{name}": x.detach().float().clone() for name, x in found.items()}
    save_file({name: x.contiguous() for name, x in tensors.items()}, tensors_to)
    Path(facts_to).write_text(json.dumps(facts, default=str))


main(*sys.argv[1:])
