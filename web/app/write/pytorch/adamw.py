import torch


def adam_w(weights, gradients, rate, decay):
    w = torch.tensor(weights, requires_grad=True)
    optimizer = torch.optim.AdamW([w], lr=rate, betas=(0.9, 0.99), eps=1e-8, weight_decay=decay)
    for gradient in torch.as_tensor(gradients):
        w.grad = gradient.clone()
        optimizer.step()
    return w.detach()
