import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { models } from "phasor/models";
import { assertRefused, battery, declaredBattery } from "../battery.js";
import { cases } from "../../truth/golden.js";
import { phasor, Tensor } from "../../phasor.js";
import * as reference from "../reference/attention.js";
import { alibi } from "../reference/bias.js";
import { noise, numbers } from "../reference/samples.js";
import { optionsOf } from "./golden.js";
import { random } from "../tensors.js";

/** @import { Stored } from "../../truth/golden.js" */

const { attention, rope, sinusoidal } = phasor;

/** Of a weight, relative: two float32 roundings (guide Accuracy, #softmax). */
const SOFTMAX = 1.2e-7;

/** Of a logit, in units of the largest product or logit: the product's rounding and the bias's. */
const LOGIT = 2 * 2 ** -24;

/** The error of a sum of D products in float32, in units of the sum of their magnitudes. @param {number} D */
const summed = (D) => (D < 32 ? 0 : ((D < 64 ? 4 : D < 128 ? 16 : 32) / 2 + 2) * 2 ** -24);

const SUMS = /** @type {const} */ (["float32", "float64"]);

/** Of a rotated row, in units of its length (guide Accuracy, #rotation). */
const TURN = 1.7e-7;

/** The rounding of a stored value. */
const STORED = 2 ** -24;

/** @param {Stored} stored @returns {any} nested arrays of numbers */
const nested = ({ data, shape }) =>
  new Tensor(Float32Array.from(numbers({ data })), shape).toArray();

/** @param {ArrayLike<number>} x */
const norm = (x) => Math.sqrt(reference.dot(x, x));

/** Models that turn the last columns of a head, and that turn by minus the angle. */
const TURNED = [
  "deepseek-v4-flash",
  { model_type: "nanochat", hidden_size: 64, num_attention_heads: 4, num_hidden_layers: 2 },
];

describe("attention.scaledDotProduct against PyTorch", () => {
  for (const [{ id, params, inputs, outputs, metrics }, accumulate] of cases(
    "attention",
    14,
  ).flatMap((given) => SUMS.map((sums) => /** @type {const} */ ([given, sums])))) {
    test(`attention.scaledDotProduct equals ${id} with sums in ${accumulate}, weights and output`, () => {
      const { q, k, v } = inputs;
      const given = { ...optionsOf(rope, params, inputs), accumulate };
      const { output, weights } = attention.scaledDotProduct({ q, k, v }, given);
      assert.deepEqual(weights.shape, outputs.weights.shape);
      assert.deepEqual(output.shape, outputs.out.shape);

      const [B, H, Tq] = q.shape;
      const [, Hk, Tk, D] = k.shape;
      const rows = { q: nested(q), k: nested(k), v: nested(v) };
      const [ofProducts, ofValues] = accumulate === "float32" ? [summed(D), summed(Tk)] : [0, 0];
      for (let b = 0; b < B; ++b) {
        for (let h = 0; h < H; ++h) {
          const kh = Math.floor(h / (H / Hk));
          const added = given.bias?.[h]?.flat() ?? [0];
          const lengths = [rows.q[b][h], rows.k[b][kh]].map((m) => Math.max(...m.map(norm)));
          const product = given.scale * lengths[0] * lengths[1];
          // Twice, for a weight's own logit and those of the sum it is divided by.
          const logits = product + Math.max(...added.map(Math.abs));
          const turning = given.rope ? 2 * TURN * product : 0;
          const relative = SOFTMAX + 2 * (LOGIT * logits + ofProducts * product + turning) + STORED;
          for (let i = 0; i < Tq; ++i) {
            const want = outputs.weights_f64.data.slice(
              ((b * H + h) * Tq + i) * Tk,
              ((b * H + h) * Tq + i + 1) * Tk,
            );
            const got = weights.row(b).row(h).row(i).data;
            want.forEach((/** @type {any} */ w, /** @type {number} */ j) => {
              assert.ok(Math.abs(Number(got[j]) - w) <= relative * w, `weight ${i}, ${j}`);
            });
            const V = v.shape[3];
            for (let d = 0; d < V; ++d) {
              const at = ((b * H + h) * Tq + i) * V + d;
              const spread = rows.v[b][kh].reduce(
                (
                  /** @type {number} */ sum,
                  /** @type {number[]} */ value,
                  /** @type {number} */ j,
                ) => sum + Number(want[j]) * Math.abs(value[d]),
                0,
              );
              const error = Math.abs(Number(output.data[at]) - Number(outputs.out_f64.data[at]));
              assert.ok(error <= (relative + ofValues + 2 * STORED) * spread, `output ${i}, ${d}`);
            }
          }
          assert.equal(D, q.shape[3]);
        }
      }
      // PyTorch's own float32 result is off by what `metrics` states, of four digits: we by no more.
      for (const [got, want, most] of /** @type {const} */ ([
        [output, outputs.out_f64, metrics.out_max_abs_err_vs_float64],
        [weights, outputs.weights_f64, metrics.weights_max_abs_err_vs_float64],
      ])) {
        numbers(got).forEach((x, at) => {
          assert.ok(Math.abs(x - Number(want.data[at])) <= 1.0005 * most, `${at}`);
        });
      }
    });
  }
});

/**
 * How far float32 results of PyTorch 2.15 on a CPU with AVX-512 or AVX2 are from the exact ones for the inputs below, at
 * most: shape [H, T, N, D, V], output (the nearer one of matmul and softmax, and of scaled_dot_product_attention), weights.
 * @type {[number[], number, number][]}
 */
const TORCH = [
  [[2, 8, 8, 8, 8], 2.365e-7, 8.492e-8],
  [[4, 10, 10, 16, 16], 3.402e-7, 1.531e-7],
  [[2, 12, 12, 32, 32], 3.931e-7, 1.625e-7],
  [[2, 32, 32, 32, 32], 6.193e-7, 2.314e-7],
  [[2, 16, 48, 48, 48], 7.554e-7, 3.26e-7],
  [[2, 16, 16, 64, 64], 5.944e-7, 2.05e-7],
  [[2, 64, 64, 64, 64], 8.738e-7, 2.903e-7],
  [[1, 64, 256, 64, 64], 5.621e-7, 2.478e-7],
  [[2, 20, 20, 128, 128], 1.109e-6, 3.862e-7],
  [[1, 16, 300, 32, 32], 2.603e-7, 1.146e-7],
];

test("attention.scaledDotProduct is no farther from the exact result than PyTorch, on random data", () => {
  for (const [[H, T, N, D, V], ofOutput, ofWeights] of TORCH) {
    for (let turn = 0; turn < 4; ++turn) {
      const [q, k, v] = [
        [H, T, D],
        [H, N, D],
        [H, N, V],
      ].map((shape, i) => {
        const data = noise(shape[0] * shape[1] * shape[2], 1000 * D + 10 * turn + i + N);
        return new Tensor(
          data.map((x) => 2 * x),
          shape,
        );
      });
      const { output, weights } = attention.scaledDotProduct({ q, k, v });
      for (let h = 0; h < H; ++h) {
        const [rows, keys, values] = [q, k, v].map((heads) => heads.row(h).toArray());
        const shares = reference.scores(rows, keys, { scale: D ** -0.5 }).map(reference.softmax);
        const off = (/** @type {Tensor} */ got, /** @type {number[][]} */ exact) =>
          Math.max(...exact.flat().map((x, at) => Math.abs(x - got.data[at])));
        const where = `${[H, T, N, D, V]}, ${turn}`;
        assert.ok(off(weights.row(h), shares) <= ofWeights, `weights of ${where}`);
        assert.ok(off(output.row(h), reference.mix(shares, values)) <= ofOutput, where);
      }
    }
  }
});

