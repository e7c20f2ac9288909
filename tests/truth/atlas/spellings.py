"""Writes the rotary frequencies of configurations in the spellings that published files have.

    python tests/truth/atlas/spellings.py PUBLISHED FAMILIES OUTPUT

PUBLISHED is a JSON file of public configurations, FAMILIES one of the names of families or `-`. Each family's default
configuration is changed as older files are: `rope_theta`, `rope_scaling` and `partial_rotary_factor` at the
top, no `layer_types`, other bases and periods; and all keys but sizes are left out. transformers' own class reads it,
and its rotary module computes the frequencies: OUTPUT gets a list of {name, config, kinds, rotary}.
"""

import contextlib
import copy
import importlib
import inspect
import json
import os
import re
import sys
from pathlib import Path

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1"}

import torch
from torch import nn
from transformers import CONFIG_MAPPING

LONG = {"rope_theta": 54321.0, "max_position_embeddings": 8192}
YARN = {"factor": 4.0, "original_max_position_embeddings": 2048}
LLAMA3 = {"low_freq_factor": 1.0, "high_freq_factor": 4.0, **YARN}
TAKEN = set(
    "rope_parameters rope_scaling rope_theta layer_types partial_rotary_factor layer_rope_theta".split()
)
# Only its own default runs: with other rope_parameters transformers' frequencies are wider than what it rotates.
ALONE = {"mistral4"}

# Changes of a default configuration from which `rope_parameters` has been taken.
CHANGES = {
    "plain": {"rope_theta": 54321.0},
    "bare": {},
    "partial": {"rope_theta": 54321.0, "partial_rotary_factor": 0.5},
    "linear": {"rope_theta": 54321.0, "rope_scaling": {"type": "linear", "factor": 4.0}},
    "yarn": {**LONG, "rope_scaling": {"type": "yarn", **YARN}},
    "yarn factor": {
        **LONG,
        "rope_scaling": {"rope_type": "yarn", "attention_factor": 1.5, **YARN},
    },
    "llama3": {**LONG, "rope_scaling": {"rope_type": "llama3", **LLAMA3}},
    "parameters": {"rope_parameters": {"rope_type": "default", "rope_theta": 54321.0}},
}

# Types and keys of entries that only some families read, `{n}` numbers for each frequency.
ORIGINAL = {"factor": 4.0, "original_max_position_embeddings": 4096}
ENTRIES = {
    "dynamic": {"type": "dynamic", "factor": 4.0},
    "dynamic alpha": {"type": "dynamic", "factor": 1.0, "alpha": 1000.0},
    "default alpha": {"type": "default", "alpha": 1000.0},
    "proportional": {"rope_type": "proportional", "factor": 2.0},
    "longrope": {"type": "longrope", **ORIGINAL},
    "longrope mscale": {"type": "longrope", "short_mscale": 1.25, "long_mscale": 1.25, **ORIGINAL},
    "longrope mscales": {"type": "longrope", "short_mscale": 1.25, "long_mscale": 1.5, **ORIGINAL},
    "yarn mscale": {"type": "yarn", "short_mscale": 1.25, "long_mscale": 1.25, **YARN},
    "yarn mscale_all_dim": {"type": "yarn", "mscale": 0.7, "mscale_all_dim": 0.9, **YARN},
    "linear mscale_all_dim": {"type": "linear", "mscale_all_dim": 0.9, "factor": 4.0},
    "llama 4": {"type": "yarn", "llama_4_scaling_beta": 0.1, **YARN},
    "null type": {"type": None, "rope_type": "yarn", "attention_factor": None, **YARN},
}
# Two entries, of which one counts.
NOW = {"rope_type": "default", "rope_theta": 12345.0}
BOTH = {
    "both": {"rope_parameters": NOW, "rope_scaling": {"rope_type": "yarn", **YARN}},
    "both, base": {"rope_parameters": NOW, "rope_scaling": {"rope_type": "yarn", "rope_theta": 7e4, **YARN}},
    "both, top": {"rope_theta": 54321.0, "rope_parameters": NOW, "rope_scaling": {"type": "linear", "factor": 2.0}},
    "both, plain": {"rope_parameters": {**NOW, "rope_type": "yarn", **YARN}, "rope_scaling": {"rope_type": "default"}},
}


def entries(count):
    """Those of ENTRIES, as rope_scaling and as rope_parameters, for a number of frequencies."""
    for name, keys in ENTRIES.items():
        lists = {"short_factor": [1.5] * count, "long_factor": [2.5] * count}
        entry = {**keys, **(lists if keys.get("type") == "longrope" else {})}
        yield name, {**LONG, "rope_scaling": entry}
        now = {key: value for key, value in entry.items() if key != "type"}
        yield f"{name}, parameters", {
            "max_position_embeddings": 8192,
            "rope_parameters": {**now, "rope_type": entry.get("rope_type", entry.get("type")), "rope_theta": 54321.0},
        }


# Sizes: what a file cannot leave out.
FEW = set(
    """model_type vocab_size hidden_size n_embd d_model num_hidden_layers n_layer n_layers num_layers num_attention_heads
    n_head n_heads attention_heads max_position_embeddings n_positions max_seq_len seq_length""".split()
)
# Other names of keys of RoPE, which most families do not read.
NAMES = {"rotary_pct"}

