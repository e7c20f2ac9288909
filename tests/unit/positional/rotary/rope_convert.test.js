import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { battery, declaredBattery } from "../../battery.js";
import { phasor, Tensor } from "../../../phasor.js";
import { dot } from "../../reference/attention.js";
import { numbers } from "../../reference/samples.js";
import { random } from "../../tensors.js";

const { rope } = phasor;

const { fround } = Math;

const LAYOUTS = /** @type {const} */ (["interleaved", "halves"]);
const OTHER = /** @type {const} */ ({ interleaved: "halves", halves: "interleaved" });

/** From Meta's to Hugging Face's. */
const TO_HALVES = /** @type {const} */ ({ from: "interleaved", to: "halves" });

/** x W^T + b: [T, in] by [out, in]. @param {Tensor} x @param {Tensor} w @param {Tensor} b */
function project(x, w, b) {
  const rows = [...x].map((row) =>
    [...w].map((weights, n) => dot(numbers(row), numbers(weights)) + Number(b.data[n])),
  );
  return new Tensor(Float32Array.from(rows.flat()), [x.shape[0], w.shape[0]]);
}

describe("rope.convert", () => {
  test("rope.convert moves component 2i to i and 2i + 1 to i + R/2, and back", () => {
    const x = [0, 1, 2, 3, 4, 5, 6, 7];
    const halves = [0, 2, 4, 6, 1, 3, 5, 7];
    assert.deepEqual(rope.convert(x, TO_HALVES).toArray(), halves);
    const back = rope.convert(halves, { from: "halves", to: "interleaved" });
    assert.deepEqual(back.toArray(), x);
    for (const layout of LAYOUTS) {
      assert.deepEqual(rope.convert(x, { from: layout, to: layout }).toArray(), x);
    }
  });

  test("rope.convert treats each head separately and keeps columns beyond dim", () => {
    const x = [0, 1, 2, 3, 4, 10, 11, 12, 13, 14];
    const got = rope.convert(x, { ...TO_HALVES, heads: 2, dim: 4 });
    assert.deepEqual(got.toArray(), [0, 2, 1, 3, 4, 10, 12, 11, 13, 14]);
    assert.deepEqual(rope.convert(x, { ...TO_HALVES, heads: 2, dim: 0 }).toArray(), x);
  });

  test("rope.convert along axis 0 is Hugging Face's conversion of LLaMA's weights", () => {
    const [H, D, width] = [3, 6, 5];
    const w = random([H * D, width]);
    const got = rope.convert(w, { ...TO_HALVES, axis: 0, heads: H });
    // w.view(H, D/2, 2, in).transpose(1, 2).reshape(H * D, in)
    const want = Array.from({ length: H }, (_, h) =>
      [0, 1].map((part) =>
        Array.from({ length: D / 2 }, (_, i) => w.row(h * D + 2 * i + part).toArray()),
      ),
    ).flat(2);
    assert.deepEqual(got.toArray(), want);
    assert.deepEqual(rope.convert(w, { ...TO_HALVES, axis: -2, heads: H }), got);
    const turned = (/** @type {readonly any[][]} */ rows) =>
      rows[0].map((_, c) => rows.map((row) => row[c]));
    const columns = rope.convert(turned(w.toArray()), { ...TO_HALVES, heads: H });
    assert.deepEqual(turned(columns.toArray()), want);
    assert.deepEqual(
      rope.convert(got, { from: "halves", to: "interleaved", axis: 0, heads: H }),
      w,
    );
  });

  for (const from of LAYOUTS) {
    const to = OTHER[from];

    test(`rope.convert and rope.apply commute, from ${from}`, () => {
      const x = random([2, 7, 10], 3);
      for (const dim of [10, 6]) {
        const table = rope.table(7, dim);
        for (const inverse of [false, true]) {
          const first = rope.apply(rope.convert(x, { from, to, dim }), table, {
            layout: to,
            inverse,
            dim,
          });
          const last = rope.convert(rope.apply(x, table, { layout: from, inverse, dim }), {
            from,
            to,
            dim,
          });
          assert.deepEqual(first, last);
        }
      }
    });

    test(`rope.convert of both projections preserves all scores, from ${from}`, () => {
      const [T, width, D] = [5, 12, 8];
      const x = random([T, width], 4);
      const table = rope.table(T, D);
      /** The scores of each query head with the key head that it shares. @param {"interleaved" | "halves"} layout */
      const scores = (layout) => {
        const [q, k] = [4, 2].map((heads, n) => {
          const options = /** @type {const} */ ({ from, to: layout, axis: 0, heads });
          const w = rope.convert(random([heads * D, width], 5 + n), options);
          const b = rope.convert(random([heads * D], 7 + n), options);
          const rows = project(x, w, b).reshape(T, heads, D);
          return rope.apply(rows, table, { layout, axis: -3 });
        });
        return Array.from({ length: 4 * T * T }, (_, at) => {
          const [h, m, n] = [Math.floor(at / (T * T)), Math.floor(at / T) % T, at % T];
          return dot(numbers(q.row(m).row(h)), numbers(k.row(n).row(h >> 1)));
        });
      };
      const [before, after] = [scores(from), scores(to)];
      // the same products in double, added in another order
      before.forEach((score, n) => assert.ok(Math.abs(score - after[n]) <= 1e-13));
    });
  }

  test("rope.convert moves numbers bit for bit, NaN too", () => {
    const bits = Uint32Array.of(0xffc00001, 0x7fa00000, 0x80000000, 1);
    const { data } = rope.convert(new Float32Array(bits.buffer), TO_HALVES);
    assert.deepEqual(
      new Uint32Array(data.buffer),
      Uint32Array.of(0xffc00001, 0x80000000, 0x7fa00000, 1),
    );
  });

  test("rope.convert of zero rows is empty", () => {
    const none = { data: [], shape: [0, 4] };
    assert.deepEqual(rope.convert(none, TO_HALVES).shape, [0, 4]);
    assert.deepEqual(rope.convert(none, { ...TO_HALVES, axis: 0, heads: 3 }).shape, [0, 4]);
  });

  test("rope.convert rejects invalid arguments with a typed error", () => {
    const x = random([4, 6]);
    for (const [options, message] of /** @type {[any, RegExp][]} */ ([
      [undefined, /^TypeError: \S+: from must be one of "interleaved", "halves"; got undefined$/],
      [{ from: "halves" }, /^TypeError: \S+: to must be one of .+; got undefined$/],
      [
        { ...TO_HALVES, axis: 2 },
        /^RangeError: \S+: axis must be a whole number from -2 to 1; got 2$/,
      ],
      [
        { ...TO_HALVES, heads: 4 },
        /^RangeError: \S+: heads must divide the 6 components of axis -1; got 4$/,
      ],
      [{ ...TO_HALVES, heads: 2 }, /^RangeError: \S+: dim must be even; got 3$/],
      [
        { ...TO_HALVES, dim: 8 },
        /^RangeError: \S+: dim must be a whole number from 0 to 6; got 8$/,
      ],
    ])) {
      assert.throws(() => rope.convert(x, options), message);
    }
    const scalar = { data: [1], shape: [] };
    assert.throws(
      () => rope.convert(scalar, TO_HALVES),
      /^RangeError: \S+: x must have .+; got shape \[\]$/,
    );
  });
});