describe("attention.multiHead against PyTorch", () => {
  for (const { id, params, inputs, outputs } of cases("multihead_attention", 1)) {
    const { x, in_proj_weight, in_proj_bias, out_proj_weight, out_proj_bias } = inputs;
    const options = /** @type {const} */ ({
      heads: params.num_heads,
      inProjection: in_proj_weight,
      inBias: in_proj_bias,
      outProjection: out_proj_weight,
      outBias: out_proj_bias,
      causal: params.causal,
    });

    test(`attention.multiHead equals ${id}, the weights of every head and the output`, () => {
      // PyTorch sums in float32: some roundings, of numbers as large as the largest of the result. So do we.
      for (const [accumulate, roundings] of /** @type {const} */ ([
        ["float64", 4],
        ["float32", 8],
      ])) {
        const { output, weights } = attention.multiHead(x, { ...options, accumulate });
        assert.deepEqual(output.shape, outputs.out.shape);
        assert.deepEqual(weights.shape, outputs.weights.shape);
        for (const [got, want] of [
          [output, outputs.out],
          [weights, outputs.weights],
        ]) {
          const largest = Math.max(...numbers(want).map(Math.abs));
          numbers(got).forEach((value, at) => {
            const difference = Math.abs(value - Number(want.data[at]));
            assert.ok(difference <= roundings * 2 ** -24 * largest);
          });
        }
      }
    });

    test("attention.multiHead projects, attends and projects", () => {
      const [B, T, E] = x.shape;
      const H = params.num_heads;
      const projected = attention.linear(x, in_proj_weight, { bias: in_proj_bias });
      const heads = [0, 1, 2].map((part) => {
        const data = new Float32Array(B * T * E);
        each([B, H, T, E / H], ([b, h, t, d], at) => {
          data[at] = projected.at(b, t, part * E + h * (E / H) + d);
        });
        return new Tensor(data, [B, H, T, E / H]);
      });
      const [q, k, v] = heads;
      const { output, weights } = attention.scaledDotProduct({ q, k, v }, { causal: true });
      const merged = new Float32Array(B * T * E);
      each([B, T, H, E / H], ([b, t, h, d], at) => (merged[at] = output.at(b, h, t, d)));
      const want = attention.linear(new Tensor(merged, [B, T, E]), out_proj_weight, {
        bias: out_proj_bias,
      });
      const got = attention.multiHead(x, options);
      assert.deepEqual(got.output, want);
      assert.deepEqual(got.weights, weights);
    });

    test("attention.multiHead accepts one text without its batch axis", () => {
      const [, T, E] = x.shape;
      const first = { data: x.data.slice(0, T * E), shape: [T, E] };
      const got = attention.multiHead(/** @type {any} */ (first), options);
      const whole = attention.multiHead(x, options);
      assert.deepEqual(got.output, whole.output.row(0));
      assert.deepEqual(got.weights, whole.weights.row(0));
    });
  }
});

describe("attention.scaledDotProduct and the order of tokens", () => {
  /** @param {Tensor} x @param {number[]} order */
  const permuted = (x, order) => new Tensor(gather(x, order), x.shape);

  for (const { id, params, inputs, outputs } of cases("permutation_equivariance", 1)) {
    test(`attention.scaledDotProduct is permutation-equivariant only without positions: ${id}`, () => {
      const order = numbers(inputs.perm);
      const x = tensor(inputs.x);
      const positions = sinusoidal.table(x.shape[0], params.d_model, { base: params.base });
      const [wq, wk, wv] = [inputs.wq, inputs.wk, inputs.wv].map((w) => transposed(tensor(w)));
      const out = (/** @type {Tensor} */ tokens) => {
        const [q, k, v] = [wq, wk, wv].map((w) => attention.linear(tokens, w));
        return attention.scaledDotProduct({ q, k, v }, { scale: params.scale }).output;
      };
      const plus = (/** @type {Tensor} */ tokens) =>
        new Tensor(
          tokens.data.map((token, at) => token + positions.data[at]),
          tokens.shape,
        );
      const got = {
        out: out(x),
        out_perm: out(permuted(x, order)),
        out_pe: out(plus(x)),
        out_perm_pe: out(plus(permuted(x, order))),
      };
      for (const [name, { data }] of Object.entries(got)) {
        data.forEach((value, at) => {
          // float32 sums of 12 products, in three steps
          assert.ok(Math.abs(value - Number(outputs[name].data[at])) <= 2e-6, `${name} ${at}`);
        });
      }
      assert.ok(distance(got.out_perm, permuted(got.out, order)) <= 1e-6);
      assert.ok(distance(got.out_perm_pe, permuted(got.out_pe, order)) > 0.1);
    });
  }

  test("attention.scaledDotProduct ignores the order of tokens until positions are added", () => {
    const [T, D] = [9, 8];
    const order = [4, 0, 8, 1, 7, 3, 2, 6, 5];
    const x = random([T, D], 3);
    const plain = (/** @type {Tensor} */ q, options = {}) =>
      attention.scaledDotProduct({ q, k: q, v: q }, options).output;
    // The sums run in another order: a rounding of the last bit each.
    assert.ok(distance(plain(permuted(x, order)), permuted(plain(x), order)) <= 2e-7);

    const table = sinusoidal.table(T, D);
    const add = (/** @type {Tensor} */ q) =>
      new Tensor(
        q.data.map((value, at) => value + table.data[at]),
        q.shape,
      );
    assert.ok(distance(plain(add(permuted(x, order))), permuted(plain(add(x)), order)) > 0.01);

    for (const scheme of [{ rope: rope.table(T, D) }, { bias: alibi(1, T, T) }]) {
      const turned = plain(permuted(x, order), scheme);
      assert.ok(distance(turned, permuted(plain(x, scheme), order)) > 1e-3);
    }
    const masked = plain(permuted(x, order), { causal: true });
    assert.ok(distance(masked, permuted(plain(x, { causal: true }), order)) > 0.01);
  });

  test("attention.scaledDotProduct with rope depends on distances only: shifting all positions changes nothing", () => {
    const [q, k, v] = [5, 6, 7].map((seed) => random([2, 6, 16], seed));
    const at = (/** @type {number} */ offset) =>
      attention.scaledDotProduct({ q, k, v }, { rope: rope.table(6, 16, { offset }) });
    // logits of rotated vectors, 1e-6 |q| |k| / sqrt(D) with lengths up to 4, and a softmax of them
    assert.ok(distance(at(0).weights, at(1000).weights) <= 1e-5);
    assert.ok(distance(at(0).weights, attention.scaledDotProduct({ q, k, v }).weights) > 0.01);
  });
});

