"""Cases, their tensors, and the files that hold them. tests/truth/golden/README.md describes both."""

import json
import struct
import zlib

import numpy as np
import torch

DTYPES = {
    "float64": "F64",
    "int64": "I64",
    "float32": "F32",
    "int32": "I32",
    "uint8": "U8",
}

# What is stored instead of a type that the containers lack.
WIDENED = {"bool": np.uint8, "uint16": np.int32, "uint32": np.int64}


def generator(name):
    """The random numbers of a name: the same in every run."""
    return np.random.default_rng(zlib.crc32(f"A/{name}".encode()))


def normal(random, *shape):
    return random.standard_normal(shape).astype(np.float32)


def tensor(array):
    """A copy as a PyTorch tensor."""
    return torch.from_numpy(np.array(array, order="C"))


def array(value):
    """A tensor or number as a NumPy array."""
    return value.detach().contiguous().numpy() if torch.is_tensor(value) else np.asarray(value)


def parameter(weights):
    """A tensor that gathers a gradient."""
    return tensor(weights).requires_grad_()


def container(tensors, metadata):
    """The bytes of a .safetensors file. Wide types come first, so that everything is aligned."""
    header, body = {"__metadata__": metadata}, b""
    for name, data in sorted(tensors.items(), key=lambda item: (-item[1].dtype.itemsize, item[0])):
        raw = data.tobytes()
        header[name] = {
            "dtype": DTYPES[data.dtype.name],
            "shape": list(data.shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


def metrics(values):
    """How far each library's result lies from the reference beside it."""
    found = {}
    for name, value in values.items():
        for suffix, reference in (("_exact", "exact"), ("_f64", "float64")):
            library = values.get(name.removesuffix(suffix)) if name.endswith(suffix) else None
            if library is not None:
                error = np.abs(value.astype(np.float64) - library.astype(np.float64)).max(initial=0)
                key = f"{name.removesuffix(suffix)}_max_abs_err_vs_{reference}"
                found[key] = float(f"{error:.4g}")
    return found


class Topic:
    """The cases of one topic and the tensors of its container."""

    def __init__(self, name):
        self.name = name
        self.cases = []
        self.tensors = {}

    def add(self, name, op, params, inputs, outputs, source, note="", dtype="float32"):
        name = f"{self.name}.{name}"
        values = {
            key: self._keep(f"{name}/{key}", value) for key, value in {**inputs, **outputs}.items()
        }
        self.cases.append(
            {
                "id": name,
                "topic": self.name,
                "op": op,
                "params": params,
                "inputs": {key: f"{name}/{key}" for key in inputs},
                "outputs": {key: f"{name}/{key}" for key in outputs},
                "file": f"{self.name}.safetensors",
                "source": source,
                "dtype": dtype,
                "note": note,
                "metrics": metrics(values),
            }
        )

    def _keep(self, name, value):
        assert name not in self.tensors, name
        data = array(value)
        data = np.array(data, WIDENED.get(data.dtype.name, data.dtype), order="C")
        assert data.dtype.name in DTYPES, (name, data.dtype)
        self.tensors[name] = data
        return data

    def write(self, folder):
        metadata = {"format": "golden", "topic": self.name}
        path = folder / f"{self.name}.safetensors"
        path.write_bytes(container(self.tensors, metadata))


def write_cases(folder, topics, versions):
    """cases.json: a line for each case."""
    head = {
        "format_version": 1,
        "container": "safetensors",
        "counts": {topic.name: len(topic.cases) for topic in topics},
        "generated_with": versions,
    }
    lines = [f" {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    cases = [json.dumps(case, allow_nan=False) for topic in topics for case in topic.cases]
    text = "\n".join(["{", *lines, ' "cases": [', "  " + ",\n  ".join(cases), " ]", "}", ""])
    (folder / "cases.json").write_text(text, encoding="utf-8")
