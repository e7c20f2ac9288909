"""A small decoder with each positional scheme: logits, attention, gradients, a run of AdamW."""

import math

import torch
import torch.nn.functional as F
from store import array

V, DIM, HEADS, LAYERS, MLP = 12, 16, 2, 2, 4
LENGTH, BATCH, STEPS = 10, 3, 20
LONG = 3 * LENGTH
THIN = 5  # of the gradient of a matrix, and of the matrix after training, every fifth entry is kept
OPTIMIZER = {
    "learningRate": 3e-3,
    "warmup": 5,
    "floor": 0.1,
    "betas": [0.9, 0.99],
    "eps": 1e-8,
    "weightDecay": 0.01,
    "clip": 1.0,
}
ROPE = {"scheme": "rope", "base": 10000.0, "fraction": 1.0}
POSITIONS = {
    "none": {"scheme": "none"},
    "learned": {"scheme": "learned"},
    "sinusoidal": {"scheme": "sinusoidal"},
    "rope": ROPE,
    "rope-half": {**ROPE, "fraction": 0.5},
    "alibi": {"scheme": "alibi"},
    "t5": {"scheme": "t5Bias", "buckets": 8, "maxDistance": 10},
    "kerple-log": {"scheme": "kerple", "kernel": "log"},
    "kerple-power": {"scheme": "kerple", "kernel": "power"},
    "fire": {"scheme": "fire", "hidden": 8, "c": 0.1, "threshold": 10.0},
    "shaw": {"scheme": "shaw", "maxDistance": 4},
    "tied": ROPE,
}
SCALINGS = {
    "linear": {"type": "linear", "factor": 3.0},
    "ntk": {"type": "ntk", "alpha": 3.0},
    "yarn": {"type": "yarn", "factor": 3.0, "originalLength": 10, "betaFast": 4.0, "betaSlow": 1.0},
}
NOTE = (
    "Everything is computed in float64 and rounded once. start, gradient and after hold the"
    " parameters in the order of params.shapes, start whole; gradient is that of step 0 before"
    " clipping, after is NaN where no step had a gradient above 1e-12. README.md says the rest."
)


