"""Malformed files, each with what is wrong with it and what the format's own reader says."""

import io
import json
import struct
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import safetensors
from formats_ggml import library
from formats_numpy import npy_bytes, npz_bytes
from formats_safetensors import with_header

HEAD = """\
Malformed files. A reader must refuse each with an error: no crash, no read outside the file, no allocation of
a size that the file only claims. The reference reader accepts the marked ones; accepting them is right, too.
"""


def make(topic, folder, matrix, gguf):
    """Of the float32 matrix [4, 6] and the bytes of a valid .gguf file."""
    lines = [HEAD]
    for format, files, reader, accepts in [
        ("safetensors", safetensors_files(matrix), SAFETENSORS, safetensors_accepts),
        ("npy", npy_files(matrix), NUMPY, numpy_accepts),
        ("npz", npz_files(matrix), NUMPY, numpy_accepts),
        ("gguf", gguf_files(gguf), "ggml gguf_init_from_file", ggml_accepts),
    ]:
        for valid in sorted((folder / "formats").glob(f"*.{format}")):
            assert accepts(valid), valid
        for name, (data, reason) in files.items():
            name = f"{name}.{format}"
            path = folder / "bad" / name
            path.write_bytes(data)
            accepted = accepts(path)
            params = {
                "path": f"bad/{name}",
                "format": format,
                "reason": reason,
                "expect": "refuse_or_accept" if accepted else "refuse",
                "reference_reader": reader,
                "reference_verdict": "accepts" if accepted else "refuses",
            }
            topic.add(f"bad.{name}", "reject", params, {}, {}, "hand-made", dtype="none")
            lines.append(f"{name}: {reason}" + (f" [{reader} accepts it]" if accepted else ""))
    (folder / "bad/LIST.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


# The formats' own readers.

SAFETENSORS = f"safetensors {safetensors.__version__}"
NUMPY = f"numpy {np.__version__}"


def safetensors_accepts(path):
    try:
        safetensors.deserialize(path.read_bytes())
    except safetensors.SafetensorError:
        return False
    return True


def numpy_accepts(path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            loaded = np.load(path, allow_pickle=False)
            if path.suffix == ".npz":
                for member in loaded.files:
                    loaded[member]
        except Exception:  # whatever the reader raises is a refusal
            return False
    return True


GGUF_READER = """
import ctypes, sys
class Parameters(ctypes.Structure):
    _fields_ = [("no_alloc", ctypes.c_bool), ("context", ctypes.c_void_p)]
read = ctypes.CDLL(sys.argv[1]).gguf_init_from_file
read.argtypes, read.restype = [ctypes.c_char_p, Parameters], ctypes.c_void_p
context = ctypes.c_void_p()
parameters = Parameters(False, ctypes.cast(ctypes.pointer(context), ctypes.c_void_p))
print("accepted" if read(sys.argv[2].encode(), parameters) else "refused")
"""


def ggml_accepts(path):
    """In a separate process, since the reader may crash."""
    command = [sys.executable, "-c", GGUF_READER, library(), str(path)]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() == "accepted"


# .safetensors

TENSOR = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}


def described(**tensors):
    return json.dumps(tensors, separators=(",", ":")).encode()


def one(**changes):
    return described(a={**TENSOR, **changes})


def without(key):
    return described(a={k: value for k, value in TENSOR.items() if k != key})


def two(first, second):
    vector = {"dtype": "F32", "shape": [2]}
    return described(a={**vector, "data_offsets": first}, b={**vector, "data_offsets": second})


def safetensors_files(matrix):
    data = matrix.ravel()[:6].tobytes()
    return {
        **lengths(with_header(one(), data), data),
        **texts(data),
        **duplicates(data),
        **fields(data),
        **shapes(data),
        **offsets(data),
        **documents(data),
    }


def lengths(valid, data):
    def claimed(length):
        return struct.pack("<Q", length) + valid[8:]

    return {
        "empty": (b"", "zero bytes"),
        "short_length": (valid[:5], "ends inside the 8-byte header length"),
        "only_length": (valid[:8], "ends right after the header length"),
        "zero_header": (struct.pack("<Q", 0) + data, "header length 0"),
        "header_len_gt_file": (
            claimed(len(valid) + 1),
            "header length runs past the end of the file",
        ),
        "header_len_2_63": (
            claimed(1 << 63),
            "header length 2^63 (overflows signed or added offsets)",
        ),
        "header_len_max": (
            claimed((1 << 64) - 1),
            "header length near 2^64 (wraps when 8 is added)",
        ),
        "huge_header": (
            claimed(100_000_001),
            "header length over the 100,000,000-byte limit (and past the file)",
        ),
        "truncated_json": (with_header(one()[:30]), "header JSON cut off"),
        "truncated_data": (valid[:-1], "data shorter than the header says"),
        "trailing_data": (
            valid + b"\0" * 4,
            "bytes after the last tensor that no tensor covers",
        ),
    }


def texts(data):
    def named(name):
        return with_header(one().replace(b'"a"', b'"' + name + b'"'), data)

    return {
        "leading_space": (with_header(b" " + one(), data), "header does not begin with '{'"),
        "array_header": (with_header(b'["a",1]'), "header is a JSON array"),
        "garbage_after_json": (with_header(one() + b"x", data), "text after the JSON object"),
        "not_utf8": (named(b"\xff\xfe"), "tensor name is not UTF-8"),
        "bad_utf8_overlong": (named(b"\xc0\xaf"), "overlong UTF-8 sequence in the name"),
        "lone_surrogate": (named(b"\\ud800"), "lone surrogate escape in the name"),
        "control_char": (named(b"a\nb"), "raw control character inside a JSON string"),
        "bad_escape": (named(b"\\x41"), "unknown JSON escape"),
    }


def duplicates(data):
    first = b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},'
    other = b'{"dtype":"F32","shape":[2],"data_offsets":[8,16]}}'
    same = other.replace(b"[8,16]", b"[0,8]")
    field = b'{"a":{"dtype":"F32","dtype":"I32","shape":[2],"data_offsets":[0,8]}}'
    return {
        "duplicate_keys": (
            with_header(first + b'"a":' + other, data[:16]),
            "the same tensor name twice",
        ),
        "duplicate_same": (
            with_header(first + b'"a":' + same, data[:8]),
            "the same tensor name twice, with equal entries",
        ),
        "duplicate_escaped": (
            with_header(first + b'"\\u0061":' + other, data[:16]),
            "the same name twice, once written with an escape",
        ),
        "duplicate_field": (with_header(field, data[:8]), "dtype given twice in one entry"),
    }


