import torch


def shift_matrix(k, dim):
    i = torch.arange(dim // 2, dtype=torch.float64)
    angle = k * 10000.0 ** (-2 * i / dim)
    cos, sin = angle.cos(), angle.sin()
    blocks = torch.stack([cos, sin, -sin, cos], dim=-1).view(-1, 2, 2)
    return torch.block_diag(*blocks)
