"""Random and awkward arrays and how NumPy prints each, as lines of JSON: COUNT SEED. For printing.test.js.

`python printed.py 400 1 > ../printed.jsonl` writes the recorded ones again.
"""

import json
import sys

import numpy as np

DTYPES = ["float32"] * 6 + ["float64", "float16", "int64", "int32", "uint8", "int8"]
# What decides about the notation, and about the digits.
EDGES = [1e-4, 1e-3, 0.1, 1, 100, 999.99, 1e3, 1e5, 1e6, 1e8, 1e16]


def floats(random, dtype, size):
    """Numbers that are hard to print, in one of eight ways."""
    info = np.finfo(dtype)
    normal = random.standard_normal(size)
    low, high = np.log10(float(info.tiny)) - 3, np.log10(float(info.max))
    exponents = random.uniform(max(low, -10), min(high, 10), size)
    kind = random.integers(8)
    if kind == 0:  # any bits: NaN, infinities, subnormals
        return random.integers(0, 256, size * info.bits // 8, np.uint8).view(dtype)
    if kind == 1:  # one magnitude
        return (normal * 10 ** exponents[:1]).astype(dtype)
    if kind == 2:  # many
        return (normal * 10**exponents).astype(dtype)
    if kind == 3:  # ties of the last digit
        return (random.integers(-5000, 5000, size) / 2.0 ** random.integers(0, 14)).astype(dtype)
    if kind == 4:  # few decimals
        return np.round(normal * 100, random.integers(0, 5)).astype(dtype)
    tens = 10.0 ** random.integers(np.ceil(low), np.floor(high) + 1, size)
    twos = 2.0 ** np.round(np.log2(tens))
    near = np.where(random.random(size) < 0.3, twos, tens)
    near = (near if kind == 5 else random.choice(EDGES, size)).astype(dtype)
    near.view(f"u{info.bits // 8}")[:] += random.integers(0, 2, size, f"u{info.bits // 8}")
    near *= random.choice([-1, 1], size).astype(dtype)
    if kind == 7:
        others = [0, -0.0, np.nan, np.inf, -np.inf, 1, info.max, info.smallest_subnormal]
        near = np.where(random.random(size) < 0.4, random.choice(others, size), near).astype(dtype)
    return near


def array(random):
    """One of any dtype and of up to four axes; one in fifty is empty or has more than 1000 elements."""
    dtype = random.choice(DTYPES)
    rank = random.integers(0, 5)
    shape = random.integers(1, [2, 12, 6, 4, 3][rank] + 1, rank)
    if rank > 0 and random.random() < 0.02:
        shape[random.integers(rank)] = random.choice([0, 7, 999, 1000, 1001])
    size = int(np.prod(shape))
    if np.dtype(dtype).kind == "f":
        return floats(random, dtype, size).reshape(shape)
    limits = np.iinfo(dtype)
    most = int(limits.max) >> int(random.integers(0, limits.bits))
    return random.integers(max(limits.min, -most), most, shape, dtype, endpoint=True)


np.seterr(all="ignore")
count, seed = map(int, sys.argv[1:])
random = np.random.default_rng(seed)
for _ in range(count):
    each = np.asarray(array(random))
    told = {"dtype": each.dtype.name, "shape": each.shape, "hex": each.tobytes().hex()}
    print(json.dumps({**told, "text": str(each)}))
