import torch


def sinusoid_row(position, dim):
    i = torch.arange(dim // 2, dtype=torch.float64)
    angle = position * 10000.0 ** (-2 * i / dim)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten()
