import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { declaredBattery } from "../../battery.js";
import { cases } from "../../../truth/golden.js";
import { phasor } from "../../../phasor.js";
import { numbers } from "../../reference/samples.js";

const { positionIds } = phasor;

describe("positionIds.range", () => {
  test("positionIds.range counts from the past", () => {
    assert.deepEqual(positionIds.range(4).toArray(), [0, 1, 2, 3]);
    assert.deepEqual(positionIds.range(3, { past: 7 }).toArray(), [7, 8, 9]);
    assert.deepEqual(positionIds.range(0).shape, [0]);
    assert.equal(positionIds.range(1).dtype, "int32");
  });

  test("positionIds.range ends at the largest int32", () => {
    const last = 2 ** 31 - 1;
    assert.deepEqual(positionIds.range(1, { past: last - 1 }).toArray(), [last - 1]);
    assert.throws(
      () => positionIds.range(2, { past: last - 1 }),
      /^RangeError: \S+: length must .+; got 2$/,
    );
  });
});

describe("positionIds.fromTokens", () => {
  for (const { id, params, inputs, outputs } of cases("position_ids_from_tokens", 1)) {
    test(`positionIds.fromTokens equals ${id}`, () => {
      const { padding_idx: paddingIdx, past_length: past } = params;
      const got = positionIds.fromTokens(inputs.tokens, { paddingIdx, past });
      assert.deepEqual(got.shape, outputs.position_ids.shape);
      assert.deepEqual(numbers(got), numbers(outputs.position_ids));
    });
  }

  test("positionIds.fromTokens adds the past before it masks: padding stays at paddingIdx", () => {
    const ids = [
      [1, 1, 8, 9],
      [5, 1, 6, 1],
    ];
    assert.deepEqual(positionIds.fromTokens(ids, { past: 10 }).toArray(), [
      [1, 1, 12, 13],
      [12, 1, 13, 1],
    ]);
    assert.deepEqual(positionIds.fromTokens([0, 4, 0], { paddingIdx: 0 }).toArray(), [0, 1, 0]);
  });

  test("positionIds.fromTokens in two calls equals one call, without padding", () => {
    const ids = [5, 6, 7, 8, 9];
    const whole = positionIds.fromTokens(ids).toArray();
    const parts = [
      ...positionIds.fromTokens(ids.slice(0, 2)).toArray(),
      ...positionIds.fromTokens(ids.slice(2), { past: 2 }).toArray(),
    ];
    assert.deepEqual(parts, whole);
    assert.deepEqual(whole, positionIds.range(5, { past: 2 }).toArray());
  });

  test("positionIds.fromTokens rejects positions beyond int32", () => {
    assert.throws(
      () => positionIds.fromTokens([5, 5], { past: 2 ** 31 - 2 }),
      /^RangeError: \S+: past must .+; got /,
    );
  });
});

describe("positionIds.fromMask", () => {
  test("rejects what is neither true nor false", () => {
    for (const [flag, error] of [
      ["a", "TypeError"],
      [null, "TypeError"],
      [2, "RangeError"],
    ]) {
      const got = typeof flag === "string" ? '"a"' : flag;
      assert.throws(
        () => positionIds.fromMask(/** @type {any} */ ([1, flag])),
        RegExp(`^${error}: \\S+: mask must hold true and false, or 1 and 0; got ${got} at 1$`),
      );
    }
  });

  const masks = [
    [0, 0, 1, 1, 1],
    [1, 1, 1, 0, 0],
    [1, 0, 1, 0, 1],
    [0, 0, 0, 0, 0],
  ];

  test("positionIds.fromMask counts from 0 and gives padding 1, as generate does", () => {
    assert.deepEqual(positionIds.fromMask(masks).toArray(), [
      [1, 1, 0, 1, 2],
      [0, 1, 2, 1, 1],
      [0, 1, 1, 1, 2],
      [1, 1, 1, 1, 1],
    ]);
  });

  test("positionIds.fromMask with form opt counts from row 2 and gives padding row 1", () => {
    assert.deepEqual(positionIds.fromMask(masks, { convention: "opt" }).toArray(), [
      [1, 1, 2, 3, 4],
      [2, 3, 4, 1, 1],
      [2, 1, 3, 1, 4],
      [1, 1, 1, 1, 1],
    ]);
  });

  test("positionIds.fromMask with form opt is fromTokens with paddingIdx 1", () => {
    const ids = masks.map((row) => row.map((m) => (m ? 9 : 1)));
    assert.deepEqual(
      positionIds.fromMask(masks, { convention: "opt" }),
      positionIds.fromTokens(ids),
    );
  });

  test("positionIds.fromMask omits the cached tokens but counts them", () => {
    for (const convention of /** @type {const} */ (["opt", "left-padding"])) {
      const whole = positionIds.fromMask(masks, { convention }).toArray();
      for (let past = 0; past <= 5; ++past) {
        const got = positionIds.fromMask(masks, { convention, past });
        assert.deepEqual(got.shape, [4, 5 - past]);
        assert.deepEqual(
          got.toArray(),
          whole.map((/** @type {number[]} */ row) => row.slice(past)),
        );
      }
    }
    assert.throws(
      () => positionIds.fromMask(masks, { past: 6 }),
      /^RangeError: \S+: past must .+; got 6$/,
    );
  });

  test("positionIds.fromMask accepts true and false, and any leading axes", () => {
    assert.deepEqual(positionIds.fromMask([false, true, true]).toArray(), [1, 0, 1]);
    assert.deepEqual(positionIds.fromMask([[[1, 1]], [[0, 1]]]).toArray(), [[[0, 1]], [[1, 0]]]);
    assert.throws(
      () => positionIds.fromMask({ data: [1], shape: [] }),
      /^RangeError: \S+: mask must have shape .+; got \[\]$/,
    );
  });
});

