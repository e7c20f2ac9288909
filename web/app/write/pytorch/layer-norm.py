import torch
import torch.nn.functional as F


def layer_norm(x, gain, bias, eps):
    x, gain, bias = torch.as_tensor(x), torch.as_tensor(gain), torch.as_tensor(bias)
    return F.layer_norm(x, x.shape[-1:], gain, bias, eps)
