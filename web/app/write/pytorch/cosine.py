import torch
import torch.nn.functional as F


def cosine(a, b):
    return F.cosine_similarity(torch.as_tensor(a), torch.as_tensor(b), dim=-1)
