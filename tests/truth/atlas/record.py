"""Makes every family of transformers tiny, runs it, and writes what its first layers get and do.

    python tests/truth/atlas/record.py FOLDER [family ...]

For each family FOLDER gets NAME.json and NAME.safetensors: the configuration, the weights outside of the
layers, ids, the input of the first layer, and queries or keys before and after their rotation in each layer.
"""

import contextlib
import importlib
import inspect
import json
import os
import re
import signal
import sys
import tempfile
import traceback
from pathlib import Path

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

import torch
import transformers
from classes import models_of
from safetensors.torch import load_file, save_file
from tiny import VARIANTS, shrink
from torch import nn
from transformers import CONFIG_MAPPING, MODEL_MAPPING, AutoModel

TOKENS = 7
# Positions of tokens: near, and beyond the trained length of most models.
FAR = [0, 1, 17, 300, 4095, 5000, 40000]
# Time, height and width of a text, an image of 2 x 2 and a text.
AXES = [[0, 1, 2, 2, 2, 2, 5], [0, 1, 2, 2, 3, 3, 5], [0, 1, 2, 3, 2, 3, 5]]
# Families that rotate by time, height and width; ERNIE has them in the order height, width, time.
MULTIMODAL = set(
    "paddleocr_vl_text qwen3_vl_text qwen3_vl_moe_text cosmos3_edge_text qwen2_vl qwen2_5_vl "
    "qwen2_vl_text qwen2_5_vl_text qwen2_5_omni_text qwen3_omni_moe_text qwen3_omni_moe_talker_text "
    "glm4v_moe_text qwen3_5_text qwen3_5_moe_text qwen4_exp_text glm4v_text glm_ocr_text glm_image_text "
    "ernie4_5_vl_moe_text hy_v4_vl_text".split()
)
# Samples of sound that a family's encoder gets.
SOUND = {"moonshine": 3199, "moonshine_streaming": 2240}
# How many rows of heads are kept of queries and keys.
KEPT = 2
SECONDS = 600
# Parts that transformers runs within larger models alone, whose classes it does not find or export.
PARTS = {
    "blip_text_model": "blip.modeling_blip_text.BlipTextModel",
    "t5_gemma_module": "t5gemma.modeling_t5gemma.T5GemmaEncoder",
    "voxtral_realtime_text": "voxtral_realtime.modeling_voxtral_realtime.VoxtralRealtimeTextModel",
}
# Tables of sinusoids, which keep their numbers.
FIXED = {"marian", "pegasus", "roformer", "xglm", "fsmt"}


def build(config):
    """The model of a configuration; parts of larger models have no automatic class."""
    if config.model_type in PARTS:
        module, name = PARTS[config.model_type].rsplit(".", 1)
        found = importlib.import_module(f"transformers.models.{module}")
        return getattr(found, name)._from_config(config)
    if type(config) in MODEL_MAPPING:
        return AutoModel.from_config(config)
    found = sorted(models_of(config), key=lambda cls: not cls.__name__.endswith("Model"))
    if not found:
        raise ValueError("transformers has no model of this configuration alone")
    return found[0]._from_config(config)


def made(family):
    """The tiny model with random numbers, or the reasons why there is none."""
    base, more = VARIANTS.get(family, (family, {}))
    cls = CONFIG_MAPPING[base]
    errors = []
    for narrow in (True, False):
        try:
            keys = shrink(cls().to_dict(), narrow) | more
            keys.pop("model_type", None)
            config = cls(**keys)
            if family in MULTIMODAL:
                deal(config)
            with contextlib.suppress(Exception):
                config._attn_implementation = "eager"
            torch.manual_seed(1)
            with torch.no_grad():
                model = build(config).eval().float()
                for name, p in model.named_parameters():
                    if not p.requires_grad or (family in FIXED and "embed_positions" in name):
                        continue
                    one = 1.0 if p.ndim == 1 and p.abs().sum() else 0.0
                    p.copy_(torch.randn(p.shape) * 0.2 + one)
            return model, errors
        except Exception as error:
            errors.append(f"{type(error).__name__}: {str(error)[:200]}")
    return None, errors


def deal(config):
    """Gives each frequency an axis: about a third to each."""
    text = getattr(config, "text_config", None) or config
    head = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    pairs = int(head * (text.rope_parameters.get("partial_rotary_factor") or 1)) // 2
    third = pairs // 3
    sections = [pairs - 2 * third, third, third]
    text.rope_parameters["mrope_section"] = sections[::-1] if "ernie" in text.model_type else sections


