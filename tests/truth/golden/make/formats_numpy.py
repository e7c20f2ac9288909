"""Files of NumPy: .npy and .npz."""

import io
import warnings

import numpy as np


def npy_bytes(array, version=None):
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that version 3 is rarely needed
        np.lib.format.write_array(file, array, version=version, allow_pickle=False)
    return file.getvalue()


def npz_bytes(members, compressed):
    file = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(file, **members)
    return file.getvalue()


def row_major(array):
    return np.array(array.astype(np.float32), order="C")


def make(topic, folder, random):
    def normal(*shape):
        return random.standard_normal(shape)

    def npy(name, array, note="", version=None):
        add_npy(topic, folder, name, array, note, version)

    npy("f4", normal(5, 7).astype("<f4"))
    npy("f8", normal(5, 7).astype("<f8"), "expected is the float64 value rounded to float32.")
    npy("f2", normal(5, 7).astype("<f2"))
    large = [1 << 24, (1 << 24) + 1, -(1 << 40) - 1]
    integers = np.concatenate([random.integers(-1000, 1000, 32), large]).reshape(5, 7)
    npy("i8", integers.astype("<i8"), "Values past 2^24 round in float32.")
    npy("i4", random.integers(-(10**9), 10**9, (6,)).astype("<i4"))
    npy("i1", random.integers(-128, 128, (4, 4)).astype("i1"))
    npy("u1", random.integers(0, 256, (3, 5)).astype("u1"))
    npy("u2", random.integers(0, 65536, (5,)).astype("<u2"))
    npy("bool", random.integers(0, 2, (4, 3)).astype("?"))
    note = "Column-major on disk; expected is row-major."
    npy("f4_fortran", np.asfortranarray(normal(5, 7).astype("<f4")), note)
    npy("f8_fortran3d", np.asfortranarray(normal(2, 3, 4).astype("<f8")))
    npy("f4_3d", normal(2, 3, 4).astype("<f4"))
    npy("f4_scalar", np.array(3.25, "<f4"), "shape ()")
    npy("f4_empty", np.zeros((0, 5), "<f4"))
    npy("f4_bigendian", normal(3, 4).astype(">f4"))
    npy("i8_bigendian", random.integers(-9999, 9999, (4,)).astype(">i8"))
    note = "Header version 2.0: 4-byte header length."
    npy("f4_v2", normal(3, 3).astype("<f4"), note, (2, 0))
    npy("f4_v3", normal(4, 2).astype("<f4"), "Header version 3.0: UTF-8 header.", (3, 0))
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, 1.1754942e-38, 3.4028235e38]
    npy("f4_special", np.array(special, "<f4"), "Signed zero, infinities, NaN, subnormals.")
    make_npz(topic, folder, random)


def add_npy(topic, folder, name, array, note, version):
    path = f"formats/{name}.npy"
    data = npy_bytes(array, version)
    (folder / path).write_bytes(data)
    kind = array.dtype.kind
    outputs = {"expected": row_major(array)}
    if kind in "iub":
        outputs["expected_i64"] = array.astype(np.int64)
    if kind == "f" and array.dtype.itemsize == 8:
        outputs["expected_f64"] = array.astype("<f8")
    params = {
        "path": path,
        "descr": np.lib.format.dtype_to_descr(array.dtype),
        "shape": list(array.shape),
        "fortran_order": bool(array.flags.f_contiguous and not array.flags.c_contiguous),
        "version": list(data[6:8]),
    }
    topic.add(f"npy.{name}", "npy_read", params, {}, outputs, "numpy", note)


def make_npz(topic, folder, random):
    def add(name, members, compressed, note=""):
        path = f"formats/{name}.npz"
        (folder / path).write_bytes(npz_bytes(members, compressed))
        described = {
            key: {"descr": np.lib.format.dtype_to_descr(value.dtype), "shape": list(value.shape)}
            for key, value in members.items()
        }
        topic.add(
            f"npz.{name}",
            "npz_read",
            {"path": path, "compressed": compressed, "members": described},
            {},
            {f"expected/{key}": row_major(value) for key, value in members.items()},
            "numpy savez_compressed" if compressed else "numpy savez",
            note,
        )

    def normal(*shape):
        return random.standard_normal(shape).astype("<f4")

    stored = {
        "weight": normal(6, 4),
        "ids": random.integers(0, 9, (5,)).astype("<i8"),
        "scalar": np.array(2.5, "<f8"),
    }
    note = "Members stored without compression; local headers carry ZIP64 extra fields."
    add("stored", stored, False, note)
    deflated = {
        "token_embd.weight": np.repeat(normal(8, 4), 4, 1),
        "layer/0/pos": np.asfortranarray(normal(3, 4)),
        "empty": np.zeros((0, 3), "<f4"),
        "h": random.standard_normal(7).astype("<f2"),
    }
    note = "Deflate; a member name with slashes, a column-major and an empty array."
    add("deflate", deflated, True, note)
    large = {
        "zeros": np.zeros((64, 64), "<f4"),
        "ramp": (np.arange(5000) % 251).astype("<i4"),
        "noise": normal(900),
    }
    add("deflate_big", large, True, "Highly compressible and incompressible data.")
    add("one", {"arr_0": np.arange(6, dtype="<f4").reshape(2, 3)}, False)
