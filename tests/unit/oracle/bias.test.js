// Biases of attention, written from the formulas in the test: which scheme gives them, and which mask hides cells.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor, Tensor } from "../../phasor.js";
import { cases } from "../../truth/golden.js";
import { everyNth, isNight } from "../../sample.js";
import { noise, random } from "../reference/samples.js";

/** @param {any} bias @returns {Promise<any>} */
const asked = (bias) => identify({ bias }, { phasor });

/** @typedef {(h: number, i: number, j: number) => number} Cell */

/** @param {number} H @param {number} Tq @param {number} Tk @param {Cell} cell */
function tensor(H, Tq, Tk, cell, format = "float32") {
  const data = Float64Array.from({ length: H * Tq * Tk }, (_, k) =>
    cell(Math.floor(k / (Tq * Tk)), Math.floor(k / Tk) % Tq, k % Tk),
  );
  const rounded =
    format === "float32"
      ? Float32Array.from(data)
      : new Tensor(data, [data.length]).as(/** @type {"float16"} */ (format)).as("float32").data;
  return { data: rounded, shape: [H, Tq, Tk] };
}

/** The slopes of Press's own program, get_slopes. @param {number} n @returns {number[]} */
function slopesOf(n) {
  const whole = (/** @type {number} */ m) => {
    const start = 2 ** -(2 ** -(Math.log2(m) - 3));
    return Array.from({ length: m }, (_, i) => start * start ** i);
  };
  if (Number.isInteger(Math.log2(n))) return whole(n);
  const closest = 2 ** Math.floor(Math.log2(n));
  return [...whole(closest), ...slopesOf(2 * closest).filter((_, i) => i % 2 === 0).slice(0, n - closest)]; // prettier-ignore
}

/** @param {any} found @param {any} wanted @param {string} what */
function is(found, wanted, what) {
  assert.equal(found.kind, "bias", `${what}: ${found.sentence}`);
  for (const [name, value] of Object.entries(wanted)) {
    assert.deepEqual(found[name], value, `${what}, ${name}: ${found.sentence}`);
  }
}

/** Whether one of the other names has these fields. @param {any} found @param {any} wanted */
const also = (found, wanted) =>
  found.alsoEqual.some(
    (/** @type {any} */ one) =>
    Object.entries(wanted).every(([name, value]) => JSON.stringify(one[name]) === JSON.stringify(value)), // prettier-ignore
  );

const CAUSAL = /** @type {const} */ ([-Infinity, -1e9, -10000, -65504, -3.4028234663852886e38]);

const isTaken = everyNth(17); // nine biases are measured for each size and format
const [isTakenByPress, isTakenOfT5] = [everyNth(5), everyNth(3)];

for (const H of [1, 2, 3, 8, 12, 16, 20, 71]) {
  test(`ALiBi of ${H} heads: symmetric, linear, causal, by key, in three formats`, async () => {
    const slopes = slopesOf(H);
    for (const [Tq, Tk] of [
      [6, 6],
      [24, 24],
      [3, 16],
      [1, 12],
    ]) {
      // prettier-ignore
      const first = Tk - Tq;
      const base = { form: "alibi", biasMax: 8, rule: "the published rule", heads: H };
      const what = `${Tq} x ${Tk}`;
      for (const format of ["float32", "float16", "bfloat16"]) {
        if (!isTaken()) continue;
        const made = (/** @type {Cell} */ cell) => tensor(H, Tq, Tk, cell, format);
        const symmetric = await asked(made((h, i, j) => -slopes[h] * Math.abs(first + i - j)));
        is(symmetric, { ...base, variant: "symmetric", isToeplitz: true }, `${what} ${format}`);
        if (Tq > 1) {
          const linear = await asked(made((h, i, j) => -slopes[h] * (first + i - j)));
          is(linear, { ...base, variant: "linear" }, `${what} ${format} linear`);
        }
        for (const fill of CAUSAL) {
          if (Tq === 1) continue;
          const causal = await asked(made((h, i, j) => (j > first + i ? fill : -slopes[h] * (first + i - j)))); // prettier-ignore
          is(causal, { ...base, later: "hidden" }, `${what} ${format} ${fill}`);
          assert.equal(causal.mask.rule, "causal", `${fill}`);
        }
        const keys = await asked(made((h, _, j) => slopes[h] * j));
        if (Tq > 1) is(keys, { ...base, variant: "first" }, `${what} ${format} BLOOM`);
        const last = await asked(made((h, _, j) => slopes[h] * (j - (Tk - 1))));
        assert.equal(last.form, "alibi");
        assert.ok(last.variant === "last" || also(last, { variant: "last" }), last.sentence);
      }
      if (Tq === 1 || !isTakenByPress()) continue;
      const press = await asked(tensor(H, Tq, Tk, (h, i, j) => (j > first + i ? -Infinity : slopes[h] * j))); // prettier-ignore
      is(press, { ...base, variant: "first", later: "hidden" }, `${what} Press`);
    }
  });
}