class Watch:
    """Watches the layers of a model: what enters the first, and what each rotates."""

    def __init__(self, model):
        self.stack = self.layer = None
        self.calls, self.entries, self.further = [], {}, None
        self.stacks = {}
        for name, module in model.named_modules():
            if not isinstance(module, nn.ModuleList) or not len(module):
                continue
            named = f"{name} {type(module[0]).__name__}"
            inner = " ".join(n for n, _ in module[0].named_modules())
            if not re.search(r"layer|block|h$|decoder|encoder|groups", named, re.I):
                continue
            if not re.search(r"att|mixer|mamba|conv|self|lstm", inner, re.I):
                continue
            if any(name.startswith(stack + ".") for stack in self.stacks):
                continue
            self.stacks[name] = type(module[0]).__name__
            for index, child in enumerate(module):
                hook = self.entering(name, index)
                child.register_forward_pre_hook(hook, with_kwargs=True)
        for name in {type(module).__module__ for module in model.modules()}:
            if name.startswith("transformers.models"):
                self.patch(sys.modules[name])

    def entering(self, stack, index):
        def hook(module, args, kwargs):
            self.stack, self.layer = stack, index
            if index == 0 and stack not in self.entries:
                given = [*args, kwargs.get("hidden_states"), kwargs.get("x"), *kwargs.values()]
                for x in given:
                    if torch.is_tensor(x) and x.is_floating_point() and x.ndim >= 2:
                        self.entries[stack] = x.detach().clone()
                        break

        return hook

    def patch(self, module):
        rotates = r"(apply|rotate_queries).*(rotary|rope|rotate|pos_emb|queries)|^_?apply_rotary"
        for name, value in list(vars(module).items()):
            if inspect.isfunction(value):
                if re.search(rotates, name) and not hasattr(value, "watched"):
                    setattr(module, name, self.watched(value, name))
            elif inspect.isclass(value) and issubclass(value, nn.Module):
                self.patch_class(value)

    def patch_class(self, cls):
        for name, method in list(vars(cls).items()):
            static = isinstance(method, staticmethod)
            function = method.__func__ if static else method
            if not inspect.isfunction(function) or hasattr(function, "watched"):
                continue
            rotates = re.search(r"apply_.*rotary", name)
            if name == "forward" and re.search("rotary|rope", cls.__name__, re.I):
                first = list(inspect.signature(function).parameters)[1:3]
                rotates = first in (["q", "k"], ["query", "key"])
            if rotates:
                wrapped = self.watched(function, f"{cls.__name__}.{name}")
                setattr(cls, name, staticmethod(wrapped) if static else wrapped)

    def per_layer(self, module):
        """Keeps the rows that every layer gets besides its input."""
        project = module.project_per_layer_inputs

        def inner(*args, **kwargs):
            self.further = project(*args, **kwargs)
            return self.further

        module.project_per_layer_inputs = inner

    def watched(self, function, name):
        def inner(*args, **kwargs):
            result = function(*args, **kwargs)
            given = [x for x in [*args, *kwargs.values()] if torch.is_tensor(x)]
            given = [x for x in given if x.is_floating_point()]
            results = result if isinstance(result, (tuple, list)) else [result]
            for after in results:
                before = next(
                    (x for x in given if torch.is_tensor(after) and x.shape == after.shape), None
                )
                if before is not None:
                    self.calls.append((self.stack, self.layer, name, before.detach(), after.detach()))
                    break
            return result

        inner.watched = True
        return inner


def by_token(x):
    """[..., TOKENS, ..., D] as [KEPT, TOKENS, D], or None."""
    axes = [axis for axis, size in enumerate(x.shape[:-1]) if size == TOKENS]
    if not axes:
        return None
    rows = x.float().movedim(axes[-1], -2).reshape(-1, TOKENS, x.shape[-1])
    return rows[:KEPT].contiguous()


def is_text(stack):
    return not re.search(r"vision|visual|audio|codec|depth_decoder|qformer|protein", stack or "")


def source_of(function):
    with contextlib.suppress(Exception):
        file = Path(inspect.getsourcefile(function))
        return f"models/{file.parent.name}/{file.name}:{inspect.getsourcelines(function)[1]}"
    return None


def outside(model, stacks):
    """The weights as they are saved, without those of layers."""
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        config = json.loads((Path(folder) / "config.json").read_text())
        weights = {}
        for file in sorted(Path(folder).glob("*.safetensors")):
            for name, x in load_file(file).items():
                if not re.search(r"(^|\.)(layers?|h|blocks?|blk|block|stages?)\.\d+\.", name):
                    weights[name] = x
    return config, {name: x for name, x in weights.items() if x.numel() <= 2**22}


def record(family):
    facts = {"family": family}
    model, errors = made(family)
    if model is None:
        return {**facts, "error": errors[-1]}, {}
    facts |= {"class": type(model).__name__, "source": source_of(type(model))}
    watch = Watch(model)
    facts["stacks"] = watch.stacks
    tensors = {}
    parameters = inspect.signature(model.forward).parameters
    if "input_ids" not in parameters and family not in SOUND:
        facts["runs"] = {}
    else:
        for module in model.modules():
            if hasattr(module, "project_per_layer_inputs"):
                watch.per_layer(module)
        facts["runs"] = run(model, parameters, watch, tensors)
    facts["config"], weights = outside(model, watch.stacks)
    tensors |= {f"weights.{name}": x for name, x in weights.items()}
    return facts, tensors


def channels(ids, config):
    """The same ids in each channel of sound, as a model of these families takes them."""
    if config.model_type in ("kyutai_speech_to_text", "dia_decoder"):
        count = getattr(config, "num_channels", None) or config.num_codebooks + 1
        return ids[..., None].expand(-1, -1, count)
    if config.model_type.startswith("musicgen"):
        return ids.repeat_interleave(config.num_codebooks, 0)
    return ids


