import torch
import torch.nn.functional as F


def one_hot(ids, size):
    return F.one_hot(torch.as_tensor(ids), size)  # int64; .float() before it is multiplied by weights