describe("rope.fromFullWidth", () => {
  /** Tables as textbooks have them. @param {{cos: Tensor, sin: Tensor}} table @param {string} layout */
  function twice({ cos, sin }, layout) {
    const wide = (/** @type {Tensor} */ part) => {
      const P = part.shape[part.rank - 1];
      const column = (/** @type {number} */ k) =>
        layout === "halves" ? k % P : Math.floor((k % (2 * P)) / 2);
      const data = Float32Array.from({ length: 2 * part.size }, (_, k) =>
        Number(part.data[Math.floor(k / (2 * P)) * P + column(k % (2 * P))]),
      );
      return new Tensor(data, [...part.shape.slice(0, -1), 2 * P]);
    };
    return { cos: wide(cos), sin: wide(sin) };
  }

  /**
   * x cos + turned(x) sin with tables of full width, in float32, as textbooks write it.
   * @param {Tensor} x @param {{cos: Tensor, sin: Tensor}} tables @param {string} layout
   */
  function textbook(x, { cos, sin }, layout) {
    const D = x.shape[1];
    return Float32Array.from({ length: x.size }, (_, k) => {
      const [row, d] = [k - (k % D), k % D];
      const isFirst = layout === "halves" ? d < D / 2 : d % 2 === 0;
      const apart = layout === "halves" ? D / 2 : 1;
      const other = Number(x.data[row + (isFirst ? d + apart : d - apart)]);
      const turned = fround((isFirst ? -other : other) * Number(sin.data[k]));
      return fround(fround(Number(x.data[k]) * Number(cos.data[k])) + turned);
    });
  }

  for (const layout of LAYOUTS) {
    test(`rope.fromFullWidth detects ${layout}, and rope.apply then equals the textbook formula`, () => {
      for (const positions of [6, [3, 1, 4, 1, 5, 1000000]]) {
        const table = rope.table(positions, 10);
        const wide = twice(table, layout);
        const found = rope.fromFullWidth(wide);
        assert.deepEqual(found, { table, layout });
        const x = random([6, 10], 5);
        const turned = rope.apply(x, found.table, { layout: found.layout });
        assert.deepEqual(turned.data, textbook(x, wide, layout));
      }
    });

    test(`rope.fromFullWidth accepts ${layout} of several batches, and arrays`, () => {
      const table = rope.table(
        [
          [1, 2],
          [3, 4],
        ],
        8,
      );
      const wide = twice(table, layout);
      assert.deepEqual(rope.fromFullWidth(wide), { table, layout });
      const plain = { cos: wide.cos.toArray(), sin: wide.sin.toArray() };
      assert.deepEqual(rope.fromFullWidth(plain, { layout }), { table, layout });
      assert.throws(
        () => rope.fromFullWidth(wide, { layout: OTHER[layout] }),
        /^RangeError: \S+: tables must be equal in columns .+; got others$/,
      );
    });

    test(`rope.fromFullWidth accepts the layout ${layout} for tables of position 0 only, which fit both`, () => {
      const table = rope.table([0], 8);
      const wide = twice(table, layout);
      assert.throws(
        () => rope.fromFullWidth(wide),
        /^RangeError: \S+: layout must be given for tables whose columns fit both layouts; got undefined$/,
      );
      assert.deepEqual(rope.fromFullWidth(wide, { layout }), { table, layout });
    });
  }

  test("rope.fromFullWidth reports halves for a single pair, where both layouts are the same", () => {
    const table = rope.table(5, 2);
    assert.deepEqual(rope.fromFullWidth(twice(table, "interleaved")), { table, layout: "halves" });
  });

  test("rope.fromFullWidth rejects tables whose columns do not repeat", () => {
    const { cos, sin } = rope.table(5, 16);
    assert.throws(
      () => rope.fromFullWidth({ cos, sin }),
      /^RangeError: \S+: tables must be equal in columns 2i and 2i \+ 1 \(interleaved\) or i and i \+ D\/2 \(halves\); got others$/,
    );
    const mixed = {
      cos: twice({ cos, sin }, "halves").cos,
      sin: twice({ cos, sin }, "interleaved").sin,
    };
    assert.throws(
      () => rope.fromFullWidth(mixed),
      /^RangeError: \S+: tables must be equal in columns/,
    );
    for (const [tables, message] of /** @type {[any, RegExp][]} */ ([
      [
        { cos: [[1, 1, 1]], sin: [[0, 0, 0]] },
        /^RangeError: \S+: tables\.cos must have shape .+; got \[1, 3\]$/,
      ],
      [
        { cos: [1, 1], sin: [0, 0] },
        /^RangeError: \S+: tables\.cos must have shape .+; got \[2\]$/,
      ],
      [
        { cos: [[1, 1]], sin: [[0, 0, 0]] },
        /^RangeError: \S+: tables\.sin must have the shape .+; got \[1, 3\]$/,
      ],
    ])) {
      assert.throws(() => rope.fromFullWidth(tables), message);
    }
  });

  test("rope.apply suggests rope.fromFullWidth for a table of full width", () => {
    const wide = twice(rope.table(3, 4), "halves");
    assert.throws(
      () => rope.apply(random([3, 4]), wide),
      /^RangeError: \S+: table\.cos must .+; got \[3, 4\] \(rope\.fromFullWidth converts a .+\)/,
    );
  });
});