describe("positionIds.packed", () => {
  test("positionIds.packed starts every sequence at 0", () => {
    assert.deepEqual(positionIds.packed([3, 0, 1, 2]).toArray(), [0, 1, 2, 0, 0, 1]);
    assert.deepEqual(positionIds.packed([]).shape, [0]);
  });
});

describe("positionIds.digits", () => {
  const digits = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

  test("positionIds.digits counts each run of digits from 1, and gives the rest 0", () => {
    const ids = [
      [50, 1, 2, 3, 50, 9],
      [7, 7, 51, 51, 0, 0],
    ];
    assert.deepEqual(positionIds.digits(ids, { digits }).toArray(), [
      [0, 1, 2, 3, 0, 1],
      [1, 2, 0, 0, 1, 2],
    ]);
  });

  test("positionIds.digits adds the offset to the digits and keeps the rest at 0", () => {
    assert.deepEqual(
      positionIds.digits([50, 1, 2], { digits, offset: 99 }).toArray(),
      [0, 100, 101],
    );
    assert.throws(
      () => positionIds.digits([1], { digits, offset: 2 ** 31 - 1 }),
      /^RangeError: \S+: offset must .+; got /,
    );
  });
});

describe("positionIds.multimodal", () => {
  /** @param {any} segments @param {object} [options] */
  const of = (segments, options) => {
    const { positions, ropeDelta } = positionIds.multimodal(segments, options);
    return { positions: positions.toArray(), delta: ropeDelta.toArray() };
  };

  /**
   * The rule from the paper, a token at a time: what comes after begins one beyond the largest
   * number so far.
   * @param {any[]} segments
   */
  function slow(segments) {
    /** @type {number[][]} */
    const triples = [];
    for (const { text, grid, step = 1 } of segments) {
      const start = triples.reduce((most, triple) => Math.max(most, ...triple), -1) + 1;
      for (let i = 0; i < (text ?? 0); ++i) triples.push([start + i, start + i, start + i]);
      const [t, h, w] = grid ?? [0, 0, 0];
      for (let f = 0; f < t; ++f)
        for (let y = 0; y < h; ++y)
          for (let x = 0; x < w; ++x)
            triples.push([start + Math.floor(f * step), start + y, start + x]);
    }
    const next = triples.reduce((most, triple) => Math.max(most, ...triple), -1) + 1;
    const positions = [0, 1, 2].map((axis) => triples.map((triple) => triple[axis]));
    return { positions, delta: next - triples.length };
  }

  test("positionIds.multimodal gives text three equal positions, as a model without images", () => {
    const range = positionIds.range(6).toArray();
    assert.deepEqual(of([{ text: 6 }]), { positions: [range, range, range], delta: 0 });
    assert.deepEqual(of([{ text: 2 }, { text: 0 }, { text: 4 }]), of([{ text: 6 }]));
  });

  test("positionIds.multimodal counts an image's rows and columns, and continues after its longest side", () => {
    assert.deepEqual(of([{ text: 3 }, { grid: [1, 2, 3] }, { text: 2 }]), {
      positions: [
        [0, 1, 2, 3, 3, 3, 3, 3, 3, 6, 7],
        [0, 1, 2, 3, 3, 3, 4, 4, 4, 6, 7],
        [0, 1, 2, 3, 4, 5, 3, 4, 5, 6, 7],
      ],
      delta: -3, // 6 tokens took 3 positions
    });
  });

  test("positionIds.multimodal counts a video's frames, `step` positions apart", () => {
    assert.deepEqual(of([{ grid: [3, 1, 2] }, { text: 1 }]), {
      positions: [
        [0, 0, 1, 1, 2, 2, 3],
        [0, 0, 0, 0, 0, 0, 3],
        [0, 1, 0, 1, 0, 1, 3],
      ],
      delta: -3,
    });
    const [time] = of([{ grid: [4, 1, 1], step: 2.5 }, { text: 1 }]).positions;
    assert.deepEqual(time, [0, 2, 5, 7, 8]);
  });

  test("positionIds.multimodal continues after a video's frames, or after its rows and columns", () => {
    // A video of 10 frames of 2 x 2 and a text, as transformers 4 and 5 number them.
    const segments = [{ text: 1 }, { grid: [10, 2, 2] }, { text: 2 }];
    for (const [advance, next, delta] of /** @type {const} */ ([
      ["all", 11, 13 - 43],
      ["spatial", 3, 11 - 43],
    ])) {
      const { positions, ropeDelta } = positionIds.multimodal(segments, { advance });
      const rows = /** @type {number[][]} */ (positions.toArray());
      assert.deepEqual(
        rows.map((row) => row.slice(41)),
        Array(3).fill([next, next + 1]),
      );
      assert.deepEqual(rows[0].slice(1, 10), [1, 1, 1, 1, 2, 2, 2, 2, 3]);
      assert.equal(ropeDelta.toArray(), delta);
    }
    const image = [{ text: 2 }, { grid: [1, 3, 2] }, { text: 1 }];
    assert.deepEqual(
      positionIds.multimodal(image, { advance: "spatial" }),
      positionIds.multimodal(image),
    );
  });

  test("positionIds.multimodal interleaves a video with its audio, as Qwen2.5-Omni's get_rope_index", () => {
    // From transformers 5.23.0, with 25 positions a second and chunks of 2 seconds.
    const of = (/** @type {import("phasor").MultimodalSegment[]} */ segments) => {
      const { positions, ropeDelta } = positionIds.multimodal(segments, { merge: 2 });
      return { rows: /** @type {number[][]} */ (positions.toArray()), delta: ropeDelta.toArray() };
    };
    const one = of([{ grid: [1, 2, 2], step: 25, sound: 10 }]);
    const row = [0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11];
    assert.deepEqual(one, { rows: [row, row, row], delta: -3 });

    // Four frames of 2 x 3 tokens, one second each, and 90 tokens of sound: two chunks.
    const two = of([{ text: 3 }, { grid: [4, 4, 6], step: 25, sound: 90 }, { text: 2 }]);
    assert.equal(two.rows[0].length, 123);
    assert.deepEqual(two.rows[0].slice(0, 12), [0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 29]);
    assert.deepEqual(two.rows[0].slice(65, 75), [52, 53, 54, 54, 54, 54, 54, 54, 79, 79]);
    assert.deepEqual(two.rows[0].slice(-6), [92, 93, 94, 94, 95, 96]);
    assert.deepEqual(two.rows[1].slice(5, 11), [4, 4, 4, 5, 5, 5]);
    assert.deepEqual(two.rows[2].slice(5, 11), [4, 5, 6, 4, 5, 6]);
    assert.equal(two.delta, -26);

    // Frames of 5 seconds: each token of a frame beyond several chunks makes a chunk.
    const long = of([{ text: 1 }, { grid: [5, 4, 4], step: 125, sound: 300 }, { text: 1 }]);
    assert.equal(long.rows[0].length, 326);
    assert.deepEqual(long.rows[0].slice(50, 60), [45, 46, 47, 48, 49, 50, 51, 127, 52, 53]);
    assert.deepEqual(long.rows[0].slice(-5), [502, 502, 503, 503, 504]);
    assert.equal(long.delta, 179);
  });

  test("positionIds.multimodal follows the rule of the paper", () => {
    for (const segments of [
      [],
      [{ grid: [1, 1, 1] }],
      [{ grid: [1, 3, 2] }, { grid: [1, 2, 5] }],
      [{ text: 4 }, { grid: [5, 2, 2] }, { text: 1 }, { grid: [1, 4, 4] }, { text: 7 }],
      [{ text: 1 }, { grid: [4, 3, 2], step: 25 }, { text: 3 }],
      [{ text: 0 }, { grid: [3, 1, 1], step: 0.5 }, { text: 0 }, { text: 2 }],
    ]) {
      assert.deepEqual(of(segments), slow(segments));
    }
  });

  test("positionIds.multimodal accepts grids of patches, several of which form a token", () => {
    assert.deepEqual(
      of([{ text: 2 }, { grid: [1, 4, 6] }], { merge: 2 }),
      of([{ text: 2 }, { grid: [1, 2, 3] }]),
    );
    assert.throws(
      () => of([{ grid: [1, 4, 5] }], { merge: 2 }),
      /^RangeError: \S+: segments.grid must .+; got 4 x 5 patches$/,
    );
  });

  test("positionIds.multimodal refuses what a segment has no use for", () => {
    const grid = [1, 2, 3];
    for (const [segment, rule] of /** @type {[object, string][]} */ ([
      [{ text: 1, step: 3 }, "segments.step must belong to a grid"],
      [{ text: 1, chunk: 3 }, "segments.chunk must belong to a grid with sound"],
      [{ grid, chunk: 3 }, "segments.chunk must belong to a grid with sound"],
      [{ grid, order: "time" }, "segments.order must belong to a grid with sound"],
    ])) {
      const message = `positionIds.multimodal: ${rule}; got one without`;
      assert.throws(() => of([segment]), { name: "TypeError", message });
    }
  });

  test("positionIds.multimodal pads a batch with 1, on either side, and counts the padding in ropeDelta", () => {
    const rows = [[{ text: 1 }, { grid: [1, 2, 2] }], [{ text: 2 }]];
    const right = positionIds.multimodal(rows);
    assert.deepEqual(right.positions.shape, [3, 2, 5]);
    assert.deepEqual(right.positions.toArray(), [
      [
        [0, 1, 1, 1, 1],
        [0, 1, 1, 1, 1],
      ],
      [
        [0, 1, 1, 2, 2],
        [0, 1, 1, 1, 1],
      ],
      [
        [0, 1, 2, 1, 2],
        [0, 1, 1, 1, 1],
      ],
    ]);
    assert.deepEqual(right.ropeDelta.toArray(), [-2, -3]);
    const left = positionIds.multimodal(rows, { padding: "left" });
    assert.deepEqual(left.positions.row(0).toArray(), [
      [0, 1, 1, 1, 1],
      [1, 1, 1, 0, 1],
    ]);
    // What comes next stands at T + ropeDelta, behind what the row has: 3 and 2.
    for (const { ropeDelta } of [left, right]) {
      assert.deepEqual(
        numbers(ropeDelta).map((delta) => 5 + delta),
        [3, 2],
      );
    }
  });

  test("positionIds.multimodal of a batch of one equals that of its sequence", () => {
    const segments = [{ text: 3 }, { grid: [2, 2, 2] }];
    const one = positionIds.multimodal(segments);
    const batch = positionIds.multimodal([segments]);
    assert.deepEqual(batch.positions.shape, [3, 1, 11]);
    assert.deepEqual(batch.positions.data, one.positions.data);
    assert.deepEqual(batch.ropeDelta.data, one.ropeDelta.data);
  });
});

