"""Runs decoders, and writes what their layers keep of a token and how many tokens their last query sees.

    python tests/truth/atlas/cache.py FAMILIES OUTPUT

FAMILIES is a JSON file of names. Each runs as a tiny model: as its class has it, with windows of WINDOW tokens, and with the
windows that `use_sliding_window` turns on. OUTPUT gets a list of {name, config, numbers, seen}, a number for each layer;
null where a layer has a state instead, and no `seen` where attention gives no weights.
"""

import contextlib
import json
import multiprocessing
import os
import re
import signal
import sys
from pathlib import Path

import torch
from record import SECONDS, build
from tiny import shrink
from transformers import CONFIG_MAPPING

TOKENS = 40
WINDOW = 9
WINDOWS = {"sliding_window", "attention_window_size", "attention_chunk_size"}


def with_windows(keys):
    return {
        key: WINDOW if key in WINDOWS and isinstance(value, int) else value for key, value in keys.items()
    }


def used(keys):
    kept = {key: value for key, value in keys.items() if key != "layer_types"}
    return kept | {"use_sliding_window": True, "sliding_window": WINDOW, "max_window_layers": 2}


def cases(keys):
    yield "as it is", keys
    if with_windows(keys) != keys:
        yield "windows", with_windows(keys)
    if "use_sliding_window" in keys:
        yield "windows used", used(keys)


def numbers(layer):
    keys, values = getattr(layer, "keys", None), getattr(layer, "values", None)
    if keys is None or not torch.is_tensor(keys) or keys.numel() == 0:
        return None
    return sum(x.shape[1] * x.shape[-1] for x in (keys, values))


def run(keys, family):
    config = CONFIG_MAPPING[family](**keys)
    with contextlib.suppress(Exception):
        config._attn_implementation = "eager"
    torch.manual_seed(1)
    model = build(config).eval().float()
    with torch.no_grad():
        out = model(torch.randint(5, 60, (1, TOKENS)), use_cache=True, output_attentions=True)
    seen = [int((x[0, :, -1] > 0).any(0).sum()) for x in out.attentions or [] if x is not None and x.dim() == 4]
    kept = [numbers(layer) for layer in out.past_key_values.layers]
    return {"numbers": kept, **({"seen": seen} if seen else {})}


def recorded(family):
    signal.alarm(SECONDS)
    torch.set_num_threads(1)
    found = {}
    for narrow in (True, False):  # some classes do not run with few heads
        try:
            given = shrink(CONFIG_MAPPING[family]().to_dict(), narrow)
        except Exception:
            return []
        given.pop("model_type", None)
        for case, keys in cases(given):
            row = {"name": f"{family}, {case}", "config": {"model_type": family, **keys}}
            with contextlib.suppress(Exception):
                if case not in found:
                    found[case] = row | run(dict(keys), family)
    return list(found.values())


def main(families, output):
    names = [name for name in json.loads(Path(families).read_text()) if name in CONFIG_MAPPING]
    with multiprocessing.get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        rows = [row for found in pool.imap(recorded, names, chunksize=1) for row in found]
    text = json.dumps(rows, default=str)
    Path(output).write_text(re.sub(r"(?<=[:\[ ])(-?Infinity|NaN)\b", "null", text))


if __name__ == "__main__":
    main(*sys.argv[1:])
