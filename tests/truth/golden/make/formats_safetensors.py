"""Files of .safetensors."""

import json
import struct
from dataclasses import dataclass

import numpy as np
import safetensors
import torch

BY_HAND = "hand-written from the format description"
TYPES = {
    "F64": "float64",
    "I64": "int64",
    "F32": "float32",
    "I32": "int32",
    "F16": "float16",
    "BF16": "bfloat16",
    "I8": "int8",
    "U8": "uint8",
}
SIZES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I8": 1, "U8": 1}


@dataclass
class Entry:
    """A tensor of a file: its bytes, and what they are as float32."""

    name: str
    dtype: str
    raw: bytes
    expected: np.ndarray

    @property
    def shape(self):
        return list(self.expected.shape)


def entry(name, dtype, array):
    if dtype == "BF16":
        return Entry(name, dtype, *bfloat16(array))
    return Entry(name, dtype, array.tobytes(), array.astype(np.float32))


def bfloat16(array):
    """The bytes of an array in bfloat16, and its rounded values."""
    half = torch.from_numpy(array).bfloat16()
    return half.view(torch.int16).numpy().tobytes(), half.float().numpy()


def with_header(header, body=b""):
    return struct.pack("<Q", len(header)) + header + body


def file_bytes(entries, metadata=None, padding=0, order=None):
    """The bytes of a file. `order`: in which the header lists the entries."""
    header, body, described = {}, b"", []
    if metadata is not None:
        header["__metadata__"] = metadata
    for one in entries:
        offsets = [len(body), len(body) + len(one.raw)]
        described.append({"dtype": one.dtype, "shape": one.shape, "data_offsets": offsets})
        body += one.raw
    for i in order or range(len(entries)):
        header[entries[i].name] = described[i]
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    return with_header(text + b" " * padding, body)


def make(topic, folder, random):
    """Returns the float32 matrix [4, 6] of which other files are made, too."""

    def add(name, data, entries, metadata=None, note="", source=BY_HAND):
        path = f"formats/{name}.safetensors"
        (folder / path).write_bytes(data)
        described = {one.name: {"dtype": one.dtype, "shape": one.shape} for one in entries}
        topic.add(
            f"safetensors.{name}",
            "safetensors_read",
            {"path": path, "metadata": metadata, "tensors": described},
            {},
            {f"expected/{one.name}": one.expected for one in entries},
            source,
            note,
        )

    matrix = random.standard_normal((4, 6)).astype(np.float32)
    entries = every_type(matrix, random)
    aligned = sorted(entries, key=lambda one: -SIZES[one.dtype])
    metadata = {"format": "pt", "note": 'a "quoted" value\n'}
    note = "Every dtype; expected is the value as float32 (I64 and F64 round)."
    add("mixed", file_bytes(aligned, metadata), aligned, metadata, note)
    note = "Small types first and an odd header length, so data begins and lies at odd addresses."
    add("unaligned", file_bytes(entries[::-1], padding=3), entries[::-1], note=note)
    headers(add, matrix, aligned)
    weight = (random.standard_normal((6, 8)) * 0.02).astype(np.float32)
    table = [entry("model.embed_tokens.weight", "BF16", weight)]
    metadata = {"format": "pt"}
    note = "An embedding table as a Llama checkpoint names it."
    add("embed_bf16", file_bytes(table, metadata), table, metadata, note)
    official = safetensors.serialize(
        {
            one.name: {"dtype": TYPES[one.dtype], "shape": one.shape, "data": one.raw}
            for one in entries
        },
        metadata,
    )
    note = "Written by the safetensors package itself."
    add("official", official, entries, metadata, note, "safetensors serialize")
    return matrix


def every_type(matrix, random):
    def normal(*shape):
        return random.standard_normal(shape)

    f16 = np.array([0x0000, 0x8000, 0x0001, 0x83FF, 0x0400, 0x7BFF, 0x7C00, 0xFC00], "<u2")
    bf16 = np.array([0x0000, 0x8000, 0x0001, 0x007F, 0x0080, 0x7F7F, 0x7F80, 0xFF80], "<u2")
    widened = (bf16.astype(np.uint32) << 16).view(np.float32)
    return [
        entry("f32", "F32", matrix),
        entry("f16", "F16", normal(4, 6).astype("<f2")),
        entry("bf16", "BF16", normal(4, 6).astype(np.float32)),
        entry("f64", "F64", normal(3, 5)),
        entry("i64", "I64", random.integers(-(10**12), 10**12, (7,))),
        entry("i32", "I32", random.integers(-(10**9), 10**9, (5,)).astype("<i4")),
        entry("i8", "I8", random.integers(-128, 128, (3, 3)).astype("i1")),
        entry("u8", "U8", random.integers(0, 256, (9,)).astype("u1")),
        entry("f16_special", "F16", f16.view("<f2")),
        Entry("bf16_special", "BF16", bf16.tobytes(), widened),
    ]


def headers(add, matrix, aligned):
    """What a header may hold."""
    flat = matrix.ravel()
    a, b = entry("a", "F32", flat[:6].reshape(2, 3)), entry("b", "F32", flat[6:9])
    four = [a, b, *aligned[:2]]
    note = "Header lists tensors in another order than the data."
    add("header_order", file_bytes(four, order=[3, 1, 2, 0]), four, note=note)
    scalar = entry("s", "F32", flat[:1].reshape(()))
    three = [scalar, entry("e", "F32", np.zeros((0, 4), np.float32)), b]
    note = "A 0-dimensional tensor and one without elements."
    add("scalar_empty", file_bytes(three), three, note=note)
    unicode = [Entry("gewicht.ü/Δ 词嵌入", "F32", a.raw, a.expected)]
    metadata = {"ключ": "值"}
    note = "UTF-8 names and metadata."
    add("unicode", file_bytes(unicode, metadata), unicode, metadata, note)
    escaped = [Entry('a"b\\c\td\u00e9', "F32", b.raw, b.expected)]
    text = b'{"a\\"b\\\\c\\td\\u00e9":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}}'
    note = "JSON escapes in the name, \\u00e9 included."
    add("escapes", with_header(text, b.raw), escaped, note=note)
    metadata, note = {"format": "np"}, "Header padded with spaces at the end."
    add("padded_header", file_bytes([a, b], metadata, padding=41), [a, b], metadata, note)
    text = b'{\n  "a" : { "shape" : [ 2 , 3 ] ,\r\n\t"data_offsets":[0, 24], "dtype":"F32" }\n}'
    note = "JSON white space and another key order."
    add("whitespace", with_header(text, a.raw), [a], note=note)
    metadata = {"k": "v"}
    add("metadata_only", file_bytes([], metadata), [], metadata, "No tensors.")