describe("attention.scaledDotProduct", () => {
  const [B, H, Hk, Tq, Tk, D, V] = [2, 6, 3, 5, 8, 7, 9];
  const q = random([B, H, Tq, D], 11);
  const k = random([B, Hk, Tk, D], 12);
  const v = random([B, Hk, Tk, V], 13);

  /** @param {any} options @param {Parameters<typeof reference.scores>[2]} want */
  function compare(options, want, scale = 1 / Math.sqrt(D)) {
    const { output, weights } = attention.scaledDotProduct({ q, k, v }, options);
    const logits = attention.scores(q, k, options);
    for (let b = 0; b < B; ++b) {
      for (let h = 0; h < H; ++h) {
        const kh = Math.floor(h / (H / Hk));
        const [keys, values] = [k, v].map((x) => x.row(b).row(kh).toArray());
        const exact = reference.scores(q.row(b).row(h).toArray(), keys, { scale, ...want });
        const shares = exact.map(reference.softmax);
        const mixed = reference.mix(shares, values);
        logits
          .row(b)
          .row(h)
          .toArray()
          .flat()
          .forEach((/** @type {number} */ logit, /** @type {number} */ at) => {
            const exactly = exact.flat()[at];
            if (exactly === -Infinity) assert.equal(logit, -Infinity);
            // a cap rounds three times, products and biases here are below 8
            else assert.ok(Math.abs(logit - exactly) <= 8 * 5 * STORED, `${logit} ${exactly}`);
          });
        // The logits' error, twice, and the softmax's own.
        const relative = SOFTMAX + 2 * 8 * 5 * STORED;
        near(weights.row(b).row(h), shares.flat(), relative);
        near(output.row(b).row(h), mixed.flat(), relative * 2); // values are within 1
      }
    }
  }

  test("attention.scaledDotProduct equals its formula, with every option", () => {
    const bias = random([H, Tq, Tk], 14);
    /** @param {number} i @param {number} j */
    const causal = (i, j) => j <= i + Tk - Tq;
    compare({}, {});
    compare({ scale: 2.5 }, {}, 2.5);
    compare({ causal: true }, { sees: causal });
    compare({ softcap: 0.5 }, { softcap: 0.5 });
    compare({ bias: bias.row(0) }, { bias: (i, j) => bias.at(0, i, j) });
    compare(
      { bias: bias.row(1), causal: true, softcap: 2 },
      { bias: (i, j) => bias.at(1, i, j), sees: causal, softcap: 2 },
    );
    const keyMask = [1, 0, 1, 1, 0, 1, 1, 0];
    compare({ keyMask }, { sees: (_, j) => keyMask[j] === 1 });
    compare({ keyMask, causal: true }, { sees: (i, j) => keyMask[j] === 1 && causal(i, j) });
  });

  test("attention.scaledDotProduct repeats a bias along the axes it lacks", () => {
    const full = random([B, H, Tq, Tk], 15);
    const shapes = [
      [],
      [1],
      [Tk],
      [1, Tk],
      [Tq, 1],
      [Tq, Tk],
      [H, 1, Tk],
      [H, Tq, 1],
      [1, Tq, Tk],
      [H, Tq, Tk],
      [B, 1, 1, Tk],
      [B, 1, Tq, Tk],
      [1, H, 1, 1],
      [B, H, Tq, Tk],
    ];
    for (const shape of shapes) {
      const sizes = [...[1, 1, 1, 1].slice(shape.length), ...shape];
      const part = (/** @type {number[]} */ at) =>
        full.at(...at.map((index, axis) => (sizes[axis] === 1 ? 0 : index)));
      const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
      each(sizes, (at, to) => (data[to] = part(at)));
      const spread = new Float32Array(full.size);
      each([...full.shape], (at, to) => (spread[to] = part(at)));
      const want = attention.scaledDotProduct(
        { q, k, v },
        { bias: new Tensor(spread, full.shape) },
      );
      const got = attention.scaledDotProduct({ q, k, v }, { bias: { data, shape } });
      assert.deepEqual(got, want, `[${shape}]`);
    }
  });

  test("attention.scaledDotProduct uses the key head of each query head's group", () => {
    const spread = (/** @type {Tensor} */ x) => {
      const data = new Float32Array(B * H * Tk * x.shape[3]);
      each([B, H, Tk, x.shape[3]], ([b, h, t, d], at) => {
        data[at] = x.at(b, Math.floor(h / (H / Hk)), t, d);
      });
      return new Tensor(data, [B, H, Tk, x.shape[3]]);
    };
    const want = attention.scaledDotProduct({ q, k: spread(k), v: spread(v) });
    assert.deepEqual(attention.scaledDotProduct({ q, k, v }), want);
  });

  test("attention.scaledDotProduct accepts one text, and one head, without their axes", () => {
    const whole = attention.scaledDotProduct({ q, k, v });
    const one = attention.scaledDotProduct({ q: q.row(1), k: k.row(1), v: v.row(1) });
    assert.deepEqual(one, { output: whole.output.row(1), weights: whole.weights.row(1) });
    const head = attention.scaledDotProduct({
      q: q.row(1).row(5),
      k: k.row(1).row(2),
      v: v.row(1).row(2),
    });
    assert.deepEqual(head, { output: one.output.row(5), weights: one.weights.row(5) });
    assert.deepEqual(attention.scores(q.row(0), k.row(0)), attention.scores(q, k).row(0));
  });

  test("attention.scaledDotProduct masks the keys of each text by its own row of keyMask", () => {
    const keyMask = [
      [1, 1, 1, 0, 0, 0, 0, 0],
      [0, 1, 1, 1, 1, 1, 1, 1],
    ];
    const { output, weights } = attention.scaledDotProduct({ q, k, v }, { keyMask });
    for (const b of [0, 1]) {
      const alone = { q: q.row(b), k: k.row(b), v: v.row(b) };
      const want = attention.scaledDotProduct(alone, { keyMask: keyMask[b] });
      assert.deepEqual(weights.row(b), want.weights);
      assert.deepEqual(output.row(b), want.output);
    }
    const booleans = keyMask.map((row) => row.map(Boolean));
    assert.deepEqual(
      attention.scaledDotProduct({ q, k, v }, { keyMask: booleans }).weights,
      weights,
    );
  });

  test("attention refuses the name of PyTorch's mask, which has the opposite meaning, and says so", () => {
    for (const name of ["keyPaddingMask", "key_padding_mask"]) {
      const options = /** @type {any} */ ({ [name]: [1], heads: 1 });
      for (const call of [
        () => attention.scaledDotProduct({ q: [[1]], k: [[1]], v: [[1]] }, options),
        () => attention.scores([[1]], [[1]], options),
        () => attention.multiHead([[1]], options),
      ]) {
        const rule = `got "${name}"; did you mean "keyMask"\\? It is true for the keys that count, PyTorch's key_padding_mask for those to ignore$`;
        assert.throws(call, { name: "TypeError", message: new RegExp(rule) });
      }
    }
  });

  test("attention.multiHead attends to the tokens whose keyMask is true, not to the others", () => {
    const rows = Array.from({ length: 4 }, (_, t) => [t + 1, 2 - t]);
    const inProjection = [
      [1, 0],
      [0, 1],
      [1, 1],
      [0, 1],
      [1, 0],
      [2, 1],
    ];
    const options = {
      heads: 1,
      inProjection,
      outProjection: [
        [1, 0],
        [0, 1],
      ],
    };
    const alone = attention.multiHead(rows.slice(0, 2), options).output;
    // PyTorch's key_padding_mask of the same: [False, False, True, True].
    for (const keyMask of [
      [1, 1, 0, 0],
      [true, true, false, false],
    ]) {
      const { output } = attention.multiHead(rows, { ...options, keyMask });
      assert.deepEqual(output.slice(0, 2).toArray(), alone.toArray());
    }
  });

  test("attention refuses a bias of booleans, and says what a mask is as one", () => {
    const rows = [
      [1, 0],
      [1, 1],
    ];
    const given = { q: rows, k: rows, v: rows };
    const bits = { data: Uint8Array.of(1, 0, 1, 1), dims: [2, 2], type: "bool" };
    const floats = { data: Float32Array.of(1, 0, 1, 1), shape: [2, 2], dtype: "bool" };
    const lists = rows.map((row) => row.map(Boolean));
    const projections = {
      inProjection: new Tensor(new Float32Array(12), [6, 2]),
      outProjection: rows,
    };
    for (const [bias, got] of /** @type {[any, string][]} */ ([
      [bits, "bool values"],
      [floats, "bool values"],
      [{ ...bits, type: "boolean" }, "boolean values"],
      [lists, "true at 0"],
      [{ data: lists.flat(), shape: [2, 2] }, "true at 0"],
    ])) {
      const told = `bias must hold numbers that are added to the scores, 0 and -Infinity for a mask; got ${got}`;
      const refusal = (/** @type {string} */ name) => ({
        name: "TypeError",
        message: `attention.${name}: ${told}`,
      });
      assert.throws(() => attention.scaledDotProduct(given, { bias }), refusal("scaledDotProduct"));
      assert.throws(() => attention.scores(rows, rows, { bias }), refusal("scores"));
      assert.throws(
        () => attention.multiHead(rows, { heads: 1, bias, ...projections }),
        refusal("multiHead"),
      );
    }
    // What the error says, and a mask of bytes that are no booleans: numbers as before.
    const mask = { data: Float32Array.of(0, -Infinity, 0, 0), dims: [2, 2], type: "float32" };
    assert.equal(attention.scaledDotProduct(given, { bias: mask }).weights.at(0, 1), 0);
    const bytes = { data: Uint8Array.of(0, 0, 0, 0), shape: [2, 2], dtype: "uint8" };
    assert.deepEqual(
      attention.scaledDotProduct(given, { bias: bytes }),
      attention.scaledDotProduct(given),
    );
    assert.deepEqual(
      attention.scaledDotProduct(given, {
        keyMask: { ...bits, data: Uint8Array.of(1, 0), dims: [2] },
      }),
      attention.scaledDotProduct(given, { keyMask: [true, false] }),
    );
  });

  test("attention.scaledDotProduct returns zeros for a query with all keys masked", () => {
    const none = attention.scaledDotProduct({ q, k, v }, { keyMask: new Int32Array(Tk) });
    assert.ok([...none.weights.data, ...none.output.data].every((x) => x === 0));
    const hidden = attention.scaledDotProduct({ q, k, v }, { bias: [-Infinity] });
    assert.ok([...hidden.weights.data, ...hidden.output.data].every((x) => x === 0));
    // More queries than keys: the first ones stand before every key.
    const early = attention.scaledDotProduct(
      { q: [[1], [1], [1]], k: [[1]], v: [[5]] },
      { causal: true },
    );
    assert.deepEqual(early.output.toArray(), [[0], [0], [5]]);
    assert.deepEqual(early.weights.toArray(), [[0], [0], [1]]);
  });

  test("attention.scaledDotProduct ignores masked keys, even NaN", () => {
    for (const odd of [NaN, Infinity, -Infinity]) {
      const bad = [...Array(7).fill(0.5), odd];
      const [keys, values] = [k, v].map((x) => x.row(0).row(0).toArray());
      const width = (/** @type {number} */ n) => Array.from({ length: n }, () => odd);
      const given = {
        q: q.row(0).row(0),
        k: [...keys.slice(0, 7), width(D)],
        v: [...values.slice(0, 7), width(V)],
      };
      const plain = { ...given, k: [...keys.slice(0, 7), bad.slice(0, D)], v: values };
      const keyMask = [1, 1, 1, 1, 1, 1, 1, 0];
      assert.deepEqual(
        attention.scaledDotProduct(given, { keyMask }),
        attention.scaledDotProduct({ ...plain, k: keys }, { keyMask }),
      );
      const causal = attention.scaledDotProduct(
        { ...given, q: q.row(0).row(0).slice(0, 4) },
        { causal: true },
      );
      const want = attention.scaledDotProduct(
        { q: q.row(0).row(0).slice(0, 4), k: keys, v: values },
        { causal: true },
      );
      assert.deepEqual(causal.output.slice(0, 3), want.output.slice(0, 3));
    }
  });

  test("attention.scaledDotProduct ignores keys that a bias masks", () => {
    for (const accumulate of SUMS) {
      const odd = { q: [[1], [1]], k: [[1], [2]], v: [[3], [NaN]] };
      const { output } = attention.scaledDotProduct(odd, { bias: [0, -Infinity], accumulate });
      assert.deepEqual(output.toArray(), [[3], [3]]);
    }
  });

  test("attention.scaledDotProduct and scores give each of many queries the result it has alone", () => {
    const many = { q: random([70, 33], 16), k: random([67, 33], 17), v: random([67, 45], 18) };
    for (const accumulate of SUMS) {
      const whole = attention.scaledDotProduct(many, { accumulate });
      const logits = attention.scores(many.q, many.k, { accumulate });
      for (const t of [0, 3, 64, 69]) {
        const q = { data: many.q.row(t).data, shape: [1, 33] };
        const alone = attention.scaledDotProduct({ ...many, q }, { accumulate });
        assert.deepEqual(alone.output.data, whole.output.row(t).data);
        assert.deepEqual(alone.weights.data, whole.weights.row(t).data);
        assert.deepEqual(attention.scores(q, many.k, { accumulate }).data, logits.row(t).data);
      }
    }
  });

  test("attention.scaledDotProduct confines a NaN to the queries that attend to it, and writes it as 0x7fc00000", () => {
    const values = v.row(0).row(0).toArray();
    values[5][2] = NaN;
    const { output } = attention.scaledDotProduct(
      { q: q.row(0).row(0), k: k.row(0).row(0), v: values },
      { causal: true },
    );
    each([Tq, V], ([i, d], at) => {
      assert.equal(Number.isNaN(output.data[at]), d === 2 && i + Tk - Tq >= 5);
    });
    const bits = new Uint32Array(output.data.buffer);
    assert.equal(bits[2 * V + 2].toString(16), "7fc00000");
    const lost = attention.scaledDotProduct({ q: [[NaN]], k: [[1], [2]], v: [[1], [2]] });
    for (const { data } of [lost.output, lost.weights]) {
      assert.ok(new Uint32Array(data.buffer).every((word) => word === 0x7fc00000));
    }
  });

  test("attention.scaledDotProduct rotates q and k by one table, or by one each", () => {
    const table = rope.table(Tk, 6);
    const last = { cos: table.cos.slice(Tk - Tq), sin: table.sin.slice(Tk - Tq) };
    for (const layout of /** @type {const} */ (["halves", "interleaved"])) {
      const turned = {
        q: rope.apply(q, last, { layout, dim: 6 }),
        k: rope.apply(k, table, { layout, dim: 6 }),
        v,
      };
      const got = attention.scaledDotProduct(
        { q, k, v },
        { rope: { q: last, k: table }, layout, dim: 6 },
      );
      assert.deepEqual(got, attention.scaledDotProduct(turned));
    }
    // Tables of axialRope say their layout; the other one has to have it, too.
    const halves = { ...table, layout: /** @type {const} */ ("halves") };
    const other = { q: { ...halves, layout: /** @type {const} */ ("interleaved") }, k: table };
    assert.deepEqual(
      attention.scores(k, k, { rope: { q: halves, k: table }, dim: 6 }),
      attention.scores(k, k, { rope: table, dim: 6 }),
    );
    const differ = 'attention.scores: layout must be given for tables of two layouts; got "interleaved" in rope.q and "halves" in rope.k'; // prettier-ignore
    assert.throws(() => attention.scores(k, k, { rope: other, dim: 6 }), { name: "RangeError", message: differ }); // prettier-ignore
    attention.scores(k, k, { rope: other, layout: "halves", dim: 6 });
    const same = attention.scores(k, k, { rope: table, dim: 6 });
    const turned = rope.apply(k, table, { dim: 6 });
    assert.deepEqual(same, attention.scores(turned, turned));
    for (const [options, rule] of /** @type {const} */ ([
      [{ dim: 6 }, "dim must come with rope; got 6"],
      [{ layout: "interleaved" }, 'layout must come with rope; got "interleaved"'],
      [{ layout: "halves" }, 'layout must come with rope; got "halves"'],
      [{ start: 0 }, "start must come with rope; got 0"],
      [{ inverse: false }, "inverse must come with rope; got false"],
    ])) {
      const message = `attention.scores: ${rule}`;
      assert.throws(() => attention.scores(k, k, options), { name: "RangeError", message });
    }
  });

  test("attention rotates by what models.rope says: a part of each head, backwards", () => {
    for (const model of TURNED) {
      const { dim, layout, start, inverse, options } = /** @type {any} */ (models.rope(model));
      const turn = { dim, layout, start, inverse };
      const wide = random([2, 5, start + dim + 3], 91);
      const table = rope.table(5, dim, options);
      const turned = rope.apply(wide, table, turn);
      assert.deepEqual(
        attention.scores(wide, wide, { rope: table, ...turn }),
        attention.scores(turned, turned),
      );
    }
  });

  test("attention names its own arguments where the tables of rope do not fit", () => {
    const [x, long] = [random([5, 6], 92), rope.table(8, 6)];
    const ofK = { q: rope.table(5, 6), k: long };
    for (const [table, options, rule] of /** @type {[any, object, RegExp][]} */ ([
      [5, {}, /rope must be a table or \{q, k\}, from rope\.table; got 5/],
      [{ cos: [[1]] }, {}, /rope must be \{cos, sin\}, as of rope\.table; got an object/],
      [{ q: long, k: 1 }, {}, /rope\.k must be \{cos, sin\}, as of rope\.table; got 1/],
      [
        { cos: [[1]], sin: [[]] },
        {},
        /rope\.sin must have the shape of rope\.cos, \[1, 1\]; got .+/,
      ],
      [long, {}, /rope\.cos must have shape \[5, 3\] .+, as q \[5, 6\] has .+; got \[8, 3\]/],
      [ofK, {}, /rope\.k\.cos must have shape \[5, 3\] .+, as k \[5, 6\] has .+; got \[8, 3\]/],
      [rope.table(5, 4), { dim: 4, start: 3 }, /start must be a whole number from 0 to 2; got 3/],
    ])) {
      assert.throws(
        () => attention.scaledDotProduct({ q: x, k: x, v: x }, { rope: table, ...options }),
        ({ message }) => {
          assert.match(message, new RegExp(`^attention\\.scaledDotProduct: ${rule.source}$`));
          assert.doesNotMatch(message, /\b(x|table|offset|positions) must|offset|positions are/);
          return true;
        },
      );
    }
  });

  test("attention.scaledDotProduct is the softmax of attention.scores, bit for bit", () => {
    const options = /** @type {const} */ ({ causal: true, bias: random([Tq, Tk], 16) });
    const logits = attention.scores(q, k, options);
    assert.deepEqual(
      attention.softmax(logits),
      attention.scaledDotProduct({ q, k, v }, options).weights,
    );
  });

  test("attention.scaledDotProduct of zero tokens is empty", () => {
    const empty = (/** @type {number[]} */ ...shape) => ({ data: [], shape });
    const none = attention.scaledDotProduct({ q: empty(0, 2), k: [[1, 2]], v: [[3]] });
    assert.deepEqual(none.output.shape, [0, 1]);
    assert.deepEqual(none.weights.shape, [0, 1]);
    const blind = attention.scaledDotProduct({ q: [[1, 2]], k: empty(0, 2), v: empty(0, 3) });
    assert.deepEqual(blind.output.toArray(), [[0, 0, 0]]);
    assert.deepEqual(blind.weights.shape, [1, 0]);
    const heads = attention.scaledDotProduct({
      q: empty(2, 0, 3, 4),
      k: empty(2, 0, 5, 4),
      v: empty(2, 0, 5, 4),
    });
    assert.deepEqual(heads.output.shape, [2, 0, 3, 4]);
  });

  test("attention.scaledDotProduct names the argument with the wrong shape", () => {
    /** @type {[RegExp, () => unknown][]} */
    const clashes = [
      [
        /^\S+: k must have shape \[2, heads, keys, 7\]/,
        () => attention.scaledDotProduct({ q, k: v, v }),
      ],
      [/^\S+: k must have shape/, () => attention.scaledDotProduct({ q, k: k.row(0), v })],
      [/^\S+: k must have shape/, () => attention.scores(q.row(0), random([4, Tk, D]))],
      [
        /^\S+: v must have shape/,
        () => attention.scaledDotProduct({ q, k, v: random([B, Hk, Tk + 1, V]) }),
      ],
      [
        /^\S+: v must have shape/,
        () => attention.scaledDotProduct({ q, k, v: random([B, H, Tk, V]) }),
      ],
      [/^\S+: q must have shape/, () => attention.scaledDotProduct({ q: [1, 2], k, v })],
      [
        /^\S+: q must have shape/,
        () => attention.scaledDotProduct({ q: { data: [], shape: [3, 0] }, k, v }),
      ],
      [
        /^\S+: bias must have the last axes/,
        () => attention.scores(q, k, { bias: random([2, Tk]) }),
      ],
      [
        /^attention\.scores: bias must/,
        () => attention.scores(q, k, { bias: random([1, 1, 1, 1, 1]) }),
      ],
      [
        /^\S+: keyMask must have shape \[2, 8\] or \[8\]/,
        () => attention.scores(q, k, { keyMask: [1] }),
      ],
      [
        /^attention\.scores: keyMask must/,
        () => attention.scores(q, k, { keyMask: new Int32Array(9) }),
      ],
      [
        /^\S+: keyMask must hold/,
        () => attention.scores(q, k, { keyMask: new Int32Array(Tk).fill(2) }),
      ],
      [/^\S+: rope\.cos/, () => attention.scores(q, k, { rope: rope.table(Tk, 6) })],
      [
        /^\S+: rope\.k must be \{cos, sin\}, as of rope\.table; got undefined$/,
        () => attention.scores(q, k, { rope: /** @type {any} */ ({ q: rope.table(5, 6) }) }),
      ],
      [/^\S+: heads must divide 4/, () => attention.multiHead([[1, 2, 3, 4]], square(4, 3))],
      [
        /^\S+: inProjection must have shape \[12, 4\]/,
        () => attention.multiHead([[1, 2, 3, 4]], square(3, 1)),
      ],
      [/^\S+: x must have shape/, () => attention.multiHead([1, 2], square(2, 1))],
      [/^\S+: weights must have shape \[N, 2\]/, () => attention.linear([[1, 2]], [[1]])],
      [/^\S+: bias must have shape \[1\]/, () => attention.linear([[1]], [[1]], { bias: [1, 2] })],
      [/^\S+: scores must have an axis/, () => attention.softmax({ data: [1], shape: [] })],
    ];
    for (const [message, call] of clashes) assertRefused(message, call);
  });
});

