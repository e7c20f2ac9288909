"""The formulas in multi-precision arithmetic, each result rounded once.

Every number of a case's parameters is the double that JSON gives it. Integer positions are exact.
The formulas themselves are in tests/truth/golden/README.md.
"""

import numpy as np
from mpmath import mp, mpf
from mpmath.libmp import mpf_cos_sin, mpf_pos, to_float

mp.prec = 220
TRIGONOMETRIC_BITS = 150  # of a sine or cosine; angles stay below 2^40

SOURCE = "mpmath, 150+ bit, rounded once to float32"


def float32(x):
    """The float32 nearest to x, ties to even."""
    x = mpf(x)
    if abs(x) < mpf(2) ** -126:  # zero or subnormal: a multiple of 2^-149
        return np.float32(float(mp.nint(x * mpf(2) ** 149)) * 2.0**-149)
    return np.float32(to_float(mpf_pos(x._mpf_, 24, "n")))


def float32s(values):
    return np.array([float32(x) for x in values], np.float32)


def exact(position):
    """A position as the real number that it is: an integer, or a float."""
    return mpf(int(position)) if isinstance(position, (int, np.integer)) else mpf(float(position))


def powers(base, denominator, count, multiplier=1):
    """multiplier * base^(-i / denominator) for i < count."""
    logarithm = mp.log(mpf(base))
    return [mpf(multiplier) * mp.exp(-logarithm * i / mpf(denominator)) for i in range(count)]


def _sines_and_cosines(positions, frequencies, scale, rounded, dtype):
    sines = np.empty((len(positions), len(frequencies)), dtype)
    cosines = np.empty_like(sines)
    for row, position in enumerate(positions):
        place = exact(position) * mpf(scale)
        for column, frequency in enumerate(frequencies):
            cosine, sine = mpf_cos_sin((place * frequency)._mpf_, TRIGONOMETRIC_BITS)
            sines[row, column] = rounded(sine)
            cosines[row, column] = rounded(cosine)
    return sines, cosines


def sines_and_cosines(positions, frequencies, scale=1, amplitude=1):
    """amplitude * sin and cos of position * scale * frequency, float32 [positions, frequencies]."""
    amplitude = mpf(amplitude)

    def rounded(x):
        return float32(mp.make_mpf(x) * amplitude)

    return _sines_and_cosines(positions, frequencies, scale, rounded, np.float32)


def sines_and_cosines_float64(positions, frequencies):
    """The same in float64, for references that go on in double precision."""
    return _sines_and_cosines(positions, frequencies, 1, to_float, np.float64)


def sinusoidal(positions, params):
    """Op "sinusoidal"."""
    width = params["d_model"]
    pairs = (width + 1) // 2 if params["odd"] == "sin_last" else width // 2
    frequencies = powers(params["base"], params["freq_den"], pairs, params.get("freq_mult", 1))
    sines, cosines = sines_and_cosines(positions, frequencies, params.get("pos_scale", 1))
    first, second = (sines, cosines) if params["order"] == "sin_cos" else (cosines, sines)
    out = np.zeros((len(positions), width), np.float32)
    seconds = min(pairs, width - pairs)
    if params["layout"] == "interleaved":
        out[:, 0 : 2 * pairs : 2] = first
        out[:, 1 : 2 * seconds : 2] = second[:, :seconds]
    else:
        out[:, :pairs] = first
        out[:, pairs : pairs + seconds] = second[:, :seconds]
    return out


def rotary_dim(params):
    return int(params["head_dim"] * params.get("partial_rotary_factor", 1.0))


def rope_frequencies(params):
    """The inverse frequencies of a rope configuration and its attention factor, as real numbers."""
    return _SCALINGS[params["rope_type"]](params)


