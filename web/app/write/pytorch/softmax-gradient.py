import torch


def softmax_gradient(weights, gradient):
    scores = torch.as_tensor(weights).log().requires_grad_()  # softmax of the logarithm is weights again
    torch.softmax(scores, dim=-1).backward(torch.as_tensor(gradient))
    return scores.grad
