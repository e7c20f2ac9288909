import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assertRefused, declaredBattery } from "../../battery.js";
import { OutOfMemoryError, phasor, Tensor } from "../../../phasor.js";
import { dot } from "../../reference/attention.js";
import { ulps } from "../../reference/exact.js";
import { numbers } from "../../reference/samples.js";
import * as reference from "../../reference/windows.js";
import { random } from "../../tensors.js";

const { attention, windowBias } = phasor;

const SIZES = /** @type {const} */ ([
  [1, 1],
  [1, 4],
  [3, 1],
  [2, 3],
  [7, 7],
]);

describe("windowBias.index and windowBias.bias", () => {
  test("windowBias.index equals the reference 2 x 2 window, with BEiT's extra rows", () => {
    const swin = [
      [4, 3, 1, 0],
      [5, 4, 2, 1],
      [7, 6, 4, 3],
      [8, 7, 5, 4],
    ];
    assert.deepEqual(windowBias.index([2, 2]).toArray(), swin);
    assert.deepEqual(windowBias.index([2, 2], { classToken: true }).toArray(), [
      [11, 9, 9, 9, 9],
      ...swin.map((row) => [10, ...row]),
    ]);
  });

  for (const [h, w] of SIZES) {
    test(`windowBias.index and windowBias.bias of ${h} x ${w} patches equal their formula`, () => {
      for (const classToken of [false, true]) {
        const want = reference.index(h, w, classToken);
        const index = windowBias.index([h, w], { classToken });
        assert.deepEqual(index.toArray(), want);
        assert.equal(index.dtype, "int32");
        const R = (2 * h - 1) * (2 * w - 1) + (classToken ? 3 : 0);
        const table = random([R, 3], h + w);
        const bias = windowBias.bias(table, [h, w], { classToken });
        assert.deepEqual(
          bias.toArray(),
          [0, 1, 2].map((n) => want.map((row) => row.map((at) => table.at(at, n)))),
        );
      }
    });
  }

  test("windowBias.bias is the same for pairs at the same offset, and adds to attention.scaledDotProduct", () => {
    const [h, w, H] = [3, 4, 2];
    const bias = windowBias.bias(random([35, H], 5), [h, w]);
    for (const [i, j] of [
      [0, 5],
      [1, 6],
      [6, 11],
    ]) {
      assert.equal(bias.at(1, i, j), bias.at(1, 0, 5));
    }
    const x = random([H, h * w, 8], 6);
    const plain = attention.scores(x, x);
    const got = attention.scores(x, x, { bias });
    got.data.forEach((logit, at) => {
      assert.equal(logit, Math.fround(plain.data[at] + bias.data[at]));
    });
  });
});