def run(model, parameters, watch, tensors):
    ids = torch.randint(5, 60, (2, TOKENS), generator=torch.Generator().manual_seed(2))
    mask = torch.ones_like(ids)
    mask[1, :3] = 0
    common = {}
    if "decoder_input_ids" in parameters:
        common["decoder_input_ids"] = ids.flip(1)
    if any(p.kind == p.VAR_KEYWORD or name == "use_cache" for name, p in parameters.items()):
        common["use_cache"] = False
    runs = {
        "near": {"input_ids": ids},
        "padded": {"input_ids": ids, "attention_mask": mask},
    }
    if "position_ids" in parameters:
        runs["far"] = {"input_ids": ids[:1], "position_ids": torch.tensor([FAR])}
        if model.config.model_type in MULTIMODAL:
            runs["axes"] = {"input_ids": ids[:1], "position_ids": torch.tensor(AXES)[:, None]}
    if model.config.model_type in SOUND:
        # Its encoder has as many frames as its decoder has tokens.
        sound = torch.randn(2, SOUND[model.config.model_type])
        runs = {"near": {"input_values": sound, "decoder_input_ids": ids}}
        del common["decoder_input_ids"]
    tensors["ids"] = ids.to(torch.int32)
    tensors["mask"] = mask.to(torch.int32)
    facts = {}
    for name, given in runs.items():
        if model.config.model_type in ("t5gemma2_decoder", "dia_decoder"):
            width = getattr(model.config, "cross_hidden_size", model.config.hidden_size)
            shape = (len(given["input_ids"]), TOKENS, width)
            given["encoder_hidden_states"] = torch.zeros(shape)
        if model.config.model_type == "voxtral_realtime_text":
            given["t_cond"] = torch.zeros(1, 1, model.config.hidden_size)
        if "input_ids" in given:
            given["input_ids"] = channels(given["input_ids"], model.config)
        if model.config.model_type == "qwen3_omni_moe_talker_text":
            given["inputs_embeds"] = model.codec_embedding(given.pop("input_ids"))
        watch.calls, watch.entries = [], {}
        fact = facts[name] = {}
        try:
            with torch.no_grad():
                model(**given, **common)
        except Exception as error:
            fact["error"] = f"{type(error).__name__}: {str(error)[:200]}"
        text = [stack for stack in watch.entries if is_text(stack)]
        first = next((s for s in text if "encoder" in s and "decoder" not in s), None)
        first = "decoder.layers" if "input_values" in given else first
        first = first or next(iter(text), None)
        if watch.further is not None and name == "near":
            tensors["near.perLayer"] = watch.further.detach().float().contiguous()
        if first is not None and name not in ("far", "axes"):
            tensors[f"{name}.input"] = watch.entries[first].float().contiguous()
        fact["layers"] = {}
        for stack, layer, function, before, after in watch.calls:
            if not is_text(stack) or layer is None or "ndexer" in function:
                continue
            if stack != (first or stack) or str(layer) in fact["layers"] or name == "padded":
                continue
            before, after = by_token(before), by_token(after)
            if before is not None:
                fact["layers"][str(layer)] = function
                tensors[f"{name}.{layer}.before"] = before
                tensors[f"{name}.{layer}.after"] = after
    return facts


def write(folder, family):
    with open(os.devnull, "w") as null:
        with contextlib.redirect_stderr(null), contextlib.redirect_stdout(null):
            try:
                facts, tensors = record(family)
            except BaseException as error:
                last = traceback.extract_tb(error.__traceback__)[-1].name
                facts = {"family": family, "error": f"{type(error).__name__} in {last}: {error}"[:300]}
                tensors = {}
    if "config" in facts:
        save_file({name: x.clone() for name, x in tensors.items()}, folder / f"{family}.safetensors")
    text = json.dumps(facts, indent=1, default=str)
    text = re.sub(r"(?<=[:\[ ])(-?Infinity|NaN)\b", "null", text)
    (folder / f"{family}.json").write_text(text)


def main(folder, *families):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    version = folder / "version.txt"
    if not version.exists() or version.read_text() != transformers.__version__:
        for old in folder.glob("*.json"):
            old.unlink()
    version.write_text(transformers.__version__)
    todo = list(families or sorted([*CONFIG_MAPPING.keys(), *VARIANTS]))
    todo = [family for family in todo if not (folder / f"{family}.json").exists()]
    running = {}
    while todo or running:
        while todo and len(running) < (os.cpu_count() or 1):
            family = todo.pop(0)
            child = os.fork()
            if child == 0:
                signal.alarm(SECONDS)
                write(folder, family)
                os._exit(0)
            running[child] = family
        child, status = os.wait()
        family = running.pop(child, None)
        if family and status:
            fact = {"family": family, "error": f"the process ended with status {status}"}
            (folder / f"{family}.json").write_text(json.dumps(fact))


if __name__ == "__main__":
    main(*sys.argv[1:])