def fields(data):
    return {
        "bad_dtype": (with_header(one(dtype="F33"), data), "unknown dtype F33"),
        "lower_dtype": (with_header(one(dtype="f32"), data), "dtype in lower case"),
        "dtype_number": (with_header(one(dtype=7), data), "dtype is a number"),
        "missing_dtype": (with_header(without("dtype"), data), "no dtype"),
        "missing_shape": (with_header(without("shape"), data), "no shape"),
        "missing_offsets": (with_header(without("data_offsets"), data), "no data_offsets"),
    }


def shapes(data):
    def shaped(shape, reason):
        if isinstance(shape, bytes):
            return with_header(one().replace(b"[2,3]", shape), data), reason
        return with_header(one(shape=shape), data), reason

    return {
        "negative_shape": shaped([-2, -3], "negative dimensions (their product fits)"),
        "fraction_shape": shaped([2.5, 2.4], "fractional dimensions"),
        "float_shape": shaped(b"[2.0,3.0]", "dimensions written as 2.0"),
        "exponent_shape": shaped(b"[2e0,3]", "dimension written with an exponent"),
        "string_shape": shaped(["2", "3"], "dimensions are strings"),
        "shape_overflow": shaped(
            [1 << 62, 8], "product of dimensions overflows 64 bits (2^62 * 8 * 4)"
        ),
        "shape_overflow_zero": shaped([1 << 32, 1 << 32, 6], "2^32 * 2^32 wraps to 0"),
        "shape_huge_number": shaped(b"[99999999999999999999999,1]", "dimension beyond 64 bits"),
        "shape_mismatch": shaped([2, 2], "shape and byte range disagree"),
        "shape_mismatch_big": shaped([2, 4], "shape needs more bytes than its range"),
    }