describe("windowBias.logCoordinates and windowBias.continuousBias", () => {
  for (const [size, pretrained] of /** @type {[[number, number], [number, number]][]} */ ([
    [
      [8, 8],
      [8, 8],
    ],
    [
      [16, 12],
      [8, 8],
    ],
    [
      [3, 5],
      [12, 7],
    ],
    [
      [1, 4],
      [1, 4],
    ],
    [
      [2, 1],
      [6, 6],
    ],
  ])) {
    const [h, w] = size;

    test(`windowBias.logCoordinates of ${h} x ${w} after ${pretrained} are within 0.51 ULP`, () => {
      const got = windowBias.logCoordinates(size, { pretrained });
      assert.deepEqual(got.shape, [2 * h - 1, 2 * w - 1, 2]);
      for (let y = 0; y < 2 * h - 1; ++y) {
        for (let x = 0; x < 2 * w - 1; ++x) {
          const want = [
            reference.logCoordinate(y - h + 1, h, pretrained[0]),
            reference.logCoordinate(x - w + 1, w, pretrained[1]),
          ];
          want.forEach((value, axis) => {
            const at = got.at(y, x, axis);
            if (value === 0) assert.equal(at, 0);
            else assert.ok(ulps(at, value) <= 0.51);
          });
        }
      }
    });

    test(`windowBias.continuousBias of ${h} x ${w} after ${pretrained} equals the network's`, () => {
      const [M, H] = [20, 3];
      const inProjection = random([M, 2], 11);
      const inBias = random([M], 12);
      const outProjection = random([H, M], 13);
      const got = windowBias.continuousBias(size, {
        inProjection,
        inBias,
        outProjection,
        pretrained,
      });
      assert.deepEqual(got.shape, [H, h * w, h * w]);
      const [W, b, out] = [inProjection, inBias, outProjection].map((x) => x.toArray());
      for (let i = 0; i < h * w; i += 3) {
        for (let j = 0; j < h * w; ++j) {
          const dy = Math.floor(i / w) - Math.floor(j / w);
          const dx = (i % w) - (j % w);
          const at = /** @type {[number, number]} */ ([
            reference.logCoordinate(dy, h, pretrained[0]),
            reference.logCoordinate(dx, w, pretrained[1]),
          ]);
          for (let n = 0; n < H; ++n) {
            // one rounding; the sums in another order
            assert.ok(ulps(got.at(n, i, j), reference.continuous(at, W, b, out[n])) <= 0.501);
          }
        }
      }
    });
  }

  test("windowBias.logCoordinates are 1 where log2(1 + a) is 3, and odd", () => {
    const got = windowBias.logCoordinates([8, 8], { pretrained: [9, 9] }); // a = distance
    assert.equal(got.at(14, 0, 0), 1);
    assert.equal(got.at(0, 0, 0), -1);
    for (let y = 0; y < 15; ++y) assert.equal(got.at(y, 3, 0) + got.at(14 - y, 3, 0), 0);
  });

  test("windowBias.continuousBias works without inBias, and lies between 0 and 16", () => {
    const inProjection = random([4, 2], 14);
    const outProjection = new Tensor(Float32Array.of(1e4, 0, 0, 0, -1e4, 0, 0, 0), [2, 4]);
    const plain = windowBias.continuousBias([3, 3], { inProjection, outProjection });
    const zero = windowBias.continuousBias([3, 3], {
      inProjection,
      outProjection,
      inBias: [0, 0, 0, 0],
    });
    assert.deepEqual(plain, zero);
    assert.ok(plain.data.every((x) => x >= 0 && x <= 16));
    assert.equal(Math.max(...plain.data), 16);
    const out = new Float32Array(2 * 81);
    assert.equal(windowBias.continuousBias([3, 3], { inProjection, outProjection, out }).data, out);
    assert.deepEqual(out, plain.data);
  });
});

