"""Sinusoidal encodings: of positions, padded tokens, diffusion timesteps and images."""

import math

import exact
import numpy as np
import published
import torch
from store import generator, tensor
from transformers.models.distilbert.modeling_distilbert import _create_sinusoidal_embeddings
from transformers.models.m2m_100.modeling_m2m_100 import M2M100SinusoidalPositionalEmbedding
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding

TEXTBOOK = "PyTorch ops, CPU, float32, textbook formula"


def interleaved(width, base=10000.0):
    return {
        "d_model": width,
        "base": base,
        "layout": "interleaved",
        "order": "sin_cos",
        "exponent": "2i/d",
        "freq_den": width / 2,
        "odd": "sin_last",
    }


def halves(
    width, denominator, base=10000.0, order="sin_cos", odd="zero_last", exponent="i/(half-1)"
):
    return {
        "d_model": width,
        "base": base,
        "layout": "halves",
        "order": order,
        "exponent": exponent,
        "freq_den": denominator,
        "odd": odd,
    }


def add(topic, name, params, positions, out, source, note="", dtype=np.int64):
    """A table: what the program gives, and the exact values."""
    topic.add(
        name,
        "sinusoidal",
        params,
        {"positions": np.array(positions, dtype)},
        {"out": out, "out_exact": exact.sinusoidal(positions, params)},
        f"{source}; exact: {exact.SOURCE}",
        note,
    )


def fractions(values):
    """Positions that float32 holds."""
    return [float(np.float32(value)) for value in values]


def make(topic):
    vaswani_tables(topic)
    halves_tables(topic)
    padded_tokens(topic)
    timesteps(topic)
    mae(topic)
    image_grids(topic)
    image_masks(topic)


def vaswani_tables(topic):
    source = "pytorch/examples word_language_model PositionalEncoding, float32"
    for width, length in [(2, 16), (6, 40), (64, 100), (512, 40), (768, 8)]:
        positions = list(range(length))
        out = published.vaswani(positions, width)
        add(topic, f"vaswani.d{width}", interleaved(width), positions, out, source)
    for width, start, length in [(64, 4990, 10), (128, 40000, 6)]:
        positions = list(range(start, start + length))
        out = published.vaswani(positions, width)
        name, note = f"vaswani.offset{start}.d{width}", "Rows [start, start+L) of the table."
        add(topic, name, interleaved(width), positions, out, source, note)

    source = (
        "huggingface/transformers models/distilbert _create_sinusoidal_embeddings"
        " (numpy float64, stored float32)"
    )
    note = "Odd d: the last column is a sine; exponent stays 2i/d."
    for width, length in [(1, 8), (7, 32), (33, 20)]:
        out = torch.zeros(length, width)
        _create_sinusoidal_embeddings(length, width, out)
        positions = list(range(length))
        add(topic, f"odd.d{width}", interleaved(width), positions, out, source, note)

    for base, width in [(100.0, 32), (500000.0, 64), (1e6, 16)]:
        positions = [*range(40), 1000, 4096]
        out = published.vaswani(positions, width, base)
        params, source = interleaved(width, base), f"{TEXTBOOK} with exp(-log(base)*2i/d)"
        add(topic, f"base{base:g}.d{width}", params, positions, out, source)

    positions, width = [-5, -1, 0, 3, 3, 1000, -1000], 48
    out = published.vaswani(positions, width)
    note = "Positions in any order, negative ones too."
    add(topic, "anypos", interleaved(width), positions, out, TEXTBOOK, note)

    positions = [0, 1, 65535, 1 << 17, 10**6, (1 << 24) - 1, 10**7, 1 << 31]
    note = "Float32 error grows with the position."
    for width, base in [(128, 10000.0), (64, 500000.0)]:
        out = published.vaswani(positions, width, base)
        name = f"large.d{width}.base{base:g}"
        add(topic, name, interleaved(width, base), positions, out, TEXTBOOK, note)


