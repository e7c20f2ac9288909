"""Runs the towers for pictures of transformers up to their first rotation, and axial rotary modules of diffusers.

    python tests/truth/atlas/towers.py FAMILIES OUTPUT.safetensors OUTPUT.json

FAMILIES is a JSON file with names. Each tower keeps its default configuration but for its depth; queries before
and after the first rotation are written, and the row and column of each. diffusers' modules give cosines and sines
of a grid.
"""

import contextlib
import importlib
import inspect
import json
import os
import re
import sys
from pathlib import Path

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

import torch
from classes import modeling_of, models_of
from safetensors.torch import save_file
from transformers import CONFIG_MAPPING

T, H, W = 1, 4, 8
ROTATES = r"^(apply_rotary.*|vision_apply_rotary_emb)$"
DEPTHS = "num_hidden_layers depth num_layers layers vt_num_hidden_layers".split()


class Done(Exception):
    """The first rotation has been seen."""


def tower_of(family):
    config = CONFIG_MAPPING[family]()
    # Its first layers are convolutions.
    for key in () if family == "lfm3_vl_vision" else DEPTHS:
        if isinstance(getattr(config, key, None), int):
            with contextlib.suppress(Exception):
                setattr(config, key, 1)
    if getattr(config, "image_size", None) and family in ("llama4_vision_model", "sam3_vit_model"):
        config.image_size = config.patch_size * (H if family[0] == "l" else 24)
    with contextlib.suppress(Exception):
        config._attn_implementation = "eager"
    torch.manual_seed(1)
    return config, modeling_of(type(config)), models_of(config)


