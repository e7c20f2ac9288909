// Position ids: each table is written by the rule that the test names, not by the package.
import assert from "node:assert/strict";
import { test } from "node:test";
import { identify } from "phasor/oracle";
import { phasor } from "../../phasor.js";
import { Random } from "../../attacks/fuzz/random.js";
import { SEED } from "../../sample.js";

/** @param {any} arrays @returns {Promise<any>} */
const asked = (arrays) => identify(arrays, { phasor });

/** What tokens get, and padding, by a mask [B][T]. @param {number[][]} mask @param {(count: number) => number} token @param {(count: number, t: number) => number} pad */
const byMask = (mask, token, pad) =>
  mask.map((row) => {
    let count = 0;
    return row.map((flag, t) => ((count += flag), flag ? token(count - 1) : pad(count, t)));
  });

/** @param {number} T @param {readonly number[]} pads @param {"left" | "right"} side */
const masked = (T, pads, side) =>
  pads.map((pad) =>
    Array.from({ length: T }, (_, t) => Number(side === "left" ? t >= pad : t < T - pad)),
  );

/** The rules that an answer names, the first and the others. @param {any} found */
const all = (found) => [found, ...found.alsoEqual];

/** Asserts that one of the names has these fields. @param {any} found @param {any} wanted @param {string} what */
function has(found, wanted, what) {
  assert.equal(found.kind, "positionIds", `${what}: ${found.sentence}`);
  assert.equal(found.residual, 0);
  const fits = (/** @type {any} */ one) =>
    Object.entries(wanted).every(([name, value]) => {
      return JSON.stringify(one[name]) === JSON.stringify(value);
    });
  assert.ok(all(found).some(fits), `${what}: ${JSON.stringify(found)}`);
}

for (const T of [3, 5, 12, 40]) {
  test(`position ids: ranges of ${T}`, async () => {
    for (const past of [0, 1, 2, 17, 100000]) {
      const row = Array.from({ length: T }, (_, t) => past + t);
      for (const positionIds of [row, [row], [row, row]]) {
        const found = await asked({ positionIds });
        assert.equal(found.rule, "range", found.sentence);
        assert.equal(found.first, past);
        // The same numbers by other names.
        if (past === 0) has(found, { rule: "fromMask", fill: null }, "by a mask without padding");
        if (past > 0) has(found, { rule: "fromTokens", paddingIdx: past - 1 }, "RoBERTa");
        if (past === 2) has(found, { rule: "opt" }, "OPT");
      }
    }
  });

  for (const side of /** @type {const} */ (["left", "right"])) {
    test(`position ids: ${T} with padding at the ${side}, by rule`, async () => {
      const mask = masked(T, [0, 1, T - 1, T >> 1], side);
      for (const isGiven of [true, false]) {
        const ask = (/** @type {number[][]} */ positionIds) =>
          asked(isGiven ? { positionIds, mask } : { positionIds });
        for (const fill of [0, 1, -1, 5]) {
          const found = await ask(byMask(mask, (n) => n, () => fill)); // prettier-ignore
          has(found, { rule: "fromMask", first: 0, fill }, `fill ${fill}`);
        }
        for (const paddingIdx of [0, 1, 3]) {
          const found = await ask(byMask(mask, (n) => n + paddingIdx + 1, () => paddingIdx)); // prettier-ignore
          has(found, { rule: "fromTokens", paddingIdx, first: paddingIdx + 1 }, "RoBERTa");
        }
        const opt = await ask(byMask(mask, (n) => n + 2, () => 1)); // prettier-ignore
        has(opt, { rule: "opt", first: 2, fill: 1 }, "OPT");
        has(opt, { rule: "fromTokens", paddingIdx: 1 }, "OPT is RoBERTa with padding 1");
      }
      const running = await asked({ positionIds: byMask(mask, (n) => n, (n) => n - 1), mask }); // prettier-ignore
      has(running, { rule: "fromMask", fill: side === "left" ? -1 : "running" }, "no fill");
      const ignored = masked(T, [0, 1], side).map((row) => row.map((_, t) => t));
      const found = await asked({ positionIds: ignored, mask: masked(T, [0, 1], side) });
      assert.equal(found.rule, "range", "padding takes a position");
    });
  }
}

test("position ids: with a cache that the mask shows", async () => {
  const mask = masked(9, [0, 2, 3], "left");
  const positions = byMask(mask, (n) => n, () => 1).map((row) => row.slice(5)); // prettier-ignore
  has(await asked({ positionIds: positions, mask }), { rule: "fromMask", past: 5, fill: null }, "4 of 9"); // prettier-ignore
  const last = positions.map((row) => row.slice(-1));
  has(await asked({ positionIds: last, mask }), { rule: "fromMask", past: 8 }, "the last of 9");
  const opt = last.map(([x]) => [x + 2]);
  has(await asked({ positionIds: opt, mask }), { rule: "opt", past: 8 }, "OPT");
  assert.equal((await asked({ positionIds: [[3], [4], [9]], mask })).kind, "none");
});