test("ALiBi: one query at the end of a cache has the same numbers by key, which is said", async () => {
  const slopes = slopesOf(4);
  const found = await asked(tensor(4, 1, 16, (h, _, j) => -slopes[h] * (15 - j)));
  is(found, { form: "alibi", variant: "symmetric" }, "one query");
  assert.ok(also(found, { form: "alibi", variant: "last" }), JSON.stringify(found.alsoEqual));
});

test("ALiBi: other rules of slopes are named, or listed", async () => {
  const by = (/** @type {number[]} */ slopes) =>
    asked(tensor(slopes.length, 16, 16, (h, i, j) => -slopes[h] * Math.abs(i - j)));
  const naive = await by(Array.from({ length: 12 }, (_, h) => 2 ** ((-8 * (h + 1)) / 12)));
  assert.match(naive.sentence, /2\^\(-8h\/H\), h from 1, which is not the published rule/);
  const early = await by(Array.from({ length: 8 }, (_, h) => 2 ** -h));
  assert.match(early.sentence, /2\^\(-8h\/H\), h from 0/);
  const reversed = await by(slopesOf(8).reverse());
  assert.match(reversed.sentence, /reverse order/);
  const wide = await by(Array.from({ length: 8 }, (_, h) => 2 ** (-2 * (h + 1))));
  is(wide, { biasMax: 16 }, "biasMax 16");
  const listed = await by([0.3, 0.2, 0, 0.05]);
  is(listed, { rule: "listed", slopes: [0.3, 0.2, 0, 0.05].map(Math.fround) }, "listed");
  const rising = await by(slopesOf(8).map((x) => -x));
  is(rising, { factor: -1, rule: "the published rule" }, "a sign lost");
  const divided = await by(slopesOf(8).map((x) => x / Math.sqrt(128)));
  assert.ok(Math.abs(divided.factor * Math.sqrt(128) - 1) < 1e-6, divided.sentence);
});

test("ALiBi: bfloat16 steps as in Falcon, padding as in BLOOM, zeros for later keys", async () => {
  const narrow = (/** @type {number} */ x) =>
    new Tensor(Float64Array.of(x), [1]).as("bfloat16").as("float32").data[0];
  const slopes = slopesOf(71);
  const falcon = tensor(71, 4, 300, (h, _, j) => narrow(narrow(slopes[h]) * narrow(j)));
  const found = await asked(falcon);
  is(found, { form: "alibi", variant: "first", dtype: "bfloat16", residual: 0 }, "Falcon");
  for (const pad of [1, 5]) {
    const bloom = tensor(8, 3, 20, (h, _, j) => (j < pad ? 0 : slopesOf(8)[h] * (j - pad)));
    is(await asked(bloom), { form: "alibi", variant: "first", padding: pad }, "BLOOM");
  }
  const lower = tensor(8, 9, 9, (h, i, j) => (j > i ? 0 : -slopesOf(8)[h] * (i - j)));
  is(await asked(lower), { form: "alibi", later: "zeros" }, "lower triangle");
});

