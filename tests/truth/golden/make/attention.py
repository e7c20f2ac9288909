"""Scaled dot-product attention with masks, biases and rotary embeddings; multi-head attention."""

import math

import exact
import numpy as np
import published
import torch
from store import array, generator, normal, tensor
from torch import nn
from transformers.models.llama import modeling_llama as llama
from transformers.models.t5.modeling_t5 import T5Attention

SOURCE = "PyTorch ops, CPU, float32: softmax(q k^T * scale + bias) v; *_f64 the same in float64"


def make(topic):
    plain(topic)
    masked(topic)
    for causal in (True, False):
        alibi(topic, causal)
    for bidirectional in (True, False):
        t5(topic, bidirectional)
    for layout, causal in [("half", True), ("interleaved", True), ("half", False)]:
        rope(topic, layout, causal)
    module(topic)
    permutation(topic)


def attend(q, k, v, scale, bias=None):
    scores = q @ k.transpose(-1, -2) * scale
    weights = torch.softmax(scores if bias is None else scores + bias, -1)
    return weights @ v, weights


def draw(name, batch, heads, key_heads, queries, keys, dim, value_dim=None):
    random = generator(name)
    shapes = [
        (batch, heads, queries, dim),
        (batch, key_heads, keys, dim),
        (batch, key_heads, keys, value_dim or dim),
    ]
    return [tensor(normal(random, *shape)) for shape in shapes]


def add(topic, name, params, qkv, bias=None, bias64=None, turned=None, scale=None, **more):
    """Attention in float32 and in float64. `turned` is (q, k) after RoPE, in both precisions."""
    q, k, v = qkv
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    group = q.shape[1] // k.shape[1]
    single, double = turned or ((q, k), (q.double(), k.double()))
    if bias is not None and bias64 is None:
        bias64 = bias.double()

    def result(queries, keys, values, added):
        keys, values = (x.repeat_interleave(group, 1) for x in (keys, values))
        return attend(queries, keys, values, scale, added)

    out, weights = result(*single, v, bias)
    out64, weights64 = result(*double, v.double(), bias64)
    topic.add(
        name,
        "attention",
        {**params, "scale": scale},
        {"q": q, "k": k, "v": v, **more.get("inputs", {})},
        {
            "out": out,
            "out_f64": out64.float(),
            "weights": weights,
            "weights_f64": weights64.float(),
        },
        SOURCE,
        more.get("note", ""),
    )


def causal_bias(queries, keys):
    rows, columns = torch.arange(queries)[:, None] + (keys - queries), torch.arange(keys)
    return torch.zeros(queries, keys).masked_fill(columns > rows, float("-inf"))


def plain(topic):
    params = {"bias": "none", "causal": False}
    add(topic, "plain", params, draw("plain", 2, 3, 3, 6, 6, 16))
    add(
        topic,
        "causal",
        {**params, "causal": True},
        draw("causal", 1, 4, 4, 10, 10, 32),
        causal_bias(10, 10),
        note="-inf above the diagonal.",
    )
    add(
        topic,
        "causal_cache_gqa",
        {**params, "causal": True, "q_offset": 6},
        draw("causal_cache", 1, 4, 2, 3, 9, 16),
        causal_bias(3, 9),
        note="Grouped heads (query head h uses key head h // (H/Hk)); query row r sits at position"
        " r + k_len - q_len.",
    )
    qkv, note = draw("vdim", 1, 2, 2, 4, 5, 8, 6), "Value width differs from key width."
    add(topic, "vdim", params, qkv, note=note)
    qkv = draw("scale", 1, 2, 2, 5, 5, 8)
    add(topic, "scale", params, qkv, scale=0.5, note="Explicit scale.")
    q, k, v = draw("peaked", 1, 2, 2, 5, 8, 16)
    note = "Large scores: the softmax needs its maximum subtracted."
    add(topic, "peaked", params, (q * 8, k * 4, v), note=note)


def masked(topic):
    batch, keys = 2, 7
    mask = np.ones((batch, keys), np.uint8)
    for row, kept in enumerate(mask):
        kept[keys - 1 - row :] = 0
    hidden = tensor(mask)[:, None, None] == 0
    add(
        topic,
        "padmask",
        {"bias": "none", "causal": False, "key_mask": True},
        draw("padmask", batch, 2, 2, 5, keys, 8),
        torch.zeros(batch, 1, 1, keys).masked_fill(hidden, float("-inf")),
        inputs={"key_mask": mask},
        note="key_mask 1 = keep.",
    )


def alibi(topic, causal):
    heads, length = 8, 9
    name = "alibi." + ("causal" if causal else "symmetric")
    distance = (torch.arange(length)[:, None] - torch.arange(length)).abs()
    slopes64 = torch.tensor([float(s) for s in exact.alibi_slopes(heads)], dtype=torch.float64)
    bias, bias64 = (
        -slopes[:, None, None] * distance
        for slopes in (torch.tensor(published.alibi_slopes(heads)), slopes64)
    )
    if causal:
        hidden = causal_bias(length, length)
        bias, bias64 = bias + hidden, bias64 + hidden.double()
    params = {"bias": "alibi", "causal": causal, "num_heads": heads}
    add(topic, name, params, draw(name, 1, heads, heads, length, length, 16), bias, bias64)


