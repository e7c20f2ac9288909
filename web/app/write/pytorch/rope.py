import torch


def rope(x, position):
    x = torch.as_tensor(x)
    dim = x.shape[-1]
    angle = position * 10000.0 ** (-2 * torch.arange(dim // 2, dtype=torch.float64) / dim)
    angle = torch.cat([angle, angle]).to(x.dtype)  # dimensions i and i + D/2 have one angle
    a, b = x.chunk(2, dim=-1)
    return x * angle.cos() + torch.cat([-b, a], dim=-1) * angle.sin()
