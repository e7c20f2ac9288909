import torch


def alibi_bias(heads, length):
    slopes = 2.0 ** (-8 * torch.arange(1, heads + 1) / heads)
    i, j = torch.arange(length)[:, None], torch.arange(length)
    bias = -slopes[:, None, None] * (i - j)
    return bias.masked_fill(j > i, float("-inf"))  # attn_mask of F.scaled_dot_product_attention