def initial(position, tied, generator):
    """Parameters by name, float32."""

    def normal(*shape, std):
        return (std * torch.randn(*shape, generator=generator, dtype=torch.float64)).float()

    p = {"tokens": normal(V, DIM, std=0.5)}
    scheme = position["scheme"]
    if scheme == "learned":
        p["positions"] = normal(LONG, DIM, std=0.5)
    if scheme == "t5Bias":
        p["bias.t5"] = normal(position["buckets"], HEADS, std=0.5)
    if scheme == "kerple":
        p |= {"bias.p": torch.tensor([0.9, 1.3]), "bias.a": torch.tensor([0.6, 0.2])}
    if scheme == "fire":
        hidden = position["hidden"]
        p["bias.w1"], p["bias.b1"] = normal(hidden, std=1.0), normal(hidden, std=0.5)
        p["bias.w2"], p["bias.b2"] = normal(HEADS, hidden, std=0.5), normal(HEADS, std=0.1)
    if scheme == "shaw":
        p["bias.keys"] = normal(position["maxDistance"] + 1, DIM // HEADS, std=0.5)
    for layer in range(LAYERS):
        at = f"layers.{layer}."
        for norm in ("norm1", "norm2"):
            p[f"{at}{norm}.weight"] = 1 + normal(DIM, std=0.1)
            p[f"{at}{norm}.bias"] = normal(DIM, std=0.1)
        for name, rows, columns, depth in (
            ("attention.in_proj", 3 * DIM, DIM, 1),
            ("attention.out_proj", DIM, DIM, 2 * LAYERS),
            ("mlp.in", MLP * DIM, DIM, 1),
            ("mlp.out", DIM, MLP * DIM, 2 * LAYERS),
        ):
            p[f"{at}{name}.weight"] = normal(rows, columns, std=1 / math.sqrt(depth * columns))
            p[f"{at}{name}.bias"] = normal(rows, std=0.1)
    p["norm.weight"], p["norm.bias"] = 1 + normal(DIM, std=0.1), normal(DIM, std=0.1)
    if not tied:
        p["head.weight"] = normal(V, DIM, std=1 / math.sqrt(DIM))
    p["head.bias"] = normal(V, std=0.1)
    return p


def frequencies(position, D, scaling):
    """The frequencies of a head of D columns, and the factor of cosines and sines."""
    R = int(D * position["fraction"]) // 2 * 2
    i = torch.arange(R // 2, dtype=torch.float64)
    base = position["base"]
    plain = base ** (-2 * i / R)
    if scaling is None:
        return plain, 1.0
    if scaling["type"] == "ntk":
        return (base * scaling["alpha"] ** (R / (R - 2))) ** (-2 * i / R), 1.0
    factor = scaling["factor"]
    if scaling["type"] == "linear":
        return plain / factor, 1.0

    def pair(turns):  # that turns so often in the original length
        return R * math.log(scaling["originalLength"] / (2 * math.pi * turns)) / 2 / math.log(base)

    low = max(math.floor(pair(scaling["betaFast"])), 0)
    high = min(math.ceil(pair(scaling["betaSlow"])), R - 1)
    ramp = torch.clamp((i - low) / max(high - low, 0.001), 0, 1)
    return plain / factor * ramp + plain * (1 - ramp), 0.1 * math.log(factor) + 1


def t5_bucket(n, buckets, largest):
    exact = buckets // 2
    if n < exact:
        return n
    far = math.log(n / exact) / math.log(largest / exact) * (buckets - exact)
    return min(exact + int(far), buckets - 1)


def bias_of(p, position, heads, t):
    """What is added to the logits, [H, T, T], in the dtype of the parameters; None for nothing."""
    n = (t[:, None] - t[None, :]).clamp(min=0)
    dtype = p["tokens"].dtype
    scheme = position["scheme"]
    if scheme == "alibi":
        slopes = 2.0 ** (-8.0 * torch.arange(1, heads + 1, dtype=torch.float64) / heads)
        return (-slopes[:, None, None] * n).to(dtype)
    if scheme == "t5Bias":
        sizes = position["buckets"], position["maxDistance"]
        of = torch.tensor([t5_bucket(k, *sizes) for k in range(len(t))])
        return p["bias.t5"][of[n.long()]].permute(2, 0, 1)
    if scheme == "kerple":
        a, q = p["bias.a"][:, None, None], p["bias.p"][:, None, None]
        m = n.to(dtype)
        if position["kernel"] == "log":
            return -q * torch.log(1 + a * m)
        return -a * torch.where(m > 0, m.clamp(min=1) ** q, 0)  # keeps log 0 out of the gradient
    if scheme == "fire":
        c, most = position["c"], t.clamp(min=position["threshold"])
        u = (torch.log(1 + c * n) / (torch.log(1 + c * most)[:, None] + 1e-6)).to(dtype)
        hidden = torch.relu(u[..., None] * p["bias.w1"] + p["bias.b1"])
        return (hidden @ p["bias.w2"].T + p["bias.b2"]).permute(2, 0, 1)
    return None


def rotate(x, theta, factor, t):
    """Turns the pairs i and i + R/2 of the first R columns."""
    angle = t[:, None] * theta
    cos, sin = ((factor * part).to(x.dtype) for part in (angle.cos(), angle.sin()))
    half = len(theta)
    a, b, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1)


def forward(p, position, heads, ids, scaling=None):
    """Logits [B, T, V] and attention weights [L, B, H, T, T], in the dtype of the parameters."""
    x = p["tokens"][ids]
    B, T, d = x.shape
    D = d // heads
    t = torch.arange(T, dtype=torch.float64)
    scheme = position["scheme"]
    if scheme == "learned":
        x = x + p["positions"][:T]
    if scheme == "sinusoidal":
        angle = t[:, None] * 10000.0 ** (-torch.arange(0, d, 2, dtype=torch.float64) / d)
        x = x + torch.stack([angle.sin(), angle.cos()], -1).reshape(T, d).to(x.dtype)
    bias = bias_of(p, position, heads, t)
    later = torch.ones(T, T, dtype=torch.bool).triu(1)
    attention = []
    for layer in range(sum(name.endswith("norm1.weight") for name in p)):

        def norm(x, name, at=f"layers.{layer}."):
            return F.layer_norm(x, (d,), p[f"{at}{name}.weight"], p[f"{at}{name}.bias"], 1e-5)

        def linear(x, name, at=f"layers.{layer}."):
            return F.linear(x, p[f"{at}{name}.weight"], p.get(f"{at}{name}.bias"))

        parts = linear(norm(x, "norm1"), "attention.in_proj").split(d, -1)
        q, k, v = (part.reshape(B, T, heads, D).transpose(1, 2) for part in parts)
        if scheme == "rope":
            turns = frequencies(position, D, scaling)
            q, k = rotate(q, *turns, t), rotate(k, *turns, t)
        scores = q @ k.transpose(-1, -2)
        if scheme == "shaw":
            n = (t[:, None] - t[None, :]).clamp(min=0, max=position["maxDistance"]).long()
            scores = scores + torch.einsum("bhtd,tsd->bhts", q, p["bias.keys"][n])
        scores = scores / math.sqrt(D)
        if bias is not None:
            scores = scores + bias
        weights = scores.masked_fill(later, -math.inf).softmax(-1)
        attention.append(weights)
        x = x + linear((weights @ v).transpose(1, 2).reshape(B, T, d), "attention.out_proj")
        hidden = F.gelu(linear(norm(x, "norm2"), "mlp.in"), approximate="tanh")
        x = x + linear(hidden, "mlp.out")
    x = F.layer_norm(x, (d,), p["norm.weight"], p["norm.bias"], 1e-5)
    return F.linear(x, p.get("head.weight", p["tokens"]), p["head.bias"]), torch.stack(attention)


def train(p, position, heads, ids, targets, options, look=lambda step, logits, attention: None):
    """Trains p in place, a step for each batch of ids; the losses, and the gradients' norms."""

    def decays(name):
        return p[name].ndim == 2 and name.startswith("layers.") or name == "head.weight"

    groups = [
        {"params": [p[name] for name in p if decays(name)], "weight_decay": options["weightDecay"]},
        {"params": [p[name] for name in p if not decays(name)], "weight_decay": 0.0},
    ]
    adam = torch.optim.AdamW(groups, betas=tuple(options["betas"]), eps=options["eps"])
    steps, floor = len(ids), options["floor"]
    losses, norms = [], []
    for step in range(steps):
        logits, attention = forward(p, position, heads, ids[step])
        loss = F.cross_entropy(logits.flatten(0, 1), targets[step].flatten(), ignore_index=-1)
        adam.zero_grad()
        loss.backward()
        look(step, logits, attention)
        norms.append(torch.nn.utils.clip_grad_norm_(p.values(), options["clip"]).item())
        losses.append(loss.item())
        warm = min(1.0, (step + 1) / min(options["warmup"], steps // 4 + 1))
        cosine = floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * step / steps))
        for group in adam.param_groups:
            group["lr"] = options["learningRate"] * warm * cosine
        adam.step()
    return torch.tensor(losses, dtype=torch.float64), torch.tensor(norms, dtype=torch.float64)


def kept(values):
    """A vector of what is kept of each of the values: matrices are thinned, except of biases."""
    thin = {n: THIN if v.ndim == 2 and not n.startswith("bias.") else 1 for n, v in values.items()}
    return torch.cat([value.flatten()[:: thin[name]] for name, value in values.items()]).float()


def make(topic):
    for number, (name, position) in enumerate(POSITIONS.items()):
        generator = torch.Generator().manual_seed(100 + number)
        start = initial(position, name == "tied", generator)
        ids = torch.randint(0, V, (STEPS, BATCH, LENGTH), generator=generator)
        targets = torch.roll(ids, 2, -1)  # the token two back
        targets[..., :2] = -1
        long = torch.randint(0, V, (1, LONG), generator=generator)
        p = {key: value.double().requires_grad_() for key, value in start.items()}
        outputs = {}
        with torch.no_grad():
            scalings = SCALINGS if position["scheme"] == "rope" else {}
            for scaling in (None, *scalings):
                logits, _ = forward(p, position, HEADS, long, scalings.get(scaling))
                outputs["long.logits" + (f".{scaling}" if scaling else "")] = logits.float()
        largest = {key: torch.zeros_like(value) for key, value in p.items()}

        def look(step, logits, attention):
            gradients = {
                key: torch.zeros_like(value) if value.grad is None else value.grad.clone()
                for key, value in p.items()
            }
            for key, value in gradients.items():
                largest[key] = torch.maximum(largest[key], value.abs())
            if step == 0:
                outputs.update(logits=logits.detach().float(), attention=attention.detach().float())
                outputs["gradient"] = kept(gradients)

        losses, norms = train(p, position, HEADS, ids, targets, OPTIMIZER, look)
        after = {
            key: torch.where(largest[key] < 1e-12, math.nan, value.detach())
            for key, value in p.items()
        }
        topic.add(
            name,
            "decoder",
            {
                "vocabulary": V,
                "dim": DIM,
                "heads": HEADS,
                "layers": LAYERS,
                "mlp": MLP,
                "bias": True,
                "tied": name == "tied",
                "position": position,
                "optimizer": OPTIMIZER,
                "scalings": scalings,
                "shapes": {key: list(value.shape) for key, value in start.items()},
                "thin": THIN,
            },
            {
                "start": torch.cat([value.flatten() for value in start.values()]),
                "ids": array(ids).astype("uint8"),
                "long.ids": array(long).astype("uint8"),
            },
            {**outputs, "after": kept(after), "losses": losses, "norms": norms},
            "PyTorch, CPU, float64",
            NOTE,
        )
