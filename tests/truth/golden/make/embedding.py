"""Lookup, gradients, bags, the input embeddings of whole models, and normalization."""

import math
from types import SimpleNamespace

import numpy as np
import published
import torch
import torch.nn.functional as F
from store import generator, normal, parameter, tensor
from torch import nn
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.gemma.modeling_gemma import GemmaRMSNorm
from transformers.models.llama.modeling_llama import LlamaRMSNorm
from transformers.models.t5.modeling_t5 import T5LayerNorm

OPS = "PyTorch ops, CPU, float32"
EMBEDDING = "PyTorch nn.Embedding / F.embedding, float32"
BAG = "PyTorch F.embedding_bag, float32"
LAYER_NORM = "PyTorch F.layer_norm, float32"


def make(topic):
    lookup(topic)
    padding(topic)
    for by_frequency in (False, True):
        gradient(topic, by_frequency)
    for max_norm, norm_type in [(1.0, 2.0), (2.5, 1.0)]:
        limited(topic, max_norm, norm_type)
    bags(topic)
    products(topic)
    positions(topic)
    bert(topic)
    gpt2(topic)
    for width in (16, 33):
        norms(topic, width)
    unit_length(topic)


def lookup(topic):
    for vocab, dim, shape in [(20, 8, (3, 5)), (50, 33, (7,)), (5, 1, (2, 2, 3))]:
        name = f"forward.v{vocab}.d{dim}"
        weight = normal(generator(name), vocab, dim)
        ids = generator(f"{name}i").integers(0, vocab, shape)
        topic.add(
            name,
            "embedding",
            {"num_embeddings": vocab, "embedding_dim": dim},
            {"weight": weight, "ids": ids},
            {"out": F.embedding(tensor(ids), tensor(weight))},
            EMBEDDING,
        )


def padding(topic):
    vocab, dim, pad = 12, 6, 0
    weight = normal(generator("pad"), vocab, dim)
    ids = generator("padi").integers(0, vocab, (3, 6))
    ids[:, -2:] = pad
    layer = nn.Embedding.from_pretrained(tensor(weight), freeze=False, padding_idx=pad)
    out = layer(tensor(ids))
    grad_out = normal(generator("padg"), *out.shape)
    out.backward(tensor(grad_out))
    params = {"num_embeddings": vocab, "embedding_dim": dim, "padding_idx": pad}
    topic.add(
        "padding_idx",
        "embedding_backward",
        {**params, "scale_grad_by_freq": False},
        {"weight": weight, "ids": ids, "grad_out": grad_out},
        {"out": out, "grad_weight": layer.weight.grad},
        EMBEDDING,
        "padding_idx: its row is still looked up (whatever it holds) but gets no gradient.",
    )
    topic.add(
        "padding_idx.init",
        "embedding_padding_init",
        params,
        {},
        {"row": nn.Embedding(vocab, dim, padding_idx=pad).weight[pad]},
        EMBEDDING,
        "A new table's padding row is zero.",
    )


