import torch
import torch.nn.functional as F


def gpt2_input(ids, past, wte, wpe):
    ids, wte, wpe = torch.as_tensor(ids), torch.as_tensor(wte), torch.as_tensor(wpe)
    positions = torch.arange(past, past + ids.shape[-1])
    return F.embedding(ids, wte) + F.embedding(positions, wpe)
