"""First weights from a seed: PyTorch's CPU generator, MT19937."""

import torch
from torch import nn

SOURCE = "PyTorch, CPU generator (MT19937)"


def add(topic, name, params, weight, note):
    topic.add(name, "torch_init", params, {}, {"weight": weight}, SOURCE, note)


def make(topic):
    note = (
        "weight of nn.Embedding(vocab, dim) created right after torch.manual_seed(seed): standard"
        " normal. Fewer than 16 elements use one code path of PyTorch, 16 or more another."
    )
    for seed, vocab, dim in [
        (42, 10, 4),
        (42, 5, 64),
        (0, 3, 4),
        (1234, 3, 5),
        (42, 100, 64),
        (2, 1000, 8),
    ]:
        torch.manual_seed(seed)
        weight = nn.Embedding(vocab, dim).weight
        params = {
            "seed": seed,
            "vocab": vocab,
            "dim": dim,
            "init": "normal",
            "mean": 0.0,
            "std": 1.0,
        }
        add(topic, f"embedding.seed{seed}.{vocab}x{dim}", params, weight, note)

    note = (
        "torch.nn.init on an empty tensor right after torch.manual_seed(seed); fan_in = dim,"
        " fan_out = vocab as torch counts them"
    )
    seed, vocab, dim = 42, 20, 8
    for name, fill in [
        ("normal_0.02", lambda weight: nn.init.normal_(weight, 0.0, 0.02)),
        ("uniform_0_1", nn.init.uniform_),
        ("xavier_uniform", nn.init.xavier_uniform_),
        ("xavier_normal", nn.init.xavier_normal_),
    ]:
        torch.manual_seed(seed)
        weight = fill(torch.empty(vocab, dim))
        params = {"seed": seed, "vocab": vocab, "dim": dim, "init": name}
        add(topic, f"{name}.seed{seed}.{vocab}x{dim}", params, weight, note)

    torch.manual_seed(seed)
    nn.Embedding(100, 64)
    second = nn.Embedding(128, 64)
    add(
        topic,
        f"second_table.seed{seed}",
        {"seed": seed, "first": [100, 64], "vocab": 128, "dim": 64, "init": "normal"},
        second.weight,
        "the second of two tables made one after the other from one seed: nn.Embedding(100, 64),"
        " then nn.Embedding(128, 64)",
    )
