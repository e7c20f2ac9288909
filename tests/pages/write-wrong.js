/**
 * Programs with a common mistake: for each of a task's mistakes, in their order, changes of the solution's text,
 * or a whole program.
 *
 * @type {Record<string, readonly (string | readonly (readonly [from: string, to: string])[])[]>}
 */
export const WRONG = {
  "one-hot": [
    [["vector[id] = 1", "if (id > 0) vector[id - 1] = 1"]],
    `const oneHot = (ids, size) =>
      Array.from({ length: size }, (_, i) => ids.map((id) => (id === i ? 1 : 0)));`,
    [
      [
        "return ids.map((id) => {\n    const vector = new Array(size).fill(0);",
        "const vector = new Array(size).fill(0);\n  return ids.map((id) => {",
      ],
    ],
    `function oneHot(ids, size) {
      const vector = new Array(size).fill(0);
      for (const id of ids) vector[id] = 1;
      return vector;
    }`,
  ],
  lookup: [
    "const lookup = (ids, table) => ids.map((_, t) => table[t]);",
    "const lookup = (ids, table) => table.filter((_, id) => ids.includes(id));",
    "const lookup = (ids, table) => Array.from(new Set(ids), (id) => table[id]);",
    "const lookup = (ids, table) => table[0].map((_, d) => ids.map((id) => table[id][d]));",
  ],
  cosine: [
    [["return dot / (Math.sqrt(aa) * Math.sqrt(bb))", "return dot"]],
    [["Math.sqrt(aa) * Math.sqrt(bb)", "aa * bb"]],
    [["return dot", "return 1 - dot"]],
    [
      [
        "return dot / (Math.sqrt(aa) * Math.sqrt(bb))",
        "return Math.acos(dot / Math.sqrt(aa * bb))",
      ],
    ],
    [["(Math.sqrt(aa) * Math.sqrt(bb))", "Math.sqrt(aa)"]],
    "const cosine = (a, b) => Math.hypot(...a.map((x, d) => x - b[d]));",
    [["Math.sqrt(aa) * Math.sqrt(bb)", "Math.sqrt(aa) + Math.sqrt(bb)"]],
  ],
  "sinusoid-row": [
    [["Math.sin(angle), Math.cos(angle)", "Math.cos(angle), Math.sin(angle)"]],
    [["-2 * i", "-i"]],
    [["Math.cos(angle)", "Math.cos(position * 10000 ** ((-2 * i - 1) / dim))"]],
    [["position * 10000", "(position * Math.PI) / 180 * 10000"]],
    `function sinusoidRow(position, dim) {
      const angles = Array.from({ length: dim / 2 }, (_, i) => position / 10000 ** (2 * i / dim));
      return [...angles.map(Math.sin), ...angles.map(Math.cos)];
    }`,
    [["position * 10000", "(position + 1) * 10000"]],
    `function sinusoidRow(position, dim) {
      const angle = (d) => position * 10000 ** ((-2 * d) / dim);
      return Array.from({ length: dim }, (_, d) => (d % 2 ? Math.cos(angle(d)) : Math.sin(angle(d))));
    }`,
    [["-2 * i", "2 * i"]],
  ],
  "sinusoid-table": [
    [["Math.sin(angle), Math.cos(angle)", "Math.cos(angle), Math.sin(angle)"]],
    [["-2 * i", "-i"]],
    [["Math.cos(angle)", "Math.cos(t * base ** ((-2 * i - 1) / dim))"]],
    [["t * base", "(t * Math.PI) / 180 * base"]],
    `function sinusoidTable(length, dim, base) {
      return Array.from({ length }, (_, t) => {
        const angles = Array.from({ length: dim / 2 }, (_, i) => t / base ** (2 * i / dim));
        return [...angles.map(Math.sin), ...angles.map(Math.cos)];
      });
    }`,
    [["t * base", "(t + 1) * base"]],
    `function sinusoidTable(length, dim, base) {
      const angle = (t, d) => t * base ** ((-2 * d) / dim);
      const at = (t, d) => (d % 2 ? Math.cos(angle(t, d)) : Math.sin(angle(t, d)));
      return Array.from({ length }, (_, t) => Array.from({ length: dim }, (_, d) => at(t, d)));
    }`,
    [["-2 * i", "2 * i"]],
    [["return table", "return table[0].map((_, d) => table.map((row) => row[d]))"]],
    [["base **", "10000 **"]],
  ],
  "shift-matrix": [
    [
      ["matrix[s][c] = Math.sin", "matrix[s][c] = -Math.sin"],
      ["matrix[c][s] = -Math.sin", "matrix[c][s] = Math.sin"],
    ],
    [["-2 * i", "-i"]],
    [["k * 10000 ** ((-2 * i) / dim)", "k"]],
    [["= -Math.sin", "= Math.sin"]],
    [["k * 10000", "(k * Math.PI) / 180 * 10000"]],
    [["[2 * i, 2 * i + 1]", "[i, i + dim / 2]"]],
  ],
  "rotate-half": [
    "const rotateHalf = (x) => [...x.slice(x.length / 2), ...x.slice(0, x.length / 2).map((v) => -v)];",
    [[".map((value) => -value)", ""]],
    `function rotateHalf(x) {
      const rotated = [];
      for (let i = 0; i < x.length; i += 2) rotated.push(-x[i + 1], x[i]);
      return rotated;
    }`,
    [
      ["return [", "return [0, "],
      [
        ", ...x.slice(0, half)]",
        ", ...x.slice(0, half)].slice(1).map((v, d) => (d < half ? v : -v))",
      ],
    ],
  ],
  rope: [
    [
      ["* cos - x[i + half]", "* cos + x[i + half]"],
      ["x[i] * sin + ", "-x[i] * sin + "],
    ],
    [
      [
        "rotated[i] = x[i] * cos - x[i + half] * sin",
        "rotated[2 * i] = x[2 * i] * cos - x[2 * i + 1] * sin",
      ],
      [
        "rotated[i + half] = x[i] * sin + x[i + half] * cos",
        "rotated[2 * i + 1] = x[2 * i] * sin + x[2 * i + 1] * cos",
      ],
    ],
    [["-2 * i", "-i"]],
    [["position * 10000", "(position * Math.PI) / 180 * 10000"]],
    [["position * 10000", "(position + 1) * 10000"]],
    [["* cos - x[i + half]", "* cos + x[i + half]"]],
    [["= x[i] * sin", "= rotated[i] * sin"]],
    [["/ x.length)", "/ half)"]],
    [["position * 10000", "10000"]],
  ],
  alibi: [
    [["j > i ? -Infinity : ", ""]],
    [["j > i ? -Infinity : -slope * (i - j)", "-slope * Math.abs(i - j)"]],
    [["-Infinity", "0"]],
    [["(h + 1)", "h"]],
    [["2 ** ((-8 * (h + 1)) / heads)", "1 / (h + 1)"]],
    [["2 ** ((-8 * (h + 1)) / heads)", "2 ** -(h + 1)"]],
    [["-slope", "slope"]],
    [["j > i ? -Infinity : -slope * (i - j)", "i > j ? -Infinity : -slope * (j - i)"]],
    [["-Infinity", "-1e9"]],
    [["-slope * (i - j)", "slope * j"]],
    [["(h + 1)", "(heads - h)"]],
  ],
  "t5-bucket": [
    [["relative > 0 ? 16 : 0", "0"]],
    `function bucket(relative) {
      const n = Math.max(-relative, 0);
      if (n < 16) return n;
      return Math.min(16 + Math.floor((Math.log(n / 16) / Math.log(128 / 16)) * 16), 31);
    }`,
    [["relative > 0", "relative < 0"]],
    [["8 + wide", "n"]],
    [["Math.floor", "Math.round"]],
    [["Math.min(8 + wide, 15)", "8 + wide"]],
    [["relative > 0", "relative >= 0"]],
    [["8 + wide", "wide"]],
  ],
  "layer-norm": [
    [
      [
        "average(x.map((value) => (value - mean) ** 2))",
        "x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (x.length - 1)",
      ],
    ],
    [["Math.sqrt(variance + eps)", "Math.sqrt(variance) + eps"]],
    [["variance + eps", "variance"]],
    [["Math.sqrt(variance + eps)", "variance + eps"]],
    [[" * gain[d] + bias[d]", ""]],
    [
      [
        "((value - mean) / divisor) * gain[d] + bias[d]",
        "((value - mean) / divisor + bias[d]) * gain[d]",
      ],
    ],
    [["const mean = average(x)", "const mean = 0"]],
  ],
  "token-and-position": [
    [["scale * value", "value"]],
    [["scale * value + positions[t][d]", "scale * (value + positions[t][d])"]],
    [["Math.sqrt(table[0].length)", "table[0].length"]],
    [["scale * value", "value / scale"]],
    [["positions[t]", "positions[id]"]],
    [["positions[t]", "positions[t + 1]"]],
    [[" + positions[t][d]", ""]],
    [["table[0].length", "table.length"]],
    [["table[0].length", "ids.length"]],
    [["scale * value + positions[t][d]", "value + scale * positions[t][d]"]],
  ],
  "gpt2-input": [
    [["past + t", "t"]],
    [
      ["ids.map((sequence)", "ids.map((sequence, b)"],
      ["wpe[past + t]", "wpe[(past + b * sequence.length + t) % wpe.length]"],
    ],
    [["wpe[past + t]", "wpe[(past + id) % wpe.length]"]],
    [["value + wpe", "value * Math.sqrt(wte[0].length) + wpe"]],
    [["ids.map((sequence)", "ids.flatMap((sequence)"]],
    [["value + wpe[past + t][d]", "(value + wpe[past + t][d]) / 2"]],
    [
      [
        "wte[id].map((value, d) => value + wpe[past + t][d])",
        `((x) => {
        const mean = x.reduce((sum, v) => sum + v, 0) / x.length;
        const variance = x.reduce((sum, v) => sum + (v - mean) ** 2, 0) / x.length;
        return x.map((v) => (v - mean) / Math.sqrt(variance + 1e-5));
      })(wte[id].map((value, d) => value + wpe[past + t][d]))`,
      ],
    ],
  ],
  "softmax-gradient": [
    [["dp[j] - sum", "dp[j]"]],
    [["dp[k] * weight", "dp[k]"]],
    `function softmaxGradient(weights, gradient) {
      let sum = 0;
      weights.forEach((p, i) => p.forEach((weight, j) => (sum += weight * gradient[i][j])));
      return weights.map((p, i) => p.map((weight, j) => weight * (gradient[i][j] - sum)));
    }`,
    [["weight * (dp[j] - sum)", "weight * dp[j] - sum"]],
    [["weight * (dp[j] - sum)", "weight * (1 - weight) * dp[j]"]],
    [["dp[j] - sum", "sum - dp[j]"]],
    [["weight * (dp[j] - sum)", "dp[j] - sum"]],
  ],
  "rotation-gradient": [
    [["-position", "position"]],
    [
      ["factor * Math.cos", "Math.cos"],
      ["factor * Math.sin", "Math.sin"],
    ],
    [["factor * Math.cos(angle), factor * Math.sin(angle)", "Math.cos(angle) / factor, Math.sin(angle) / factor"]], // prettier-ignore
    [
      [
        "result[i] = gradient[i] * cos - gradient[i + half] * sin",
        "result[2 * i] = gradient[2 * i] * cos - gradient[2 * i + 1] * sin",
      ],
      [
        "result[i + half] = gradient[i] * sin + gradient[i + half] * cos",
        "result[2 * i + 1] = gradient[2 * i] * sin + gradient[2 * i + 1] * cos",
      ],
    ],
    [["-2 * i", "-i"]],
    [
      ["-position", "-factor * position"],
      ["factor * Math.cos", "Math.cos"],
      ["factor * Math.sin", "Math.sin"],
    ],
    [["= gradient[i] * sin", "= result[i] * sin"]],
  ],
  adamw: [
    [
      ["const g = gradient[i]", "const g = gradient[i] + decay * w[i]"],
      ["w[i] * (1 - rate * decay)", "w[i]"],
    ],
    [
      [" / (1 - 0.9 ** n)", ""],
      [" / (1 - 0.99 ** n)", ""],
    ],
    [[" / (1 - 0.99 ** n)", ""]],
    [["const n = step + 1", "const n = 1"]],
    [["1 - rate * decay", "1 - decay"]],
    [["w[i] * (1 - rate * decay)", "w[i]"]],
    [
      [
        "w[i] * (1 - rate * decay) - (rate * mean) / (Math.sqrt(square) + 1e-8)",
        "(w[i] - (rate * mean) / (Math.sqrt(square) + 1e-8)) * (1 - rate * decay)",
      ],
    ],
    [[" - (rate * mean)", " + (rate * mean)"]],
    [["Math.sqrt(square) + 1e-8", "Math.sqrt(square + 1e-8)"]],
    [["Math.sqrt(square)", "square"]],
    `function adamW(weights, gradients, rate, decay) {
      const w = [...weights];
      for (const gradient of gradients) {
        gradient.forEach((g, i) => {
          const [m, v] = [0.1 * g, 0.01 * g * g];
          w[i] -= rate * decay * w[i] + (rate * m) / 0.1 / (Math.sqrt(v / 0.01) + 1e-8);
        });
      }
      return w;
    }`,
    `function adamW(weights, gradients, rate, decay) {
      const [w, m, v] = [[...weights], weights.map(() => 0), weights.map(() => 0)];
      gradients.forEach((gradient, step) => {
        gradient.forEach((g, i) => {
          m[i] = 0.99 * m[i] + 0.01 * g;
          v[i] = 0.9 * v[i] + 0.1 * g * g;
          const [mean, square] = [m[i] / (1 - 0.99 ** (step + 1)), v[i] / (1 - 0.9 ** (step + 1))];
          w[i] -= rate * decay * w[i] + (rate * mean) / (Math.sqrt(square) + 1e-8);
        });
      });
      return w;
    }`,
  ],
};
