"""ALiBi: slopes, and the biases that programs make of them."""

import exact
import numpy as np
import published
import torch
from store import array, generator, tensor
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

PAPER = "ofirpress get_slopes"


def make(topic):
    slopes(topic)
    for heads, queries, keys in [(8, 12, 12), (12, 7, 7), (4, 3, 10), (3, 1, 16)]:
        biases(topic, heads, queries, keys)
    for heads, length in [(6, 9), (8, 5)]:
        mpt(topic, heads, length)
    for heads, batch, length in [(8, 2, 10), (5, 3, 6)]:
        bloom(topic, heads, batch, length)


def bloom_slopes(heads):
    mask = torch.ones(1, 2, dtype=torch.long)
    return array(build_alibi_tensor(mask, heads, torch.float32))[:, 0, 1]


def slopes(topic):
    note = (
        "Slopes of every head count in `heads`, one after another; those of heads[i] are at"
        " offsets[i]..offsets[i+1]."
    )
    everything = range(1, 65)
    some = [1, 3, 8, 12, 20]
    paper = (
        "ofirpress/attention_with_linear_biases get_slopes (Python doubles, stored float32);"
        f" exact: {exact.SOURCE}"
    )
    bloom = "huggingface/transformers models/bloom build_alibi_tensor, float32"
    mpt = "mosaicml/llm-foundry gen_slopes, float32"
    same = f"{note} Same order and values as the paper's."
    for name, bias_max, counts, program, source, text in [
        ("slopes.paper", 8, everything, published.alibi_slopes, paper, note),
        ("slopes.bloom", 8, everything, bloom_slopes, bloom, note),
        ("slopes.mpt", 8, everything, published.mpt_slopes, mpt, same),
        ("slopes.mpt.max16", 16, some, lambda n: published.mpt_slopes(n, 16), mpt, note),
    ]:
        expected = [exact.float32s(exact.alibi_slopes(n, bias_max)) for n in counts]
        got = [np.asarray(program(n), np.float32) for n in counts]
        outputs = {
            "offsets": np.cumsum([0, *counts]),
            "slopes": np.concatenate(got),
            "slopes_exact": np.concatenate(expected),
        }
        params, inputs = {"alibi_bias_max": bias_max}, {"heads": np.array(counts)}
        topic.add(name, "alibi_slopes", params, inputs, outputs, source, text)


def biases(topic, heads, queries, keys):
    """-slope times the distance: causal, symmetric and signed."""
    offset = keys - queries
    distance = torch.arange(queries)[:, None] + offset - torch.arange(keys)
    slope = torch.tensor(published.alibi_slopes(heads))[:, None, None]
    slope64 = np.array([float(s) for s in exact.alibi_slopes(heads)])[:, None, None]
    linear = slope * -distance.float()

    def add(kind, label, outputs, what, note=""):
        params = {
            "num_heads": heads,
            "q_len": queries,
            "k_len": keys,
            "kind": kind,
            "q_offset": offset,
        }
        name, source = f"bias.{label}.h{heads}.{queries}x{keys}", f"{PAPER}; {what}"
        topic.add(name, "alibi_bias", params, {}, outputs, source, note)

    add(
        "causal",
        "causal",
        {"bias": linear.masked_fill(distance < 0, float("-inf"))},
        "-slope*(i-j) by PyTorch ops, -inf where j > i",
        "Query row r is position r + q_offset.",
    )
    symmetric = (-array(distance.abs()) * slope64).astype(np.float32)
    add(
        "symmetric",
        "symmetric",
        {"bias": -distance.abs().float() * slope, "bias_f64": symmetric},
        "-slope*|i-j| by PyTorch ops",
    )
    add(
        "linear",
        "nomask",
        {"bias": linear, "bias_f64": (-array(distance) * slope64).astype(np.float32)},
        "-slope*(i-j) by PyTorch ops, positive above the diagonal",
    )


def mpt(topic, heads, length):
    topic.add(
        f"bias.mpt_full.h{heads}.{length}",
        "alibi_bias",
        {
            "num_heads": heads,
            "q_len": length,
            "k_len": length,
            "kind": "symmetric",
            "q_offset": 0,
        },
        {},
        {"bias": published.mpt_bias(heads, length)},
        "mosaicml/llm-foundry build_alibi_bias(full=True), float32",
    )
    topic.add(
        f"bias.mpt_keys.h{heads}.{length}",
        "alibi_key_bias",
        {"num_heads": heads, "k_len": length, "alibi_bias_max": 8},
        {},
        {"bias": build_mpt_alibi_tensor(heads, length)},
        "huggingface/transformers models/mpt build_mpt_alibi_tensor, float32",
        "bias[h, 0, j] = slope_h * (j - (L-1)): one row, the same for every query.",
    )


def bloom(topic, heads, batch, length):
    random = generator(f"bloom{heads}")
    mask = np.ones((batch, length), np.int64)
    for row in mask[1:]:
        row[: int(random.integers(1, length // 2 + 1))] = 0
    bias = build_alibi_tensor(tensor(mask), heads, torch.float32)
    topic.add(
        f"bias.bloom.h{heads}",
        "alibi_bloom",
        {"num_heads": heads},
        {"attention_mask": mask},
        {"bias": bias.reshape(batch, heads, 1, length)},
        "huggingface/transformers models/bloom build_alibi_tensor, float32,"
        " reshaped to [B, H, 1, L]",
        "bias[b,h,0,j] = slope_h * (cumsum(mask)[j]-1)*mask[j]; left padding.",
    )