# Keys of one family or a few, each with a value that is not the default.
OWN = {
    "compress_rope_theta": 70000.0,
    "full_attention_interval": 3,
    "global_attn_every_n_layers": 2,
    "global_rope_theta": 70000.0,
    "local_rope_theta": 7000.0,
    "no_rope_layer_interval": 3,
    "rope_local_base_freq": 7000.0,
    "rotary_dim": 32,
    "rotary_emb_base": 70000.0,
    "rotary_pct": 0.5,
    "sliding_window_pattern": 3,
    "swa_rope_theta": 7000.0,
}


def modules_of(config):
    """The rotary modules that the configuration's modeling file has for the text."""
    name = type(config).__module__.replace("configuration_", "modeling_")
    with contextlib.suppress(ModuleNotFoundError):
        yield from rotary_modules(vars(importlib.import_module(name)).values(), name, config)


def rotary_modules(classes, name, config):
    for cls in classes:
        if not inspect.isclass(cls) or not issubclass(cls, nn.Module) or cls.__module__ != name:
            continue
        if "Rotary" not in cls.__name__ or any(
            part in cls.__name__ for part in ("Vision", "Audio", "Code2Wav", "DiT")
        ):
            continue
        annotation = inspect.signature(cls).parameters.get("config")
        wanted = getattr(annotation, "annotation", None)
        if wanted in (None, inspect.Parameter.empty, type(config), type(config).__name__):
            with contextlib.suppress(Exception):
                yield cls(config)


def rotary_of(config):
    """The frequencies and the factor of each label: a kind of layer, or "" for all."""
    found = {}
    for module in modules_of(config):
        for name, buffer in module.named_buffers():
            if not name.endswith("inv_freq") or "original" in name:
                continue
            label = name.removesuffix("inv_freq").removesuffix("_")
            factor = getattr(module, name.replace("inv_freq", "attention_scaling"), 1.0)
            with contextlib.suppress(Exception):  # the cosine of position 0, where nothing else is needed
                cos = module(torch.zeros(1, 1, 8), torch.zeros(1, 1, dtype=torch.long))[0]
                factor = factor if cos.is_complex() else cos.flatten()[0]
            found.setdefault(label, []).append(
                {"frequencies": buffer.double().tolist(), "factor": float(factor)}
            )
    # Two modules that differ belong to parts of the model that cannot be distinguished here.
    return {label: given[0] for label, given in found.items() if len(given) == 1}


def read(name, given):
    """What transformers makes of a configuration; None if it refuses it or nothing rotates."""
    family = given.get("model_type")
    if family not in CONFIG_MAPPING:
        return None
    keys = {key: value for key, value in copy.deepcopy(given).items() if key != "model_type"}
    try:
        config = CONFIG_MAPPING[family](**keys)
    except Exception:
        return None
    text = getattr(config, "text_config", None) or config
    heads = keys.get("num_attention_heads")
    if text is not config and heads is not None and heads != getattr(text, "num_attention_heads", heads):
        return None  # LLaVA of 2023: transformers does not read its keys, and has LLaMA's defaults
    rotary = rotary_of(text)
    if not rotary:
        return None
    kinds = getattr(text, "layer_types", None)
    return {"name": name, "config": given, "kinds": kinds, "rotary": rotary}


def changed(family):
    cls = CONFIG_MAPPING[family]
    try:
        default = json.loads(json.dumps(cls().to_dict(), default=str))
    except Exception:
        return
    if "rope_parameters" not in default or family in ALONE:
        return
    kept = {key: value for key, value in default.items() if key not in TAKEN}
    kept |= {"model_type": family}
    source = Path(inspect.getsourcefile(cls)).read_text()
    own = {key: {key: value} for key, value in OWN.items() if key in source or key in NAMES}
    given = default["rope_parameters"] or {}
    if given and all(isinstance(entry, dict) for entry in given.values()):
        scaled = {
            kind: {**entry, "rope_type": "linear", "factor": 2.0 + place}
            for place, (kind, entry) in enumerate(given.items())
        }
        own["each kind scaled"] = {"rope_parameters": scaled, "layer_types": default.get("layer_types")}
    found = rotary_of(cls())
    count = next((len(of["frequencies"]) for of in found.values()), 0)
    for change, keys in {**CHANGES, **own, **BOTH, **dict(entries(count))}.items():
        yield f"{family}, {change}", {**copy.deepcopy(kept), **copy.deepcopy(keys)}
    few = {key: value for key, value in kept.items() if key in FEW}
    kinds = default.get("layer_types")
    for part in [{}, {"rope_type": "default"}, {"rope_type": "default", "rope_theta": 54321.0}]:
        what = f"{family}, few keys and {', '.join(part) or 'no parameters'}"
        yield what, {**few, **({"rope_parameters": part} if part else {})}
        if kinds and part:
            by_kind = {kind: dict(part) for kind in dict.fromkeys(kinds)}
            yield f"{what} by kind", {**few, "layer_types": kinds, "rope_parameters": by_kind}


def main(published, families, output):
    recorded = json.loads(Path(published).read_text())
    given = [(name, entry["config"]) for name, entry in recorded.items() if "config" in entry]
    for family in [] if families == "-" else json.loads(Path(families).read_text()):
        if family in CONFIG_MAPPING:
            given.extend(changed(family))
    found = [read(name, config) for name, config in given]
    text = json.dumps([entry for entry in found if entry], default=str)
    Path(output).write_text(re.sub(r"(?<=[:\[ ])(-?Infinity|NaN)\b", "null", text))


main(*sys.argv[1:])
