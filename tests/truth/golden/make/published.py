"""Formulas of published programs that are not on PyPI, or only with large dependencies.

Each function performs the operations of the program that it names, in that program's order and
precision, so that it has the same roundings.
"""

import math

import numpy as np
import torch


def _steps(count):
    return torch.arange(count, dtype=torch.float32)


def _pad(table, width):
    """A column of zeros where the width is odd."""
    return torch.nn.functional.pad(table, (0, width - table.shape[1]))


def _halves(angles, width, cosine_first=False):
    waves = [angles.sin(), angles.cos()]
    return _pad(torch.cat(waves[::-1] if cosine_first else waves, 1), width)


# Sinusoids


def vaswani(positions, width, base=10000.0):
    """pytorch/examples 77f55b9, word_language_model PositionalEncoding: interleaved."""
    frequencies = torch.exp(torch.arange(0, width, 2).float() * (-math.log(base) / width))
    angles = torch.tensor(positions, dtype=torch.float32)[:, None] * frequencies
    table = torch.zeros(len(positions), width)
    table[:, 0::2] = angles.sin()
    table[:, 1::2] = angles[:, : width // 2].cos()
    return table


def transformer_xl(positions, width):
    """kimiyoung/transformer-xl 44781ed, PositionalEmbedding."""
    frequencies = 1 / (10000 ** (torch.arange(0.0, width, 2.0) / width))
    return _halves(torch.outer(torch.tensor(positions, dtype=torch.float32), frequencies), width)


def fairseq(count, width):
    """facebookresearch/fairseq 3d262bb2, SinusoidalPositionalEmbedding.get_embedding."""
    frequencies = torch.exp(_steps(width // 2) * -(math.log(10000) / (width // 2 - 1)))
    return _halves(_steps(count)[:, None] * frequencies, width)


def fairseq_positions(tokens, padding):
    """facebookresearch/fairseq 3d262bb2, utils.make_positions."""
    kept = tokens.ne(padding).int()
    return (torch.cumsum(kept, 1).type_as(kept) * kept).long() + padding


def whisper(count, width, longest):
    """openai/whisper c0d2f62, sinusoids."""
    increment = np.log(longest) / (width // 2 - 1)
    frequencies = torch.exp(-increment * torch.arange(width // 2))
    return _halves(torch.arange(count)[:, None] * frequencies, width)


def tensor2tensor(start, count, width, shortest, longest):
    """tensorflow/tensor2tensor bafdc1b6, get_timing_signal_1d."""
    scales = width // 2
    increment = math.log(longest / shortest) / torch.tensor(max(scales - 1.0, 1.0))
    frequencies = shortest * torch.exp(_steps(scales) * -increment)
    return _halves((torch.arange(count) + start).float()[:, None] * frequencies, width)


# Sinusoids of diffusion timesteps


def guided_diffusion(timesteps, width):
    """openai/guided-diffusion 22e0df8, timestep_embedding."""
    half = width // 2
    frequencies = torch.exp(-math.log(10000) * _steps(half) / half)
    return _halves(timesteps[:, None].float() * frequencies, width, cosine_first=True)


def latent_diffusion(timesteps, width):
    """CompVis/latent-diffusion a506df5, get_timestep_embedding."""
    frequencies = torch.exp(_steps(width // 2) * -(math.log(10000) / (width // 2 - 1)))
    return _halves(timesteps.float()[:, None] * frequencies, width)


def diffusers(timesteps, width, cosine_first, shift, scale, longest):
    """huggingface/diffusers 58eb52c080, get_timestep_embedding."""
    half = width // 2
    frequencies = torch.exp(-math.log(longest) * _steps(half) / (half - shift))
    return _halves(scale * (timesteps[:, None].float() * frequencies), width, cosine_first)


def flux(timesteps, width):
    """black-forest-labs/flux 802fb47, timestep_embedding."""
    return guided_diffusion(1000.0 * timesteps, width)


# Encodings of images


def mae_1d(positions, width):
    """facebookresearch/mae efb2a80, get_1d_sincos_pos_embed_from_grid, in float64."""
    frequencies = 1 / 10000 ** (np.arange(width // 2, dtype=np.float64) / (width / 2))
    angles = np.outer(positions, frequencies)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def mae_2d(size, width, cls_token):
    """facebookresearch/mae efb2a80, get_2d_sincos_pos_embed, in float64."""
    side = np.arange(size, dtype=np.float32)
    x, y = np.meshgrid(side, side)
    table = np.concatenate([mae_1d(x.ravel(), width // 2), mae_1d(y.ravel(), width // 2)], axis=1)
    return np.concatenate([np.zeros((1, width)), table]) if cls_token else table


def timm_2d(height, width, dim, temperature, reverse_coord, interleave_sin_cos):
    """huggingface/pytorch-image-models aa4b5850, build_sincos2d_pos_embed."""
    shape = (width, height) if reverse_coord else (height, width)
    frequencies = 1.0 / (temperature ** (_steps(dim // 4) / (dim // 4)))
    axes = torch.meshgrid([_steps(n) for n in shape], indexing="ij")
    angles = torch.stack(axes).flatten(1).T[:, :, None] * frequencies
    return torch.stack([angles.sin(), angles.cos()], 2 if interleave_sin_cos else 1).flatten(1)


def simple_vit_2d(height, width, dim, temperature):
    """lucidrains/vit-pytorch 69d24fe, posemb_sincos_2d."""
    y, x = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    frequencies = 1.0 / (temperature ** (torch.arange(dim // 4) / (dim // 4 - 1)))
    y, x = (axis.flatten()[:, None] * frequencies for axis in (y, x))
    return torch.cat([x.sin(), x.cos(), y.sin(), y.cos()], 1)


def detr(mask, width, temperature, normalize):
    """facebookresearch/detr 29901c5, PositionEmbeddingSine."""
    y, x = ((~mask).cumsum(axis, dtype=torch.float32) for axis in (1, 2))
    if normalize:
        y = y / (y[:, -1:, :] + 1e-6) * (2 * math.pi)
        x = x / (x[:, :, -1:] + 1e-6) * (2 * math.pi)
    periods = temperature ** (2 * (_steps(width) // 2) / width)

    def waves(axis):
        angles = axis[..., None] / periods
        return torch.stack([angles[..., 0::2].sin(), angles[..., 1::2].cos()], 4).flatten(3)

    return torch.cat([waves(y), waves(x)], 3).permute(0, 3, 1, 2)


# Rotary embeddings


def rope_frequencies(dim, base):
    """meta-llama/llama 689c7f2 and most others."""
    return 1.0 / (base ** (torch.arange(0, dim, 2).float() / dim))


def ntk_frequencies(dim, base, alpha):
    """jquesnelle/yarn 995db5b, LlamaNTKScaledRotaryEmbedding."""
    return rope_frequencies(dim, base * alpha ** (dim / (dim - 2)))


def deepseek_frequencies(dim, base, factor, original, beta_fast, beta_slow):
    """deepseek-ai/DeepSeek-V3 9b4e978, inference precompute_freqs_cis."""

    def dimension(rotations):
        return dim * math.log(original / (rotations * 2 * math.pi)) / (2 * math.log(base))

    low = max(math.floor(dimension(beta_fast)), 0)
    high = min(math.ceil(dimension(beta_slow)), dim - 1)
    kept = 1 - torch.clamp((_steps(dim // 2) - low) / (high - low), 0, 1)
    frequencies = rope_frequencies(dim, base)
    return frequencies / factor * (1 - kept) + frequencies * kept


def unit_complex(positions, frequencies):
    """meta-llama/llama 689c7f2 and DeepSeek-V3: e^(i * position * frequency)."""
    angles = torch.outer(torch.tensor(positions), frequencies)
    return torch.polar(torch.ones_like(angles), angles)


def rotate_complex(x, turns):
    """meta-llama/llama 689c7f2, apply_rotary_emb. x [B, L, H, D], turns [L, D/2]."""
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns[None, :, None]).flatten(3)


def xpos(x, scale_base, offset, downscale):
    """microsoft/torchscale 4d1e0e8, XPOS. x [B, L, D]."""
    length, dim = x.shape[1:]
    first = -(length + offset) // 2
    zeta = (torch.arange(0, dim, 2) + 0.4 * dim) / (1.4 * dim)
    places = torch.arange(first, first + length + offset).float()
    scale = zeta ** places.div(scale_base)[:, None]
    frequencies = 1.0 / (10000 ** (torch.arange(dim // 2) / (dim // 2)))
    angles = torch.outer(_steps(length + offset), frequencies)
    scale = 1 / scale if downscale else scale
    sine, cosine = (
        (wave * scale)[-length:].repeat_interleave(2, 1) for wave in (angles.sin(), angles.cos())
    )
    turned = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
    return x * cosine + turned * sine


# ALiBi


def alibi_slopes(heads):
    """ofirpress/attention_with_linear_biases 4b92f28, get_slopes, in Python's float64."""

    def power_of_two(n):
        ratio = 2 ** (-(2 ** -(math.log2(n) - 3)))
        return [ratio * ratio**i for i in range(n)]

    if math.log2(heads).is_integer():
        return power_of_two(heads)
    below = 2 ** math.floor(math.log2(heads))
    return power_of_two(below) + alibi_slopes(2 * below)[0::2][: heads - below]


def mpt_slopes(heads, bias_max=8):
    """mosaicml/llm-foundry 8c8dd48f7, gen_slopes."""
    above = 2 ** math.ceil(math.log2(heads))
    slopes = 1.0 / torch.pow(2, torch.arange(1, above + 1).float().mul(bias_max / above))
    if above == heads:
        return slopes
    return torch.cat([slopes[1::2], slopes[::2]])[:heads]


def mpt_bias(heads, length):
    """mosaicml/llm-foundry 8c8dd48f7, build_alibi_bias(full=True)."""
    places = torch.arange(1 - length, 1, dtype=torch.int32)
    distances = (places[None, :] - places[:, None]).abs().mul(-1)
    return distances * mpt_slopes(heads)[:, None, None]