describe("attention over a cache", () => {
  const [B, H, Hk, Tq, capacity, D, V] = [2, 6, 3, 5, 11, 7, 9];
  const q = random([B, H, Tq, D], 71);
  const bias = random([B, H, Tq, capacity], 72);
  const keyMask = Array.from({ length: B }, (_, b) =>
    Array.from({ length: capacity }, (_, key) => (key + b) % 4 !== 0),
  );
  const [k, v] = [D, V].map((width, i) => random([B, Hk, capacity, width], 73 + i));
  /** @type {any[]} */
  const rules = SUMS.flatMap((accumulate) => [
    { accumulate },
    { accumulate, causal: true },
    { accumulate, bias, softcap: 2 },
    { accumulate, keyMask, causal: true },
    { accumulate, bias, keyMask },
  ]);

  /** The same with NaN from the lengths on. @param {Tensor} x @param {readonly number[]} lengths */
  function unused(x, lengths) {
    const data = x.data.slice();
    each([...x.shape], ([b, , t], at) => (data[at] = t < lengths[b] ? data[at] : NaN));
    return new Tensor(data, x.shape);
  }

  /** The rows of a text that are in use. @param {Tensor} x @param {number} b @param {number} N */
  const used = (x, b, N) => {
    const heads = [...x.row(b)].map((head) => [...head.slice(0, N).data]);
    return { data: Float32Array.from(heads.flat()), shape: [x.shape[1], N, x.shape[3]] };
  };

  /** The options for one text with N keys. @param {any} rule @param {number} b @param {number} N */
  const ofText = (rule, b, N) => ({
    ...rule,
    bias: rule.bias && tensorOf([H, Tq, N], (h, t, n) => bias.at(b, h, t, n)),
    keyMask: rule.keyMask?.[b].slice(0, N),
  });

  /** @param {number[]} shape @param {(...index: number[]) => number} value */
  function tensorOf(shape, value) {
    const data = new Float32Array(shape.reduce((a, b) => a * b, 1));
    each(shape, (index, at) => (data[at] = value(...index)));
    return new Tensor(data, shape);
  }

  for (const [queries, title] of /** @type {const} */ ([
    [Tq, "five queries"],
    [1, "one query"],
  ])) {
    test(`attention.scaledDotProduct and scores with keyLength give ${title} the result of k and v of that length`, () => {
      const asked = tensorOf([B, H, queries, D], (b, h, t, d) => q.at(b, h, t, d));
      for (const lengths of [[4, 9], [0, 11], [3, 3], 7, 0, capacity]) {
        const each = typeof lengths === "number" ? [lengths, lengths] : lengths;
        const cache = { q: asked, k: unused(k, each), v: unused(v, each) };
        for (const rule of rules) {
          const given = rule.bias
            ? { ...rule, bias: tensorOf([B, H, queries, capacity], (...at) => bias.at(...at)) }
            : rule;
          const got = attention.scaledDotProduct(cache, { ...given, keyLength: lengths });
          const logits = attention.scores(cache.q, cache.k, { ...given, keyLength: lengths });
          assert.deepEqual(got.weights.shape, [B, H, queries, capacity]);
          each.forEach((N, b) => {
            const own = ofText(given, b, N);
            own.bias = own.bias && tensorOf([H, queries, N], (h, t, n) => bias.at(b, h, t, n));
            const inputs = { q: asked.row(b), k: used(k, b, N), v: used(v, b, N) };
            const want = attention.scaledDotProduct(inputs, own);
            assert.deepEqual(got.output.row(b), want.output);
            const wanted = attention.scores(inputs.q, inputs.k, own);
            const long = (/** @type {Tensor} */ x, /** @type {number} */ rest) =>
              tensorOf([H, queries, capacity], (h, t, n) => (n < N ? x.at(h, t, n) : rest));
            assert.deepEqual(got.weights.row(b), long(want.weights, 0));
            assert.deepEqual(logits.row(b), long(wanted, -Infinity));
          });
        }
      }
    });
  }

  test("attention.scaledDotProduct and scores with axis -3 give [B, T, H, D] the bits of [B, H, T, D]", () => {
    const turn = (/** @type {Tensor} */ { shape: [n, heads, T, width], ...x }) =>
      tensorOf(
        [n, T, heads, width],
        (b, t, h, d) => /** @type {any} */ (x).data[((b * heads + h) * T + t) * width + d],
      );
    const rotary = { q: rope.table(Tq, 6), k: rope.table(capacity, 6) };
    for (const queries of [Tq, 1]) {
      const asked = tensorOf([B, H, queries, D], (b, h, t, d) => q.at(b, h, t, d));
      const many = { q: asked, k, v };
      const turned = { q: turn(asked), k: turn(k), v: turn(v) };
      const added = tensorOf([B, H, queries, capacity], (...at) => bias.at(...at));
      for (const rule of [
        {},
        { causal: true, keyLength: [4, 9] },
        { bias: added, keyMask, keyLength: 6 },
        { rope: queries === 1 ? { ...rotary, q: rope.table(1, 6) } : rotary, dim: 6 },
      ]) {
        const want = attention.scaledDotProduct(many, rule);
        const got = attention.scaledDotProduct(turned, { ...rule, axis: -3 });
        assert.deepEqual(got.output, turn(want.output));
        assert.deepEqual(got.weights, want.weights);
        const logits = attention.scores(turned.q, turned.k, { ...rule, axis: -3 });
        assert.deepEqual(logits, attention.scores(asked, k, rule));
        const one = { q: turned.q.row(0), k: turned.k.row(0), v: turned.v.row(0) };
        if (rule.keyLength !== undefined || rule.bias) continue;
        const alone = attention.scaledDotProduct(one, { ...rule, axis: -3 });
        assert.deepEqual(alone, { output: got.output.row(0), weights: got.weights.row(0) });
      }
    }
  });

  test("attention.scaledDotProduct gives the one query of many heads the result of each head alone", () => {
    // So many that one tile does not hold the heads of a group.
    const [heads, keys, width] = [80, 2000, 8];
    const asked = random([heads, 1, width], 84);
    const [one, values] = [random([1, keys, width], 85), random([1, keys, width], 86)];
    const added = random([heads, 1, keys], 87);
    const whole = attention.scaledDotProduct({ q: asked, k: one, v: values }, { bias: added });
    for (const h of [0, 31, 32, 79]) {
      const alone = attention.scaledDotProduct(
        { q: asked.row(h), k: one.row(0), v: values.row(0) },
        { bias: added.row(h) },
      );
      assert.deepEqual(whole.output.row(h), alone.output);
      assert.deepEqual(whole.weights.row(h), alone.weights);
    }
  });

  test("attention.scaledDotProduct fills no weights that it does not return", () => {
    const out = attention.scaledDotProduct({ q, k, v });
    const call = () => attention.scaledDotProduct({ q, k, v }, { weights: false, out });
    const message = "attention.scaledDotProduct: out must be {output}; got weights";
    assert.throws(call, { name: "TypeError", message });
  });

  test("attention.scaledDotProduct with weights: false returns the same output only", () => {
    for (const rule of rules) {
      const { output } = attention.scaledDotProduct({ q, k, v }, rule);
      const alone = attention.scaledDotProduct({ q, k, v }, { ...rule, weights: false });
      assert.deepEqual(alone, { output });
      const out = { output: new Float32Array(output.size) };
      const filled = attention.scaledDotProduct({ q, k, v }, { ...rule, weights: false, out });
      assert.equal(filled.output.data, out.output);
      assert.deepEqual(filled, { output });
    }
    const into = { output: k.data.slice() };
    const keys = new Tensor(into.output, k.shape);
    const want = attention.scaledDotProduct({ q: k, k, v: k }, { weights: false });
    const got = attention.scaledDotProduct({ q: k, k: keys, v: k }, { weights: false, out: into });
    assert.deepEqual(got, want);
  });

  test("attention.scaledDotProduct names an invalid keyLength, axis or out.weights", () => {
    const call = (/** @type {any} */ options) => () =>
      attention.scaledDotProduct({ q, k, v }, options);
    for (const keyLength of [12, -1, 1.5, [4], [4, 5, 6], [[4, 5]], [4, 12], NaN]) {
      assert.throws(call({ keyLength }), /^RangeError: \S+: keyLength must .+; got .+/);
    }
    assert.throws(call({ keyLength: "4" }), /^TypeError: \S+: keyLength must .+; got "4"/);
    assert.throws(call({ axis: -1 }), /^RangeError: \S+: axis must .+; got -1/);
    assert.throws(
      call({ axis: -3 }),
      /^RangeError: \S+: v must have shape \[2, 3, heads, width\], .+/,
    );
    assert.throws(
      call({ out: { output: new Float32Array(B * H * Tq * V) } }),
      /^TypeError: \S+: out\.weights must .+; got null/,
    );
    assert.throws(
      () => attention.scores([[1, 2]], [[1, 2]], { axis: -3 }),
      /^RangeError: \S+: q must have shape \[B, T, H, D\] or \[T, H, D\]; got \[1, 2\]/,
    );
  });
});

