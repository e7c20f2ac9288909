/**
 * A training of the lab as a PyTorch program, and the file that it reads: the weights at the start, the texts and the
 * loss of each step. The page Lab and the command line write both. It imports nothing, so that they can share it.
 */

/** @typedef {import("./index.js").Lab["lab"]} Lab */
/** @typedef {import("./index.js").Task} Task */
/** @typedef {import("./index.js").Tensor} Tensor */
/** @typedef {Parameters<Lab["decoder"]>[0]} Made */
/** @typedef {NonNullable<Parameters<ReturnType<Lab["decoder"]>["train"]>[1]>} Training */
/** @typedef {{[option: string]: any}} Options */

/**
 * The parts of a program that a scheme has.
 * @typedef {object} Parts
 * @property {string} [once]  lines before the model
 * @property {string} [embed]  what is done to the embedding `x`
 * @property {string} [turn]  what is done to queries and keys
 * @property {string} [term]  what is done to the scores
 * @property {string} [note]  on what to expect
 */

const ROTATE = `
def rotate(x, cos, sin):
    a, b, rest = x[..., : R // 2], x[..., R // 2 : R], x[..., R:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1)`;

/** The angles of pairs. @param {number} base */
const angle = (base) =>
  `angle = t[:, None] * ${base} ** (-torch.arange(0, R, 2, dtype=torch.float64) / R)`;

/** @param {string} what */
const corners = (what) =>
  `${what} has corners, where the last bit decides: after some twenty steps the\nlosses part.`;

/**
 * The parts of each scheme. `t` are the positions and `n` the distances, in float64.
 * @type {Record<string, (options: Options, length: number) => Parts>}
 */
const SCHEMES = {
  none: () => ({}),
  learned: () => ({ embed: `x = x + p["positions"][:T]` }),
  sinusoidal: ({ base = 10000, amplitude = 1 }) => ({
    once: `
R = E
${angle(base)}
waves = ${amplitude} * torch.stack([angle.sin(), angle.cos()], -1).reshape(T, E).float()`,
    embed: "x = x + waves",
  }),
  rope: ({ base = 10000, fraction = 1 }) => ({
    once: `
R = ${fraction === 1 ? "2 * (D // 2)" : `2 * int(D * ${fraction} / 2)`}  # the columns of a head that rotate
${angle(base)}
cos, sin = angle.cos().float(), angle.sin().float()

${ROTATE}`,
    turn: "q, k = rotate(q, cos, sin), rotate(k, cos, sin)",
  }),
  xpos: ({ base = 10000, scaleBase = 512, gamma = 0.4 }) => ({
    once: `
R = D
${angle(base)}
zeta = (2 * torch.arange(R // 2, dtype=torch.float64) / R + ${gamma}) / (1 + ${gamma})
scale = zeta ** (t[:, None] / ${scaleBase})
queries = (angle.cos() * scale).float(), (angle.sin() * scale).float()
keys = (angle.cos() / scale).float(), (angle.sin() / scale).float()

${ROTATE}`,
    turn: "q, k = rotate(q, *queries), rotate(k, *keys)",
  }),
  alibi: ({ biasMax = 8 }) => ({
    once: `
M = 2 ** math.floor(math.log2(H))  # other heads have every second slope of 2 M heads
slopes = [2 ** (-${biasMax} * (h + 1) / M) for h in range(M)]
slopes += [2 ** (-${biasMax} * (2 * h + 1) / (2 * M)) for h in range(H - M)]
bias = (-torch.tensor(slopes, dtype=torch.float64)[:, None, None] * n).float()`,
    term: "scores = scores + bias",
  }),
  t5Bias: ({ buckets = 16, maxDistance }, length) => ({
    once: `
BUCKETS, MOST = ${buckets}, ${maxDistance ?? Math.max(length, (buckets >> 1) + 1)}
exact = BUCKETS // 2
far = torch.log(n.float().clamp(min=1) / exact) / math.log(MOST / exact) * (BUCKETS - exact)
far = (exact + far.long()).clamp(max=BUCKETS - 1)
bucket = torch.where(n < exact, n.long(), far)`,
    term: `scores = scores + p["bias.t5"][bucket].permute(2, 0, 1)`,
  }),
  kerple: ({ kernel = "log" }) => ({
    once: "\nm = n.float()",
    term: [
      `slope, power = (p[name].abs()[:, None, None] for name in ("bias.a", "bias.p"))`,
      kernel === "log"
        ? "scores = scores - power * torch.log(1 + slope * m)"
        : "scores = scores - slope * torch.where(m > 0, m.clamp(min=1) ** power, 0)",
    ].join("\n"),
  }),
  sandwich: ({ dim = 128, base = 10000 }) => ({
    once: `
P = ${dim} // 2
angle = n[..., None] * ${base} ** (-torch.arange(1, P + 1, dtype=torch.float64) / P)
share = H / (8 * torch.arange(1, H + 1, dtype=torch.float64))
bias = (share[:, None, None] * (angle.cos() - 1).sum(-1)).float()`,
    term: "scores = scores + bias",
  }),
  fire: ({ c = 0.1, threshold }, length) => ({
    once: `
most = torch.log(1 + ${c} * t.clamp(min=${threshold ?? length}))
u = (torch.log(1 + ${c} * n) / (most[:, None] + 1e-6)).float()`,
    note: corners("A ReLU"),
    term: `hidden = torch.relu(u[..., None] * p["bias.w1"] + p["bias.b1"])
scores = scores + (hidden @ p["bias.w2"].T + p["bias.b2"]).permute(2, 0, 1)`,
  }),
  shaw: ({ maxDistance = 16 }) => ({
    once: `\nfar = n.clamp(max=${maxDistance}).long()`,
    term: `relative = torch.einsum("bhtd,tsd->bhts", q, p["bias.keys"][far])
scores = scores + relative / math.sqrt(D)`,
  }),
  cope: () => ({
    note: corners("The bias between two positions"),
    term: `rows = q @ p["bias.positions"].T
gates = torch.sigmoid(scores).masked_fill(later, 0)
place = gates.flip(-1).cumsum(-1).flip(-1).clamp(max=len(p["bias.positions"]) - 1)
share = place - place.floor()
scores = scores + (1 - share) * rows.gather(-1, place.floor().long())
scores = scores + share * rows.gather(-1, place.ceil().long())`,
  }),
};