def offsets(data):
    def placed(offsets, reason):
        return with_header(one(data_offsets=offsets), data), reason

    # Written with spaces, as json.dumps does by itself.
    start = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}}).encode()
    return {
        "offsets_overlap": (with_header(two([0, 8], [4, 12]), data[:12]), "two tensors overlap"),
        "offsets_same": (
            with_header(two([0, 8], [0, 8]), data[:8]),
            "two tensors share all their bytes",
        ),
        "offsets_hole": (
            with_header(two([0, 8], [12, 20]), data[:20]),
            "gap between two tensors",
        ),
        "offsets_start_hole": (with_header(start, data[:12]), "data does not begin at 0"),
        "offsets_past_end": placed([8, 32], "range runs past the end of the data"),
        "offsets_reversed": placed([24, 0], "begin after end"),
        "offsets_negative": placed([-24, 0], "negative offset"),
        "offsets_wrap": placed([(1 << 64) - 8, 16], "begin near 2^64, so end - begin wraps to 24"),
        "offsets_one": placed([0], "data_offsets has one number"),
        "offsets_three": placed([0, 24, 24], "data_offsets has three numbers"),
        "offsets_float": (
            with_header(one().replace(b"[0,24]", b"[0,24.5]"), data),
            "fractional offset",
        ),
    }


def documents(data):
    deep = b'{"a":' + b'{"a":' * 5000 + b"1" + b"}" * 5001
    nan = one().replace(b"[0,24]", b"[NaN,24]")
    return {
        "metadata_number": (
            with_header(b'{"__metadata__":{"k":1},' + one()[1:], data),
            "metadata value is not a string",
        ),
        "metadata_list": (
            with_header(b'{"__metadata__":["k"],' + one()[1:], data),
            "metadata is not an object",
        ),
        "deep_nesting": (
            with_header(b'{"__metadata__":' + b"[" * 20000),
            "very deep JSON nesting (unclosed)",
        ),
        "deep_nesting_closed": (with_header(deep), "very deep JSON nesting"),
        "entry_null": (with_header(b'{"a":null}'), "entry is null"),
        "nan_number": (with_header(nan, data), "NaN as an offset"),
        "trailing_comma": (with_header(one()[:-1] + b",}", data), "trailing comma"),
        "single_quotes": (with_header(one().replace(b'"', b"'"), data), "single-quoted JSON"),
        "bom": (with_header(b"\xef\xbb\xbf" + one(), data), "byte order mark before the header"),
        "nul_padding": (with_header(one() + b"\0\0\0", data), "header padded with NUL bytes"),
        "big_endian_length": (
            struct.pack(">Q", len(one())) + one() + data,
            "header length in big-endian order",
        ),
    }


# .npy and .npz


def npy_files(matrix):
    valid = npy_bytes(matrix)

    def file(header, reason):
        length = struct.pack("<H", len(header))
        return b"\x93NUMPY\x01\x00" + length + header + matrix.tobytes(), reason

    def header(descr="'<f4'", fortran="False", shape="(4, 6)", tail="}"):
        text = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, {tail}\n"
        return text.encode()

    assert np.array_equal(np.load(io.BytesIO(file(header(), "valid")[0])), matrix)
    return {
        "npy_empty": (b"", "zero bytes"),
        "npy_magic": (b"\x93NUMPX" + valid[6:], "wrong magic"),
        "npy_short": (valid[:9], "ends before the header length"),
        "npy_version": (b"\x93NUMPY\x09\x00" + valid[8:], "unknown version 9.0"),
        "npy_header_len": (
            valid[:8] + b"\xff\xff" + valid[10:],
            "header length runs past the file",
        ),
        "npy_truncated": (valid[:-2], "data cut off"),
        "npy_object": file(header(descr="'|O'"), "pickled object dtype"),
        "npy_fortran_text": file(header(fortran="'no'"), "fortran_order is not a boolean"),
        "npy_descr": file(header(descr="'<q9'"), "unknown descr"),
        "npy_no_shape": file(b"{'descr': '<f4', 'fortran_order': False, }\n", "no shape key"),
        "npy_extra_key": file(header(tail="'x': 1}"), "extra key"),
        "npy_neg_shape": file(header(shape="(-4, -6)"), "negative dimensions"),
        "npy_overflow": file(
            header(shape="(4611686018427387904, 8)"), "element count overflows 64 bits"
        ),
        "npy_float_shape": file(header(shape="(4.0, 6.0)"), "fractional dimensions"),
        "npy_not_dict": file(b"[1, 2, 3]\n", "header is not a dict"),
        "npy_code": file(b"__import__('os').getcwd()\n", "header is an expression, not a literal"),
        "npy_unclosed": file(
            b"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 6\n",
            "header dict not closed",
        ),
    }


def replaced(data, offset, new):
    return data[:offset] + new + data[offset + len(new) :]


def flipped(data, offset, mask):
    return replaced(data, offset, bytes([data[offset] ^ mask]))


