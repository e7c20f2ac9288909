"""Writes what llama.cpp's converter puts into the GGUF files of configurations.

    python tests/truth/atlas/converted.py LLAMA_CPP SPELLINGS OUTPUT

LLAMA_CPP is llama.cpp's source, SPELLINGS the output of spellings.py. OUTPUT gets each configuration that the converter
takes, with the metadata of its GGUF file and the tensors that hold factors of rotary frequencies. No weights are needed.
"""

import copy
import json
import logging
import os
import re
import sys
import tempfile
from pathlib import Path

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1"}
LLAMA_CPP, SPELLINGS, OUTPUT = sys.argv[1:4]
sys.path[:0] = [LLAMA_CPP, str(Path(LLAMA_CPP) / "gguf-py")]

import conversion
import gguf
from transformers import CONFIG_MAPPING
from transformers.models.auto import modeling_auto

logging.disable(logging.CRITICAL)

TASKS = "CAUSAL_LM IMAGE_TEXT_TO_TEXT MASKED_LM SEQ_TO_SEQ_CAUSAL_LM".split()
TABLES = ["MODEL_MAPPING_NAMES", *(f"MODEL_FOR_{task}_MAPPING_NAMES" for task in TASKS)]

# What the converter reads of older files and transformers 5 calls otherwise.
OLD = {
    "cohere2": {"rotary_pct": 1.0},
    "gpt_neox": {"rotary_pct": 0.25, "use_parallel_residual": True},
}

# What says how long texts are and what rotates.
KEPT = re.compile(
    r"general\.architecture|(rope|attention)\.|(context|embedding|vocab)_(length|size|scale)|block_count"
    r"|full_attention_interval|nextn|length_per_layer"
)
LEFT = re.compile(r"indexer\.(?!key_length)|epsilon|(?<!kv_)lora|softcap|causal|scale$|group_count")


def architectures(family):
    """The names of classes that the converter may know, and whether the family is the text's part of one."""
    for key in (family, re.sub("_text(_model)?$", "", family)):
        for table in TABLES:
            names = getattr(modeling_auto, table).get(key) or []
            for name in [names] if isinstance(names, str) else names:
                if name in conversion.TEXT_MODEL_MAP:
                    yield name, key != family


def plain(value):
    return value.tolist() if hasattr(value, "tolist") else value


def converted(hparams):
    cls = conversion.get_model_class(hparams["architectures"][0])
    cls.no_mtp = True
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "config.json").write_text(json.dumps(hparams))
        model = cls(Path(folder), gguf.LlamaFileType.ALL_F32, Path(folder), hparams=hparams, dry_run=True)
        model = getattr(model, "impl", model)
        model.set_gguf_parameters()
        extra = dict(model.generate_extra_tensors())
    metadata = {
        key: plain(entry.value)
        for key, entry in model.gguf_writer.kv_data[0].items()
        if KEPT.search(key) and (not LEFT.search(key) or key.endswith("temperature_scale"))
    }
    tensors = {name: x.float().tolist() for name, x in extra.items() if "rope" in name}
    return {"metadata": metadata, "tensors": tensors}


def convert(config):
    family = config["model_type"]
    keys = {key: value for key, value in copy.deepcopy(config).items() if key != "model_type"}
    full = CONFIG_MAPPING[family](**keys).to_dict()
    for name, is_part in architectures(family):
        # Older converters' keys are those of the file.
        for whole in (full, {**full, **copy.deepcopy(config), **OLD.get(family, {})}):
            own = {"text_config": {**whole, "architectures": None}} if is_part else whole
            try:
                return converted(copy.deepcopy({**own, "architectures": [name]}))
            except Exception:
                continue
    return None


def main():
    found = []
    for spelling in json.loads(Path(SPELLINGS).read_text()):
        try:
            file = convert(spelling["config"])
        except Exception:
            continue
        if file:
            found.append({**spelling, **file})
    Path(OUTPUT).write_text(re.sub(r"(?<=[:\[ ])(-?Infinity|NaN)\b", "null", json.dumps(found)))


main()