describe("windowBias.resize", () => {
  for (const [from, to] of /** @type {[[number, number], [number, number]][]} */ ([
    [
      [7, 7],
      [12, 12],
    ],
    [
      [7, 7],
      [24, 16],
    ],
    [
      [4, 6],
      [4, 9],
    ],
    [
      [8, 8],
      [5, 3],
    ],
    [
      [1, 3],
      [2, 30],
    ],
  ])) {
    test(`windowBias.resize from ${from} to ${to} equals timm's`, () => {
      const [rows, columns] = from.map((size) => 2 * size - 1);
      const H = 2;
      const table = random([rows * columns, H], 21);
      const got = windowBias.resize(table, to, { pretrained: from });
      const [newRows, newColumns] = to.map((size) => 2 * size - 1);
      assert.deepEqual(got.shape, [newRows * newColumns, H]);
      for (let n = 0; n < H; ++n) {
        const head = Array.from({ length: rows }, (_, y) =>
          Array.from({ length: columns }, (_, x) => table.at(y * columns + x, n)),
        );
        const want = reference.resize(head, from, to).flat();
        want.forEach((value, at) => {
          // A rounding of numbers below 1, and powers of q taken in another order
          assert.ok(Math.abs(got.at(at, n) - value) <= 2 ** -25 + 1e-12);
        });
      }
    });
  }

  test("windowBias.resize keeps the middle, the ends, the order along axes, and the class token's rows", () => {
    const [from, to] = [
      [7, 7],
      [12, 12],
    ];
    const table = random([172, 4], 22);
    const got = windowBias.resize(table, to, { pretrained: from, classToken: true });
    assert.deepEqual(got.shape, [23 * 23 + 3, 4]);
    const middle = (/** @type {Tensor} */ x, /** @type {number} */ side) =>
      x.row((side * side - 1) / 2);
    assert.deepEqual(middle(got, 23), middle(table, 13));
    for (const back of [-1, -2, -3]) assert.deepEqual(got.row(back), table.row(back));
    const slope = new Tensor(
      Float32Array.from({ length: 169 }, (_, at) => at % 13),
      [169, 1],
    );
    const spread = windowBias.resize(slope, to, { pretrained: from });
    for (let at = 1; at < 23 * 23; ++at) {
      if (at % 23 !== 0) assert.ok(spread.at(at, 0) >= spread.at(at - 1, 0));
    }
    assert.ok(spread.at(22, 0) > 11.99); // q is found to 1e-6: the last row lies a little beyond
  });

  test("windowBias.resize to the same size copies the table bit for bit", () => {
    const table = random([15, 2], 23);
    const got = windowBias.resize(table, [2, 3], { pretrained: [2, 3] });
    assert.deepEqual(got, table);
    assert.notEqual(got.data, table.data);
    const out = new Float32Array(9 * 2);
    assert.equal(windowBias.resize(table, [2, 2], { pretrained: [2, 3], out }).data, out);
    assert.deepEqual(out, windowBias.resize(table, [2, 2], { pretrained: [2, 3] }).data);
    const beit = random([18, 2], 24);
    const want = windowBias.resize(beit, [2, 3], { pretrained: [2, 3], classToken: true });
    assert.deepEqual(want, beit);
    const own = new Tensor(beit.data.slice(), [18, 2]);
    const inPlace = windowBias.resize(own, [3, 2], {
      pretrained: [2, 3],
      classToken: true,
      out: own,
    });
    assert.deepEqual(
      inPlace,
      windowBias.resize(beit, [3, 2], { pretrained: [2, 3], classToken: true }),
    );
  });
});

describe("windowBias.decomposed", () => {
  test("windowBias.decomposed is SAM's sum over both axes", () => {
    const [B, H, h, w, D] = [2, 2, 3, 4, 5];
    const N = h * w;
    const q = random([B, H, N, D], 31);
    const heights = random([2 * h - 1, D], 32);
    for (const widths of [random([2 * w - 1, D], 33), random([H, 2 * w - 1, D], 34)]) {
      const got = windowBias.decomposed(q, [h, w], { heights, widths });
      assert.deepEqual(got.shape, [B, H, N, N]);
      got.data.forEach((score, at) => {
        const [j, i] = [at % N, Math.floor(at / N) % N];
        const [b, n] = [Math.floor(at / (N * N * H)), Math.floor(at / (N * N)) % H];
        const row = numbers(q.row(b).row(n).row(i));
        const dy = Math.floor(i / w) - Math.floor(j / w) + h - 1;
        const dx = (i % w) - (j % w) + w - 1;
        const across = widths.rank === 3 ? widths.row(n) : widths;
        const want = dot(row, numbers(heights.row(dy))) + dot(row, numbers(across.row(dx)));
        assert.ok(Math.abs(score - want) <= 8 * 2 ** -24); // two roundings, of numbers below 8
      });
    }
  });
});

