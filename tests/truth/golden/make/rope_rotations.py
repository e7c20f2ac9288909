"""Rotations of vectors: by a position, by three, on a grid; inverse and gradient; xPos."""

import exact
import huggingface
import numpy as np
import published
import torch
from rope_tables import HUGE, scaled, unscaled
from store import generator, normal, parameter, tensor
from transformers.models.glm import modeling_glm as glm
from transformers.models.gpt_neox import modeling_gpt_neox as neox
from transformers.models.gptj import modeling_gptj as gptj
from transformers.models.llama import modeling_llama as llama
from transformers.models.qwen2_vl import modeling_qwen2_vl as qwen2
from transformers.models.qwen3_vl import modeling_qwen3_vl as qwen3


def make(topic):
    halves(topic)
    interleaved(topic)
    partial(topic)
    scalings(topic)
    inverse(topic)
    for layout in ("half", "interleaved"):
        backward(topic, layout)
    xpos(topic)
    qwen2_vl(topic)
    qwen3_vl(topic)
    vision(topic)


def exact_tables(params, ids):
    """cos and sin [B, L, F] in float64, of exact angles."""
    frequencies, factor = exact.rope_frequencies(params)
    sin, cos = exact.sines_and_cosines_float64(ids.ravel(), frequencies)
    shape = (*ids.shape, len(frequencies))
    return cos.reshape(shape) * float(factor), sin.reshape(shape) * float(factor)


