import torch


def rotate_half(x):
    a, b = torch.as_tensor(x).chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)
