"""Frequencies and tables of rotary embeddings, with every scaling."""

import exact
import huggingface
import numpy as np
import published
import torch
from store import array

LLAMA_FORWARD = "LlamaRotaryEmbedding.forward, float32"

SHORT = [0, 1, 100, 2047, 8191]
LONG = [0, 1, 100, 8191, 131071]
# Beyond what float32 angles can express.
HUGE = [1 << 17, 10**6, (1 << 24) - 1, 10**7, 1 << 31]

# Of Phi-3-mini-128k-instruct, whose configuration has them with these digits.
PHI3_LONG = [
    1.0299999713897705,
    *[1.0499999523162842] * 2,
    1.0799999237060547,
    *[1.2299998998641968] * 2,
    1.2999999523162842,
    1.4499999284744263,
    1.5999999046325684,
    1.6499998569488525,
    1.8999998569488525,
    2.859999895095825,
    3.68999981880188,
    5.419999599456787,
    *[5.489999771118164] * 2,
    9.09000015258789,
    11.579999923706055,
    15.65999984741211,
    15.769999504089355,
    15.789999961853027,
    18.360000610351562,
    21.989999771118164,
    23.079999923706055,
    30.009998321533203,
    32.35000228881836,
    32.590003967285156,
    35.56000518798828,
    39.95000457763672,
    53.840003967285156,
    56.20000457763672,
    57.95000457763672,
    59.29000473022461,
    59.77000427246094,
    59.920005798339844,
    61.190006256103516,
    61.96000671386719,
    62.50000762939453,
    63.3700065612793,
    *[63.48000717163086] * 2,
    63.66000747680664,
    63.850006103515625,
    64.08000946044922,
    64.760009765625,
    64.80001068115234,
    *[64.81001281738281] * 2,
]
PHI3_SHORT = [
    *[1.05] * 3,
    *[1.1] * 3,
    *[1.2500000000000002] * 2,
    1.4000000000000004,
    1.4500000000000004,
    1.5500000000000005,
    1.8500000000000008,
    1.9000000000000008,
    *[2.000000000000001] * 19,
    *[2.1000000000000005] * 2,
    2.2,
    *[2.3499999999999996] * 4,
    *[2.3999999999999995] * 2,
    2.6499999999999986,
    2.6999999999999984,
    2.8999999999999977,
    2.9499999999999975,
    *[3.049999999999997] * 3,
]


def make(topic):
    default(topic)
    linear_and_dynamic(topic)
    yarn(topic)
    longrope(topic)
    llama3_and_proportional(topic)
    ntk(topic)
    unit_complex(topic)
    large_positions(topic)


def twice(table):
    return np.concatenate([table, table], -1)


def add(topic, name, params, positions, note="", frequencies=None, source=None):
    """A table of a configuration, by Hugging Face's frequencies unless others are given."""
    params = dict(params)
    rope_type = params["rope_type"]
    params["rotary_dim"] = (
        params["head_dim"] if rope_type == "proportional" else exact.rotary_dim(params)
    )
    inverse, factor = frequencies or huggingface.frequencies(params)
    ids = torch.tensor([positions])
    cos, sin = (table[0] for table in huggingface.tables(params, inverse.float(), factor, ids))
    exact_inverse, exact_factor = exact.rope_frequencies(params)
    exact_sin, exact_cos = exact.sines_and_cosines(positions, exact_inverse, 1, exact_factor)
    source = source or (
        f"huggingface/transformers ROPE_INIT_FUNCTIONS['{rope_type}'] and {LLAMA_FORWARD}"
    )
    topic.add(
        name,
        "rope_tables",
        params,
        {"position_ids": np.array(positions)},
        {
            "inv_freq": inverse.float(),
            "inv_freq_exact": exact.float32s(exact_inverse),
            "attention_factor": np.array([factor], np.float64),
            "attention_factor_exact": np.array([float(exact_factor)]),
            "cos": cos,
            "sin": sin,
            "cos_exact": twice(exact_cos),
            "sin_exact": twice(exact_sin),
        },
        f"{source}; exact: {exact.SOURCE}",
        note,
    )