def rotate_float64(x, cos, sin, layout, dim):
    """x [B, H, L, D] with the pairs of its first `dim` components turned, cos and sin [B, L, F]."""
    x = x.astype(np.float64)
    cos, sin = cos[:, None], sin[:, None]
    if layout == "half":
        first, second = slice(0, dim // 2), slice(dim // 2, dim)
    else:
        first, second = slice(0, dim, 2), slice(1, dim, 2)
    out = x.copy()
    out[..., first] = x[..., first] * cos - x[..., second] * sin
    out[..., second] = x[..., second] * cos + x[..., first] * sin
    return out.astype(np.float32)


def some(length):
    """Every n-th token, three at most."""
    return slice(None, None, -(-length // 3))


def queries_and_keys(name, batch, heads, key_heads, length, dim):
    """Two heads of the queries that are drawn, one of the keys, and some tokens."""
    random = generator(name)
    q = normal(random, batch, heads, length, dim)
    k = normal(random, batch, key_heads, length, dim)
    return q[:, :2, some(length)], k[:, :1, some(length)]


def counted(batch, length, start=0):
    return np.tile(np.arange(start, start + length), (batch, 1))


def scattered(name, batch, length, below):
    """Ascending positions with gaps, others in each row."""
    random = generator(f"{name}ids")
    return np.stack([np.sort(random.choice(below, length, replace=False)) for _ in range(batch)])


# What programs do with q, k and the tables of Llama's module.


def by_gptj(q, k, cos, sin):
    dim = cos.shape[-1]
    cos, sin = cos[..., : dim // 2], sin[..., : dim // 2]

    def turned(x):
        return torch.cat([gptj.apply_rotary_pos_emb(x[..., :dim], sin, cos), x[..., dim:]], -1)

    return turned(q), turned(k)


def by_meta(q, k, cos, sin):
    half = cos.shape[-1] // 2
    turns = torch.complex(cos[0, :, :half], sin[0, :, :half])
    return published.rotate_complex(q, turns), published.rotate_complex(k, turns)


LLAMA = (llama.apply_rotary_pos_emb, "huggingface/transformers apply_rotary_pos_emb")
NEOX = (
    neox.apply_rotary_pos_emb,
    "huggingface/transformers models/gpt_neox apply_rotary_pos_emb",
)
GLM = (glm.apply_rotary_pos_emb, "huggingface/transformers models/glm apply_rotary_pos_emb")
GPTJ = (by_gptj, "huggingface/transformers models/gptj apply_rotary_pos_emb")
META = (by_meta, "meta-llama/llama apply_rotary_emb (complex multiplication)")


def add(
    topic,
    name,
    program,
    layout,
    params,
    heads,
    ids,
    note="",
    tensor_layout="BHLD",
    backwards=False,
):
    """q and k turned by a program, and in float64 by exact angles. `heads`: of q and of k."""
    rotate, source = program
    batch, length = ids.shape
    q, k = queries_and_keys(name, batch, *heads, length, params["head_dim"])
    ids = ids[:, some(length)]
    params = {**params, "rotary_dim": exact.rotary_dim(params)}
    cos, sin = huggingface.tables(params, *huggingface.frequencies(params), tensor(ids))
    cos64, sin64 = exact_tables(params, ids)
    if backwards:
        sin, sin64 = -sin, -sin64

    def arranged(x):
        return x if tensor_layout == "BHLD" else x.transpose(0, 2, 1, 3)

    def exactly(x):
        return arranged(rotate_float64(x, cos64, sin64, layout, params["rotary_dim"]))

    q_out, k_out = rotate(tensor(arranged(q)), tensor(arranged(k)), cos, sin)
    conventions = {"layout": layout, "tensor_layout": tensor_layout, "inverse": backwards}
    topic.add(
        name,
        "rope_apply",
        {**params, **conventions},
        {"q": arranged(q), "k": arranged(k), "position_ids": ids},
        {"q_out": q_out, "k_out": k_out, "q_out_f64": exactly(q), "k_out_f64": exactly(k)},
        f"{source}, float32; *_f64: float64 evaluation with exact angles",
        note,
    )


def halves(topic):
    add(topic, "apply.half.llama", LLAMA, "half", unscaled(64), (4, 2), counted(2, 12))
    add(topic, "apply.half.d128", LLAMA, "half", unscaled(128), (2, 1), counted(1, 8))
    ids = scattered("nc", 2, 10, 4000)
    note = "Non-contiguous position_ids, different in each batch row."
    add(topic, "apply.half.position_ids", LLAMA, "half", unscaled(32), (3, 3), ids, note)
    ids = np.array([[4095], [17]])
    note = "One query position, as in decoding with a cache."
    add(topic, "apply.half.decode_step", LLAMA, "half", unscaled(64), (4, 2), ids, note)
    ids = np.array([HUGE])
    note = "The float32 library result is far from exact here; *_f64 is the reference."
    add(topic, "apply.half.large_positions", LLAMA, "half", unscaled(64), (2, 1), ids, note)


def interleaved(topic):
    def add_interleaved(name, program, params, heads, ids):
        name = f"apply.interleaved.{name}"
        add(topic, name, program, "interleaved", params, heads, ids, tensor_layout="BLHD")

    add_interleaved("gptj", GPTJ, unscaled(64), (3, 3), scattered("gj", 2, 9, 500))
    passed = (by_gptj, f"{GPTJ[1]} (rotary part, rest passed through)")
    params = unscaled(64, partial_rotary_factor=0.25)
    add_interleaved("gptj_partial", passed, params, (4, 4), counted(1, 8))
    add_interleaved("meta_llama", META, unscaled(128), (2, 1), counted(1, 8, start=5))


def partial(topic):
    params = unscaled(96, partial_rotary_factor=0.25)
    ids = scattered("nx", 2, 7, 2000)
    note = "Only the first rotary_dim components turn."
    add(topic, "apply.half.neox_partial", NEOX, "half", params, (3, 3), ids, note)
    params = unscaled(64, partial_rotary_factor=0.5)
    ids = scattered("gl", 2, 6, 9000)
    add(topic, "apply.interleaved.glm_partial", GLM, "interleaved", params, (4, 2), ids)


def scalings(topic):
    params = scaled(
        "yarn",
        64,
        10000.0,
        factor=16.0,
        original_max_position_embeddings=4096,
        max_position_embeddings=65536,
    )
    program = (LLAMA[0], "huggingface/transformers yarn + apply_rotary_pos_emb")
    note = "The attention factor multiplies cos and sin, so vectors are scaled by it."
    ids = scattered("ya", 1, 6, 60000)
    add(topic, "apply.half.yarn", program, "half", params, (2, 2), ids, note)
    params = scaled(
        "llama3",
        64,
        500000.0,
        factor=8.0,
        low_freq_factor=1.0,
        high_freq_factor=4.0,
        original_max_position_embeddings=8192,
        max_position_embeddings=131072,
    )
    program = (LLAMA[0], "huggingface/transformers llama3 + apply_rotary_pos_emb")
    ids = scattered("l3", 1, 6, 100000)
    add(topic, "apply.half.llama3", program, "half", params, (2, 1), ids)


def inverse(topic):
    program = (LLAMA[0], f"{LLAMA[1]} with the sine negated")
    note = "Rotation by -angle: undoes the forward rotation."
    ids = scattered("inv", 2, 7, 5000)
    add(topic, "inverse.half", program, "half", unscaled(64), (3, 1), ids, note, backwards=True)
    program = (GPTJ[0], f"{GPTJ[1]} with the sine negated")
    add(
        topic,
        "inverse.interleaved",
        program,
        "interleaved",
        unscaled(32),
        (2, 2),
        scattered("invi", 1, 5, 5000),
        tensor_layout="BLHD",
        backwards=True,
    )


def backward(topic, layout):
    name, batch, heads, length, dim = f"backward.{layout}", 2, 2, 6, 32
    program, source = NEOX if layout == "half" else GLM
    params = unscaled(dim, partial_rotary_factor=1.0, rotary_dim=dim)
    random = generator(name)
    x = parameter(normal(random, batch, heads, length, dim))
    gradient = normal(random, batch, heads, length, dim)
    ids = scattered(name, batch, length, 3000)
    out, _ = program(
        x, x, *huggingface.tables(params, *huggingface.frequencies(params), tensor(ids))
    )
    out.backward(tensor(gradient))
    cos, sin = exact_tables(params, ids)
    topic.add(
        name,
        "rope_backward",
        {**params, "layout": layout, "tensor_layout": "BHLD"},
        {"x": x, "grad_out": gradient, "position_ids": ids},
        {
            "out": out,
            "grad_in": x.grad,
            "grad_in_f64": rotate_float64(gradient, cos, -sin, layout, dim),
        },
        f"{source}, gradient by torch.autograd",
    )


def xpos(topic):
    for i, (batch, length, dim, offset) in enumerate([(2, 8, 16, 0), (1, 6, 32, 5)]):
        x = normal(generator(f"xpos.{i}"), batch, length, dim)
        scale_base = 512
        topic.add(
            f"xpos.{i}",
            "xpos",
            {
                "head_dim": dim,
                "scale_base": float(scale_base),
                "offset": offset,
                "rope_theta": 10000.0,
            },
            {"x": x},
            {
                "out_up": published.xpos(tensor(x), scale_base, offset, downscale=False),
                "out_down": published.xpos(tensor(x), scale_base, offset, downscale=True),
            },
            "microsoft/torchscale XPOS, float32",
            "Interleaved pairs. x [B, L, d]; positions offset..offset+L-1 (n in 0..offset+L-1, last"
            " L rows). min = -(L+offset)//2 (floor); zeta_i^((min+n)/scale_base),"
            " zeta_i = (2i + 0.4 d)/(1.4 d); out_up multiplies cos and sin by it, out_down divides.",
        )


def add_sections(topic, name, params, sections, axes, ids, inputs, turned, source, note):
    """M-RoPE: `axes` says which of the three positions each frequency uses."""
    dim = params["head_dim"]
    q, k = inputs
    three = [exact_tables(params, positions) for positions in ids]

    def chosen(part):
        return np.stack([three[axis][part][..., i] for i, axis in enumerate(axes)], -1)

    cos, sin = chosen(0), chosen(1)
    conventions = {"layout": "half", "rotary_dim": dim, "tensor_layout": "BHLD"}
    topic.add(
        name,
        "mrope_apply",
        {**params, **sections, **conventions},
        {"q": q, "k": k, "position_ids": ids},
        {
            "q_out": turned[0],
            "k_out": turned[1],
            "q_out_f64": rotate_float64(q, cos, sin, "half", dim),
            "k_out_f64": rotate_float64(k, cos, sin, "half", dim),
        },
        source,
        note,
    )


def qwen2_vl(topic):
    name, sections, batch, length = "mrope.qwen2_vl", [16, 24, 24], 2, 9
    params = unscaled(2 * sum(sections), 1000000.0)
    ids = np.sort(generator(name).integers(0, 500, (3, batch, length)), -1)
    ids[:, :, :2] = np.arange(2)  # begins with text, whose three positions are equal
    q, k = queries_and_keys(name, batch, 4, 2, length, params["head_dim"])
    ids = ids[:, :, some(length)]
    cos, sin = qwen2.Qwen2VLRotaryEmbedding(huggingface.config(params))(torch.zeros(1), tensor(ids))
    turned = qwen2.apply_multimodal_rotary_pos_emb(tensor(q), tensor(k), cos, sin, sections)
    add_sections(
        topic,
        name,
        params,
        {"mrope_section": sections, "mrope_interleaved": False},
        np.repeat([0, 1, 2], sections),
        ids,
        (q, k),
        turned,
        "huggingface/transformers models/qwen2_vl Qwen2VLRotaryEmbedding"
        " + apply_multimodal_rotary_pos_emb, float32",
        "position_ids [3, B, L] = temporal, height, width. Frequency i uses the axis whose section"
        " holds i.",
    )


def qwen3_vl(topic):
    name, sections, batch, length = "mrope.qwen3_vl", [24, 20, 20], 2, 9
    params = unscaled(2 * sum(sections), 5000000.0)
    ids = np.sort(generator(name).integers(0, 500, (3, batch, length)), -1)
    q, k = queries_and_keys(name, batch, 4, 2, length, params["head_dim"])
    ids = ids[:, :, some(length)]
    config = huggingface.config(params, mrope_section=sections)
    cos, sin = qwen3.Qwen3VLTextRotaryEmbedding(config)(torch.zeros(1), tensor(ids))
    turned = llama.apply_rotary_pos_emb(tensor(q), tensor(k), cos, sin)
    axes = np.zeros(sum(sections), int)
    for axis in (1, 2):
        axes[axis : sections[axis] * 3 : 3] = axis
    add_sections(
        topic,
        name,
        params,
        {"mrope_section": sections, "mrope_interleaved": True},
        axes,
        ids,
        (q, k),
        turned,
        "huggingface/transformers models/qwen3_vl Qwen3VLTextRotaryEmbedding"
        " + apply_rotary_pos_emb, float32",
        "Interleaved sections: frequency i uses height where i%3==1 and i < 3*section[1], width"
        " where i%3==2 and i < 3*section[2], else temporal.",
    )


def vision(topic):
    """Half of the frequencies turn by the row, half by the column."""
    name, height, width, dim, heads = "vision2d.qwen2_vl", 4, 6, 32, 2
    random = generator(name)
    q, k = (normal(random, height * width, heads, dim) for _ in range(2))
    angles = qwen2.VisionRotaryEmbedding(dim // 2)(max(height, width))
    rows, columns = np.divmod(np.arange(height * width), width)
    both = torch.cat([angles[tensor(rows)], angles[tensor(columns)]], -1)
    both = torch.cat([both, both], -1)
    q_out, k_out = qwen2.apply_rotary_pos_emb_vision(tensor(q), tensor(k), both.cos(), both.sin())
    topic.add(
        name,
        "rope_2d",
        {
            "head_dim": dim,
            "rope_theta": 10000.0,
            "layout": "half",
            "tensor_layout": "LHD",
            "h": height,
            "w": width,
        },
        {"q": q, "k": k, "rows": rows, "cols": columns},
        {"q_out": q_out, "k_out": k_out},
        "huggingface/transformers models/qwen2_vl VisionRotaryEmbedding"
        " + apply_rotary_pos_emb_vision, float32",
        "d/4 frequencies f_i = base^(-2i/(d/2)); the d/2 angles are [row*f, col*f];"
        " rotate-half over d.",
    )
