"""Runs the tests of kits of phasor/vectors against families of transformers.

    python tests/truth/atlas/kits.py FOLDER OUTPUT

FOLDER has a kit for each family, of the configuration that record.py gives it. The adapter is the family's own tiny
model, whose layers get the queries of the kit instead of theirs. OUTPUT gets what became of each test, and of the first
positions the largest difference from the kit's float32 steps.
"""

import importlib.util
import inspect
import json
import os
import re
import sys
import types
from pathlib import Path

import numpy as np
import torch
from record import Watch, made
from transformers.generation import GenerationMixin

sys.path.insert(0, str(Path(__file__).parents[2] / "unit/oracle/vectors/adapters"))
from run import outcomes

# Families whose last columns of a head rotate.
TRAILING = {"deepseek_v4"}

# Tables of positions, whose rows are position ids.
TABLES = re.compile(r"(position_?embedding|embed_positions|wpe|positions_embed)")

# The tables of a kit in a model's embeddings.
WEIGHTS = {
    "positions": TABLES,
    "segments": re.compile("token_type_embeddings"),
    "norm.weight": re.compile(r"(?i)embed\w*[._](layer_?norm|norm)\.weight$"),
    "norm.bias": re.compile(r"(?i)embed\w*[._](layer_?norm|norm)\.bias$"),
    "projection.weight": re.compile(r"project_in\.weight$"),
}


class Adapter(types.ModuleType):
    """The functions that a kit calls, by a family's own code."""

    def __init__(self, family):
        super().__init__("adapter")
        self.family = family
        self.model, errors = made(family)
        if self.model is None:
            raise ValueError(errors[-1])
        self.config = self.model.config
        self.config._experts_implementation = "eager"  # others need wide experts
        self.given = self.rotated = self.layer = None
        self.watch = Watch(self.model)
        for name in {type(module).__module__ for module in self.model.modules()}:
            if name.startswith("transformers.models"):
                self.patch(sys.modules[name])
        self.modeling = sys.modules[type(self.model).__module__]

    def patch(self, module):
        """Replaces the functions that rotate, which Watch has found."""
        for owner in [module, *(v for v in vars(module).values() if isinstance(v, type))]:
            for key, value in list(vars(owner).items()):
                static = isinstance(value, staticmethod)
                function = value.__func__ if static else value
                if hasattr(function, "watched") and not hasattr(function, "feeds"):
                    wrapped = self.feeding(function, key)
                    setattr(owner, key, staticmethod(wrapped) if static else wrapped)

    def feeding(self, function, name):
        def inner(*args, **kwargs):
            result = function(*args, **kwargs)
            is_here = self.given is not None and self.rotated is None
            first = result[0] if isinstance(result, (tuple, list)) else result
            if is_here and self.watch.layer == self.layer and torch.is_tensor(first):
                self.rotated = self.fed(function, name, first.shape, args, kwargs)
            return result

        inner.feeds = inner.watched = True
        return inner

    def fed(self, function, name, shape, args, kwargs):
        """The rotation of the kit's rows in the place of each tensor of the result's shape but for heads."""
        x, width = self.given, shape[-1]
        is_turned = shape[1] == x.shape[2] and shape[2] != x.shape[2]  # positions before heads
        start = x.shape[-1] - width if self.family in TRAILING else 0
        part = x[..., start : start + width]
        part = part.transpose(1, 2) if is_turned else part
        axis = 1 if is_turned else 2

        def place(y):
            if not torch.is_tensor(y) or not y.is_floating_point() or y.ndim != len(shape):
                return y
            same = y.shape[0] == shape[0] and y.shape[axis] == shape[axis] and y.shape[-1] == width
            return part.clone() if same else y

        result = function(*map(place, args), **{key: place(y) for key, y in kwargs.items()})
        result = result[0] if isinstance(result, (tuple, list)) else result
        result = result.transpose(1, 2) if is_turned else result
        if "interleave" in name:  # transformers returns these pairs as halves
            result = result.unflatten(-1, (2, -1)).transpose(-1, -2).flatten(-2)
        whole = x.clone()
        whole[..., start : start + width] = result
        return whole

    def run(self, **given):
        with torch.no_grad():
            self.model(**given)

    def rotate(self, x, positions, layer):
        self.given, self.rotated, self.layer = torch.tensor(x), None, layer
        places = torch.tensor(positions).long()
        places = places.expand(2, -1) if places.ndim == 1 else places[:, None].expand(-1, 2, -1)
        ids = torch.arange(5, 5 + places.shape[-1]).expand(2, -1)
        self.run(input_ids=ids, position_ids=places, use_cache=False)
        return (self.given if self.rotated is None else self.rotated).numpy()

    def position_ids(self, mask):
        mask = torch.tensor(mask)
        names = [name for name, _ in self.model.named_parameters() if TABLES.search(name)]
        if not names or "gpt" in self.family:
            given = {"attention_mask": mask}
            made = GenerationMixin._prepare_position_ids_for_generation(self.model, mask, given)
            return made.numpy()
        pad = getattr(self.config, "pad_token_id", None)
        ids = torch.where(mask == 1, 9, 1 if pad is None else pad)
        table = dict(self.model.named_parameters())[names[0]]
        looked_up, function = [], torch.nn.functional.embedding

        def watching(rows, weight, *args, **kwargs):
            if weight is table:
                looked_up.append(rows)
            return function(rows, weight, *args, **kwargs)

        torch.nn.functional.embedding = watching
        try:
            self.run(input_ids=ids, attention_mask=mask)
        finally:
            torch.nn.functional.embedding = function
        return looked_up[0].expand(mask.shape).numpy()

    def position_ids_3d(self, kinds, images, videos):
        cls = next(c for c in vars(self.modeling).values() if hasattr(c, "get_rope_index"))
        merge = 2
        vision = types.SimpleNamespace(
            spatial_merge_size=merge, temporal_merge_size=1, tokens_per_second=2
        )
        own = types.SimpleNamespace(config=types.SimpleNamespace(vision_config=vision))
        own.get_vision_position_ids = types.MethodType(cls.get_vision_position_ids, own)
        grown = torch.tensor([1, merge, merge])
        if len(videos) > 1:  # each frame, as the processor gives them: one grid of all frames
            videos = np.array([[len(videos), *videos[0][1:]]])
        grids = [torch.tensor(each) * grown if len(each) else None for each in (images, videos)]
        kinds = torch.tensor(kinds)
        found, _ = cls.get_rope_index(own, torch.full_like(kinds, 9), kinds, *grids)
        return found.numpy()

    def embed(self, ids, weights):
        names = {"words": self.model.get_input_embeddings().weight}
        for key, pattern in WEIGHTS.items():
            found = [p for name, p in self.model.named_parameters() if pattern.search(name)]
            if key in weights:
                names[key] = found[0]
        with torch.no_grad():
            for key, parameter in names.items():
                table = torch.tensor(weights[key])
                parameter[: len(table)] = table
        self.watch.entries.clear()
        ids = torch.tensor(ids).long()
        both = "decoder_input_ids" in inspect.signature(self.model.forward).parameters
        self.run(input_ids=ids, **({"decoder_input_ids": ids} if both else {}))
        return next(iter(self.watch.entries.values())).numpy()

    def bias(self, queries, keys):
        heads = getattr(self.config, "n_head", None) or self.config.num_attention_heads
        alibi = self.modeling.build_alibi_tensor(torch.ones(1, keys), heads, torch.float32)
        return alibi.reshape(heads, 1, keys).expand(-1, queries, -1).numpy()

    def buckets(self, queries, keys, causal):
        attention = next(c for name, c in vars(self.modeling).items() if name.endswith("5Attention"))
        places = torch.arange(keys)[None] - torch.arange(keys - queries, keys)[:, None]
        count = self.config.relative_attention_num_buckets
        most = self.config.relative_attention_max_distance
        return attention._relative_position_bucket(places, not causal, count, most).numpy()


