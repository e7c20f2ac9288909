"""Half precision, as bit patterns: float16 and bfloat16 to float32 and back."""

import numpy as np
import torch

# Signed zeros, subnormals, the ends of each range, infinities and NaNs.
EDGES = [
    0x0000,
    0x8000,
    0x0001,
    0x8001,
    0x0002,
    0x03FE,
    0x03FF,
    0x83FF,
    0x0400,
    0x8400,
    0x0401,
    0x3BFF,
    0x3C00,
    0xBC00,
    0x3C01,
    0x3555,
    0x4248,
    0x7BFF,
    0xFBFF,
    0x7C00,
    0xFC00,
    0x7C01,
    0x7DFF,
    0x7E00,
    0xFE00,
    0x7FFF,
    0xFFFF,
]


def make(topic, random):
    drawn = sorted(random.integers(0, 65536, 200).tolist())
    half = np.array([*EDGES, *(1 << bit for bit in range(15)), *drawn], np.uint16)
    topic.add(
        "f16_to_f32",
        "f16_to_f32_bits",
        {},
        {"f16_bits": half},
        {"f32_bits": half.view(np.float16).astype(np.float32).view(np.uint32)},
        "numpy",
        "Bit patterns, as integers. A NaN need only come out as a NaN of the same sign.",
        dtype="int64",
    )
    topic.add(
        "bf16_to_f32",
        "bf16_to_f32_bits",
        {},
        {"bf16_bits": half},
        {"f32_bits": half.astype(np.uint32) << 16},
        "bit shift",
        "bf16 is the upper half of a float32.",
        dtype="int64",
    )
    values = ties_and_edges(random)
    bits = {"f32_bits": values.view(np.uint32)}
    with np.errstate(over="ignore"):
        float16 = values.astype(np.float16).view(np.uint16)
    by_torch = torch.from_numpy(values).half().view(torch.int16).numpy().view(np.uint16)
    numbers = ~np.isnan(values)
    assert np.array_equal(float16[numbers], by_torch[numbers])
    topic.add(
        "f32_to_f16",
        "f32_to_f16_bits",
        {},
        bits,
        {"f16_bits": float16},
        "numpy and PyTorch (equal)",
        "Round to nearest, ties to even; overflow to infinity from 65520 on; a NaN need only stay"
        " a NaN.",
        dtype="int32",
    )
    bfloat16 = torch.from_numpy(values).bfloat16().view(torch.int16).numpy().view(np.uint16)
    topic.add(
        "f32_to_bf16",
        "f32_to_bf16_bits",
        {},
        bits,
        {"bf16_bits": bfloat16},
        "PyTorch",
        "Round to nearest, ties to even; a NaN need only stay a NaN.",
        dtype="int32",
    )


def float32_of(bits):
    return list(np.array(bits, np.uint32).view(np.float32))


def ties_and_edges(random):
    """float32 values at, halfway between and just beside halves; both signs of each."""
    values = []
    for half in EDGES_OF_FLOAT16:
        below = float(np.uint16(half).view(np.float16))
        above = float(np.uint16(half + 1).view(np.float16)) if half < 0x7BFF else 65536.0
        middle = np.float32((below + above) / 2)
        beside = [np.nextafter(middle, np.float32(end)) for end in (0, 1e9)]
        values += [np.float32(below), middle, *beside]
    for half in EDGES_OF_BFLOAT16:
        values += float32_of([half << 16 | low for low in (0, 0x8000, 0x7FFF, 0x8001)])
    values += float32_of(
        [
            0x7F7FFFFF,
            0x7F800000,
            0x7FC00000,
            0x7FFFFFFF,
            0x7F800001,
            0x00000001,
            0x007FFFFF,
            0x00800000,
        ]
    )
    values += [65504, 65519.996, 65520, 65536, 1e6]  # the end of float16's range
    values += [5.9604645e-08, 2.9802322e-08, 2.9802326e-08, 8.9406967e-08, 1e-10]  # its subnormals
    values += list(random.standard_normal(100) * 10.0 ** random.integers(-9, 6, 100))
    positive = np.array(values, np.float32)
    return np.concatenate([positive, -positive])


EDGES_OF_FLOAT16 = [
    0x0000,
    0x0001,
    0x0002,
    0x0003,
    0x03FF,
    0x0400,
    0x0401,
    0x3BFF,
    0x3C00,
    0x3C01,
    0x5555,
    0x7BFE,
    0x7BFF,
]
EDGES_OF_BFLOAT16 = [
    0x0000,
    0x0001,
    0x007F,
    0x0080,
    0x3F7F,
    0x3F80,
    0x3F81,
    0x4049,
    0x7F7E,
    0x7F7F,
]
