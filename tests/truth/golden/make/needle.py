"""A run of 200 steps of the task "needle" from given weights and batches: python needle.py INPUTS FOLDER

INPUTS is a .safetensors file with start.NAME, the parameters of a decoder of two heads with RoPE, and ids and targets
[steps, B, T]. Writes FOLDER/needle.safetensors and FOLDER/cases.json.
"""

import sys
from pathlib import Path

import store
import torch
from lab import train
from safetensors.torch import load_file

POSITION = {"scheme": "rope", "base": 10000.0, "fraction": 1.0}
OPTIMIZER = {
    "learningRate": 6e-3,
    "warmup": 50,
    "floor": 0.1,
    "betas": [0.9, 0.99],
    "eps": 1e-8,
    "weightDecay": 0.01,
    "clip": 1.0,
}


def make(topic, inputs):
    given = load_file(inputs)
    ids, targets = given["ids"].long(), given["targets"].long()
    losses = {}
    for dtype in (torch.float32, torch.float64):
        p = {
            name.removeprefix("start."): value.to(dtype, copy=True).requires_grad_()
            for name, value in given.items()
            if name.startswith("start.")
        }
        losses[dtype], _ = train(p, POSITION, 2, ids, targets, OPTIMIZER)
    topic.add(
        "rope",
        "decoder_run",
        {
            "heads": 2,
            "position": POSITION,
            "optimizer": OPTIMIZER,
            "steps": ids.shape[0],
            "batch": ids.shape[1],
            "length": ids.shape[2],
        },
        {},
        {"losses": losses[torch.float32], "losses_f64": losses[torch.float64]},
        "PyTorch, CPU, float32 and float64",
        "the loss of each step, of phasor/lab's first weights and batches for seed 1",
        "float64",
    )


if __name__ == "__main__":
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    needle, folder = store.Topic("needle"), Path(sys.argv[2])
    make(needle, Path(sys.argv[1]))
    needle.write(folder)
    store.write_cases(folder, [needle], {"torch": torch.__version__})