def loaded(file, name):
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def largest(folder, kit, adapter):
    """The largest difference of the first positions from the kit's float32 steps."""
    torch_steps = kit.load("torch/rotary.safetensors")
    most = 0.0
    for rotation in kit.CASES["rotation"]:
        want = torch_steps.get(f"{rotation}/q_rotated")
        if want is None or not rotation.endswith("/first"):
            continue
        case = kit.group(kit.ROTARY, rotation)
        layer = int(kit.ROTARY[rotation.rsplit("/", 1)[0] + "/layers"][0])
        got = adapter.rotate(case["q"], case["positions"], layer)
        most = max(most, float(np.abs(got - want).max()))
    return most


def differing_kinds(folder, config):
    """Layers whose kinds are not those of transformers, in models with several."""
    layers = json.loads((folder / "layers.json").read_text())["layers"]
    kinds = getattr(config.get_text_config(), "layer_types", None) or []
    pairs = [(each.get("layer_type", each["kind"]), kind) for each, kind in zip(layers, kinds)]
    if len(set(pairs)) == 1:
        return []
    return [f"{own} for {kind}" for own, kind in pairs if own != kind]


def main(folder, output):
    torch.set_num_threads(1)
    found = {}
    for each in sorted(Path(folder).iterdir()):
        try:
            adapter = sys.modules["adapter"] = Adapter(each.name)
            kit = loaded(each / "test_positions.py", "kit")
            found[each.name] = {
                "tests": outcomes(kit),
                "largest": largest(each, kit, adapter),
                "kinds": differing_kinds(each, adapter.config),
            }
        except Exception as error:
            found[each.name] = {"tests": {"kit": f"{type(error).__name__}: {error}"[:300]}}
    Path(output).write_text(json.dumps(found, indent=1))


os.environ["OMP_NUM_THREADS"] = "1"
main(*sys.argv[1:])
