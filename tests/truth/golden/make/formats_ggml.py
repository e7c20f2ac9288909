"""ggml's quantized blocks, by its own C functions and by gguf's Python."""

import ctypes
import importlib.metadata
import sys

import gguf
import numpy as np

PYTHON = "gguf-py quants"

# The byte offsets of the float16 scales in a block of each type.
SCALES = {
    "Q8_0": [0],
    "Q4_0": [0],
    "Q4_1": [0, 2],
    "Q5_0": [0],
    "Q5_1": [0, 2],
    "Q2_K": [80, 82],
    "Q3_K": [108],
    "Q4_K": [0, 2],
    "Q5_K": [0, 2],
    "Q6_K": [208],
    "IQ4_NL": [0],
}


def library():
    """ggml's C library, which the wheel of pywhispercpp has."""
    files = importlib.metadata.files("pywhispercpp") or []
    for file in files:
        if file.name in ("libggml-base.so", "libggml-base.dylib", "ggml-base.dll"):
            return str(file.locate())
    sys.exit("pywhispercpp must bring libggml-base; its wheel for this platform does not")


class Ggml:
    def __init__(self):
        self.library = ctypes.CDLL(library())

        class Parameters(ctypes.Structure):
            _fields_ = [
                ("size", ctypes.c_size_t),
                ("buffer", ctypes.c_void_p),
                ("no_alloc", ctypes.c_bool),
            ]

        # Fills the tables of float16 that the other functions read.
        self.library.ggml_init.argtypes = [Parameters]
        self.library.ggml_init.restype = ctypes.c_void_p
        self.library.ggml_init(Parameters(1 << 20, None, True))

    def _call(self, name, source, target, count):
        pointers = (array.ctypes.data_as(ctypes.c_void_p) for array in (source, target))
        getattr(self.library, name)(*pointers, ctypes.c_int64(count))
        return target

    def quantize(self, name, values):
        size, bytes_of_block = gguf.GGML_QUANT_SIZES[quantization(name)]
        shape = (*values.shape[:-1], values.shape[-1] // size * bytes_of_block)
        target = np.zeros(shape, np.uint8)
        return self._call(f"quantize_row_{c_name(name)}_ref", values, target, values.size)

    def dequantize(self, name, blocks, shape):
        target = np.zeros(shape, np.float32)
        return self._call(f"dequantize_row_{c_name(name)}", blocks, target, target.size)


def quantization(name):
    return gguf.GGMLQuantizationType[name]


def c_name(name):
    """Q4_K is q4_K in C."""
    return name[0].lower() + name[1:] if "_K" in name else name.lower()


def quantize(ggml, name, values):
    """The blocks by C; by Python too, where it has the type, and equal. Returns who made them."""
    blocks = ggml.quantize(name, values)
    try:
        by_python = gguf.quants.quantize(values, quantization(name))
    except NotImplementedError:
        return blocks, f"ggml quantize_row_{c_name(name)}_ref (C)"
    assert np.array_equal(by_python, blocks), name
    return blocks, f"{PYTHON}.quantize = ggml C (equal bytes)"


def dequantize(ggml, name, blocks):
    values = gguf.quants.dequantize(blocks, quantization(name))
    by_c = ggml.dequantize(name, blocks, values.shape)
    assert np.array_equal(by_c.view(np.uint32), values.view(np.uint32)), name
    return values


def make(topic, random):
    ggml = Ggml()
    for name in SCALES:
        rows, columns = 4, 256
        size, bytes_of_block = gguf.GGML_QUANT_SIZES[quantization(name)]
        scales = np.array([1, 0.02, 5, 1e-3])
        original = (random.standard_normal((rows, columns)) * scales[:, None]).astype(np.float32)
        original[-1, :size] = 0
        blocks, blocks_by = quantize(ggml, name, original)
        values_by = f"values: {PYTHON}.dequantize = ggml C dequantize_row (equal bits)"
        params = {
            "ggml_type": name,
            "type_id": int(quantization(name)),
            "block_size": size,
            "type_size": bytes_of_block,
            "n_rows": rows,
            "n_cols": columns,
        }
        topic.add(
            f"ggml.{name}",
            "ggml_dequant",
            params,
            {"blocks": blocks},
            {"values": dequantize(ggml, name, blocks), "original": original},
            f"{values_by}; blocks: {blocks_by}",
            "original: the floats before quantization (close, not equal); quantizing them gives"
            " exactly `blocks`.",
        )
        count = 3
        blocks = random.integers(0, 256, (count, bytes_of_block)).astype(np.uint8)
        for block in blocks:
            for offset in SCALES[name]:
                scale = np.float16(random.standard_normal() * 0.05)
                block[offset : offset + 2] = np.frombuffer(scale.tobytes(), np.uint8)
        blocks = blocks.reshape(1, -1)
        topic.add(
            f"ggml.{name}.anybytes",
            "ggml_dequant",
            {**params, "n_rows": 1, "n_cols": count * size},
            {"blocks": blocks},
            {"values": dequantize(ggml, name, blocks)},
            values_by,
            "Random codes (scales may be negative), to reach every bit of the block.",
        )
