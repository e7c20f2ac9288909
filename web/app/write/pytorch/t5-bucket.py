import math

import torch


def bucket(relative):
    relative = torch.as_tensor(relative)
    n = relative.abs()
    wide = 8 + (torch.log(n.clamp(min=8) / 8.0) / math.log(128 / 8) * 8).long()
    return torch.where(n < 8, n, wide.clamp(max=15)) + 16 * (relative > 0)