/**
 * Why a training has no program; undefined if it has one.
 * @param {Task} task @param {Options} position @param {Training} training
 */
function refusal(task, position, { scaling, positions = "consecutive" }) {
  const { scheme } = position;
  if ("layers" in position) return "its layers have different schemes";
  if (scheme === "own") return `the bias of its scheme "own" is a function of JavaScript`;
  if (!Object.hasOwn(SCHEMES, scheme)) return `the program knows no scheme "${scheme}"`;
  if (position.scaling ?? scaling) return "the program knows no scaling of RoPE's frequencies";
  if ((position.keep ?? 1) !== 1) return "the program rotates all pairs, and keep is below 1";
  if (task.positions || positions !== "consecutive")
    return "the program has the positions 0, 1, 2, ... alone";
  return undefined;
}

/**
 * Trains, and gives a program that trains the same.
 * @param {{lab: Lab, optionsOf: typeof import("./index.js").optionsOf}} given  what phasor/lab has
 * @param {Task} task @param {Made} made  options of the decoder, but for the vocabulary @param {Training} training
 * @returns {{program: string, tensors: Record<string, Tensor | {data: Float64Array | Int32Array, shape: number[]}>}} the
 *   program, and what it reads from the file of its name with the ending .safetensors
 * @throws {RangeError} if the training has no such program; the message says why
 */
export function pytorch({ lab, optionsOf }, task, made, training) {
  const position = /** @type {Options} */ (made.position ?? { scheme: "rope" });
  const why = refusal(task, position, training);
  if (why) throw new RangeError(`cannot write a PyTorch program of this training: ${why}`);
  const defaults = Object.entries(optionsOf(lab.experiment)).map(([name, option]) => [
    name,
    option.default,
  ]);
  /** @type {Options} */
  const all = { ...Object.fromEntries(defaults), ...training };
  const { length: T, batch: B, steps } = all;
  const shape = [steps, B, T];
  const [ids, targets] = [0, 1].map(() => new Int32Array(steps * B * T));
  let at = 0;
  /** The task, which keeps what it has written. @type {Task} */
  const kept = {
    vocabulary: task.vocabulary,
    fill(random, x, y, ...more) {
      task.fill(random, x, y, ...more);
      ids.set(x, at);
      targets.set(y, at);
      at += T;
    },
  };
  const model = lab.decoder({ ...made, vocabulary: task.vocabulary });
  try {
    const start = Object.entries(model.weights()).map(([name, of]) => [`start.${name}`, of]);
    const losses = Array.from(model.train(kept, { ...training, every: 1 }), ({ loss }) => loss);
    const tensors = {
      ...Object.fromEntries(start),
      ids: { data: ids, shape },
      targets: { data: targets, shape },
      losses: { data: Float64Array.from(losses), shape: [steps] },
    };
    const { heads } = model.options();
    const name = `task ${task.name ?? "of one's own"}, scheme ${position.scheme}, seed ${made.seed ?? 0}`;
    const parts = SCHEMES[position.scheme](position, T);
    return { program: programOf(name, { ...all, heads }, parts), tensors };
  } finally {
    model.dispose();
  }
}

