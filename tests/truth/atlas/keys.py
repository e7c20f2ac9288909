"""Lists the keys about positions and attention that the code of each family reads, with their defaults.

    python tests/truth/atlas/keys.py FAMILIES OUTPUT

FAMILIES is a JSON file of names. OUTPUT gets {family: {config, entry}}: a small default configuration with the sizes and
the keys that the family's configuration or modeling file reads by name, and the keys of rope entries that they read.
`made` has the class' own numbers of the keys that have other values there, null for all but whole numbers.
"""

import json
import os
import re
import sys
from pathlib import Path

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1"}

import inspect

from tiny import shrink
from transformers import CONFIG_MAPPING

SPEAKS = re.compile(
    r"(?<![pd])rope|rotar|positi|(?:^|_)(?:pos|rot|mla|swa|nope|ntk|heads?)(?:_|$)|alibi|yarn|att(?:n|ention)"
    r"|window|sliding|multi_query|kv_lora|scaling|theta|relative|sinus|bucket|mscale|layers?_(?:types?|kinds?|pattern|group|period)"
    r"|layers_block|block_types|interval|pattern|ratios|every_n"
)
SIZES = set(
    "model_type hidden_size d_model n_embd dim embed_dim num_hidden_layers n_layer n_layers num_layers layers encoder_layers "
    "decoder_layers depth depths image_size patch_size embedding_size head_dim d_kv vocab_size spatial_merge_size n_head n_heads "
    "emb_dim num_attention_heads max_position_embeddings n_positions rotary_dim num_patches num_frames tubelet_size "
    "num_detection_tokens decoder_num_hidden_layers type_vocab_size layer_norm_eps layer_norm_epsilon rms_norm_eps norm_eps "
    "scale_embedding embedding_multiplier max_source_positions".split()
)
READ = r"config\.(\w+)|getattr\(\s*(?:self\.)?config,\s*\"(\w+)\"|kwargs\.(?:get|pop)\(\s*\"(\w+)\"|self\.(\w+)"
PARTS = {"text_config", "encoder"}
ENTRY = re.compile(r"rope_(?:parameters|params|scaling)(?:_dict)?(?:\[[^\]]*\])?(?:\.get\(|\[)\s*\"(\w+)\"")
KINDS = re.compile(r"attention|^(?:main|compress|hybrid)")


def sources(cls):
    file = Path(inspect.getsourcefile(cls))
    for path in (file, file.with_name(file.name.replace("configuration_", "modeling_"))):
        if path.exists():
            yield path.read_text()


def keys_of(family):
    cls = CONFIG_MAPPING[family]
    config = shrink({**cls().to_dict(), "model_type": family}, False)
    read, entry = set(), set()
    for source in sources(cls):
        read |= {name for names in re.findall(READ, source) for name in names if name}
        entry |= {name for name in ENTRY.findall(source) if not KINDS.search(name)}

    def kept(given, read):
        for key, value in given.items():
            if key in PARTS and isinstance(value, dict):
                yield key, dict(kept(value, value))
            elif value is not None and (key in SIZES or (key in read and SPEAKS.search(key))):
                # Some classes have their kinds of layers in a set, whose order differs.
                yield key, dict(sorted(value.items())) if isinstance(value, dict) else value

    found = dict(kept(config, read))
    own = cls().to_dict()
    made = {key: own.get(key) for key, value in found.items() if value != own.get(key)}
    made = {key: value if isinstance(value, int) else None for key, value in made.items()}
    return {"config": found, "entry": sorted(entry), "made": made}


def main(families, output):
    found = {}
    for family in json.loads(Path(families).read_text()):
        if family in CONFIG_MAPPING:
            found[family] = keys_of(family)
    lines = [
        f"{json.dumps(name)}:{json.dumps(of, default=str, separators=(',', ':'))}"
        for name, of in sorted(found.items())
    ]
    Path(output).write_text("{\n" + ",\n".join(lines) + "\n}\n")


main(*sys.argv[1:])
