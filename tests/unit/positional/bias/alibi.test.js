import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor } from "../../../phasor.js";
import { double, frequencies } from "../../reference/exact.js";
import { floats, noise, numbers } from "../../reference/samples.js";

const { alibi } = phasor;

/** The slopes to 140 bits: 2^(-biasMax k / m) are the frequencies of base 2^biasMax. @param {number} H @param {number} biasMax */
function exactSlopes(H, biasMax) {
  let m = 1;
  while (2 * m <= H) m *= 2;
  const first = frequencies(2 ** biasMax, m, m + 1).slice(1);
  const rest = frequencies(2 ** biasMax, 2 * m, 2 * (H - m)).filter((_, k) => k % 2 === 1);
  return Float32Array.from([...first, ...rest], double);
}

/** @param {number} x */
function bfloat16(x) {
  const bits = new DataView(new ArrayBuffer(4));
  bits.setFloat32(0, x);
  const word = bits.getUint32(0);
  bits.setUint32(0, ((word + 0x7fff + ((word >>> 16) & 1)) & 0xffff0000) >>> 0);
  return bits.getFloat32(0);
}

/** Equal as numbers: 0 is -0. @param {import("../../../phasor.js").Tensor} got @param {{data: ArrayLike<number | bigint>, shape: number[]}} want */
function assertSame(got, want) {
  assert.deepEqual([...got.shape], want.shape);
  numbers(got).forEach((x, k) => assert.ok(x === Number(want.data[k]), `${x} at ${k}`));
}

describe("alibi against other programs", () => {
  for (const { id, params, inputs, outputs } of cases("alibi_slopes", 4)) {
    test(`alibi.slopes are those of ${id}`, () => {
      const { alibi_bias_max: biasMax } = params;
      for (const [k, heads] of numbers(inputs.heads).entries()) {
        const [from, to] = [outputs.offsets.data[k], outputs.offsets.data[k + 1]].map(Number);
        const slopes = floats(alibi.slopes(heads, { biasMax }));
        assert.deepEqual(slopes, outputs.slopes_exact.data.slice(from, to));
        slopes.forEach((slope, h) => {
          // BLOOM multiplies float32 powers: 2 ULP of the largest slope, 1
          assert.ok(Math.abs(slope - Number(outputs.slopes.data[from + h])) <= 2 ** -23);
        });
      }
    });
  }

  for (const { id, params, outputs } of cases("alibi_bias", 14)) {
    test(`alibi.bias equals ${id}, bit for bit`, () => {
      const { num_heads: heads, q_len: length, k_len: keys, kind: form, q_offset: offset } = params;
      const got = alibi.bias(heads, length, { keys, form, offset });
      assertSame(got, outputs.bias);
      if (outputs.bias_f64) assertSame(got, outputs.bias_f64);
      assert.deepEqual(alibi.bias(heads, length, { keys, form }), got, "the offset is the default");
    });
  }

  for (const { id, params, outputs } of cases("alibi_key_bias", 2)) {
    test(`alibi.keyBias with the preset mpt equals ${id}, bit for bit`, () => {
      const { num_heads: heads, k_len: keys, alibi_bias_max: biasMax } = params;
      assertSame(alibi.keyBias(heads, keys, { ...alibi.presets.mpt, biasMax }), outputs.bias);
    });
  }

  for (const { id, params, inputs, outputs } of cases("alibi_bloom", 2)) {
    test(`alibi.keyBias with a mask equals ${id}, bit for bit`, () => {
      const { attention_mask: mask } = inputs;
      const options = { ...alibi.presets.bloom, mask };
      assertSame(alibi.keyBias(params.num_heads, mask.shape[1], options), outputs.bias);
    });
  }
});

