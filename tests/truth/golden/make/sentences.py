"""Sentence vectors: pooling and linear layers of Sentence Transformers, static models of both libraries."""

import numpy as np
import torch
import torch.nn.functional as F
from model2vec import StaticModel
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import (
    Dense,
    Normalize,
    Pooling,
    StaticEmbedding,
)
from store import generator, normal, tensor
from tokenizers import Tokenizer, models, pre_tokenizers

MODES = ("mean", "cls", "lasttoken", "weightedmean", "max", "mean_sqrt_len_tokens")
ACTIVATIONS = ("Identity", "Tanh", "ReLU", "Sigmoid", "SiLU")
POOLING = "Sentence Transformers' Pooling, float32"
WORDS = "[UNK] the cat sat on a mat dog ran over hill sea".split()
TEXTS = [
    "the cat sat on the mat",
    "a dog ran over a hill",
    "",
    "zebra",
    "the zebra ran",
    "sea " * 40,
    "cat",
]


def make(topic):
    for padding in ("none", "right", "left", "empty"):
        for prompt in (0, 2):
            pooling(topic, padding, prompt)
    for bias in (True, False):
        dense(topic, bias)
    for parts in ((), ("weights",), ("weights", "mapping")):
        static(topic, parts)


def mask_of(padding):
    B, T = 4, 6
    lengths = {"none": [6, 6, 6, 6], "right": [6, 4, 1, 3], "left": [6, 4, 1, 3], "empty": [6, 0, 2, 3]}
    mask = np.zeros((B, T), np.int64)
    for row, length in zip(mask, lengths[padding]):
        row[T - length if padding == "left" else 0 : T if padding == "left" else length] = 1
    return mask


def pooling(topic, padding, prompt):
    name = f"pooling.{padding}.prompt{prompt}"
    mask = mask_of(padding)
    x = normal(generator(name), *mask.shape, 5)

    def pooled(mode):
        module = Pooling(5, pooling_mode=mode, include_prompt=False)
        features = {
            "token_embeddings": tensor(x),
            "attention_mask": tensor(mask),
            "prompt_length": prompt,
        }
        return module(features)["sentence_embedding"]

    outputs = {mode: pooled(mode) for mode in MODES}
    outputs["two"] = pooled(("cls", "mean"))
    outputs["unit"] = F.normalize(outputs["two"][:, :7], dim=-1)
    topic.add(
        name,
        "sentence_pooling",
        {"padding": padding, "prompt_length": prompt, "unit_dim": 7},
        {"x": x, "mask": mask},
        outputs,
        POOLING,
        "`two` has cls and mean side by side, `unit` its first 7 columns, divided by their length.",
    )


def dense(topic, bias):
    name = f"dense.{'bias' if bias else 'plain'}"
    random = generator(name)
    x, weight, addend = normal(random, 4, 6), normal(random, 3, 6), normal(random, 3)

    def activated(activation):
        layer = Dense(6, 3, bias, getattr(torch.nn, activation)(), tensor(weight), tensor(addend))
        return layer({"sentence_embedding": tensor(x)})["sentence_embedding"]

    topic.add(
        name,
        "sentence_dense",
        {"activations": ACTIVATIONS},
        {"x": x, "weight": weight, **({"bias": addend} if bias else {})},
        {activation: activated(activation) for activation in ACTIVATIONS},
        "Sentence Transformers' Dense, float32",
    )


def static(topic, parts):
    name = f"static.{'_'.join(parts) or 'plain'}"
    random = generator(name)
    shared = "mapping" in parts
    embeddings = normal(random, 7 if shared else len(WORDS), 6)
    weights = random.random(len(WORDS)).astype(np.float32) if "weights" in parts else None
    mapping = random.integers(0, 7, len(WORDS)) if shared else None
    tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    json = tokenizer.to_str()

    def model2vec(max_length):
        own = Tokenizer.from_str(json)
        return StaticModel(
            embeddings, own, weights=weights, token_mapping=mapping, max_length=max_length
        )

    # Sentence Transformers folds the factors and the mapping into the table when it opens such a model.
    folded = StaticEmbedding._fold_model2vec_weights(embeddings, mapping, weights)
    table = StaticEmbedding(Tokenizer.from_str(json), folded)
    plain = SentenceTransformer(modules=[table], device="cpu")
    unit = SentenceTransformer(modules=[table, Normalize()], device="cpu")
    topic.add(
        name,
        "sentence_static",
        {"texts": TEXTS, "tokenizer": json, "max_length": 5, "dim": 4, "prompt": "the hill "},
        {
            "embeddings": embeddings,
            **({} if weights is None else {"weights": weights}),
            **({} if mapping is None else {"mapping": mapping}),
        },
        {
            "model2vec": model2vec(512).encode(TEXTS),
            "model2vec_unit": model2vec(512).encode(TEXTS, normalize=True),
            "model2vec_short": model2vec(5).encode(TEXTS),
            "sentence_transformers": plain.encode(TEXTS),
            "sentence_transformers_unit": unit.encode(
                TEXTS, truncate_dim=4, normalize_embeddings=True
            ),
            "sentence_transformers_prompt": plain.encode(TEXTS, prompt="the hill "),
        },
        "Model2Vec's StaticModel and Sentence Transformers' StaticEmbedding, float32",
    )
