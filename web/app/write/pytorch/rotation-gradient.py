import torch


def rotation_gradient(gradient, position, factor):
    gradient = torch.as_tensor(gradient)
    x = torch.zeros_like(gradient, requires_grad=True)  # any x: a rotation is linear
    i = torch.arange(len(x) // 2, dtype=torch.float64)
    angle = position * 10000.0 ** (-2 * i / len(x))
    cos, sin = factor * angle.cos(), factor * angle.sin()
    a, b = x.chunk(2)
    torch.cat([a * cos - b * sin, a * sin + b * cos]).backward(gradient)
    return x.grad