def halves_tables(topic):
    positions, width = list(range(15, -16, -1)), 64
    add(
        topic,
        f"transformer_xl.d{width}",
        halves(width, width / 2, exponent="2i/d"),
        positions,
        published.transformer_xl(positions, width),
        "kimiyoung/transformer-xl PositionalEmbedding, float32",
        "Relative positions, descending.",
    )
    for width, length in [(32, 30), (9, 12)]:
        add(
            topic,
            f"marian.d{width}",
            halves(width, width / 2, exponent="2i/d", odd="sin_last"),
            list(range(length)),
            MarianSinusoidalPositionalEmbedding(length, width).create_weight(),
            "huggingface/transformers MarianSinusoidalPositionalEmbedding"
            " (numpy float64, stored float32)",
            "Odd d: the sine half has one more column.",
        )
    for width, length in [(64, 50), (33, 20)]:
        add(
            topic,
            f"fairseq.d{width}",
            halves(width, width // 2 - 1),
            list(range(length)),
            published.fairseq(length, width),
            "facebookresearch/fairseq SinusoidalPositionalEmbedding.get_embedding, float32",
            "Odd d: last column zero.",
        )
    for width, length, longest in [(64, 60, 10000), (384, 20, 10000)]:
        add(
            topic,
            f"whisper.c{width}.m{longest}",
            halves(width, width // 2 - 1, float(longest)),
            list(range(length)),
            published.whisper(length, width, longest),
            "openai/whisper sinusoids, float32",
        )
    for length, width, shortest, longest, start in [
        (20, 32, 1.0, 1.0e4, 0),
        (12, 17, 2.0, 500.0, 100),
    ]:
        params = halves(width, max(width // 2 - 1, 1), longest / shortest)
        params["freq_mult"] = shortest
        add(
            topic,
            f"t2t.c{width}.start{start}",
            params,
            list(range(start, start + length)),
            published.tensor2tensor(start, length, width, shortest, longest),
            "tensorflow/tensor2tensor get_timing_signal_1d, its tensor ops evaluated by PyTorch"
            " float32",
            f"min_timescale {shortest}, max_timescale {longest}: freq_i = min_timescale *"
            " (max/min)^(-i/(n-1)), as that code has it.",
        )


def padded_tokens(topic):
    name, width, padding, batch, length = "fairseq_forward", 24, 1, 3, 10
    random = generator(name)
    tokens = random.integers(6, 50, (batch, length))
    for row in tokens:
        padded = int(random.integers(0, length // 2))
        row[length - padded :] = padding
    tokens[0, 2] = padding
    positions = published.fairseq_positions(tensor(tokens), padding)
    table = published.fairseq(padding + 1 + length, width)
    table[padding] = 0
    topic.add(
        name,
        "sinusoidal_padded",
        {**halves(width, width // 2 - 1), "padding_idx": padding},
        {"tokens": tokens},
        {"positions": positions, "out": table[positions]},
        "facebookresearch/fairseq SinusoidalPositionalEmbedding.forward + utils.make_positions,"
        " float32",
        "positions = padding_idx + running count of non-padding tokens; padding tokens get"
        " position padding_idx, whose row is zero.",
    )
    ids = M2M100SinusoidalPositionalEmbedding.create_position_ids_from_input_ids(
        tensor(tokens), padding, 0
    )
    topic.add(
        f"{name}.ids",
        "position_ids_from_tokens",
        {"padding_idx": padding, "past_length": 0},
        {"tokens": tokens},
        {"position_ids": ids},
        "huggingface/transformers create_position_ids_from_input_ids (RoBERTa / M2M100)",
        dtype="int64",
    )


def timesteps(topic):
    whole = [0, 1, 10, 250, 500, 999]
    for width in (128, 33):
        add(
            topic,
            f"diffusion.guided.d{width}",
            halves(width, width // 2, order="cos_sin", exponent="i/half"),
            whole,
            published.guided_diffusion(torch.tensor(whole), width),
            "openai/guided-diffusion timestep_embedding, float32",
            "Cosines first.",
        )
        add(
            topic,
            f"diffusion.ddpm.d{width}",
            halves(width, width // 2 - 1),
            whole,
            published.latent_diffusion(torch.tensor(whole), width),
            "CompVis/latent-diffusion get_timestep_embedding (DDPM), float32",
        )
    some = fractions([0.0, 0.5, 1.25, 33.333, 999.5])
    for i, (width, flip, shift, scale, longest) in enumerate(
        [
            (64, True, 0, 1, 10000),
            (64, False, 1, 1, 10000),
            (40, True, 0.5, 1000.0, 10000),
            (21, False, 0, 2.5, 500),
        ]
    ):
        order, denominator = "cos_sin" if flip else "sin_cos", width // 2 - shift
        params = halves(width, denominator, float(longest), order, exponent="i/(half-shift)")
        params.update(pos_scale=scale, freq_shift=shift)
        add(
            topic,
            f"diffusion.diffusers.{i}",
            params,
            some,
            published.diffusers(torch.tensor(some), width, flip, shift, scale, longest),
            "huggingface/diffusers get_timestep_embedding, float32",
            "Fractional timesteps (float32).",
            np.float32,
        )
    some, width = fractions([0.0, 0.1, 0.5, 0.9375, 1.0]), 64
    params = halves(width, width // 2, order="cos_sin", exponent="i/half")
    add(
        topic,
        f"diffusion.flux.d{width}",
        {**params, "pos_scale": 1000.0},
        some,
        published.flux(torch.tensor(some), width),
        "black-forest-labs/flux timestep_embedding, float32",
        "t in [0,1], time_factor 1000.",
        np.float32,
    )


def x_then_y(height, width, sines, cosines):
    """Rows [sin x, cos x, sin y, cos y] of a grid, y slow."""
    rows = [
        np.concatenate([sines[x], cosines[x], sines[y], cosines[y]])
        for y in range(height)
        for x in range(width)
    ]
    return np.array(rows)


def mae(topic):
    for width, size, cls_token in [(32, 4, False), (64, 7, True)]:
        quarter = width // 4
        waves = exact.sines_and_cosines(range(size), exact.powers(10000, quarter, quarter))
        expected = x_then_y(size, size, *waves)
        if cls_token:
            expected = np.concatenate([np.zeros((1, width), np.float32), expected])
        topic.add(
            f"mae2d.d{width}.g{size}" + (".cls" if cls_token else ""),
            "sincos2d",
            {
                "variant": "mae",
                "d_model": width,
                "h": size,
                "w": size,
                "base": 10000.0,
                "cls_token": cls_token,
                "freq_den": quarter,
            },
            {},
            {
                "out": published.mae_2d(size, width, cls_token).astype(np.float32),
                "out_exact": expected,
            },
            "facebookresearch/mae get_2d_sincos_pos_embed (numpy float64, stored float32);"
            f" exact: {exact.SOURCE}",
            "Row y*w+x = [sin(x f), cos(x f), sin(y f), cos(y f)], f_i = base^(-i/(d/4)), i < d/4."
            " The first half is the column index x. cls_token: a zero row first.",
        )
    positions, width = [0.0, 0.5, 2.0, 7.25], 16
    add(
        topic,
        f"mae1d.d{width}",
        halves(width, width / 2, exponent="2i/d"),
        positions,
        published.mae_1d(np.array(positions, np.float32), width).astype(np.float32),
        "facebookresearch/mae get_1d_sincos_pos_embed_from_grid (numpy float64, stored float32)",
        "Fractional grid.",
        np.float32,
    )


def image_grids(topic):
    for i, (height, width, dim, base, reverse, interleave) in enumerate(
        [
            (3, 5, 32, 10000.0, False, False),
            (4, 2, 16, 100.0, True, False),
            (2, 3, 24, 10000.0, False, True),
        ]
    ):
        n = dim // 4
        params = {
            "variant": "timm",
            "d_model": dim,
            "h": height,
            "w": width,
            "base": base,
            "reverse_coord": reverse,
            "interleave_sin_cos": interleave,
            "freq_den": n,
        }
        sines, cosines = exact.sines_and_cosines(
            range(max(height, width)), exact.powers(base, n, n)
        )
        slow, fast = (width, height) if reverse else (height, width)
        expected = [
            np.concatenate(
                [sines[a], cosines[a], sines[b], cosines[b]]
                if interleave
                else [sines[a], sines[b], cosines[a], cosines[b]]
            )
            for a in range(slow)
            for b in range(fast)
        ]
        out = published.timm_2d(height, width, dim, base, reverse, interleave)
        topic.add(
            f"timm2d.{i}",
            "sincos2d",
            params,
            {},
            {"out": out, "out_exact": np.array(expected)},
            "huggingface/pytorch-image-models build_sincos2d_pos_embed, float32;"
            f" exact: {exact.SOURCE}",
            "n = d/4, f_i = base^(-i/n). Axes (a0, a1) = (y, x), or (x, y) with reverse_coord; rows"
            " run over a0 (slow), a1 (fast). Row = [sin a0 f, sin a1 f, cos a0 f, cos a1 f], or with"
            " interleave_sin_cos [sin a0 f, cos a0 f, sin a1 f, cos a1 f]; each piece has n numbers.",
        )
    for i, (height, width, dim, base) in enumerate([(3, 4, 32, 10000), (5, 2, 16, 100)]):
        n = dim // 4
        params = {
            "variant": "simple_vit",
            "d_model": dim,
            "h": height,
            "w": width,
            "base": float(base),
            "freq_den": n - 1,
        }
        waves = exact.sines_and_cosines(range(max(height, width)), exact.powers(base, n - 1, n))
        out = published.simple_vit_2d(height, width, dim, base)
        topic.add(
            f"simplevit2d.{i}",
            "sincos2d",
            params,
            {},
            {"out": out, "out_exact": x_then_y(height, width, *waves)},
            f"lucidrains/vit-pytorch posemb_sincos_2d, float32; exact: {exact.SOURCE}",
            "Row y*w+x = [sin(x f), cos(x f), sin(y f), cos(y f)], f_i = base^(-i/(d/4-1)).",
        )


def detr_float64(mask, width, temperature, normalize):
    kept = ~mask
    y, x = (kept.cumsum(axis).astype(np.float64) for axis in (1, 2))
    if normalize:
        y = y / (y[:, -1:] + 1e-6) * (2 * math.pi)
        x = x / (x[:, :, -1:] + 1e-6) * (2 * math.pi)
    channels = np.arange(width)
    periods = temperature ** (2 * (channels // 2) / width)

    def waves(axis):
        angles = axis[..., None] / periods
        return np.where(channels % 2 == 0, np.sin(angles), np.cos(angles))

    table = np.concatenate([waves(y), waves(x)], -1)
    return table.transpose(0, 3, 1, 2).astype(np.float32)


def image_masks(topic):
    for i, (batch, height, width, dim, normalize, base) in enumerate(
        [(2, 6, 8, 16, True, 10000), (1, 5, 4, 8, False, 10000)]
    ):
        mask = np.zeros((batch, height, width), bool)
        for b in range(batch):
            mask[b, height - b - (i % 2) :, :] = True
            mask[b, :, width - 2 * b :] = True
        topic.add(
            f"detr.{i}",
            "sine2d_mask",
            {
                "num_pos_feats": dim,
                "temperature": float(base),
                "normalize": normalize,
                "scale": 2 * math.pi,
                "eps": 1e-6,
            },
            {"mask": mask},
            {
                "out": published.detr(tensor(mask), dim, base, normalize),
                "out_f64": detr_float64(mask, dim, float(base), normalize),
            },
            "facebookresearch/detr PositionEmbeddingSine, float32",
            "mask 1 = padding. y, x = running count of non-padding cells (1-based) down each column"
            " / along each row; normalize: v / (last + eps) * scale. dim_t = temperature^(2*(i//2)/n);"
            " even channels sin(v/dim_t), odd cos. out [B, 2n, H, W], y channels first.",
        )