test("ALiBi: tables of other libraries", async () => {
  for (const { id, params, outputs } of cases("alibi_bias", 14)) {
    const { data, shape } = outputs.bias;
    const found = await asked({ data: Float32Array.from(/** @type {any} */ (data)), shape });
    is(found, { form: "alibi", biasMax: 8, heads: params.num_heads }, id);
    if (params.kind === "causal" && params.q_len > 1) assert.equal(found.mask.rule, "causal", id);
    else if (params.q_len > 1) assert.equal(found.variant, params.kind, id);
  }
  for (const { id, outputs } of cases("alibi_key_bias", 2)) {
    const { data, shape } = outputs.bias;
    const found = await asked({ data: Float32Array.from(/** @type {any} */ (data)), shape });
    is(found, { form: "alibi", biasMax: 8 }, id);
  }
});

/** T5's bucket as transformers computes it, in double. @param {number} r @param {number} buckets @param {number} most @param {boolean} both */
function bucketOf(r, buckets, most, both) {
  const n = both ? Math.abs(r) : Math.max(-r, 0);
  let [first, count] = [0, buckets];
  if (both) {
    count = Math.floor(count / 2);
    if (r > 0) first = count;
  }
  const exact = Math.floor(count / 2);
  if (n < exact) return first + n;
  const large = exact + Math.floor((Math.log(n / exact) / Math.log(most / exact)) * (count - exact) + 1e-12); // prettier-ignore
  return first + Math.min(large, count - 1);
}

for (const [buckets, most] of [
  [32, 128],
  [320, 800],
  [64, 256],
  [16, 64],
  [8, 20],
  [48, 81],
  [12, 1000],
  [32, 100],
]) {
  // prettier-ignore
  for (const both of [true, false]) {
    test(`T5: ${buckets} buckets up to ${most}, ${both ? "bidirectional" : "causal"}`, async () => {
      const exact = Math.floor((both ? buckets / 2 : buckets) / 2);
      for (const H of [1, 6]) {
        for (const [Tq, Tk] of [[2 * exact + 40, 2 * exact + 40], [3, Math.min(most + 20, 400)]]) { // prettier-ignore
          if (!isTakenOfT5()) continue;
          const table = noise(buckets * H, buckets + H);
          const first = Tk - Tq;
          const cell = (/** @type {number} */ h, /** @type {number} */ i, /** @type {number} */ j) =>
            table[bucketOf(j - first - i, buckets, most, both) * H + h];
          const found = await asked(tensor(H, Tq, Tk, cell));
          const what = `${H} x ${Tq} x ${Tk}`;
          is(found, { form: "t5", residual: 0, isToeplitz: true }, what);
          const all = [found, ...found.alsoEqual];
          const own = all.find(({ buckets: n, direction, maxDistances }) =>
            n === buckets && direction === (both ? "bidirectional" : "causal") && maxDistances[0] <= most && maxDistances[1] >= most); // prettier-ignore
          assert.ok(own, `${what}: ${JSON.stringify(all.map(({ table: _, ...one }) => one))}`);
          own.table.forEach((/** @type {any} */ row, /** @type {number} */ bucket) => {
            row.forEach((/** @type {any} */ x, /** @type {number} */ h) => {
              if (x !== null) assert.equal(x, table[bucket * H + h], `bucket ${bucket}`);
            });
          });
          const masked = await asked(tensor(H, Tq, Tk, (h, i, j) => (j > first + i ? -1e9 : cell(h, i, j)))); // prettier-ignore
          is(masked, { form: "t5", later: "hidden" }, `${what} masked`);
          assert.equal(masked.mask.rule, "causal");
          // Half the buckets of both directions are all of one.
          if (!both) assert.ok([masked, ...masked.alsoEqual].some((one) => one.buckets === 2 * buckets && one.direction === "bidirectional") || buckets > 512); // prettier-ignore
        }
      }
    });
  }
}

test("T5: distances that all have their own number show no buckets", async () => {
  const table = noise(32 * 2, 3);
  const found = await asked(tensor(2, 8, 8, (h, i, j) => table[bucketOf(j - i, 32, 128, true) * 2 + h])); // prettier-ignore
  is(found, { form: "toeplitz", residual: 0 }, "8 x 8");
});