def npz_files(matrix):
    stored = npz_bytes({"w": matrix}, compressed=False)
    packed = npz_bytes({"w": np.repeat(matrix, 8, 1)}, compressed=True)

    def directory(data):
        return data.rfind(b"PK\x01\x02")

    def first_byte(data):
        return 30 + sum(struct.unpack("<HH", data[26:30]))

    corrupt = flipped(flipped(packed, first_byte(packed) + 20, 0xFF), first_byte(packed) + 21, 0xFF)
    method = struct.pack("<H", 99)
    member = io.BytesIO()
    with zipfile.ZipFile(member, "w") as archive:
        archive.writestr(zipfile.ZipInfo("w.npy"), npy_bytes(matrix)[:-3])
    return {
        "npz_no_eocd": (stored[:-22], "end-of-central-directory record missing"),
        "npz_truncated": (stored[: len(stored) // 2], "cut off in the middle"),
        "npz_crc": (
            flipped(stored, first_byte(stored) + 140, 0x55),
            "stored data does not match its CRC-32",
        ),
        "npz_deflate": (corrupt, "corrupt deflate stream"),
        "npz_method": (
            replaced(replaced(stored, 8, method), directory(stored) + 10, method),
            "unknown compression method 99",
        ),
        "npz_cd_offset": (
            replaced(stored, len(stored) - 6, struct.pack("<I", 0x7FFFFFFF)),
            "central directory offset past the file",
        ),
        "npz_local_sig": (b"PK\x09\x09" + stored[4:], "local header signature wrong"),
        "npz_size_lie": (
            replaced(packed, directory(packed) + 24, struct.pack("<I", 0x7FFFFFF0)),
            "uncompressed size in the central directory far too big",
        ),
        "npz_member_cut": (member.getvalue(), "member is a truncated .npy"),
        "npz_empty": (b"", "zero bytes"),
    }


# .gguf


def gguf_files(valid):
    def after(text):
        return valid.find(text) + len(text)

    # The first value: its type, then a string. A tensor: n_dims u32, dims u64 each, type u32,
    # offset u64. An array: 9 u32, type of its elements u32, count u64.
    value = 32 + struct.unpack_from("<Q", valid, 24)[0]
    tensor = after(b"token_embd.weight")
    dims = tensor + 4
    tensor_type = dims + 8 * struct.unpack_from("<I", valid, tensor)[0]
    offset = tensor_type + 4
    array = after(b"tokenizer.ggml.tokens")

    def u32(at, number, data=valid):
        return replaced(data, at, struct.pack("<I", number))

    def u64(at, *numbers):
        return replaced(valid, at, struct.pack(f"<{len(numbers)}Q", *numbers))

    return {
        "gguf_empty": (b"", "zero bytes"),
        "gguf_magic": (b"GGUX" + valid[4:], "wrong magic"),
        "gguf_version": (u32(4, 99), "unknown version 99"),
        "gguf_version0": (u32(4, 0), "version 0"),
        "gguf_short": (valid[:13], "ends inside the header"),
        "gguf_tensor_count": (u64(8, 1 << 60), "absurd tensor count"),
        "gguf_kv_count": (u64(16, (1 << 64) - 1), "absurd metadata count"),
        "gguf_key_len": (u64(24, 1 << 62), "key length past the file"),
        "gguf_value_type": (u32(value, 77), "unknown metadata value type"),
        "gguf_str_len": (u64(value + 4, (1 << 64) - 1), "string length near 2^64"),
        "gguf_array_count": (
            u64(array + 8, 1 << 61),
            "array count times element size overflows",
        ),
        "gguf_array_type": (u32(array + 4, 13), "unknown array element type"),
        "gguf_truncated_kv": (valid[: array + 30], "cut off inside the metadata"),
        "gguf_truncated_info": (valid[: tensor + 10], "cut off inside the tensor list"),
        "gguf_truncated_data": (valid[:-40], "cut off inside the tensor data"),
        "gguf_ndims": (u32(tensor, 9), "tensor with 9 dimensions"),
        "gguf_dim_overflow": (u64(dims, 1 << 40, 1 << 40), "product of dimensions overflows"),
        "gguf_tensor_type": (u32(tensor_type, 9999), "unknown tensor type"),
        "gguf_offset_unaligned": (
            u64(offset, 7),
            "tensor offset is not a multiple of the alignment",
        ),
        "gguf_offset_huge": (u64(offset, 1 << 48), "tensor offset past the file"),
        "gguf_bad_row": (
            u32(tensor_type, 8, u64(dims, 10)),
            "Q8_0 row of 10 elements (not a multiple of the block)",
        ),
    }