test("position ids: packed rows", async () => {
  for (const lengths of [
    [[3, 2]],
    [
      [1, 4, 5],
      [2, 2, 6],
    ],
    [[7, 1, 1, 1], [10]],
  ]) {
    // prettier-ignore
    const positionIds = lengths.map((row) => row.flatMap((n) => [...Array(n).keys()]));
    const found = await asked({ positionIds });
    has(found, { rule: "packed", lengths }, JSON.stringify(lengths));
  }
});

/**
 * Three axes of positions, written from the paper: text counts on all axes, a grid by frame, row and column.
 * @param {({text: number} | {grid: number[], step?: number})[]} segments @param {"all" | "spatial"} advance
 */
function triples(segments, advance) {
  /** @type {number[][]} */
  const axes = [[], [], []];
  let at = 0;
  for (const one of segments) {
    if ("text" in one) {
      for (let k = 0; k < one.text; ++k, ++at) for (const axis of axes) axis.push(at);
      continue;
    }
    const [t, h, w] = one.grid;
    for (let k = 0; k < t * h * w; ++k) {
      const f = Math.floor(k / (h * w));
      axes[0].push(at + Math.floor(f * (one.step ?? 1)));
      axes[1].push(at + (Math.floor(k / w) % h));
      axes[2].push(at + (k % w));
    }
    const last = Math.floor((t - 1) * (one.step ?? 1)) + 1;
    at += advance === "all" ? Math.max(last, h, w) : Math.max(h, w);
  }
  return axes;
}

const VIDEOS = [
  [{ text: 3 }, { grid: [1, 2, 3] }, { text: 4 }],
  [{ grid: [1, 4, 4] }, { text: 2 }],
  [{ text: 1 }, { grid: [5, 2, 2] }, { text: 3 }],
  [{ text: 2 }, { grid: [6, 2, 3], step: 2 }, { text: 2 }, { grid: [1, 3, 2] }, { text: 5 }],
  [{ text: 2 }, { grid: [8, 1, 2], step: 0.5 }, { text: 1 }],
  [{ text: 2 }, { grid: [7, 2, 2], step: 12.5 }, { text: 2 }],
  [{ text: 2 }, { grid: [1, 2, 2] }, { grid: [1, 2, 2] }, { text: 2 }],
  [{ text: 2 }, { grid: [4, 1, 1] }, { text: 2 }],
];

for (const advance of /** @type {const} */ (["all", "spatial"])) {
  test(`position ids: text and grids, after which positions go on by ${advance}`, async () => {
    for (const segments of VIDEOS) {
      const axes = triples(segments, advance);
      for (const positionIds of [
        axes,
        axes.map((axis) => [axis]),
        axes.map((axis) => [axis, axis]),
      ]) {
        // prettier-ignore
        const found = await asked({ positionIds });
        has(found, { rule: "multimodal", advance }, JSON.stringify(segments));
        assert.equal(found.axes, 3);
        const isSame = String(triples(segments, "all")) === String(triples(segments, "spatial"));
        assert.equal(found.alsoEqual.length, isSame ? 1 : 0, JSON.stringify(segments));
        const own = found.segments[0];
        assert.deepEqual(triples(own, advance), axes, "the segments give the same numbers");
      }
    }
  });
}

test("position ids: rows of text and grids of several lengths, padded", async () => {
  const [a, b] = [triples(VIDEOS[0], "all"), triples(VIDEOS[2], "all")];
  const T = Math.max(a[0].length, b[0].length);
  for (const side of /** @type {const} */ (["left", "right"])) {
    const padded = (/** @type {number[]} */ axis) => {
      const fill = Array(T - axis.length).fill(1);
      return side === "left" ? [...fill, ...axis] : [...axis, ...fill];
    };
    const positionIds = [0, 1, 2].map((axis) => [padded(a[axis]), padded(b[axis])]);
    const mask = masked(T, [T - a[0].length, T - b[0].length], side);
    has(await asked({ positionIds, mask }), { rule: "multimodal", padding: side }, side);
    if (side === "right") has(await asked({ positionIds }), { rule: "multimodal" }, "without mask");
  }
});

test("position ids: three axes of text alone are a range, too", async () => {
  const row = [0, 1, 2, 3];
  const found = await asked({ positionIds: [[row, row], [row, row], [row, row]] }); // prettier-ignore
  assert.deepEqual([found.rule, found.axes, found.rows], ["range", 3, 2]);
  has(found, { rule: "multimodal", segments: [[{ text: 4 }], [{ text: 4 }]] }, "text");
});