for (const [kernel, of] of /** @type {[string, (a: number, p: number, n: number) => number][]} */ ([
  ["log", (a, p, n) => -p * Math.log1p(a * n)],
  ["power", (a, p, n) => -a * n ** p],
  ["weight", (a, p, n) => Math.exp(-a * n ** p)],
])) {
  test(`KERPLE ${kernel}: a and p of each head`, async () => {
    const parameters = [[1, 1], [0.5, 1.5], [0.0123, 0.7], [2.5, 0.3], [0.2, 1.9], [0.7, 0.05]]; // prettier-ignore
    for (const T of [12, 64]) {
      for (const causal of [true, false]) {
        const own = kernel === "weight" ? parameters.slice(1, 4) : parameters;
        const found = await asked(
          tensor(own.length, T, T, (h, i, j) => {
            const [a, p] = own[h];
            if (causal && j > i) return -Infinity;
            return of(a, p, Math.abs(i - j));
          }),
        );
        const what = `${T} ${causal}: ${found.sentence}`;
        const named = [found, ...found.alsoEqual].find((one) => one.kernel === kernel);
        assert.ok(named, what);
        own.forEach(([a, p], h) => {
          assert.ok(Math.abs(named.a[h] / a - 1) < 1e-3, `${what}: a ${named.a[h]}, ${a}`);
          assert.ok(Math.abs(named.p[h] / p - 1) < 1e-3, `${what}: p ${named.p[h]}, ${p}`);
        });
        assert.ok(found.residual < 1e-4, what);
      }
    }
  });
}

test("KERPLE: the power 1 is ALiBi, which is said", async () => {
  const found = await asked(tensor(2, 16, 16, (h, i, j) => -[0.3, 0.05][h] * Math.abs(i - j)));
  is(found, { form: "alibi", rule: "listed" }, "both");
  assert.ok(also(found, { form: "kerple", kernel: "power", p: [1, 1] }), JSON.stringify(found.alsoEqual)); // prettier-ignore
});

test("Sandwich: width and base", async () => {
  for (const [D, base] of [
    [128, 10000],
    [8, 10000],
    [64, 1000],
    [256, 10000],
  ]) {
    // prettier-ignore
    for (const H of [1, 4, 12]) {
      const cell = (/** @type {number} */ h, /** @type {number} */ i, /** @type {number} */ j) => {
        let sum = -D / 2;
        for (let k = 1; k <= D / 2; ++k) sum += Math.cos((i - j) * base ** ((-2 * k) / D));
        return sum / ((8 * (h + 1)) / H);
      };
      const found = await asked(tensor(H, 20, 20, cell));
      is(found, { form: "sandwich", dim: D, base }, `${D} ${base} ${H}`);
    }
  }
});

test("Swin: windows, with and without a class token", async () => {
  for (const [h, w] of [
    [2, 2],
    [7, 7],
    [3, 5],
    [8, 4],
  ]) {
    // prettier-ignore
    for (const H of [1, 3]) {
      const table = noise((2 * h - 1) * (2 * w - 1) * H, h * w + H);
      const rowOf = (/** @type {number} */ i, /** @type {number} */ j) =>
        (Math.floor(i / w) - Math.floor(j / w) + h - 1) * (2 * w - 1) + (i % w) - (j % w) + w - 1;
      const swin = await asked(tensor(H, h * w, h * w, (n, i, j) => table[rowOf(i, j) * H + n]));
      is(swin, { form: "swin", size: [h, w], classToken: false, residual: 0, isToeplitz: false }, `${h} x ${w}`); // prettier-ignore
      assert.deepEqual(swin.table.flat(), Array.from(table));
      const beit = await asked(
        tensor(H, h * w + 1, h * w + 1, (n, i, j) => {
          if (i === 0) return j === 0 ? 3 : 4 + n;
          return j === 0 ? 5 : table[rowOf(i - 1, j - 1) * H + n];
        }),
      );
      is(beit, { form: "swin", size: [h, w], classToken: true }, `${h} x ${w} and a token`);
    }
  }
});

