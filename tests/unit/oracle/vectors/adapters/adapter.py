"""A port in double with NumPy, by what layers.json says: right, or with the slip that the variable SLIP names."""

import json
import math
import os
from pathlib import Path

import numpy as np

SLIP = os.environ.get("SLIP", "")
DESCRIPTION = json.loads((Path(__file__).parent / "layers.json").read_text())
LAYERS = DESCRIPTION["layers"]


def frequencies(dim, base, scaling):
    """The frequencies and the attention factor."""
    first = 1 if SLIP == "from one" else 0
    theta = base ** (-2.0 * (np.arange(dim // 2) + first) / dim)
    if not scaling or SLIP == "no scaling":
        return theta, 1.0
    factor = scaling["factor"]
    if scaling["type"] == "linear":
        return theta / factor, 1.0
    original = scaling["originalLength"]
    if scaling["type"] == "llama3":
        low, high = scaling["lowFreqFactor"], scaling["highFreqFactor"]
        turns = original * theta / (2 * math.pi)
        kept = np.clip((turns - low) / (high - low), 0, 1)
        return theta * kept + theta / factor * (1 - kept), 1.0
    assert scaling["type"] == "yarn"

    def pair(rotations):
        return dim * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))

    first, last = pair(scaling["betaFast"]), pair(scaling["betaSlow"])
    if scaling.get("truncate", True) != (SLIP == "truncate"):
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, dim - 1)
    ramp = np.clip((np.arange(dim // 2) - first) / (last - first), 0, 1)

    def magnitude(m):
        return 0.1 * m * math.log(factor) + 1

    whole = scaling.get("mscaleAllDim")
    attention = magnitude(scaling["mscale"]) / magnitude(whole) if whole else magnitude(1)
    return theta / factor * ramp + theta * (1 - ramp), attention


def in_bfloat16(x):
    """Rounds to 8 bits, ties to even."""
    mantissa, exponent = np.frexp(x)
    return np.ldexp(np.round(mantissa * 256) / 256, exponent)


def interleaved(x):
    """The other order of columns: halves become neighbors."""
    return x.reshape(*x.shape[:-1], 2, -1).swapaxes(-1, -2).reshape(x.shape)


def rotate(x, positions, layer):
    own = LAYERS[layer]
    if SLIP == "nope":
        own = next(each for each in LAYERS if each["rotates"])
    if not own["rotates"]:
        return x
    dim, start = own["dim"], own.get("start", 0)
    if SLIP == "partial":
        dim = x.shape[-1]
    base = 10000 if SLIP == "base" else own["base"]
    theta, factor = frequencies(dim, base, own.get("scaling"))
    factor = {"factor": 1, "factor twice": factor**2}.get(SLIP, factor)
    positions = np.asarray(positions, float)
    if SLIP == "bfloat16":
        positions = in_bfloat16(positions)
    if positions.ndim == 2:
        names = {"chunked": lambda: np.repeat(np.arange(3), own["multimodal"]["sections"])}
        positions = positions[names[own["multimodal"]["arrangement"]]()].T
    else:
        positions = positions[:, None]
    angles = positions * theta
    cos, sin = factor * np.cos(angles), factor * np.sin(angles)
    if SLIP == "swapped":
        cos, sin = sin, cos
    if SLIP == "sign" or own.get("inverse"):
        sin = -sin
    part = np.asarray(x[..., start : start + dim], float)
    if SLIP == "permuted":
        part = interleaved(part)
    halves = own["layout"] == "halves"
    a, b = np.split(part, 2, -1) if halves else (part[..., ::2], part[..., 1::2])
    pairs = [a * cos - b * sin, b * cos + a * sin]
    turned = np.concatenate(pairs, -1)
    if not halves and SLIP != "de-interleaved":
        turned = interleaved(turned)
    result = np.array(x, np.float64)
    result[..., start : start + dim] = turned
    return result.astype(np.float32)


PRESET = DESCRIPTION["model"]["positions"].get("preset", "gpt2")
SCHEME = DESCRIPTION["model"]["positions"]["scheme"]
PAD = 1


def position_ids(mask):
    counted = np.cumsum(mask, -1) - 1
    first = {"opt": 2, "roberta": PAD + 1, "bart": 2}.get(PRESET, 0)
    if SLIP == "no first row":
        first = 0
    if PRESET in ("bert", "bart") or SLIP == "padding":
        return np.arange(mask.shape[1])[None].repeat(len(mask), 0) + first
    return counted + first


def position_ids_3d(types, images, videos):
    if SLIP == "flat":
        return np.arange(types.size)[None, None].repeat(3, 0)
    kinds, merged, at, last = types[0].tolist(), [], 0, 0
    grids = {1: images.tolist(), 2: videos.tolist()}
    while at < len(kinds):
        if kinds[at] == 0:
            merged.append([last] * 3)
            at, last = at + 1, last + 1
            continue
        frames, rows, columns = grids[kinds[at]].pop(0)
        step = DESCRIPTION.get("step", 1)
        for t in range(frames):
            for y in range(rows):
                for x in range(columns):
                    merged.append([last + t * step, last + y, last + x])
        at += frames * rows * columns
        last += max(rows, columns)
    return np.array(merged, np.int32).T[:, None]


def embed(ids, weights):
    tokens = DESCRIPTION["model"]["tokens"]
    scale = math.sqrt(weights["words"].shape[1]) if tokens["scale"] == "sqrt" else tokens["scale"]
    if tokens["scaleDtype"] == "bfloat16":
        scale = float(in_bfloat16(np.float64(scale)))
    x = np.float64(weights["words"])[ids] * (1 if SLIP == "scale" else scale)
    if "positions" in weights:
        x = x + weights["positions"][position_ids(np.int64(ids != PAD))]
    if "segments" in weights:
        x = x + weights["segments"][0]
    if tokens["norm"] is not None and SLIP != "norm":
        x = x - x.mean(-1, keepdims=True)
        x = x / np.sqrt((x**2).mean(-1, keepdims=True) + tokens["norm"])
        x = x * weights["norm.weight"] + weights["norm.bias"]
    return x


def bias(queries, keys):
    heads = LAYERS[0]["heads"]
    most = 2 ** math.floor(math.log2(heads))
    exponents = [8 * (h + 1) / most for h in range(most)]
    exponents += [8 * (2 * h + 1) / (2 * most) for h in range(heads - most)]
    slopes = 2.0 ** -np.array(exponents)
    if SLIP == "slopes":
        slopes = 2.0 ** (-8 * np.arange(heads) / heads)
    # BLOOM's form: the distance from the first key.
    return slopes[:, None, None] * np.arange(keys)[None, None].repeat(queries, 1)


def buckets(queries, keys, causal):
    own = DESCRIPTION["model"]["positions"]["options"]
    count, most = own["buckets"], own["maxDistance"]
    place = np.arange(keys)[None] - (np.arange(queries) + keys - queries)[:, None]
    result = np.zeros_like(place)
    if causal != (SLIP == "direction"):
        distance = np.maximum(-place, 0)
    else:
        count //= 2
        result += count * (place > 0)
        distance = np.abs(place)
    exact = count // 2
    far = np.log(np.maximum(distance, 1) / exact) / math.log(most / exact) * (count - exact)
    far = np.minimum(exact + (far + 1e-9).astype(int), count - 1)
    return result + np.where(distance < exact, distance, far)