test("position ids: of 3,000 random arrays none is named, and none that was changed in one place", async () => {
  const random = new Random(SEED, "position ids", 0);
  for (let n = 0; n < 3000; ++n) {
    const [B, T] = [1 + random.below(4), 4 + random.below(20)];
    const axes = random.below(4) === 0 ? 3 : 1;
    const positionIds = Int32Array.from({ length: axes * B * T }, () => random.below(1000));
    const shape = axes === 3 ? [3, B, T] : [B, T];
    const found = await asked({ positionIds: { data: positionIds, shape } });
    assert.equal(found.kind, "none", `${positionIds}: ${found.sentence}`);
  }
  for (let n = 0; n < 200; ++n) {
    const axes = triples(VIDEOS[n % VIDEOS.length], n % 2 ? "all" : "spatial");
    const at = random.below(axes[0].length);
    axes[random.below(3)][at] += 1 + random.below(50);
    const positionIds = axes.map((axis) => [axis]);
    const found = await asked({ positionIds });
    if (found.kind === "none") continue;
    assert.deepEqual(triples(found.segments[0], found.advance), axes, "named by what it is");
  }
});

test("position ids: none says which number breaks the rule", async () => {
  const found = await asked({ positionIds: [[0, 1, 2, 9, 4]] });
  assert.equal(found.sentence, "no name fits: row 0 has 2, then 9 at 3, and no rule of padding, packing or grids gives that"); // prettier-ignore
  const grid = triples([{ text: 2 }, { grid: [1, 2, 2] }, { text: 2 }], "all").map((axis) => [
    [...axis.slice(0, 6), 9, 10],
  ]);
  assert.match((await asked({ positionIds: grid })).sentence, /token 6, after a grid of 1 x 2 x 2, is at 9, not at 4/); // prettier-ignore
  assert.match((await asked({ positionIds: [[3]] })).sentence, /rows have 1 position: two show a rule/); // prettier-ignore
});

test("position ids: what is wrong is refused by name", async () => {
  for (const [arrays, message] of /** @type {[any, RegExp][]} */ ([
    [{ positionIds: [] }, /^identify: positionIds must have numbers; got shape \[0\]$/],
    [{ positionIds: [[]] }, /positionIds must have numbers/],
    [{ positionIds: [0.5, 1] }, /positionIds must be whole numbers below 2\^31; got 0.5 at 0/],
    [{ positionIds: [NaN, 1] }, /positionIds must be whole numbers below 2\^31; got NaN at 0/],
    [
      { positionIds: [2 ** 31, 1] },
      /positionIds must be whole numbers below 2\^31; got 2147483648 at 0/,
    ],
    [{ positionIds: ["0", 1] }, /positionIds must be whole numbers; got "0" at 0/],
    [{ positionIds: [[0, 1], [2]] }, /positionIds must not be ragged/],
    [
      { positionIds: [[[0, 1]], [[0, 1]]] },
      /positionIds must be \[T\], \[B, T\] or \[3, B, T\]; got shape \[2, 1, 2\]/,
    ],
    [{ positionIds: [[[[0]]]] }, /positionIds must be \[T\]/],
    [
      { positionIds: [0, 1], mask: [1, 2] },
      /mask must hold true and false, or 1 and 0; got 2 at 1/,
    ],
    [
      { positionIds: [0, 1], mask: [1] },
      /mask must be \[B, T\], or \[B, past \+ T\], of positionIds \[2\]; got shape \[1\]/,
    ],
    [
      {
        positionIds: [[0, 1]],
        mask: [
          [1, 1],
          [1, 1],
        ],
      },
      /mask must be \[B, T\]/,
    ],
    [{ positionIds: [0, 1], mask: [] }, /mask must be \[B, T\]/],
    [
      { positionIds: [0, 1], masks: [1, 1] },
      /arrays must have only positionIds, mask; got "masks"; did you mean "mask"/,
    ],
    [{ positionIds: 4 }, /positionIds must be a tensor/],
    [{ mask: [1] }, /arrays must have/],
  ])) {
    // prettier-ignore
    await assert.rejects(() => asked(arrays), { message });
  }
  const big = await asked({ positionIds: new BigInt64Array([0n, 1n, 2n]) });
  assert.equal(big.rule, "range");
});

test("identify names no ids of films whose height and width are exchanged, or whose time is one ahead", async () => {
  const film = phasor.positionIds.multimodal([{ text: 5 }, { grid: [3, 3, 4] }, { text: 6 }]);
  const rowsOf = /** @type {number[][]} */ (/** @type {unknown} */ (film.positions.toArray()));
  const [t, h, w] = rowsOf.map((row) => Array.from(row));
  const isFilm = (/** @type {number} */ k) => k >= 5 && k < 5 + 36;
  const slips = [
    [t, w, h],
    [t.map((x, k) => x + Number(isFilm(k))), h, w],
    [t, h, w].map((row) => row.map((x) => x + 1)),
    [t, h, w].map((row) => row.map((x, k) => (k < 41 ? x : k))),
  ];
  for (const rows of slips) {
    const positionIds = { data: Int32Array.from(rows.flat()), shape: [3, 1, t.length] };
    const { kind, sentence } = await identify({ positionIds }, { phasor });
    assert.equal(kind, "none", sentence);
  }
});