describe("positionIds, out", () => {
  test("positionIds.multimodal writes positions into out, and leaves it unchanged if it throws", () => {
    const out = new Int32Array(9).fill(77);
    assert.throws(() => positionIds.multimodal([{ text: 3.5 }], { out }));
    assert.deepEqual(out, new Int32Array(9).fill(77));
    assert.equal(positionIds.multimodal([{ text: 3 }], { out }).positions.data, out);
  });
});

declaredBattery("positionIds.range", { length: 3 }, { out: ["ints"] });

declaredBattery("positionIds.fromTokens", { ids: [3, 1] }, { ids: ["tokenIds"], out: ["ints"] });

declaredBattery("positionIds.fromMask", { mask: [0, 1, 1] }, { mask: ["flags"], out: ["ints"] });

declaredBattery(
  "positionIds.packed",
  { lengths: [2, 1] },
  { lengths: ["lengths", "lengths", "lengths[0]"], out: ["ints"] },
);

declaredBattery(
  "positionIds.digits",
  { ids: [3, 1], $: { digits: [3] } },
  { ids: ["tokenIds"], $: ["options", "options", "digits"], digits: ["tokenIds"], out: ["ints"] },
);

declaredBattery(
  "positionIds.multimodal",
  { segments: [{ text: 1 }, { grid: [1, 2, 2] }] },
  {
    segments: [
      "multimodal",
      "segments",
      "segments.text",
      "segments.grid",
      "segments.grid[0]",
      "segments.grid[2]",
      "segments.step",
      "segments.sound",
      "segments.chunk",
      "segments.order",
    ],
    out: ["ints"],
  },
);
