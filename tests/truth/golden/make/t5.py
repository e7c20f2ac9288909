"""T5's relative position bias: buckets, and the bias that is looked up by them."""

from types import SimpleNamespace

import exact
import numpy as np
import torch
from store import array, generator, normal, tensor
from torch import nn
from transformers.models.t5.modeling_t5 import T5Attention

bucket = T5Attention._relative_position_bucket

# Where the logarithm is a whole number of buckets, and not one of powers of two: 24 * 1.5 and
# 24 * 1.5^2 of 24 and 81 = 24 * 1.5^3.
ON_BORDER = {(48, 81, False): [-54, -36]}


def make(topic):
    for num_buckets, max_distance in [(32, 128), (16, 64), (64, 256), (8, 20), (32, 100), (48, 81)]:
        for bidirectional in (True, False):
            buckets(topic, num_buckets, max_distance, bidirectional)
    bias(topic, "bias.bi", 32, 128, True, 4, 10, 10, 0)
    bias(topic, "bias.causal", 32, 128, False, 3, 9, 9, 0)
    bias(topic, "bias.cache", 16, 40, False, 2, 1, 30, 29)


def buckets(topic, num_buckets, max_distance, bidirectional):
    relative = np.arange(-600, 601)
    library = array(bucket(tensor(relative), bidirectional, num_buckets, max_distance))
    expected = exact.t5_buckets(relative, bidirectional, num_buckets, max_distance)
    border = ON_BORDER.get((num_buckets, max_distance, bidirectional), [])
    assert set(relative[library != expected]) <= set(border)
    if border:
        agreement = (
            f"Relative positions {border} are on the border of two buckets, where the logarithm"
            " may fall on either side."
        )
    else:
        agreement = "The two agree everywhere here."
    topic.add(
        f"bucket.n{num_buckets}.d{max_distance}." + ("bi" if bidirectional else "causal"),
        "t5_bucket",
        {
            "num_buckets": num_buckets,
            "max_distance": max_distance,
            "bidirectional": bidirectional,
        },
        {"relative_position": relative},
        {"bucket": library.astype(np.int32), "bucket_exact": expected.astype(np.int32)},
        "huggingface/transformers models/t5 T5Attention._relative_position_bucket (float32 log);"
        " exact: integer arithmetic",
        "bucket_exact decides by exact integer comparison instead of a float32 logarithm."
        f" {agreement}",
        dtype="int32",
    )


def bias(topic, name, num_buckets, max_distance, bidirectional, heads, queries, keys, past):
    table = normal(generator(name), num_buckets, heads)
    # What compute_bias reads of the layer.
    layer = SimpleNamespace(
        relative_attention_bias=nn.Embedding.from_pretrained(tensor(table)),
        is_decoder=not bidirectional,
        relative_attention_num_buckets=num_buckets,
        relative_attention_max_distance=max_distance,
        _relative_position_bucket=bucket,
    )
    device = torch.device("cpu")
    out = T5Attention.compute_bias(layer, queries, keys, device=device, past_seen_tokens=past)[0]
    topic.add(
        name,
        "t5_bias",
        {
            "num_buckets": num_buckets,
            "max_distance": max_distance,
            "bidirectional": bidirectional,
            "num_heads": heads,
            "q_len": queries,
            "k_len": keys,
            "q_offset": past,
        },
        {"table": table},
        {"bias": out},
        "huggingface/transformers models/t5 T5Attention.compute_bias, float32",
        "bias[h,i,j] = table[bucket(j - (i+q_offset)), h].",
    )