test("windowBias functions name the argument with the wrong shape", () => {
  const inProjection = [[1, 2]];
  const outProjection = [[1]];
  /** @type {[RegExp, () => unknown][]} */
  const clashes = [
    [/^\S+: table must have shape \[9, H\]/, () => windowBias.bias([[1]], [2, 2])],
    [
      /^\S+: table must have shape \[12, H\]/,
      () => windowBias.bias(random([9, 1]), [2, 2], { classToken: true }),
    ],
    [
      /^\S+: table must have shape \[3, H\]/,
      () => windowBias.resize([[1]], [2, 2], { pretrained: [1, 2] }),
    ],
    [
      /^\S+: pretrained must have at least two patches/,
      () => windowBias.logCoordinates([2, 2], { pretrained: [1, 2] }),
    ],
    [
      /^\S+: inProjection must have shape \[M, 2\]/,
      () => windowBias.continuousBias([1, 1], { inProjection: [[1]], outProjection }),
    ],
    [
      /^\S+: outProjection must have shape \[H, 1\]/,
      () => windowBias.continuousBias([1, 1], { inProjection, outProjection: [[1, 2]] }),
    ],
    [
      /^\S+: inBias must have shape \[1\]/,
      () => windowBias.continuousBias([1, 1], { inProjection, outProjection, inBias: [1, 2] }),
    ],
    [
      /^\S+: q must have a row for each of 2 patches/,
      () => windowBias.decomposed([[1]], [1, 2], { heights: [[1]], widths: [[1], [2], [3]] }),
    ],
    [
      /^\S+: widths must have shape \[1, 1\]/,
      () => windowBias.decomposed([[1]], [1, 1], { heights: [[1]], widths: [[1], [2], [3]] }),
    ],
    [
      /^\S+: heights must have shape \[1, 2\] or \[1, 1, 2\]/,
      () => windowBias.decomposed([[1, 2]], [1, 1], { heights: [[1]], widths: [[1]] }),
    ],
  ];
  for (const [message, call] of clashes) assertRefused(message, call);
});

test("windowBias.index of a window that is too large throws OutOfMemoryError, and the next call works", () => {
  assert.throws(() => windowBias.index([2 ** 15, 2 ** 15]), OutOfMemoryError);
  assert.throws(() => windowBias.logCoordinates([2 ** 15, 2 ** 15]), OutOfMemoryError);
  assert.deepEqual(windowBias.index([1, 1]).toArray(), [[0]]);
});

const SIZE = /** @type {const} */ ({ size: ["shapes", "size", "size[0]", "size[1]"] });
const PRETRAINED = /** @type {const} */ ({
  pretrained: ["shapes", "pretrained", "pretrained[0]", "pretrained[1]"],
});

declaredBattery("windowBias.index", { size: [2, 2] }, { ...SIZE, out: ["ints"] });

declaredBattery(
  "windowBias.bias",
  { table: [[1, 2]], size: [1, 1] },
  { ...SIZE, table: ["tensor"] },
);

declaredBattery("windowBias.logCoordinates", { size: [2, 2] }, { ...SIZE, ...PRETRAINED });

declaredBattery(
  "windowBias.continuousBias",
  { size: [2, 2], $: { inProjection: [[1, 2]], outProjection: [[1]] } },
  {
    ...{ ...SIZE, ...PRETRAINED, $: ["options", "options", "inProjection"] },
    ...{ inProjection: ["tensor"], inBias: ["tensorOption"], outProjection: ["tensor"] },
  },
);

declaredBattery(
  "windowBias.resize",
  { table: [[1, 2]], size: [2, 2], $: { pretrained: [1, 1] } },
  { ...SIZE, ...PRETRAINED, table: ["tensor"], $: ["options", "options", "pretrained"] },
);

declaredBattery(
  "windowBias.decomposed",
  { q: [[1]], size: [1, 1], $: { heights: [[1]], widths: [[2]] } },
  {
    ...{ ...SIZE, q: ["tensor"], $: ["options", "options", "heights"] },
    ...{ heights: ["tensor"], widths: ["tensor"] },
  },
);