/** @type {[rule: string, wanted: any, sees: (i: number, j: number) => boolean][]} */
const MASKS = [
  ["causal", {}, (i, j) => j <= i],
  ["sliding", { window: 5 }, (i, j) => j <= i && i - j < 5],
  ["sliding", { window: 1 }, (i, j) => j === i],
  ["band", { window: 4 }, (i, j) => Math.abs(i - j) < 4],
  ["chunks", { chunk: 6 }, (i, j) => j <= i && Math.floor(i / 6) === Math.floor(j / 6)],
  ["sinks", { sinks: 2, window: 4 }, (i, j) => j <= i && (j < 2 || i - j < 4)],
  ["prefix", { prefix: 5 }, (i, j) => j <= i || j < 5],
  ["none", { left: 3 }, (_, j) => j >= 3],
  ["none", { right: 4 }, (_, j) => j < 16],
  ["causal", { left: 3 }, (i, j) => j <= i && j >= 3],
  ["causal", { right: 2 }, (i, j) => j <= i && j < 18],
  ["listed", {}, (i, j) => j <= i && (i * 7 + j * 3) % 5 !== 1],
];

for (const [rule, wanted, sees] of MASKS) {
  test(`masks: ${rule} ${JSON.stringify(wanted)}, alone and with ALiBi`, async () => {
    for (const fill of CAUSAL) {
      const alone = await asked(tensor(2, 20, 20, (_, i, j) => (sees(i, j) ? 0 : fill)));
      is(alone, { form: "zeros", residual: 0 }, `${fill}`);
      const slopes = slopesOf(2);
      const both = await asked(tensor(2, 20, 20, (h, i, j) => (sees(i, j) ? -slopes[h] * Math.abs(i - j) : fill))); // prettier-ignore
      for (const found of [alone, both]) {
        assert.equal(found.mask.rule, rule, `${fill}: ${found.sentence}`);
        for (const [name, value] of Object.entries(wanted)) assert.equal(found.mask[name], value, name); // prettier-ignore
        assert.equal(found.mask.fill, Math.fround(fill));
      }
      if (wanted.window !== 1) assert.equal(both.form, "alibi", both.sentence);
    }
  });
}

test("masks: those that are added to a bias, and queries at the end of a cache", async () => {
  const slopes = slopesOf(4);
  const added = await asked(tensor(4, 9, 9, (h, i, j) => -slopes[h] * Math.abs(i - j) + (j > i ? -1e4 : 0))); // prettier-ignore
  is(added, { form: "alibi" }, "added");
  assert.equal(added.mask.fill, null);
  assert.match(added.decidedBy.join(), /hidden by numbers from -10002 to -10000/);
  const cache = await asked(tensor(2, 3, 10, (_, i, j) => (j <= 7 + i ? 0 : -Infinity)));
  assert.deepEqual([cache.mask.rule, cache.mask.offset], ["causal", 7]);
  assert.doesNotMatch(cache.sentence, /query/);
  const shifts = /** @type {const} */ ([[9, 9, -1, /causal, without the query's own key/], [9, 9, 1, /causal, and the next key/], [4, 9, 4, /causal, without the query's own key/], [4, 9, 6, /causal, and the next key/], [4, 9, 0, /causal, the first query at the first key/]]); // prettier-ignore
  for (const [Tq, Tk, first, says] of shifts) {
    const found = await asked(tensor(2, Tq, Tk, (_, i, j) => (j <= first + i ? 0 : -Infinity)));
    assert.deepEqual([found.mask.rule, found.mask.offset], ["causal", first]);
    assert.match(found.sentence, says);
  }
  const one = await asked(tensor(2, 1, 9, (_, i, j) => (j < 8 ? 0 : -Infinity)));
  assert.deepEqual([one.mask.rule, one.mask.right], ["none", 1], "one query shows no shift");
});