def t5(topic, bidirectional):
    heads, length, num_buckets, max_distance = 4, 10, 32, 128
    name = "t5." + ("bi" if bidirectional else "causal")
    table = normal(generator(f"{name}t"), num_buckets, heads)
    relative = torch.arange(length) - torch.arange(length)[:, None]
    buckets = T5Attention._relative_position_bucket(
        relative, bidirectional, num_buckets, max_distance
    )
    expected = exact.t5_buckets(array(relative).ravel(), bidirectional, num_buckets, max_distance)
    assert np.array_equal(array(buckets).ravel(), expected)
    bias = tensor(table)[buckets].permute(2, 0, 1)
    if not bidirectional:
        bias = bias + causal_bias(length, length)
    add(
        topic,
        name,
        {
            "bias": "t5",
            "causal": not bidirectional,
            "num_buckets": num_buckets,
            "max_distance": max_distance,
            "bidirectional": bidirectional,
        },
        draw(name, 1, heads, heads, length, length, 16),
        bias,
        scale=1.0,
        inputs={"table": table},
        note="T5 does not scale the scores.",
    )


def rotate(x, cos, sin, layout):
    if layout == "half":
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, b * cos + a * sin], -1).flatten(-2)


def rope(topic, layout, causal):
    length, dim, base = 8, 32, 10000.0
    name = f"rope.{layout}" + ("" if causal else ".full")
    q, k, v = draw(name, 1, 4, 2, length, length, dim)
    ids = np.arange(length)
    angles = torch.outer(tensor(ids).float(), published.rope_frequencies(dim, base))
    cos, sin = angles.cos(), angles.sin()
    params = {"rope_type": "default", "head_dim": dim, "rope_theta": base}
    waves = exact.sines_and_cosines_float64(ids, exact.rope_frequencies(params)[0])
    sin64, cos64 = map(tensor, waves)
    single = [rotate(x, cos, sin, layout) for x in (q, k)]
    double = [rotate(x.double(), cos64, sin64, layout) for x in (q, k)]
    if layout == "half":
        tables = (table.repeat(1, 2)[None] for table in (cos, sin))
        assert torch.allclose(llama.apply_rotary_pos_emb(q, k, *tables)[0], single[0], atol=1e-6)
    add(
        topic,
        name,
        {
            "bias": "none",
            "causal": causal,
            "rope": {"layout": layout, "rope_theta": base, "rotary_dim": dim},
        },
        (q, k, v),
        causal_bias(length, length) if causal else None,
        turned=(single, double),
        inputs={"position_ids": ids},
        note="RoPE on q and k, then attention.",
    )


def module(topic):
    batch, length, dim, heads = 2, 6, 16, 4
    random = generator("mha")
    layer = nn.MultiheadAttention(dim, heads, batch_first=True).eval()
    with torch.no_grad():
        for weights in layer.parameters():
            drawn = random.standard_normal(weights.shape) * 0.3
            weights.copy_(tensor(drawn.astype(np.float32)))
    x = tensor(normal(random, batch, length, dim))
    hidden = torch.triu(torch.ones(length, length, dtype=torch.bool), 1)
    with torch.no_grad():
        out, weights = layer(x, x, x, attn_mask=hidden, average_attn_weights=False)
    topic.add(
        "mha_module",
        "multihead_attention",
        {"embed_dim": dim, "num_heads": heads, "causal": True},
        {
            "x": x,
            "in_proj_weight": layer.in_proj_weight,
            "in_proj_bias": layer.in_proj_bias,
            "out_proj_weight": layer.out_proj.weight,
            "out_proj_bias": layer.out_proj.bias,
        },
        {"out": out, "weights": weights},
        "PyTorch nn.MultiheadAttention, float32",
        "in_proj rows: q, k, v; y = x W^T + b.",
    )


def permutation(topic):
    length, dim = 7, 12
    scale = 1 / math.sqrt(dim)
    random = generator("perm")
    x = tensor(normal(random, length, dim))
    wq, wk, wv = (
        tensor((random.standard_normal((dim, dim)) * scale).astype(np.float32)) for _ in range(3)
    )
    order = random.permutation(length)
    positions = published.vaswani(range(length), dim)

    def attention(rows):
        return attend(rows @ wq, rows @ wk, rows @ wv, scale)[0]

    shuffled = x[tensor(order)]
    topic.add(
        "permutation",
        "permutation_equivariance",
        {"scale": scale, "d_model": dim, "base": 10000.0},
        {"x": x, "wq": wq, "wk": wk, "wv": wv, "perm": order},
        {
            "out": attention(x),
            "out_perm": attention(shuffled),
            "out_pe": attention(x + positions),
            "out_perm_pe": attention(shuffled + positions),
        },
        "PyTorch ops, CPU, float32",
        "Without positions attention(x[perm]) = attention(x)[perm]; with sinusoidal positions"
        " (Vaswani) added it is not.",
    )