describe("attention.softmax", () => {
  test("attention.softmax has a relative error of at most 1.2e-7, and so do the sums of rows", (t) => {
    const [rows, N] = [64, 300];
    let worst = 0;
    let sums = 0;
    for (const size of [0.1, 1, 20, 80]) {
      const x = noise(rows * N, 41).map((value) => value * size);
      const got = attention.softmax(new Tensor(x, [rows, N]));
      for (let r = 0; r < rows; ++r) {
        const want = reference.softmax(Array.from(x.subarray(r * N, (r + 1) * N)));
        const row = got.row(r).data;
        want.forEach((share, j) => {
          // Below 2^-126 a float32 has fewer digits.
          if (share < 2 ** -126) assert.ok(Math.abs(Number(row[j]) - share) <= 2 ** -149);
          else worst = Math.max(worst, Math.abs(Number(row[j]) / share - 1));
        });
        sums = Math.max(sums, Math.abs(numbers({ data: row }).reduce((a, b) => a + b, 0) - 1));
      }
    }
    t.diagnostic(
      `worst relative error ${worst.toExponential(2)}, of a sum ${sums.toExponential(2)}`,
    );
    assert.ok(worst <= SOFTMAX);
    assert.ok(sums <= 1.2e-7);
  });

  test("attention.softmax is invariant to a constant added to a row, and does not overflow", () => {
    const row = [1, 2, 3, 4];
    const want = attention.softmax([row]);
    assert.deepEqual(attention.softmax([row.map((x) => x + 1024)]), want);
    assert.deepEqual(attention.softmax([[3e38, -3e38]]).toArray(), [[1, 0]]);
    assert.deepEqual(attention.softmax([[-Infinity, -Infinity]]).toArray(), [[0, 0]]);
    assert.deepEqual(attention.softmax([[Infinity, 1]]).toArray(), [[1, 0]]);
  });

  test("attention.softmax accepts any number of axes", () => {
    const x = random([3, 5, 7], 42);
    const want = attention.softmax(x);
    assert.deepEqual(want.shape, [3, 5, 7]);
    assert.deepEqual(attention.softmax(x.row(1).row(2)), want.row(1).row(2));
    assert.deepEqual(attention.softmax({ data: [], shape: [4, 0] }).shape, [4, 0]);
  });
});

