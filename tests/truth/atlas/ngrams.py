"""Writes digests of the rows of hashed n-grams: those of transformers' code for Qwen4-Exp and BLT, and those of the
formulas of LongCat's and DeepSeek's published code, which transformers does not have, with NumPy's own generator.

    python tests/truth/atlas/ngrams.py OUTPUT.json

A case says how its ids are drawn (`drawn` in ngrams.test.js draws the same), the options of `ngramIds`, the SHA-256 of all
rows as int32, and the rows of the last token.
"""

import hashlib
import json
import os
import sys
from pathlib import Path

os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}

import numpy as np
import torch
from tokenizers import Regex, normalizers
from transformers import CONFIG_MAPPING, DynamicCache
from transformers.models.blt import modeling_blt
from transformers.models.qwen4_exp import modeling_qwen4_exp

EOS = 7

# The keys of configurations by the options' names.
QWEN4 = {
    "vocabulary": "vocab_size",
    "buckets": "ngram_vocab_size_base",
    "size": "ngram_size",
    "heads": "heads_per_ngram",
    "seed": "seed",
    "eos": "eos_token_id",
}


class Kept(torch.nn.Module):
    """A table that gives the ids of its rows."""

    def __init__(self, rows, width):
        super().__init__()
        self.weight, self.rows, self.seen = torch.zeros(1), rows, []

    def forward(self, ids):
        assert 0 <= ids.min() and ids.max() < self.rows
        self.seen.append(ids)
        return ids.unsqueeze(-1) if ids.dim() == 3 else torch.zeros(*ids.shape, 1)


def draws(seed):
    """The numbers of tests/unit/reference/samples.js."""
    while True:
        seed = (seed * 1664525 + 1013904223) % 2**32
        yield seed


def drawn(seed, shape, below, often):
    """Ids, of which some are EOS, and a mask."""
    numbers = draws(seed)
    ids = [EOS if n >> 24 < often else (n >> 1) % below for _, n in zip(range(shape[0] * shape[1]), numbers)]
    mask = [n >> 28 < 12 for _, n in zip(ids, numbers)]
    return torch.tensor(ids).view(shape), torch.tensor(mask).view(shape)


def qwen4(ids, options):
    options = dict(options)
    layer = options.pop("layer", 0)
    keys = {QWEN4[name]: value for name, value in options.items()}
    kinds = ["linear_attention"] * 4 + ["full_attention"]
    config = CONFIG_MAPPING["qwen4_exp_text"](
        num_hidden_layers=5, layer_types=kinds, ple_layer_ids=[1, 2, 3], ple_embed_dim=960, **keys
    )
    kept, torch.nn.Embedding = torch.nn.Embedding, Kept
    embedding = modeling_qwen4_exp.Qwen4ExpTextNGramEmbedding(config, config.ple_embed_dim, layer, layer)
    torch.nn.Embedding = kept
    rows = embedding(ids, None)
    cache, at = DynamicCache(config=config), 0
    for count in [1, 1, 3, 1, ids.shape[1] - 6]:
        step = embedding(ids[:, at : at + count], cache)
        assert torch.equal(step, rows[:, at : at + count]), "a step gives what the whole gives"
        at += count
    return rows


def blt(ids, options):
    buckets, groups, functions = options["buckets"], options["groups"], options["functions"]
    table = Kept(buckets * len(groups) * functions, 1)
    encoder = torch.nn.Module()
    encoder.embed_tokens = lambda ids: torch.zeros(*ids.shape, 1)
    modeling_blt.compute_hash_embeddings(ids, encoder, table, functions, groups, buckets)
    return torch.stack(table.seen, -1)


def is_prime(number):
    return number > 1 and all(number % d for d in range(2, int(number**0.5) + 1))