test("biases: a number for each distance or key by no formula, and nothing at all", async () => {
  const line = noise(2 * 63, 4);
  const toeplitz = await asked(tensor(2, 32, 32, (h, i, j) => line[h * 63 + j - i + 31]));
  is(toeplitz, { form: "toeplitz", isToeplitz: true, residual: 0 }, "line");
  assert.deepEqual(toeplitz.line.values.flat(), Array.from(line));
  const keys = await asked(tensor(2, 16, 16, (h, _, j) => line[h * 16 + j]));
  is(keys, { form: "keys", isToeplitz: false }, "keys");
  is(await asked(tensor(2, 4, 4, () => 0)), { form: "zeros" }, "zeros");
  const hidden = await asked(tensor(1, 4, 4, () => -Infinity));
  assert.equal(hidden.sentence, "no name fits: all cells are hidden");
});

test("biases: FIRE's, which depends on the query too, is none", async () => {
  const bias = phasor.fire.bias(phasor.fire.weights(4, { seed: 3 }), 24, { threshold: 6 });
  const found = await asked(bias);
  assert.equal(found.kind, "none");
  assert.match(found.sentence, /cells of distance -?\d+ in head \d differ by/);
});

test("biases: of 150 random arrays, at night 3,000, none is named, nor a scheme with another number", async () => {
  const next = random(33);
  for (let seed = 0; seed < (isNight ? 3000 : 150); ++seed) {
    const [H, Tq, Tk] = [1 + (seed % 3), 1 + ((next() >>> 8) % 9), 1 + ((next() >>> 8) % 9)];
    const found = await asked({ data: noise(H * Tq * Tk, seed), shape: [H, Tq, Tk] });
    assert.equal(found.kind, "none", `seed ${seed}, ${H} x ${Tq} x ${Tk}: ${found.sentence}`);
  }
  for (const at of [9, 27, 100, 240]) {
    const made = tensor(4, 8, 8, (h, i, j) => -slopesOf(4)[h] * Math.abs(i - j));
    made.data[at] += 0.01;
    const found = await asked(made);
    assert.equal(found.kind, "none", `number ${at}: ${found.sentence}`);
  }
});

test("biases: what is wrong is refused by name", async () => {
  for (const [bias, message] of /** @type {[any, RegExp][]} */ ([
    [[1, 2], /^identify: bias must be \[H, Tq, Tk\] or \[Tq, Tk\]; got shape \[2\]$/],
    [[[]], /bias must have numbers; got shape \[1, 0\]/],
    [[], /bias must be \[H, Tq, Tk\]/],
    [[[NaN]], /bias must hold numbers or -Infinity; got NaN at number 0/],
    [[[0, Infinity]], /bias must hold numbers or -Infinity; got Infinity at number 1/],
    [[[0, 1], [2]], /bias must not be ragged/],
    [{ data: new Float32Array(16), shape: [1, 2, 2, 2, 2] }, /bias must be \[H, Tq, Tk\]/],
    [{ data: new Float32Array(3), shape: [2, 2] }, /bias.shape must have as many elements/],
    [null, /bias must be a tensor/],
  ])) {
    // prettier-ignore
    await assert.rejects(() => asked(bias), { message });
  }
  const four = await asked({ data: new Float32Array(16), shape: [1, 1, 4, 4] });
  assert.equal(four.form, "zeros");
});

/** @param {number} H @param {number} T @param {(h: number, i: number, j: number) => number} of */
const biasOf = (H, T, of) => ({
  bias: { data: Float32Array.from({ length: H * T * T }, (_, k) => of(Math.floor(k / (T * T)), Math.floor(k / T) % T, k % T)), shape: [H, T, T] },
}); // prettier-ignore