declaredBattery(
  "rope.convert",
  { x: [[1, 2, 3, 4, 5, 6]], $: TO_HALVES },
  { from: ["word"], to: ["word"], axis: ["reach"] },
);

declaredBattery(
  "rope.fromFullWidth",
  { tables: { cos: [[1, 0.5, 1, 0.5]], sin: [[0, 0.8, 0, 0.8]] } },
  { tables: ["table", "tables", "tables.cos", "tables.sin"], layout: ["word"] },
);

describe("rope.toFullWidth and rope.toComplex", () => {
  const table = rope.table(
    [
      [0, 1, 2],
      [5, 7, 9],
    ],
    8,
  );

  for (const layout of /** @type {const} */ (["halves", "interleaved"])) {
    test(`rope.toFullWidth repeats the columns of ${layout}, and fromFullWidth undoes it`, () => {
      const wide = rope.toFullWidth(table, { layout });
      for (const part of /** @type {const} */ (["cos", "sin"])) {
        assert.deepEqual(wide[part].shape, [2, 3, 8]);
        wide[part].data.forEach((x, k) => {
          const [row, d] = [Math.floor(k / 8), k % 8];
          const i = layout === "halves" ? d % 4 : Math.floor(d / 2);
          assert.equal(x, table[part].data[row * 4 + i]);
        });
      }
      assert.deepEqual(rope.fromFullWidth(wide), { table, layout });
    });
  }

  test("rope.toComplex is cos + i sin: multiplying pairs by it rotates them", () => {
    const complex = rope.toComplex(table);
    assert.deepEqual(complex.shape, [2, 3, 4, 2]);
    const x = new Tensor(
      Float32Array.from({ length: 2 * 3 * 8 }, (_, k) => Math.sin(k)),
      [2, 3, 8],
    );
    const rotated = rope.apply(x, table, { layout: "interleaved" });
    for (let pair = 0; pair < 2 * 3 * 4; ++pair) {
      const [c, s] = complex.data.subarray(2 * pair, 2 * pair + 2);
      const [a, b] = x.data.subarray(2 * pair, 2 * pair + 2);
      assert.ok(Math.abs(rotated.data[2 * pair] - (a * c - b * s)) <= 2e-7);
      assert.ok(Math.abs(rotated.data[2 * pair + 1] - (a * s + b * c)) <= 2e-7);
    }
  });

  test("rope.toFullWidth and rope.toComplex throw on parts of another shape", () => {
    for (const convert of [rope.toFullWidth, rope.toComplex]) {
      const flat = { cos: [1], sin: [0] };
      assert.throws(
        () => convert(flat),
        /^RangeError: \S+: table\.cos must have shape .+; got \[1\]$/,
      );
      const uneven = { cos: [[1]], sin: [[0, 1]] };
      assert.throws(() => convert(uneven), /^RangeError: \S+: table\.sin must have the shape /);
    }
  });
});

battery("rope.toFullWidth", {
  call: ({ table, $ }) => rope.toFullWidth(table, $),
  good: { table: { cos: [[1, 0.5]], sin: [[0, 0.8]] } },
  args: { $: ["options"], layout: ["word"] },
});

battery("rope.toComplex", {
  call: ({ cos }) => rope.toComplex({ cos, sin: [[0, 0.8]] }),
  good: { cos: [[1, 0.5]] },
  args: { cos: ["tensor", "table.cos", "table.cos.shape", "table.sin"] },
});
