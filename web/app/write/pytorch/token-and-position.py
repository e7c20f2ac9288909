import math

import torch
from torch import nn


class TokenAndPositionEmbedding(nn.Module):
    def __init__(self, table, positions, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding.from_pretrained(table, freeze=False)
        self.dropout = nn.Dropout(dropout)
        # A buffer goes to the GPU with the module and is not trained. This one is not saved with the weights.
        self.register_buffer("positions", positions, persistent=False)

    def forward(self, ids):
        x = self.tokens(ids) * math.sqrt(self.tokens.embedding_dim)
        return self.dropout(x + self.positions[: ids.shape[-1]])


def token_and_position(ids, table, positions):
    model = TokenAndPositionEmbedding(torch.as_tensor(table), torch.as_tensor(positions))
    return model.eval()(torch.as_tensor(ids))  # in training, dropout sets a tenth of the numbers to 0
