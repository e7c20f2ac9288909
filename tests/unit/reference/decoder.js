/**
 * A decoder in double precision, forward only: slow and plain. It normalizes before each part (epsilon 1e-5), has GELU
 * with tanh and y = x W^T + b, W [out, in]; rows of in_proj are queries, keys, values, heads side by side. Gradients are
 * central differences. A bias that the parameters lack is 0, and without head.weight the head is `tokens`.
 */
import { dot, mix, softmax } from "./attention.js";
import * as biases from "./bias.js";

/** @typedef {Record<string, {data: ArrayLike<number>, shape: readonly number[]}>} Parameters  as `model.weights()` gives them */

/**
 * @typedef {object} Settings
 * @property {number} heads
 * @property {{scheme: string, [option: string]: any}} position  options as the package names them; for rope also
 *   `frequencies` [R/2] and `attentionFactor`; `layers`: one for each layer
 * @property {number} [temperature]  multiplies the logits of attention, not their bias nor what opens CoPE's gates
 * @property {number[][]} [positions]  [B, T], default 0 .. T-1; a key after its query is at distance 0
 */

/** Rows of a width. @param {ArrayLike<number>} data @param {number} width */
export const matrix = (data, width) => parts(Array.from(data), width);

/** @param {Parameters[string]} tensor */
const rowsOf = ({ data, shape }) => matrix(data, shape[1]);

/** @param {number[]} a @param {ArrayLike<number>} b */
const plus = (a, b) => a.map((x, k) => x + b[k]);

/** The parts of an array, each of a size. @param {number[]} x @param {number} size */
const parts = (x, size) =>
  Array.from({ length: x.length / size }, (_, n) => x.slice(n * size, (n + 1) * size));

/** @param {number} x */
const gelu = (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x)));

/** x -> x W^T + b. @param {Parameters} p @param {string} name */
function linear(p, name) {
  const weight = rowsOf(p[`${name}.weight`] ?? p.tokens);
  const bias = p[`${name}.bias`]?.data;
  return (/** @type {number[]} */ x) =>
    weight.map((row, o) => {
      let sum = bias ? bias[o] : 0;
      for (let k = 0; k < x.length; ++k) sum += row[k] * x[k];
      return sum;
    });
}

/** @param {Parameters} p @param {string} name */
const layerNorm = (p, name) => (/** @type {number[]} */ x) => {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length;
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length;
  const [weight, bias] = [p[`${name}.weight`].data, p[`${name}.bias`].data];
  return x.map((value, k) => ((value - mean) / Math.sqrt(variance + 1e-5)) * weight[k] + bias[k]);
};

/**
 * What is added to the embedding of a token at a position.
 * @param {Parameters} p @param {Settings["position"]} position @param {number} width
 * @returns {(at: number) => ArrayLike<number>}
 */
function absolute(p, { scheme, base = 10000 }, width) {
  if (scheme === "learned") {
    const rows = rowsOf(p.positions);
    return (at) => rows[at];
  }
  if (scheme !== "sinusoidal") return () => new Float64Array(width);
  return (at) =>
    Float64Array.from({ length: width }, (_, k) =>
      (k % 2 === 0 ? Math.sin : Math.cos)(at * base ** (-(k - (k % 2)) / width)),
    );
}

/**
 * What turns a query (sign 1) or a key (sign -1) of width D: its pairs i and i + R/2, or with the layout "interleaved"
 * 2i and 2i + 1.
 * @param {Settings["position"]} position @param {number} D
 * @returns {(row: number[], at: number, sign: 1 | -1) => number[]}
 */
export function rotation({ scheme, base = 10000, fraction = 1, ...given }, D) {
  if (scheme !== "rope" && scheme !== "xpos") return (row) => row;
  const R = 2 * Math.floor((D * fraction) / 2);
  const { scaleBase = 512, gamma = 0.4, attentionFactor = 1, layout = "halves" } = given;
  /** @type {number[]} */
  const thetas =
    given.frequencies ?? Array.from({ length: R / 2 }, (_, i) => base ** ((-2 * i) / R));
  return (row, at, sign) => {
    const out = [...row];
    thetas.forEach((theta, i) => {
      const zeta = ((2 * i) / R + gamma) / (1 + gamma);
      const scale = scheme === "xpos" ? zeta ** ((sign * at) / scaleBase) : attentionFactor;
      const [cos, sin] = [scale * Math.cos(at * theta), scale * Math.sin(at * theta)];
      const [first, second] = layout === "halves" ? [i, i + thetas.length] : [2 * i, 2 * i + 1];
      const [a, b] = [row[first], row[second]];
      out[first] = a * cos - b * sin;
      out[second] = b * cos + a * sin;
    });
    return out;
  };
}

/**
 * What is added to the logit of head h for a query at position q and a key n before it.
 * @param {Parameters} p @param {Settings["position"]} position @param {number} H
 * @returns {(h: number, q: number, n: number) => number}
 */
export function biasOf(p, { scheme, ...given }, H) {
  const list = (/** @type {string} */ name) => Array.from(p[`bias.${name}`].data);
  switch (scheme) {
    case "alibi": {
      const slopes = biases.slopes(H);
      return (h, _, n) => -slopes[h] * n;
    }
    case "t5Bias": {
      const table = rowsOf(p["bias.t5"]);
      const { maxDistance: max_distance } = given;
      const sizes = { num_buckets: table.length, max_distance, bidirectional: false };
      return (h, _, n) => table[biases.t5Bucket(-n, sizes)][h];
    }
    case "kerple": {
      const [a, q] = [list("a").map(Math.abs), list("p").map(Math.abs)];
      return (h, _, n) => biases.kerple[given.kernel](a[h], q[h], n);
    }
    case "sandwich":
      return (h, _, n) => biases.sandwich(n, given.dim ?? 128, h + 1, H, given.base);
    case "fire": {
      const [w1, b1, b2] = [list("w1"), list("b1"), list("b2")];
      const network = { w1, b1, w2: rowsOf(p["bias.w2"]), b2 };
      const { c = 0.1, threshold = 512 } = given;
      return (h, q, n) => biases.fire(network, q, q - n, c, threshold)[h];
    }
  }
  return () => 0;
}