test("identify says of slips of ALiBi what they are, and calls no clipped distances T5's buckets", async () => {
  const [own, more] = [8, 16].map((H) => Array.from(phasor.alibi.slopes(H).data));
  const twelve = Array.from(phasor.alibi.slopes(12).data);
  const far = (/** @type {number} */ i, /** @type {number} */ j) => Math.abs(i - j);
  /** @type {[slip: string, H: number, of: (h: number, i: number, j: number) => number, says: RegExp][]} */
  const slips = [
    ["the sign", 8, (h, i, j) => own[h] * far(i, j), /^ALiBi by distance, slopes of the published rule, times -1,/],
    ["distances from 1", 8, (h, i, j) => -own[h] * (far(i, j) + 1), /^ALiBi by distance, slopes of the published rule, distances from 1,/],
    ["distances from 1, causal", 8, (h, i, j) => (j > i ? -Infinity : -own[h] * (i - j + 1)), /slopes of the published rule, distances from 1, causal/],
    ["distances from -1, causal", 8, (h, i, j) => (j > i ? -Infinity : -own[h] * (i - j - 1)), /slopes of the published rule, distances from -1, causal/],
    ["the first heads of twice as many", 8, (h, i, j) => -more[h] * far(i, j), /slopes of the published rule of 16 heads, 0 to 7 of these,/],
    ["the last heads of twice as many", 8, (h, i, j) => -more[h + 8] * far(i, j), /slopes of the published rule of 16 heads, 8 to 15 of these,/],
    ["slopes that are sorted", 12, (h, i, j) => -twelve.slice().sort((a, b) => b - a)[h] * far(i, j), /^ALiBi by distance, slopes 0.70\d*, 0.5, 0.35/],
    ["slopes in the reverse order", 8, (h, i, j) => -own[7 - h] * far(i, j), /the published rule in the reverse order/],
    ["distances up to 16", 8, (h, i, j) => -own[h] * Math.min(16, far(i, j)), /^a number for each distance, by no formula that is known/],
    ["squares of distances", 8, (h, i, j) => -own[h] * far(i, j) ** 2, /no formula that is known|^KERPLE power/],
    ["a slope by query", 8, (h, i) => -own[h] * i, /^no name fits/],
  ]; // prettier-ignore
  for (const [slip, H, of, says] of slips) {
    const answer = await identify(biasOf(H, 24, of), { phasor });
    assert.match(answer.sentence, says, slip);
    assert.ok(answer.kind === "none" || answer.residual === 0, slip);
  }
});

test("identify gives the range of maximum distances that have the same T5 buckets", async () => {
  const T = 160;
  const table = Array.from({ length: 32 }, (_, k) => [Math.fround(((k * 7919) % 97) / 97)]);
  for (const maxDistance of [127, 129]) {
    const { data } = phasor.t5Bias.bias(table, T, { maxDistance });
    const answer = /** @type {any} */ (await identify({ bias: { data, shape: [1, T, T] } }, { phasor })); // prettier-ignore
    const [least, most] = answer.maxDistances;
    assert.ok(answer.form === "t5" && least <= maxDistance && maxDistance <= most, answer.sentence);
    const range = `maximum distances from ${least} to ${most} give the same buckets here`;
    assert.equal(answer.decidedBy.includes(range), least < most);
  }
});

test("biases and tables of a batch have their name, if all batches have the same numbers", async () => {
  const repeated = (/** @type {Tensor} */ { data, shape }, last = 0) => {
    const all = Float32Array.from({ length: 3 * data.length }, (_, k) =>
      Number(data[k % data.length]),
    );
    all[all.length - 1] += last;
    return { data: all, shape: [3, ...shape] };
  };
  const bias = phasor.alibi.bias(4, 9);
  const { sentence: one } = await asked(bias);
  const { sentence, decidedBy } = await asked(repeated(bias));
  assert.equal(sentence, one);
  assert.match(decidedBy[0], /^all 3 batches have the same numbers$/);
  await assert.rejects(
    asked(repeated(bias, 1)),
    /bias must be .+, the same in all batches,; got shape \[3, 4, 9, 9\]/,
  );
  const table = phasor.sinusoidal.table(16, 64);
  const alone = await identify({ table }, { phasor });
  const found = await identify({ table: repeated(table) }, { phasor });
  assert.deepEqual([found.kind, found.sentence], ["sinusoids", alone.sentence]);
  assert.ok(found.decidedBy.includes("all 3 batches have the same numbers"));
  assert.equal((await identify({ table: repeated(table, 0.5) }, { phasor })).kind, "none");
});