def shifted(tokens, blocked, size, fill):
    """What each token sees: itself, the one before it, ... up to one that is blocked."""
    seen, hidden = [tokens], blocked == 2
    for s in range(1, size):
        before = np.pad(tokens, ((0, 0), (s, 0)), constant_values=fill)[:, : tokens.shape[1]]
        breaks = np.pad(blocked, ((0, 0), (s, 0)), constant_values=1)[:, : tokens.shape[1]]
        hidden = hidden | (breaks != 0)
        seen.append(np.where(hidden, fill, before))
    return seen


def deepseek(ids, options, mask):
    """deepseek-ai/Engram, engram_demo_v1.py, with V4.1's excluded tokens."""
    size, heads, layers, layer = (options[name] for name in ["size", "heads", "layers", "layer"])
    vocabulary, buckets = options["vocabulary"], options["buckets"]
    compressed = np.array([(id * 7 + 3) % vocabulary for id in range(options["ids"])])
    fill = compressed[options["pad"]]
    tokens = np.where(mask, compressed[ids], fill)
    generator = np.random.default_rng(options.get("seed", 0) + 10007 * layers[layer])
    bound = max(1, np.iinfo(np.int64).max // vocabulary // 2)
    multipliers = generator.integers(0, bound, size=size, dtype=np.int64) * 2 + 1
    primes, number = [], buckets
    while len(primes) < heads * (size - 1) * (layer + 1):
        primes += [number] if is_prime(number) else []
        number += 1
    primes = primes[-heads * (size - 1) :]
    seen = shifted(tokens, np.where(mask, 0, 2), size, fill)
    rows, first = [], 0
    with np.errstate(over="ignore"):
        mixed = seen[0] * multipliers[0]
        for s in range(1, size):
            mixed = np.bitwise_xor(mixed, seen[s] * multipliers[s])
            for prime in primes[(s - 1) * heads : s * heads]:
                rows.append(mixed % prime + first)
                first += prime
    return torch.from_numpy(np.stack(rows, -1))


def compressed():
    """Texts of characters with marks, cases, widths and white space, and the ids that Engram gives them."""
    steps = [normalizers.NFKC(), normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()]
    space = [normalizers.Replace(Regex(r"[ \t\r\n]+"), " "), normalizers.Replace(Regex("^ $"), "\ue000")]
    normalizer = normalizers.Sequence([*steps, *space, normalizers.Strip(), normalizers.Replace("\ue000", " ")])
    letters = ["a", "A", "\u00e9", "\u00c9", "e\u0301", "\u0130", "\u0131", "\u03a3", "\u03c2", "\u03c3", "\ufb01", "fi", "\u00df"]
    letters += ["\u1e9e", "\uff21", "\u212b", "\u00c5", "\u2126", "\u00bd", "\u2460", "\uac00", "\u1100\u1161", "\u0928\u093c", "\u0929"]
    letters += [" ", "\t", "\n", "\r\n", "\u00a0", "\u0085", "\u2003", "\u3000", "\ufeff", "\u200b", "\u200d", "\u0300", "\ue000"]
    letters += ["\u0416", "\u0436", "\u0419", "\u05d0\u05b7", "\u0623", "\u0627", "\U00010400", "\U0001d400", "\u01c5", "\u1f88", ".", "1"]
    numbers = draws(16)
    texts = letters + ["".join(letters[next(numbers) % len(letters)] for _ in range(2 + i % 2)) for i in range(600)]
    keys, ids = {}, []
    for text in texts:
        ids.append(keys.setdefault(normalizer.normalize_str(text) or text, len(keys)))
    return {"model": "deepseekMap", "texts": texts, "ids": ids}


def longcat(ids, options):
    """LongCat-Flash-Lite's modeling_longcat_ngram.py, and LongCat-Next's where ids are ignored."""
    size, heads, vocabulary = options["size"], options["heads"], options["vocabulary"]
    ignored = options.get("ignored")
    tokens = ids if ignored is None else np.where(np.isin(ids, ignored), 0, ids)
    blocked = np.where(tokens == options["eos"], 1, 0)
    seen = shifted(tokens, blocked if ignored is None else np.where(tokens == 0, 2, blocked), size, 0)
    rows = []
    for g in range(2, size + 1):
        for head in range(heads):
            count = options["ratio"] * vocabulary + 2 * ((g - 2) * heads + head) + 1
            total = sum(seen[s] * (vocabulary**s % count) for s in range(g))
            rows.append(total % count)
    return torch.from_numpy(np.stack(rows, -1))


def case(model, seed, shape, below, often, options, masked=False):
    ids, mask = drawn(seed, shape, below, often)
    if model == "qwen4":
        rows = qwen4(torch.where(mask, ids, EOS) if masked else ids, options)
    elif model == "blt":
        rows = blt(ids, options)
    elif model == "longcat":
        rows = longcat(ids.numpy(), options)
    else:
        rows = deepseek(ids.numpy(), options, mask.numpy() if masked else np.ones(shape, bool))
    digest = hashlib.sha256(rows.to(torch.int32).numpy().astype("<i4").tobytes()).hexdigest()
    facts = {"model": model, "seed": seed, "shape": shape, "below": below, "often": often, "masked": masked}
    return {**facts, "options": options, "digest": digest, "last": rows[-1, -1].tolist()}


def cases():
    published = {"vocabulary": 248320, "buckets": 20_000_000, "size": 3, "heads": 8, "seed": 1234, "eos": EOS}
    few = {"vocabulary": 50, "buckets": 1, "size": 5, "heads": 3, "seed": 0, "eos": EOS}
    yield case("qwen4", 1, [300, 40], 248320, 30, published)
    yield case("qwen4", 2, [100, 40], 248320, 30, {**published, "layer": 2})
    yield case("qwen4", 3, [300, 20], 248320, 30, published, masked=True)
    yield case("qwen4", 4, [300, 30], 50, 40, few)
    yield case("qwen4", 5, [300, 30], 2**31, 20, {**few, "layer": 1, "buckets": 100})  # products beyond 64 bits
    yield case("qwen4", 6, [100, 12], 1000, 0, {**few, "size": 2, "heads": 1, "vocabulary": 1000, "buckets": 97})
    groups = [3, 4, 5, 6, 7, 8]
    yield case("blt", 7, [300, 40], 260, 0, {"buckets": 500_002, "groups": groups, "functions": 1})
    yield case("blt", 8, [200, 20], 260, 0, {"buckets": 3001, "groups": [1, 9, 2, 16], "functions": 13})
    yield case("blt", 9, [100, 20], 2**31, 0, {"buckets": 500_002, "groups": groups, "functions": 2})
    lite = {"vocabulary": 131072, "ratio": 78, "size": 4, "heads": 4, "eos": EOS}
    ignored = [0, *range(100, 120), 5]
    yield case("longcat", 10, [300, 40], 131072, 30, lite)
    yield case("longcat", 11, [300, 30], 130, 30, {**lite, "ignored": ignored})
    yield case("longcat", 12, [300, 30], 9, 0, {**lite, "vocabulary": 9, "ratio": 3, "size": 7, "heads": 2})
    v41 = {"vocabulary": 99092, "buckets": 16_000_000, "size": 4, "heads": 8, "layers": [1, 14], "layer": 0, "pad": 2}
    yield case("deepseek", 13, [200, 30], 129280, 0, {**v41, "ids": 129280})
    yield case("deepseek", 14, [200, 30], 129280, 0, {**v41, "ids": 129280, "layer": 1}, masked=True)
    small = {"vocabulary": 17, "buckets": 5, "size": 6, "heads": 2, "layers": [3, 0, 9], "layer": 2, "pad": 4}
    yield case("deepseek", 15, [300, 30], 40, 0, {**small, "ids": 40, "seed": 12345}, masked=True)
    yield compressed()


lines = ",\n".join(json.dumps(each) for each in cases())
Path(sys.argv[1]).write_text(f"[\n{lines}\n]\n")