def inputs(config):
    """What a tower may want, one of these: patches of numbers, patches of pixels, or a picture."""
    patch = getattr(config, "patch_size", 14)
    channels = getattr(config, "in_channels", None) or getattr(config, "num_channels", None) or 3
    thw = torch.tensor([[T, H, W]])
    n = T * H * W
    random = torch.randn
    merge = getattr(config, "spatial_merge_size", 1)
    blocks = random(n // merge**2, patch * merge, patch * merge, channels)
    yield {"pixel_values": blocks, "image_grid_thw": torch.tensor([[T, H // merge, W // merge]])}
    for grid in (
        {"grid_thw": thw},
        {"grid_thw": thw, "merge_sizes": torch.tensor([2])},
        {"image_grid_thw": thw},
    ):
        for name in ("hidden_states", "pixel_values", "inputs_embeds"):
            for frames in (1, 2):
                yield {name: random(n, channels * frames * patch * patch), **grid}
            yield {name: random(n, channels, patch, patch), **grid}
            yield {name: random(1, n, channels, patch, patch), **grid}
    size = getattr(config, "image_size", None)
    square = isinstance(size, int) and size // patch
    rows, columns = (square, square) if square and square in (H, 24) else (H, W)
    yield {"pixel_values": random(1, channels, rows * patch, columns * patch)}
    yield {
        "pixel_values": random(1, channels, rows * patch, columns * patch),
        "image_sizes": [(rows * patch, columns * patch)],
    }


def first_rotation(config, module, model):
    seen = {}

    def watched(function):
        def inner(*args, **kwargs):
            after = function(*args, **kwargs)
            given = [x for x in [*args, *kwargs.values()] if torch.is_tensor(x)]
            result = after[0] if isinstance(after, (tuple, list)) else after
            before = next(x for x in given if x.shape == result.shape and x.is_floating_point())
            seen.update(before=before.detach(), after=result.detach())
            raise Done

        return inner

    def positions(function):
        def inner(*args, **kwargs):
            result = function(*args, **kwargs)
            seen["positions"] = result.detach().float()
            return result

        return inner

    for name, value in list(vars(module).items()):
        if inspect.isfunction(value) and re.search(ROTATES, name):
            setattr(module, name, watched(value))
        if name == "get_vision_position_ids":
            setattr(module, name, positions(value))
    errors = []
    for given in inputs(config):
        wanted = inspect.signature(model.forward).parameters
        if not all(key in wanted for key in given):
            continue
        try:
            with torch.no_grad():
                model(**given)
        except Done:
            return seen, given
        except Exception as error:
            errors.append(f"{type(error).__name__}: {str(error)[:150]}")
    raise RuntimeError("; ".join(errors) or "no input fits")


def record(family):
    config, module, classes = tower_of(family)
    errors = []
    for cls in classes:
        try:
            model = cls._from_config(config).eval().float()
            seen, given = first_rotation(config, module, model)
            break
        except Exception as error:
            errors.append(f"{cls.__name__}: {str(error)[:200]}")
    else:
        raise RuntimeError("; ".join(errors) or "no class")
    facts = {"config": config.to_dict(), "class": type(model).__name__}
    tensors = {key: by_token(seen[key]) for key in ("before", "after")}
    if "positions" in seen:
        tensors["positions"] = seen["positions"]
    else:
        picture = given["pixel_values"].shape
        patch = config.patch_size
        facts["grid"] = [picture[-2] // patch, picture[-1] // patch]
    return facts, tensors


def by_token(x):
    """[.., tokens, .., D] as [tokens, D] of one head."""
    sizes = list(x.shape[:-1])
    axis = max(range(len(sizes)), key=lambda i: sizes[i] if sizes[i] != x.shape[-1] else 0)
    counts = [i for i, size in enumerate(sizes) if size in (17, 32, 33, 576)]
    axis = counts[-1] if counts else axis
    return x.float().movedim(axis, -2).reshape(-1, sizes[axis], x.shape[-1])[0].contiguous()


def pipelines():
    """Cosines and sines [cells, P] of diffusers' rotary modules, by the name of the preset."""
    root = "diffusers.models.transformers.transformer_"
    latents = torch.zeros(1, 4, 3, 4, 6)
    grid = [(t, h, w) for t in range(3) for h in range(2) for w in range(3)]

    def made(file, cls, *args, **kwargs):
        return getattr(importlib.import_module(root + file), cls)(*args, **kwargs)

    pairs = {}
    for name, file, cls, args in [
        ("wan", "wan", "WanRotaryPosEmbed", (128, (1, 2, 2), 64)),
        ("hunyuan-video", "hunyuan_video", "HunyuanVideoRotaryPosEmbed", (2, 1, [16, 56, 56])),
    ]:
        pairs[name] = [x[..., ::2] for x in made(file, cls, *args)(latents)]
    cosmos = made("cosmos", "CosmosRotaryPosEmbed", 128, rope_scale=(2.0, 1.0, 1.0))(latents)
    pairs["cosmos"] = [x[..., :64] for x in cosmos]
    turns = made("z_image", "RopeEmbedder", 256.0, [32, 48, 48], [64, 64, 64])
    complex_ = turns(torch.tensor(grid, dtype=torch.int32))
    pairs["z-image"] = [complex_.real, complex_.imag]
    kandinsky = made("kandinsky", "Kandinsky5RoPE3D", [16, 24, 24])
    turns = kandinsky((1, 3, 2, 3), (torch.arange(3), torch.arange(2), torch.arange(3)))
    pairs["kandinsky5"] = [turns[..., 0, 0], turns[..., 1, 0]]
    lumina = made("lumina2", "Lumina2RotaryPosEmbed", 10000, [32, 32, 32], [64, 64, 64])
    complex_ = lumina._get_freqs_cis(torch.tensor([grid]))
    pairs["lumina2"] = [complex_.real, complex_.imag]
    qwen = made("qwenimage", "QwenEmbedRope", 10000, [16, 56, 56], scale_rope=True)
    complex_ = qwen([(1, 5, 4)], torch.device("cpu"), 1)[0]
    pairs["qwen-image"] = [complex_.real, complex_.imag]
    ids = torch.tensor([(t, h, w, l) for t in range(2) for h in range(2) for w in range(3) for l in range(2)])
    pairs["flux2"] = [x[..., ::2] for x in made("flux2", "Flux2PosEmbed", 2000, [32] * 4)(ids)]
    grids = dict.fromkeys(pairs, [3, 2, 3]) | {"qwen-image": [1, 5, 4], "flux2": [2, 2, 3, 2]}
    facts = {name: {"grid": grids[name]} for name in pairs}
    tensors = {
        f"{name}/{part}": x.float().reshape(-1, x.shape[-1]).contiguous()
        for name, both in pairs.items()
        for part, x in zip(("cos", "sin"), both)
    }
    return facts, tensors


def main(families, tensors_to, facts_to):
    facts, tensors = {}, {}
    for family in json.loads(Path(families).read_text()):
        try:
            facts[family], own = record(family)
            tensors |= {f"{family}/{name}": x.clone() for name, x in own.items()}
        except Exception as error:
            facts[family] = {"error": f"{type(error).__name__}: {error}"[:400]}
    found, own = pipelines()
    save_file(tensors | {name: x.clone() for name, x in own.items()}, tensors_to)
    text = json.dumps({"towers": facts, "pipelines": found}, default=str)
    Path(facts_to).write_text(re.sub(r"(?<=[:\[ ])(-?Infinity|NaN)\b", "null", text))


main(*sys.argv[1:])