describe("alibi.slopes", () => {
  test("alibi.slopes are correctly rounded for any number of heads", () => {
    for (const heads of [1, 2, 3, 5, 7, 12, 20, 40, 56, 71, 112, 128, 1000, 3000]) {
      for (const biasMax of [8, 16]) {
        const want = exactSlopes(heads, biasMax);
        assert.deepEqual(alibi.slopes(heads, { biasMax }).data, want, `${heads}, ${biasMax}`);
      }
    }
  });

  test("alibi.slopes of 12 heads increase again after the eighth", () => {
    const slopes = numbers(alibi.slopes(12));
    for (let h = 0; h < 8; ++h) assert.equal(slopes[h], 2 ** -(h + 1));
    const rest = [0.707107, 0.353553, 0.176777, 0.088388];
    rest.forEach((slope, j) => assert.ok(Math.abs(slopes[8 + j] - slope) <= 5e-7)); // its last digit
  });

  test("alibi.slopes in bfloat16 are the float32 ones rounded again", () => {
    const want = numbers(alibi.slopes(71)).map(bfloat16);
    assert.deepEqual(numbers(alibi.slopes(71, { dtype: "bfloat16" })), want);
    assert.deepEqual(
      numbers(alibi.slopes(12, { dtype: "float16" }).slice(0, 8)),
      numbers(alibi.slopes(12).slice(0, 8)),
    );
  });
});