/**
 * The attention weights of a head, [T, T].
 * @param {Parameters} p @param {Settings["position"]} position @param {number[][]} q  turned, as the keys are
 * @param {number[][]} k @param {number[]} at  positions @param {number} temperature
 * @param {(q: number, n: number) => number} bias
 */
export function weightsOf(p, { scheme, maxDistance }, q, k, at, temperature, bias) {
  const scale = 1 / Math.sqrt(q[0].length);
  const shaw = scheme === "shaw" ? rowsOf(p["bias.keys"]) : undefined;
  const cope = scheme === "cope" ? rowsOf(p["bias.positions"]) : undefined;
  return q.map((query, i) => {
    const logits = k.map((key) => scale * dot(query, key));
    const counts = cope?.map((row) => dot(query, row));
    const counted = counts && biases.cope(logits, counts, i);
    return softmax(
      logits.map((logit, j) => {
        if (j > i) return -Infinity;
        const n = Math.max(at[i] - at[j], 0);
        const relative = shaw ? scale * dot(query, shaw[Math.min(n, maxDistance)]) : 0;
        return (logit + relative) * temperature + (counted ? counted[j] : bias(at[i], n));
      }),
    );
  });
}

/**
 * Logits [B, T, V] and attention weights [L, B, H, T, T] of ids [B, T].
 * @param {Parameters} p @param {ArrayLike<number>[]} ids @param {Settings} settings
 */
export function decoder(p, ids, { heads: H, position, temperature = 1, positions }) {
  const tokens = rowsOf(p.tokens);
  const D = tokens[0].length / H;
  const added = absolute(p, position, D * H);
  const places = ids.map((row, b) => positions?.[b] ?? Array.from(row, (_, t) => t));
  let x = ids.map((row, b) => Array.from(row, (id, t) => plus(tokens[id], added(places[b][t]))));
  /** @type {number[][][][][]} */
  const attention = [];
  for (let l = 0; p[`layers.${l}.norm1.weight`]; ++l) {
    const own = position.layers?.[l] ?? position;
    const [norm1, norm2] = [1, 2].map((n) => layerNorm(p, `layers.${l}.norm${n}`));
    const names = ["attention.in_proj", "attention.out_proj", "mlp.in", "mlp.out"];
    const [into, out, up, down] = names.map((name) => linear(p, `layers.${l}.${name}`));
    const turn = rotation(own, D);
    const bias = biasOf(p, own, H);
    const shown = x.map((text, b) => {
      const at = places[b];
      const rows = text.map((row) => parts(into(norm1(row)), D)); // [T, 3 H, D]
      const heads = Array.from({ length: H }, (_, h) => {
        const q = rows.map((row, t) => turn(row[h], at[t], 1));
        const k = rows.map((row, t) => turn(row[H + h], at[t], -1));
        const weights = weightsOf(p, own, q, k, at, temperature, (q, n) => bias(h, q, n));
        const v = rows.map((row) => row[2 * H + h]);
        return { weights, values: mix(weights, v) };
      });
      const seen = text.map((row, t) => plus(row, out(heads.flatMap(({ values }) => values[t]))));
      return {
        weights: heads.map(({ weights }) => weights),
        text: seen.map((row) => plus(row, down(up(norm2(row)).map(gelu)))),
      };
    });
    attention.push(shown.map(({ weights }) => weights));
    x = shown.map(({ text }) => text);
  }
  const [norm, head] = [layerNorm(p, "norm"), linear(p, "head")];
  return { logits: x.map((text) => text.map((row) => head(norm(row)))), attention };
}

/**
 * The mean of -log softmax(logits)[target] over targets that are not -1.
 * @param {number[][][]} logits @param {ArrayLike<number>[]} targets
 */
export function crossEntropy(logits, targets) {
  const losses = logits.flatMap((text, b) =>
    text.flatMap((row, t) => {
      const target = targets[b][t];
      if (target === -1) return [];
      const top = Math.max(...row);
      return top + Math.log(row.reduce((sum, x) => sum + Math.exp(x - top), 0)) - row[target];
    }),
  );
  return losses.reduce((sum, loss) => sum + loss, 0) / losses.length;
}

/**
 * The gradient of a loss, one entry at a time: (f(x + h) - f(x - h)) / 2h.
 * @param {Parameters} parameters @param {(parameters: Parameters) => number} loss
 * @param {{share?: (name: string, size: number) => number[]}} [options]  share: the entries of each parameter,
 *   default all
 * @returns {Record<string, Map<number, number>>} by entry
 */
export function centralDifferences(
  parameters,
  loss,
  { share = (_, size) => Array.from({ length: size }, (_, k) => k) } = {},
) {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, { data, shape }]) => {
      const moved = Float64Array.from(data);
      const lossAt = (/** @type {number} */ k, /** @type {number} */ value) => {
        moved[k] = value;
        return loss({ ...parameters, [name]: { data: moved, shape } });
      };
      const step = 1e-5;
      const found = share(name, data.length).map((k) => {
        const difference = lossAt(k, data[k] + step) - lossAt(k, data[k] - step);
        moved[k] = data[k];
        return /** @type {const} */ ([k, difference / (2 * step)]);
      });
      return [name, new Map(found)];
    }),
  );
}