test("attention.linear multiplies rows by the weights and adds the bias", () => {
  const D = 133;
  const [x, w, bias] = [random([2, 3, D], 51), random([5, D], 52), random([5], 53)];
  const got = attention.linear(x, w, { bias });
  const plain = attention.linear(x, w);
  const wide = attention.linear(x, w, { accumulate: "float64" });
  assert.deepEqual(got.shape, [2, 3, 5]);
  each([2, 3, 5], ([b, t, n], at) => {
    const [row, column] = [x.row(b).row(t).data, w.row(n).data];
    const product = reference.dot(row, column);
    // The order of the sum may show in the last bit of the double, seldom in the float32.
    assert.ok(Math.abs(wide.data[at] - Math.fround(product)) <= 2 ** -24 * Math.abs(product));
    const spread = reference.dot(row.map(Math.abs), column.map(Math.abs));
    assert.ok(
      Math.abs(plain.data[at] - product) <= summed(D) * spread + STORED * Math.abs(product),
    );
    assert.equal(got.data[at], Math.fround(plain.data[at] + bias.at(n)));
  });
  assert.notDeepEqual(plain, wide);
  const out = new Float32Array(30);
  assert.equal(attention.linear(x, w, { bias, out }).data, out);
  assert.deepEqual(out, got.data);
  assert.deepEqual(attention.linear(random([4], 54), random([0, 4])).shape, [0]);
});