describe("alibi.bias", () => {
  test("alibi.bias at slope 0.25 is 0, -0.25, -0.5, -1.25 at distances 0, 1, 2, 5", () => {
    for (const form of /** @type {const} */ (["symmetric", "linear", "causal"])) {
      const [head] = alibi.bias(4, 6, { form });
      assert.deepEqual(
        [5, 4, 3, 0].map((j) => head.at(5, j)),
        [0, -0.25, -0.5, -1.25],
      );
    }
  });

  test("alibi.bias is linear in the distance and +0 on the diagonal", () => {
    const T = 40;
    for (const form of /** @type {const} */ (["symmetric", "linear", "causal"])) {
      for (const [h, head] of [...alibi.bias(12, T, { form })].entries()) {
        const slope = Number(alibi.slopes(12).at(h));
        for (let i = 0; i < T; ++i) {
          for (let j = 0; j < T; ++j) {
            const ahead = {
              symmetric: slope * (i - j),
              linear: slope * (j - i),
              causal: -Infinity,
            };
            const want = Math.fround(j > i ? ahead[form] : slope * (j - i) + 0);
            assert.ok(Object.is(head.at(i, j), want), `${form}, head ${h}, ${i}, ${j}`);
          }
        }
      }
    }
  });

  test("alibi.bias exposes nothing of one call to another", () => {
    const first = alibi.bias(4, 6, { form: "causal" });
    const want = [...first.data];
    first.data.fill(7);
    alibi.slopes(4).data.fill(7);
    for (const form of /** @type {const} */ (["linear", "press", "symmetric"])) {
      alibi.bias(4, 6, { form }).data.fill(7);
      alibi.bias(4, 5, { form, keys: 6 }).data.fill(7);
      alibi.bias(4, 6, { form, slopes: [1, 2, 3, 4] }).data.fill(7);
      alibi.bias(4, 6, { form, biasMax: 3 }).data.fill(7);
    }
    for (let again = 0; again < 2; ++again) {
      assert.deepEqual([...alibi.bias(4, 6, { form: "causal" }).data], want);
    }
  });

  test("alibi.bias gives press and causal, linear and keyBias the same softmax", () => {
    const [heads, T] = [12, 48];
    const logits = noise(T);
    const [causal, press] = /** @type {const} */ (["causal", "press"]).map((form) =>
      alibi.bias(heads, T, { form }),
    );
    const [first, last] = [alibi.presets.bloom, alibi.presets.mpt].map((preset) =>
      alibi.keyBias(heads, T, preset),
    );
    /** @param {(j: number) => number | bigint} bias @param {number} i */
    const softmax = (bias, i) => {
      const scores = Array.from({ length: T }, (_, j) =>
        j > i ? -Infinity : logits[j] + Number(bias(j)),
      );
      const top = Math.max(...scores);
      const powers = scores.map((score) => Math.exp(score - top));
      const sum = powers.reduce((a, b) => a + b);
      return powers.map((power) => power / sum);
    };
    for (let h = 0; h < heads; ++h) {
      for (let i = 0; i < T; ++i) {
        const want = softmax((j) => causal.at(h, i, j), i);
        for (const other of [
          (/** @type {number} */ j) => press.at(h, i, j),
          (/** @type {number} */ j) => first.at(h, 0, j),
          (/** @type {number} */ j) => last.at(h, 0, j),
        ]) {
          // each bias, at most 0.71 * 47 < 64, was rounded by up to 2^-19: both and the sum's share
          softmax(other, i).forEach((w, j) => assert.ok(Math.abs(w - want[j]) <= 4 * 2 ** -19));
        }
      }
    }
  });

  test("alibi.bias with an offset equals those rows of a longer one", () => {
    for (const form of /** @type {const} */ (["symmetric", "linear", "causal", "press"])) {
      const whole = alibi.bias(3, 20, { form });
      for (const [offset, length] of [
        [0, 1],
        [3, 5],
        [19, 1],
      ]) {
        const part = alibi.bias(3, length, { form, keys: 20, offset });
        for (let h = 0; h < 3; ++h) {
          const rows = whole.row(h).slice(offset, offset + length);
          assert.deepEqual(part.row(h).data.slice(), rows.data.slice());
        }
      }
      // queries before the first key have no keys ahead of them
      const before = alibi.bias(1, 1, { form, keys: 2, offset: -3 });
      const slope = 2 ** -8;
      const want = { symmetric: [-3, -4], linear: [3, 4], causal: [-Infinity, -Infinity] };
      const shown = form === "press" ? want.causal : want[form];
      assert.deepEqual(
        numbers(before),
        shown.map((x) => x * slope),
      );
    }
  });

  test("alibi.bias is correct at distances of 2^29", () => {
    const far = alibi.bias(3, 1, { keys: 2, offset: 2 ** 29 - 5 });
    numbers(alibi.slopes(3)).forEach((slope, h) => {
      assert.equal(far.at(h, 0, 1), Math.fround(-slope * (2 ** 29 - 6))); // the product is exact
    });
  });

  test("alibi.bias accepts given slopes, also 0", () => {
    const got = alibi.bias(2, 2, { slopes: [0, 2], form: "linear" });
    assert.deepEqual(got.toArray(), [
      [
        [0, 0],
        [0, 0],
      ],
      [
        [0, 2],
        [-2, 0],
      ],
    ]);
    assert.deepEqual(alibi.bias(5, 4, { slopes: alibi.slopes(5) }), alibi.bias(5, 4));
    for (const slopes of [[1], [1, 2, 3], [[1, 2]], [1, NaN], [1, Infinity]]) {
      assert.throws(() => alibi.bias(2, 2, { slopes }), /^RangeError: \S+: slopes must .+; got /);
    }
    assert.throws(
      () => alibi.bias(1, 2, { slopes: [1], biasMax: 8 }),
      /^RangeError: alibi.bias: slopes must come without biasMax; got both$/,
    );
  });

  test("alibi.bias depends only on key - query, for any number of queries", () => {
    for (const [T, keys] of [
      [1, 7],
      [1023, 1],
      [1024, 2],
      [1025, 5],
      [2500, 3],
    ]) {
      const got = numbers(alibi.bias(3, T, { keys, offset: 0, form: "linear" }));
      const slopes = numbers(alibi.slopes(3));
      const want = got.map((_, k) => {
        const h = Math.floor(k / (T * keys));
        return Math.fround(slopes[h] * ((k % keys) - (Math.floor(k / keys) % T)));
      });
      assert.deepEqual(
        got.map((x) => x + 0),
        want.map((x) => x + 0),
      );
    }
  });

  test("alibi.bias of zero queries or zero keys is empty", () => {
    assert.deepEqual(alibi.bias(2, 0, { keys: 3 }).shape, [2, 0, 3]);
    assert.deepEqual(alibi.bias(2, 3, { keys: 0 }).shape, [2, 3, 0]);
    assert.deepEqual(alibi.bias(2, 3, { keys: 0, form: "press" }).shape, [2, 3, 0]);
  });

  test("alibi.bias rejects offsets that are fractional or out of range", () => {
    for (const offset of [0.5, 2 ** 31, 2 - 2 ** 31 - 1]) {
      assert.throws(() => alibi.bias(1, 2, { offset }), /^RangeError: \S+: offset must .+; got /);
    }
    for (const offset of [2 ** 31 - 2, 2 - 2 ** 31]) alibi.bias(1, 2, { offset });
    for (const biasMax of [126.5, 1e300]) {
      assert.throws(() => alibi.bias(1, 2, { biasMax }), /^RangeError: \S+: biasMax must .+; got /);
    }
  });
});