def gradient(topic, by_frequency):
    name, vocab, dim = f"backward.freq{int(by_frequency)}", 15, 7
    weight = normal(generator(name), vocab, dim)
    ids = generator(f"{name}i").integers(0, vocab // 2, (4, 9))
    table = parameter(weight)
    out = F.embedding(tensor(ids), table, scale_grad_by_freq=by_frequency)
    grad_out = normal(generator(f"{name}g"), *out.shape)
    out.backward(tensor(grad_out))
    exactly = np.zeros((vocab, dim))
    np.add.at(exactly, ids.ravel(), grad_out.reshape(-1, dim).astype(np.float64))
    if by_frequency:
        exactly /= np.maximum(np.bincount(ids.ravel(), minlength=vocab), 1)[:, None]
    topic.add(
        name,
        "embedding_backward",
        {
            "num_embeddings": vocab,
            "embedding_dim": dim,
            "padding_idx": None,
            "scale_grad_by_freq": by_frequency,
        },
        {"weight": weight, "ids": ids, "grad_out": grad_out},
        {
            "out": out,
            "grad_weight": table.grad,
            "grad_weight_f64": exactly.astype(np.float32),
        },
        EMBEDDING,
        "Dense gradient; repeated ids add up"
        + (", divided by the id's count in the batch." if by_frequency else "."),
    )


def limited(topic, max_norm, norm_type):
    vocab, dim = 14, 8
    name = f"max_norm.{max_norm}.p{norm_type}"
    weight = normal(generator(name), vocab, dim)
    weight[1] *= 0.01
    weight[2] = 0
    ids = generator(f"{name}i").integers(0, vocab - 3, (2, 6))
    ids[0, :3] = [1, 2, 3]
    table = tensor(weight)
    out = F.embedding(tensor(ids), table, max_norm=max_norm, norm_type=norm_type)
    topic.add(
        name,
        "embedding_max_norm",
        {
            "num_embeddings": vocab,
            "embedding_dim": dim,
            "max_norm": max_norm,
            "norm_type": norm_type,
        },
        {"weight": weight, "ids": ids},
        {"out": out, "weight_after": table},
        EMBEDDING,
        "Only looked-up rows are changed, in place, by max_norm/(norm+1e-7) when norm > max_norm.",
    )


BAG_VOCAB, BAG_DIM = 18, 6


def bag(topic, name, mode, random, ids, offsets, note="", weighted=False, **options):
    """A case of embedding_bag with its gradients."""
    weight = normal(generator(name), BAG_VOCAB, BAG_DIM)
    inputs = {"weight": weight, "ids": ids, "offsets": np.array(offsets)}
    table, sample_weights = parameter(weight), None
    if weighted:
        inputs["per_sample_weights"] = normal(random, *ids.shape)
        sample_weights = parameter(inputs["per_sample_weights"])
    out = F.embedding_bag(
        tensor(ids),
        table,
        tensor(inputs["offsets"]),
        mode=mode,
        per_sample_weights=sample_weights,
        **options,
    )
    inputs["grad_out"] = normal(random, *out.shape)
    out.backward(tensor(inputs["grad_out"]))
    outputs = {"out": out, "grad_weight": table.grad}
    if weighted:
        outputs["grad_per_sample_weights"] = sample_weights.grad
    params = {
        "mode": mode,
        "include_last_offset": False,
        "padding_idx": None,
        "scale_grad_by_freq": False,
    }
    topic.add(name, "embedding_bag", {**params, **options}, inputs, outputs, BAG, note)


def bags(topic):
    modes = ("sum", "mean", "max")
    for mode in modes:
        for name, offsets, note in [
            (f"bag.{mode}", [0, 3, 8], ""),
            (f"bag.{mode}.empty", [0, 4, 4, 9], "Empty bags give zeros."),
        ]:
            random = generator(f"{name}i")
            ids = random.integers(0, BAG_VOCAB, 13)
            bag(topic, name, mode, random, ids, offsets, note)

    name = "bag.sum.weighted"
    random = generator(name)
    ids = random.integers(0, BAG_VOCAB, 11)
    bag(topic, name, "sum", random, ids, [0, 2, 7], weighted=True)

    options = {"include_last_offset": True, "padding_idx": 3}
    note = (
        "ids equal to padding_idx are left out (also of the mean's count); the last offset is the"
        " end."
    )
    for mode in modes:
        name = f"bag.{mode}.last_offset_pad"
        random = generator(name)
        ids = random.integers(0, BAG_VOCAB, 12)
        ids[::4] = options["padding_idx"]
        bag(topic, name, mode, random, ids, [0, 5, 5, 12], note, **options)

    name = "bag.2d.mean"
    weight = normal(generator(name), BAG_VOCAB, BAG_DIM)
    ids = generator(name).integers(0, BAG_VOCAB, (4, 3))
    topic.add(
        name,
        "embedding_bag_2d",
        {"mode": "mean"},
        {"weight": weight, "ids": ids},
        {"out": F.embedding_bag(tensor(ids), tensor(weight), mode="mean")},
        BAG,
        "ids [B, N]: each row is one bag.",
    )


def products(topic):
    vocab, dim = 11, 5
    weight = normal(generator("onehot"), vocab, dim)
    ids = generator("onehoti").integers(0, vocab, (2, 4))
    onehot = F.one_hot(tensor(ids), vocab).float()
    topic.add(
        "onehot",
        "onehot_matmul",
        {"num_embeddings": vocab},
        {"weight": weight, "ids": ids},
        {"onehot": onehot, "out": onehot @ tensor(weight)},
        OPS,
        "one_hot(ids) @ weight equals the lookup.",
    )
    for dim in (64, 7):
        name, scale = f"scaled.d{dim}", math.sqrt(dim)
        weight = normal(generator(name), 10, dim)
        ids = generator(name).integers(0, 10, (2, 3))
        topic.add(
            name,
            "embedding_scaled",
            {"scale": scale},
            {"weight": weight, "ids": ids},
            {"out": F.embedding(tensor(ids), tensor(weight)) * scale},
            OPS,
            "out = weight[ids] * sqrt(d) (float32 multiply).",
        )


def positions(topic):
    vocab, longest, dim, length = 30, 16, 12, 8
    tokens = normal(generator("tapw"), vocab, dim)
    places = normal(generator("tapp"), longest, dim)
    ids = generator("tapi").integers(0, vocab, (2, length))
    topic.add(
        "token_and_position",
        "token_and_position",
        {"kind": "learned", "position_offset": 0},
        {"token_weight": tokens, "position_weight": places, "ids": ids},
        {"out": F.embedding(tensor(ids), tensor(tokens)) + tensor(places[:length])},
        OPS,
        "Keras TokenAndPositionEmbedding: token_emb(ids) + pos_emb(arange(L)).",
    )
    topic.add(
        "learned_positions",
        "learned_positions",
        {"position_offset": 3},
        {"position_weight": places},
        {"out": F.embedding(torch.arange(3, 3 + length), tensor(places))},
        OPS,
    )
    dim = 16
    scale = math.sqrt(dim)
    tokens = normal(generator("tapsin"), vocab, dim)
    scaled = F.embedding(tensor(ids), tensor(tokens)) * scale
    topic.add(
        "token_sinusoidal",
        "token_and_position",
        {
            "kind": "sinusoidal",
            "d_model": dim,
            "base": 10000.0,
            "scale": scale,
            "layout": "interleaved",
            "position_offset": 0,
        },
        {"token_weight": tokens, "ids": ids},
        {"out": scaled + published.vaswani(range(length), dim)},
        "pytorch/examples word_language_model: encoder(src)*sqrt(d), PositionalEncoding, float32",
    )


def normalized_float64(x, weight, bias, eps):
    """LayerNorm."""
    mean = x.mean(-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(-1, keepdims=True)
    return ((x - mean) / np.sqrt(variance + eps) * weight + bias).astype(np.float32)


def bert(topic):
    vocab, longest, dim, batch, length, eps = 40, 20, 24, 2, 9, 1e-12
    config = SimpleNamespace(
        vocab_size=vocab,
        hidden_size=dim,
        pad_token_id=0,
        max_position_embeddings=longest,
        type_vocab_size=2,
        layer_norm_eps=eps,
        hidden_dropout_prob=0.0,
    )
    random = generator("bert")
    weights = {
        name: (random.standard_normal((rows, dim)) * 0.2).astype(np.float32)
        for name, rows in [("word", vocab), ("position", longest), ("token_type", 2)]
    }
    weights["ln_weight"] = (1 + 0.1 * random.standard_normal(dim)).astype(np.float32)
    weights["ln_bias"] = (0.1 * random.standard_normal(dim)).astype(np.float32)
    ids = random.integers(1, vocab, (batch, length))
    types = np.tile((np.arange(length) >= length // 2).astype(np.int64), (batch, 1))

    module = BertEmbeddings(config).eval()
    parameters = (
        module.word_embeddings.weight,
        module.position_embeddings.weight,
        module.token_type_embeddings.weight,
        module.LayerNorm.weight,
        module.LayerNorm.bias,
    )
    with torch.no_grad():
        for held, weight in zip(parameters, weights.values()):
            held.copy_(tensor(weight))
    double = {name: weight.astype(np.float64) for name, weight in weights.items()}
    total = double["word"][ids] + double["token_type"][types] + double["position"][:length]
    topic.add(
        "bert",
        "bert_embeddings",
        {"layer_norm_eps": eps, "position_offset": 0},
        {**weights, "ids": ids, "token_type_ids": types},
        {
            "out": module(tensor(ids), tensor(types), past_key_values_length=0),
            "out_f64": normalized_float64(total, double["ln_weight"], double["ln_bias"], eps),
        },
        "huggingface/transformers models/bert BertEmbeddings, float32",
        "LayerNorm(word + token_type + position).",
    )


def gpt2(topic):
    vocab, longest, dim, batch, length, past = 35, 18, 16, 2, 7, 5
    wte = (generator("wte").standard_normal((vocab, dim)) * 0.02).astype(np.float32)
    wpe = (generator("wpe").standard_normal((longest, dim)) * 0.01).astype(np.float32)
    ids = generator("gpt2").integers(0, vocab, (batch, length))
    places = torch.arange(past, past + length)
    topic.add(
        "gpt2",
        "gpt2_embeddings",
        {"position_offset": past},
        {"wte": wte, "wpe": wpe, "ids": ids},
        {"out": F.embedding(tensor(ids), tensor(wte)) + F.embedding(places, tensor(wpe))},
        f"{OPS} (wte(ids) + wpe(positions), as GPT2Model.forward)",
    )


def norms(topic, width):
    name = f"layernorm.d{width}"
    random = generator(name)
    x = (random.standard_normal((5, width)) * 3 + 1).astype(np.float32)
    weight = (1 + 0.2 * random.standard_normal(width)).astype(np.float32)
    bias = (0.3 * random.standard_normal(width)).astype(np.float32)
    double, eps = x.astype(np.float64), 1e-5
    topic.add(
        f"{name}.eps{eps:g}",
        "layer_norm",
        {"eps": eps},
        {"x": x, "weight": weight, "bias": bias},
        {
            "out": F.layer_norm(tensor(x), (width,), tensor(weight), tensor(bias), eps),
            "out_f64": normalized_float64(double, weight, bias, eps),
        },
        LAYER_NORM,
        "Biased variance.",
    )
    eps = 1e-6
    for model, norm, offset in [
        ("llama", LlamaRMSNorm, 0.0),
        ("gemma", GemmaRMSNorm, 1.0),
        ("t5", T5LayerNorm, 0.0),
    ]:
        scale = weight - np.float32(offset)
        module = norm(width, eps=eps)
        with torch.no_grad():
            module.weight.copy_(tensor(scale))
        size = np.sqrt((double**2).mean(-1, keepdims=True) + eps)
        exactly = double / size * (scale.astype(np.float64) + offset)
        topic.add(
            f"rmsnorm.{model}.d{width}",
            "rms_norm",
            {"eps": eps, "weight_offset": offset},
            {"x": x, "weight": scale},
            {"out": module(tensor(x)), "out_f64": exactly.astype(np.float32)},
            f"huggingface/transformers {norm.__name__}, float32",
            "x / sqrt(mean(x^2)+eps) * (weight + weight_offset).",
        )


def unit_length(topic):
    x = normal(generator("l2n"), 6, 10)
    x[3] = 0
    x[4] *= 1e-20
    topic.add(
        "l2_normalize",
        "l2_normalize",
        {"eps": 1e-12},
        {"x": x},
        {"out": F.normalize(tensor(x), dim=-1)},
        "PyTorch F.normalize, float32",
        "x / max(|x|, eps); zero row stays zero. Row 4 is tiny: its float32 squares underflow, so"
        " PyTorch divides by eps.",
    )