test("sums in float32 keep their bound up to the ends of float32, and sums in double beyond them", () => {
  const LARGEST = 2 ** 128 - 2 ** 103; // what is larger rounds to Infinity
  for (const D of [1, 2, 7, 32, 33, 100]) {
    for (const [p, q] of [
      [-149, 0],
      [-130, 2],
      [-70, -70],
      [-60, -66],
      [0, 0],
      [60, 60],
      [63, 64],
      [100, 27],
      [127, 0],
      [100, 100],
    ]) {
      // prettier-ignore
      const [x, w] = [random([3, D], D + p + 200), random([2, D], D + q + 400)];
      x.data.forEach((_, at) => (x.data[at] *= 2 ** p));
      w.data.forEach((_, at) => (w.data[at] *= 2 ** q));
      const [plain, scored] = [attention.linear(x, w), attention.scores(x, w, { scale: 1 })];
      const wide = [
        attention.linear(x, w, { accumulate: "float64" }),
        attention.scores(x, w, { scale: 1, accumulate: "float64" }),
      ];
      each([3, 2], ([n, m], at) => {
        const exact = reference.dot(x.row(n).data, w.row(m).data);
        const spread = reference.dot(x.row(n).data.map(Math.abs), w.row(m).data.map(Math.abs));
        const stored = STORED * Math.abs(exact) + 2 ** -150;
        const where = `${D}: 2^${p}, 2^${q}`;
        const most = summed(D) * spread + D * 2 ** -150 + stored;
        for (const { data } of [plain, scored]) {
          const isBeyond = spread >= LARGEST && !Number.isFinite(data[at]);
          const off = Math.abs(data[at] - exact);
          assert.ok(isBeyond || off <= most, `${where}: ${data[at]} for ${exact}`);
        }
        for (const { data } of wide) {
          if (Math.abs(exact) >= LARGEST)
            assert.equal(data[at], Infinity * Math.sign(exact), where);
          else assert.ok(Math.abs(data[at] - exact) <= 1.001 * stored, where);
        }
      });
    }
  }
  const short = [[1e20, 1e20, 1], [1e20, -1e20, 1]]; // prettier-ignore
  const [large, small] = short.map((row) => [[...row, ...new Array(29).fill(0)]]);
  assert.ok(Number.isNaN(attention.linear(large, small).data[0]), "as the reference says");
  assert.equal(attention.linear([short[0]], [short[1]]).data[0], 1, "in double");
  assert.equal(attention.linear([short[0]], [short[1]], { accumulate: "float64" }).data[0], 1);
});