describe("alibi.keyBias", () => {
  const mask = [
    [0, 0, 1, 1, 1],
    [1, 1, 1, 0, 0],
    [1, 0, 1, 0, 1],
    [0, 0, 0, 0, 0],
  ];

  test("alibi.keyBias with a mask counts the unmasked tokens, from the first or the last", () => {
    const places = {
      first: [
        [0, 0, 0, 1, 2],
        [0, 1, 2, 0, 0],
        [0, 0, 1, 0, 2],
        [0, 0, 0, 0, 0],
      ],
      last: [
        [0, 0, -2, -1, 0],
        [-2, -1, 0, 0, 0],
        [-2, 0, -1, 0, 0],
        [0, 0, 0, 0, 0],
      ],
    };
    const slopes = numbers(alibi.slopes(3));
    for (const zero of /** @type {const} */ (["first", "last"])) {
      const got = alibi.keyBias(3, 5, { zero, mask });
      assert.deepEqual(got.shape, [4, 3, 1, 5]);
      for (const [b, row] of places[zero].entries()) {
        for (const [h, slope] of slopes.entries()) {
          row.forEach((place, j) => assert.equal(got.at(b, h, 0, j), slope * place + 0));
        }
      }
    }
  });

  test("alibi.keyBias with a mask of ones equals that without a mask", () => {
    for (const zero of /** @type {const} */ (["first", "last"])) {
      const plain = alibi.keyBias(5, 4, { zero });
      assert.deepEqual(plain.shape, [5, 1, 4]);
      const masked = alibi.keyBias(5, 4, { zero, mask: [[true, true, true, true]] });
      assert.deepEqual(masked.row(0).data.slice(), plain.data);
    }
    assert.deepEqual(alibi.keyBias(2, 0).shape, [2, 1, 0]);
    assert.deepEqual(
      alibi.keyBias(2, 0, { mask: { data: [], shape: [3, 0] } }).shape,
      [3, 2, 1, 0],
    );
  });

  test("alibi.keyBias with the preset falcon rounds slope, position and product to bfloat16", () => {
    const got = alibi.keyBias(71, 2000, alibi.presets.falcon);
    for (const [h, slope] of numbers(alibi.slopes(71)).entries()) {
      for (const j of [0, 1, 3, 255, 256, 257, 259, 1023, 1999]) {
        assert.equal(got.at(h, 0, j), bfloat16(bfloat16(slope) * bfloat16(j)));
      }
    }
  });

  test("alibi.keyBias has one NaN: that of slope 0 at a position that float16 cannot represent", () => {
    const { data } = alibi.keyBias(1, 65521, { slopes: [0], dtype: "float16" });
    const [finite, infinite] = new Uint32Array(data.buffer).subarray(65519);
    assert.deepEqual([finite, infinite], [0, 0x7fc00000]);
  });

  test("alibi.keyBias rejects a mask of another shape", () => {
    for (const mask of [[1, 1], [[1, 1, 1]], [[[1, 1]]], [[1], [1]]]) {
      assert.throws(() => alibi.keyBias(1, 2, { mask }), /^RangeError: \S+: mask must have shape/);
    }
    assert.throws(
      () => alibi.keyBias(1, 2, { mask: [[1, 2]] }),
      /^RangeError: \S+: mask must hold/,
    );
  });
});

test("alibi.presets have options of each function", () => {
  const { press, gpt_neox: neox, mlx, bloom, falcon, mpt } = alibi.presets;
  assert.equal(alibi.bias(1, 2, neox).at(0, 0, 1), -Infinity);
  assert.deepEqual(alibi.bias(1, 2, press).toArray()[0][1], [0, 2 ** -8]);
  assert.deepEqual(alibi.bias(1, 2, mlx), alibi.bias(1, 2));
  for (const preset of [bloom, falcon, mpt]) alibi.keyBias(1, 2, preset);
});

declaredBattery("alibi.slopes", { heads: 4 });

declaredBattery("alibi.bias", { heads: 1, length: 2 }, { offset: ["reach"] });

declaredBattery("alibi.keyBias", { heads: 2, keys: 2 });
