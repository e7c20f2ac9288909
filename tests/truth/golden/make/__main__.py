"""Makes the reference values: python tests/truth/golden/make FOLDER [topic ...]"""

import importlib
import os
import sys
from importlib.metadata import version
from pathlib import Path

# The same kernels on every processor with AVX2: PyTorch and MKL otherwise choose by the processor.
os.environ |= {"ATEN_CPU_CAPABILITY": "avx2", "MKL_CBWR": "COMPATIBLE", "HF_HUB_OFFLINE": "1"}

TOPICS = (
    "sinusoidal",
    "rope",
    "alibi",
    "t5",
    "embedding",
    "attention",
    "analysis",
    "formats",
    "init",
    "sentences",
    "lab",
    "needle",
)
PACKAGES = (
    "torch",
    "transformers",
    "numpy",
    "scikit-learn",
    "mpmath",
    "safetensors",
    "gguf",
    "pywhispercpp",
    "sentence-transformers",
    "model2vec",
)


def main(folder, *names):
    import store
    import torch

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    folder = Path(folder)
    topics = []
    needs = {"formats": [folder], "needle": [folder.parent / "needle.safetensors"]}
    for name in names or TOPICS:
        topic = store.Topic(name)
        importlib.import_module(name).make(topic, *needs.get(name, []))
        topic.write(folder)
        topics.append(topic)
        print(f"{name}: {len(topic.cases)} cases", flush=True)
    store.write_cases(folder, topics, {package: version(package) for package in PACKAGES})


if __name__ == "__main__":
    main(*sys.argv[1:])