def unscaled(head_dim, base=10000.0, **more):
    return {"rope_type": "default", "head_dim": head_dim, "rope_theta": base, **more}


def scaled(rope_type, head_dim, base, **more):
    return {"rope_type": rope_type, "head_dim": head_dim, "rope_theta": base, **more}


def default(topic):
    llama2 = unscaled(128, max_position_embeddings=4096, model="Llama-2-7B")
    code = unscaled(128, 1e6, max_position_embeddings=16384, model="CodeLlama-7B")
    neox = unscaled(96, partial_rotary_factor=0.25, model="GPT-NeoX-20B")
    phi2 = unscaled(80, partial_rotary_factor=0.4, model="phi-2")
    add(topic, "default.llama2", llama2, SHORT)
    add(topic, "default.codellama", code, LONG)
    add(topic, "default.d2", unscaled(2), SHORT)
    add(topic, "default.d32", unscaled(32), SHORT)
    add(topic, "partial.neox", neox, SHORT)
    add(topic, "partial.phi2", phi2, SHORT)


def linear_and_dynamic(topic):
    model = "longchat / vicuna 16k style"
    params = scaled("linear", 128, 10000.0, factor=4.0, max_position_embeddings=16384, model=model)
    add(topic, "linear.vicuna16k", params, SHORT)

    params = scaled("dynamic", 128, 10000.0, factor=2.0, max_position_embeddings=4096)
    positions = [position for position in SHORT if position < 3000]
    note = "seq_len <= max_position_embeddings: no change."
    add(topic, "dynamic.within", {**params, "seq_len": 3000}, positions, note)
    note = "seq_len beyond max_position_embeddings."
    add(topic, "dynamic.x2", {**params, "seq_len": 8192}, SHORT, note)
    params = scaled("dynamic", 64, 10000.0, factor=4.0, max_position_embeddings=2048)
    add(topic, "dynamic.x8", {**params, "seq_len": 16384}, SHORT)


def yarn(topic):
    def params(head_dim, base, factor, original, longest, **more):
        lengths = {
            "original_max_position_embeddings": original,
            "max_position_embeddings": longest,
        }
        return scaled("yarn", head_dim, base, factor=factor, **lengths, **more)

    qwen = params(128, 1000000.0, 4.0, 32768, 131072, model="Qwen2.5-7B x4")
    add(topic, "yarn.qwen2_5", qwen, LONG)
    llama2 = params(128, 10000.0, 16.0, 4096, 65536, model="Yarn-Llama-2-7b-64k")
    add(topic, "yarn.llama2_64k", llama2, LONG)
    deepseek = params(
        64,
        10000.0,
        40.0,
        4096,
        163840,
        beta_fast=32,
        beta_slow=1,
        mscale=1.0,
        mscale_all_dim=1.0,
        model="DeepSeek-V3 (qk_rope_head_dim 64)",
    )
    note = "mscale = mscale_all_dim: the factor on cos/sin is 1."
    add(topic, "yarn.deepseek_v3", deepseek, LONG, note)
    mscale = params(64, 10000.0, 40.0, 4096, 163840, mscale=1.0, mscale_all_dim=0.707)
    add(topic, "yarn.mscale_differs", mscale, SHORT)
    gpt_oss = params(
        64,
        150000.0,
        32.0,
        4096,
        131072,
        beta_fast=32.0,
        beta_slow=1.0,
        truncate=False,
        model="gpt-oss",
    )
    add(topic, "yarn.no_truncate", gpt_oss, LONG)
    given = {"attention_factor": 1.3, "beta_fast": 16, "beta_slow": 2}
    add(topic, "yarn.attention_factor", params(64, 10000.0, 8.0, 2048, 16384, **given), SHORT)