/** Lines at a depth, each with its end. @param {string} [lines] @param {number} [depth] */
const indented = (lines = "", depth = 0) =>
  lines === "" ? "" : lines.replace(/^(?=.)/gm, " ".repeat(depth)) + "\n";

/** @param {string} name @param {Options} all  of the training @param {Parts} parts */
function programOf(name, all, { once, embed, turn, term, note }) {
  const { heads, learningRate, warmup, floor, betas = [0.9, 0.99], eps } = all;
  const { weightDecay, clip, biasRate } = all;
  const isClipped = clip > 0;
  return `"""A training of phasor's lab in PyTorch: ${name}.

Needs torch and safetensors. Reads the weights at the start, the texts and the loss of each step
from the file with the name of this one and the ending .safetensors, trains in float32, and prints
both losses.${note ? `\n\n${note}` : ""}
"""

import math
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file

FILE = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_suffix(".safetensors")
H = ${heads}  # heads
RATE, WARMUP, FLOOR = ${learningRate}, ${warmup}, ${floor}
BETAS, EPS, DECAY = (${betas.join(", ")}), ${eps}, ${weightDecay}
${isClipped ? `CLIP = ${clip}  # the largest norm of the gradient\n` : ""}BIAS_RATE = ${biasRate}  # numbers of a bias learn faster, by this factor

run = load_file(FILE)
ids, targets, losses = run["ids"].long(), run["targets"].long(), run["losses"]
p = {name[6:]: x.requires_grad_() for name, x in run.items() if name.startswith("start.")}
STEPS, B, T = ids.shape
E = p["tokens"].shape[1]
D = E // H
LAYERS = sum(name.endswith("norm1.weight") for name in p)
t = torch.arange(T, dtype=torch.float64)
n = (t[:, None] - t).clamp(min=0)  # how far a key is before a query
later = torch.ones(T, T, dtype=torch.bool).triu(1)
${indented(once)}

def norm(x, name):
    return F.layer_norm(x, (E,), p[f"{name}.weight"], p[f"{name}.bias"], 1e-5)


def linear(x, name):
    return F.linear(x, p[f"{name}.weight"], p.get(f"{name}.bias"))


def forward(ids):
    x = p["tokens"][ids]
${indented(embed, 4)}    for layer in range(LAYERS):
        at = f"layers.{layer}."
        parts = linear(norm(x, at + "norm1"), at + "attention.in_proj").split(E, -1)
        q, k, v = (part.reshape(B, T, H, D).transpose(1, 2) for part in parts)
${indented(turn, 8)}        scores = q @ k.transpose(-1, -2) / math.sqrt(D)
${indented(term, 8)}        weights = scores.masked_fill(later, -math.inf).softmax(-1)
        seen = (weights @ v).transpose(1, 2).reshape(B, T, E)
        x = x + linear(seen, at + "attention.out_proj")
        hidden = F.gelu(linear(norm(x, at + "norm2"), at + "mlp.in"), approximate="tanh")
        x = x + linear(hidden, at + "mlp.out")
    return F.linear(norm(x, "norm"), p.get("head.weight", p["tokens"]), p["head.bias"])
${stepsOf(isClipped)}`;
}

/** How it trains. @param {boolean} isClipped */
const stepsOf = (isClipped) => `

def rate(step):
    warm = min(1, (step + 1) / min(WARMUP, STEPS // 4 + 1))
    return RATE * warm * (FLOOR + (1 - FLOOR) * (1 + math.cos(math.pi * step / STEPS)) / 2)


def decays(name):
    return name == "head.weight" or (name.startswith("layers.") and p[name].ndim == 2)


groups = [
    {"params": [x], "weight_decay": DECAY if decays(name) else 0.0, "name": name}
    for name, x in p.items()
]
adam = torch.optim.AdamW(groups, lr=RATE, betas=BETAS, eps=EPS)
most = 0.0
print("step  loss here  loss of the lab")
for step in range(STEPS):
    logits = forward(ids[step]).flatten(0, 1)
    loss = F.cross_entropy(logits, targets[step].flatten(), ignore_index=-1)
    adam.zero_grad()
    loss.backward()
${isClipped ? "    torch.nn.utils.clip_grad_norm_(p.values(), CLIP)\n" : ""}    for group in adam.param_groups:
        group["lr"] = rate(step) * (BIAS_RATE if group["name"].startswith("bias.") else 1)
    adam.step()
    here, there = loss.item(), losses[step].item()
    if there > 0.05:  # below, a difference of rounding is a large part
        most = max(most, abs(here - there))
    if step % 10 == 9 or step == STEPS - 1:
        print(f"{step + 1:4}  {here:9.5f}  {there:15.5f}")
print(f"The largest difference while the loss is above 0.05: {most:.1e}")
`;