const ATTENTION = /** @type {const} */ ({
  accumulate: ["word"],
  scale: ["number"],
  softcap: ["positive"],
  bias: ["tensorOption"],
  causal: ["truth"],
  keyMask: ["tensorOption"],
  rope: ["pair", "rope", "rope.cos", "rope.sin"],
  layout: ["word"],
});
const LAYOUT = /** @type {const} */ ({ axis: ["axis"], keyLength: ["keyLength"] });
const pair = [
  [1, 2],
  [3, 4],
];

battery("attention.scaledDotProduct", {
  call: ({ q, k, v, $ }) => attention.scaledDotProduct({ q, k, v }, $),
  good: { q: pair, k: pair, v: pair },
  args: {
    q: ["tensor"],
    k: ["tensor"],
    v: ["tensor"],
    $: ["options"],
    ...ATTENTION,
    ...LAYOUT,
    weights: ["truth"],
    out: ["pair", "out", "out.output", "out.weights"],
  },
});

battery("attention.scaledDotProduct of inputs", {
  call: ({ inputs }) => attention.scaledDotProduct(inputs),
  good: { inputs: { q: pair, k: pair, v: pair } },
  args: { inputs: ["options", "inputs", "q"] },
});

declaredBattery(
  "attention.scores",
  { q: pair, k: pair },
  {
    q: ["tensor"],
    k: ["tensor"],
    rope: ["pair", "rope", "rope.cos", "rope.sin"],
    axis: ["axis"],
    keyLength: ["keyLength"],
  },
);

declaredBattery("attention.softmax", { scores: pair }, { scores: ["tensor"] });

declaredBattery("attention.linear", { x: pair, weights: pair });

battery("attention.multiHead", {
  call: ({ x, $ }) => attention.multiHead(x, $),
  good: { x: pair, $: square(2, 1) },
  args: {
    x: ["tensor"],
    heads: ["size"],
    inProjection: ["tensor"],
    inBias: ["tensorOption"],
    outProjection: ["tensor"],
    outBias: ["tensorOption"],
    ...ATTENTION,
  },
});

battery("attention.multiHead without its matrices", {
  call: ({ x, $ }) => attention.multiHead(x, $),
  good: { x: pair, $: square(2, 1) },
  args: { $: ["options"] },
});

/** Matrices for rows of width E. @param {number} E @param {number} heads */
function square(E, heads) {
  return { heads, inProjection: random([3 * E, E], 61), outProjection: random([E, E], 62) };
}

/** @param {Tensor} got @param {number[]} want @param {number} tolerance  relative, of numbers within 1 */
function near(got, want, tolerance) {
  numbers(got).forEach((x, at) =>
    assert.ok(Math.abs(x - want[at]) <= tolerance, `${x} ${want[at]}`),
  );
}

/** The largest difference. @param {Tensor} a @param {Tensor} b */
function distance(a, b) {
  assert.deepEqual(a.shape, b.shape);
  return numbers(a).reduce((most, x, at) => Math.max(most, Math.abs(x - Number(b.data[at]))), 0);
}

/** @param {Stored} stored */
function tensor({ data, shape }) {
  return new Tensor(Float32Array.from(numbers({ data })), shape);
}

/** @param {Tensor} matrix */
function transposed(matrix) {
  const [rows, columns] = matrix.shape;
  const data = new Float32Array(rows * columns);
  each([columns, rows], ([c, r], at) => (data[at] = matrix.at(r, c)));
  return new Tensor(data, [columns, rows]);
}

/** Rows in another order. @param {Tensor} x @param {number[]} order */
function gather(x, order) {
  return Float32Array.from(order.flatMap((t) => numbers(x.row(t))));
}

/**
 * @param {number[]} shape @param {(index: number[], at: number) => void} visit
 */
function each(shape, visit) {
  const total = shape.reduce((a, b) => a * b, 1);
  for (let at = 0; at < total; ++at) {
    let rest = at;
    const index = shape.map(() => 0);
    for (let axis = shape.length - 1; axis >= 0; --axis) {
      index[axis] = rest % shape[axis];
      rest = Math.floor(rest / shape[axis]);
    }
    visit(index, at);
  }
}

test("v must have the heads of k where queries have more", () => {
  const heads = (/** @type {number} */ H) => ({ data: new Float32Array(H * 6), shape: [H, 3, 2] });
  const inputs = { q: heads(4), k: heads(2), v: heads(4) };
  assert.throws(() => phasor.attention.scaledDotProduct(inputs), {
    name: "RangeError",
    message:
      "attention.scaledDotProduct: v must have shape [heads, 3, width], with 2 heads; got [4, 3, 2]",
  });
});

test("heads that do not divide those of q, and three arrays for one object, say so", () => {
  const heads = (/** @type {number[]} */ ...shape) => ({
    data: new Float32Array(shape.reduce((product, size) => product * size)),
    shape,
  });
  const three = heads(2, 3, 3, 32);
  assert.throws(
    () => phasor.attention.scaledDotProduct({ q: heads(2, 8, 3, 32), k: three, v: three }),
    {
      name: "RangeError",
      message:
        "attention.scaledDotProduct: v must have shape [2, heads, 3, width], with a number of heads that divides " +
        "the 8 of q: its axis -3 has them; got [2, 3, 3, 32]",
    },
  );
  const side = { q: heads(2, 3, 8, 32), k: three, v: three };
  assert.throws(() => phasor.attention.scaledDotProduct(side, { axis: -3 }), {
    name: "RangeError",
    message:
      "attention.scaledDotProduct: v must have shape [2, 3, heads, width], with a number of heads that divides " +
      "the 8 of q: its axis -2 has them; got [2, 3, 3, 32]",
  });
  for (const q of [[[1]], phasor.rope.table(1, 2).cos]) {
    assert.throws(() => /** @type {any} */ (phasor.attention).scaledDotProduct(q, [[1]], [[1]]), {
      name: "TypeError",
      message: /: inputs must be one object \{q, k, v\}; got .* as the first argument$/,
    });
  }
  const mixed = { q: [[1]], k: [[1]], v: [[1]], causal: true };
  assert.throws(() => phasor.attention.scaledDotProduct(mixed), {
    name: "TypeError",
    message: 'attention.scaledDotProduct: inputs must have only q, k, v; got "causal"',
  });
});