def longrope(topic):
    params = scaled(
        "longrope",
        96,
        10000.0,
        original_max_position_embeddings=4096,
        max_position_embeddings=131072,
        model="Phi-3 128k",
        long_factor=PHI3_LONG,
        short_factor=PHI3_SHORT,
    )
    short = [position for position in SHORT if position < 4096]
    note = "seq_len <= original: short_factor."
    add(topic, "longrope.phi3.short", {**params, "seq_len": 4096}, short, note)
    note = "seq_len > original: long_factor."
    add(topic, "longrope.phi3.long", {**params, "seq_len": 131072}, LONG, note)


def llama3_and_proportional(topic):
    llama3 = scaled(
        "llama3",
        128,
        500000.0,
        factor=8.0,
        low_freq_factor=1.0,
        high_freq_factor=4.0,
        original_max_position_embeddings=8192,
        max_position_embeddings=131072,
        model="Llama-3.1-8B",
    )
    add(topic, "llama3.llama3_1_8b", llama3, LONG)
    note = (
        "Frequencies past partial_rotary_factor*head_dim/2 are zero; the exponent's denominator"
        " stays head_dim."
    )
    params = scaled("proportional", 64, 1000000.0, partial_rotary_factor=0.25)
    add(topic, "proportional.d64", params, SHORT, note)


def ntk(topic):
    source = f"jquesnelle/yarn LlamaNTKScaledRotaryEmbedding (inv_freq) and {LLAMA_FORWARD}"
    note = "base' = base * alpha^(d/(d-2))."
    for name, head_dim, base, alpha in [
        ("ntk.alpha4", 128, 10000.0, 4.0),
        ("ntk.alpha8.d64", 64, 10000.0, 8.0),
    ]:
        frequencies = published.ntk_frequencies(head_dim, base, alpha), 1.0
        params = scaled("ntk_alpha", head_dim, base, alpha=alpha)
        add(topic, name, params, SHORT, note, frequencies, source)


def unit_complex(topic):
    """Programs that keep e^(i angle), a column for each frequency."""

    def add_complex(name, params, positions, frequencies, source, note=""):
        turns = published.unit_complex(positions, frequencies)
        sin, cos = exact.sines_and_cosines(positions, exact.rope_frequencies(params)[0])
        topic.add(
            name,
            "rope_freqs_cis",
            params,
            {"position_ids": np.array(positions)},
            {
                "cos": array(turns.real),
                "sin": array(turns.imag),
                "cos_exact": cos,
                "sin_exact": sin,
            },
            f"{source}, float32; exact: {exact.SOURCE}",
            note,
        )

    mscale = {"mscale": 1.0, "mscale_all_dim": 1.0}
    original = {"original_max_position_embeddings": 4096, "rotary_dim": 64}
    add_complex(
        "freqs_cis.deepseek_v3",
        scaled("yarn", 64, 10000.0, factor=40.0, **mscale, **original),
        [0, 1, 9, 1000, 4096, 8191],
        published.deepseek_frequencies(64, 10000.0, 40, 4096, 32, 1),
        "deepseek-ai/DeepSeek-V3 inference precompute_freqs_cis",
        "One column per frequency (no duplicated half).",
    )
    add_complex(
        "freqs_cis.llama",
        unscaled(128, rotary_dim=128),
        [0, 1, 2, 100, 2000, 4095],
        published.rope_frequencies(128, 10000.0),
        "meta-llama/llama precompute_freqs_cis",
    )


def large_positions(topic):
    note = (
        "Positions far beyond float32's reach: the library's float32 angle loses everything here."
    )
    lengths = {"original_max_position_embeddings": 32768, "max_position_embeddings": 131072}
    for params in [
        unscaled(128),
        unscaled(64, 500000.0),
        scaled("yarn", 128, 1e6, factor=4.0, **lengths),
    ]:
        name = "large.{rope_type}.d{head_dim}.base{rope_theta:g}".format(**params)
        add(topic, name, params, HUGE, note)