def _exponents(params):
    dim = rotary_dim(params)
    return [mpf(2 * i) / dim for i in range(dim // 2)]


def _unscaled(params):
    base = mpf(params["rope_theta"])
    return [base**-e for e in _exponents(params)]


def _with_base(params, factor):
    """Frequencies of the base times factor^(r / (r - 2))."""
    dim = rotary_dim(params)
    base = mpf(params["rope_theta"]) * factor ** (mpf(dim) / (dim - 2))
    return [base**-e for e in _exponents(params)], mpf(1)


def _default(params):
    return _unscaled(params), mpf(1)


def _linear(params):
    return [w / mpf(params["factor"]) for w in _unscaled(params)], mpf(1)


def _ntk(params):
    return _with_base(params, mpf(params["alpha"]))


def _dynamic(params):
    longest = params["max_position_embeddings"]
    length = max(params.get("seq_len") or 0, longest)
    factor = mpf(params["factor"])
    return _with_base(params, factor * length / longest - (factor - 1))


def _llama3(params):
    factor, low, high, original = (
        mpf(params[name])
        for name in (
            "factor",
            "low_freq_factor",
            "high_freq_factor",
            "original_max_position_embeddings",
        )
    )

    def scaled(w):
        wavelength = 2 * mp.pi / w
        if wavelength < original / high:
            return w
        if wavelength > original / low:
            return w / factor
        kept = (original / wavelength - low) / (high - low)
        return (1 - kept) * w / factor + kept * w

    return [scaled(w) for w in _unscaled(params)], mpf(1)


def _stretch(params):
    """The factor of yarn and longrope: given, or what the two lengths say."""
    if params.get("factor") is not None:
        return mpf(params["factor"])
    return mpf(params["max_position_embeddings"]) / params["original_max_position_embeddings"]


def _longrope(params):
    original = params["original_max_position_embeddings"]
    factor = _stretch(params)
    attention = params.get("attention_factor")
    if attention is None:
        attention = 1 if factor <= 1 else mp.sqrt(1 + mp.log(factor) / mp.log(original))
    beyond = params.get("seq_len") and params["seq_len"] > original
    factors = params["long_factor" if beyond else "short_factor"]
    base = mpf(params["rope_theta"])
    frequencies = [1 / (mpf(x) * base**e) for x, e in zip(factors, _exponents(params), strict=True)]
    return frequencies, mpf(attention)


def _yarn(params):
    original = params["original_max_position_embeddings"]
    factor = _stretch(params)
    dim = rotary_dim(params)
    base = mpf(params["rope_theta"])

    def magnitude(k=1):
        return mpf(1) if factor <= 1 else mpf(k) * mp.log(factor) / 10 + 1

    def dimension(rotations):
        return dim * mp.log(original / (mpf(rotations) * 2 * mp.pi)) / (2 * mp.log(base))

    attention = params.get("attention_factor")
    if attention is None:
        k, k_all = params.get("mscale"), params.get("mscale_all_dim")
        attention = magnitude(k) / magnitude(k_all) if k and k_all else magnitude()
    low = dimension(params.get("beta_fast") or 32)
    high = dimension(params.get("beta_slow") or 1)
    if params.get("truncate", True):
        low, high = mp.floor(low), mp.ceil(high)
    low, high = max(low, mpf(0)), min(high, mpf(dim - 1))
    if low == high:
        high += mpf(0.001)

    def scaled(i, w):
        ramp = min(max((i - low) / (high - low), mpf(0)), mpf(1))
        return w / factor * ramp + w * (1 - ramp)

    return [scaled(i, w) for i, w in enumerate(_unscaled(params))], mpf(attention)


def _proportional(params):
    dim = params["head_dim"]
    turned = int(params.get("partial_rotary_factor", 1.0) * dim // 2)
    base, factor = mpf(params["rope_theta"]), mpf(params.get("factor", 1.0))
    frequencies = [base ** (-mpf(2 * i) / dim) / factor for i in range(turned)]
    return frequencies + [mpf(0)] * (dim // 2 - turned), mpf(1)


_SCALINGS = {
    "default": _default,
    "linear": _linear,
    "ntk_alpha": _ntk,
    "dynamic": _dynamic,
    "llama3": _llama3,
    "longrope": _longrope,
    "yarn": _yarn,
    "proportional": _proportional,
}


def alibi_slopes(heads, bias_max=8):
    """2^(-bias_max * i / m) for the largest power of two m <= heads, then odd steps of 2m."""
    m = 1
    while m * 2 <= heads:
        m *= 2

    def slope(i, of):
        return mpf(2) ** (-mpf(bias_max) * i / of)

    odd = [slope(i, 2 * m) for i in range(1, 2 * m, 2)]
    return [slope(i, m) for i in range(1, m + 1)] + odd[: heads - m]


def t5_buckets(relative, bidirectional, num_buckets, max_distance):
    """Op "t5_bucket", decided by comparing integers: no logarithm is rounded."""
    buckets = num_buckets // 2 if bidirectional else num_buckets
    near = buckets // 2  # distances that have a bucket each
    far = buckets - near

    def bucket(distance):
        if distance < near:
            return distance
        # The largest k with (distance / near)^far >= (max_distance / near)^k.
        k = 0
        while k < far and distance**far * near ** (k + 1) >= max_distance ** (k + 1) * near**far:
            k += 1
        return min(near + k, buckets - 1)

    def whole(r):
        if not bidirectional:
            return bucket(max(-r, 0))
        return (buckets if r > 0 else 0) + bucket(abs(r))

    return np.array([whole(int(r)) for r in relative], np.int64)
