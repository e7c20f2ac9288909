import torch


def sinusoid_table(length, dim, base):
    i = torch.arange(dim // 2, dtype=torch.float64)
    t = torch.arange(length, dtype=torch.float64)
    angle = torch.outer(t, float(base) ** (-2 * i / dim))
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)
