"""Writes files with NumPy, safetensors and gguf, or says what they read. For files.test.js."""

import json
import sys
from pathlib import Path

import gguf
import numpy as np
from safetensors import TensorSpec, safe_open, serialize
from safetensors.numpy import save

TYPES = gguf.GGMLQuantizationType
BFLOAT16 = np.arange(0x3F00, 0x3F06, dtype=np.uint16).reshape(2, 3)  # bits


def arrays():
    """One of each type, and of odd shapes and orders."""
    some = np.random.default_rng(7).standard_normal
    return {
        "token_embd.weight": some((5, 4)).astype(np.float32),
        "layer/0/wide": some((2, 3, 2)),
        "half": some(7).astype(np.float16),
        "ids": np.array([-(2**62), 0, 2**62]),
        "words": np.arange(-3, 3, dtype=np.int32).reshape(3, 2),
        "codes": np.array([[-128, 127]], np.int8),
        "bytes": np.array([0, 255], np.uint8),
        "mask": np.array([True, False, True]),
        "columns": np.asfortranarray(some((3, 4)).astype(np.float32)),
        "turned": some((2, 2)).astype(">f4"),
        "point": np.array(0.1),
        "none": np.zeros((0, 3), np.float32),
        "größe": np.ones(1, np.float32),
    }


def described(array):
    """An array in words, the bytes as they are in row-major, little-endian order."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"))
    return {
        "dtype": array.dtype.name,
        "shape": list(array.shape),
        "hex": little.tobytes().hex(),
    }


def write(folder):
    """Files into the folder; what is in them on stdout."""
    given = arrays()
    np.savez(folder / "stored.npz", **given)
    np.savez_compressed(folder / "deflated.npz", **given)
    for i, array in enumerate(given.values()):
        np.save(folder / f"{i}.npy", array)
    # which safetensors takes only in their own order
    plain = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in given.items()}
    (folder / "plain.safetensors").write_bytes(save(plain, metadata={"from": "NumPy", "ä": "ö"}))
    data = {"data_ptr": BFLOAT16.ctypes.data, "data_len": BFLOAT16.nbytes}
    spec = TensorSpec(dtype="bfloat16", shape=BFLOAT16.shape, **data)
    (folder / "bfloat16.safetensors").write_bytes(serialize({"b": spec}))
    said = {"arrays": {name: described(array) for name, array in given.items()}}
    said["gguf"] = write_gguf(folder / "model.gguf")
    json.dump(said, sys.stdout)


def write_gguf(path):
    """A model with a table of each type that gguf can quantize to."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_name("größe")
    writer.add_uint64("large", 2**60)
    writer.add_array("levels", [[1, 2], [3]])
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(["a", "Ġb", "é"])
    writer.add_token_types([1, 1, 3])
    table = np.random.default_rng(8).standard_normal((3, 256)).astype(np.float32)
    said = {}
    for type in ["F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "TQ1_0", "MXFP4"]:
        data = gguf.quants.quantize(table, TYPES[type])
        writer.add_tensor(type, data, raw_dtype=TYPES[type])
        said[type] = {"hex": data.tobytes().hex(), "shape": [3, 256]}
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return said


def read(folder):
    """What is in the files of the folder on stdout."""
    said = {}
    for path in sorted(folder.iterdir()):
        if path.suffix == ".npz":
            said[path.name] = {name: described(array) for name, array in np.load(path).items()}
        elif path.suffix == ".npy":
            said[path.name] = described(np.load(path))
        elif path.suffix == ".safetensors":
            with safe_open(path, "numpy") as file:
                names = [name for name in file.keys() if file.get_slice(name).get_dtype() != "BF16"]
                said[path.name] = {name: described(file.get_tensor(name)) for name in names}
                said[path.name + ".types"] = {
                    name: file.get_slice(name).get_dtype() for name in file.keys()
                }
                said[path.name + ".metadata"] = file.metadata()
    json.dump(said, sys.stdout)


{"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
