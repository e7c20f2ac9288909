import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { load, optionsOf } from "phasor/ngrams";
import { declaredBattery } from "../battery.js";
import { phasor } from "../../phasor.js";
import { random } from "../reference/samples.js";

const ngrams = await load();
const { ngramIds } = ngrams;
const entry = { modules: ngrams, optionsOf };

const EOS = 2;
const MAP = Array.from({ length: 60 }, (_, id) => (id * 11) % 23);

/** Options of few rows, by function. @type {Record<string, any>} */
const few = {
  qwen4: { eos: EOS, vocabulary: 60, buckets: 11, size: 4, heads: 2 },
  deepseek: { map: MAP, vocabulary: 23, buckets: 11, size: 4, heads: 2, layers: [3, 1] },
  longcat: { eos: EOS, vocabulary: 60, ratio: 2, size: 4, heads: 2 },
  blt: { buckets: 31, groups: [2, 4], functions: 2 },
};

/** A function, and one of LongCat-Next's rule. @type {[string, any][]} */
const all = [...Object.entries(few), ["longcat", { ...few.longcat, ignored: [7, 8, 0] }]];

/** @param {string} name @param {any} ids @param {any} options @returns {import("phasor").Tensor<Int32Array>} */
const rowsOf = (name, ids, options) => /** @type {any} */ (ngramIds)[name](ids, options);

const draw = random(5);

/** Ids, a quarter of them ends of texts and zeros. @param {number} length */
const drawn = (length) =>
  Array.from({ length }, () => {
    const kind = draw() >>> 28;
    return kind < 3 ? EOS : kind < 4 ? 0 : (draw() >>> 8) % 60;
  });

describe("ngramIds", () => {
  test("a token that is decoded alone has the rows that it has in the whole sequence", () => {
    for (const [name, options] of all) {
      for (let round = 0; round < 20; ++round) {
        const ids = drawn(30);
        const mask = ["qwen4", "deepseek"].includes(name) && ids.map((_, t) => t % 7 < 5);
        const whole = /** @type {number[][]} */ (
          rowsOf(name, ids, { ...options, ...(mask && { mask }) }).toArray()
        );
        for (let t = 0; t < ids.length; ++t) {
          for (const past of [t, Math.min(t, 3)]) {
            const part = ids.slice(t - past, t + 1);
            const own = mask && { mask: mask.slice(t - past, t + 1) };
            const step = rowsOf(name, part, { ...options, ...own, past });
            assert.deepEqual(step.toArray(), [whole[t]], `${name}, ${past} before token ${t}`);
          }
        }
      }
    }
  });

  test("a text after the end of another has the rows that it has alone", () => {
    for (const [name, options] of all.filter(([name]) => /qwen4|longcat/.test(name))) {
      const text = drawn(12).map((id) => (id === EOS ? 9 : id));
      const both = rowsOf(name, [...drawn(9), EOS, ...text], options).toArray();
      assert.deepEqual(both.slice(10), rowsOf(name, text, options).toArray(), name);
      const end = rowsOf(name, [5, 6, EOS], options).toArray()[2];
      const other = rowsOf(name, [4, 6, EOS], options).toArray()[2];
      assert.notDeepEqual(end, other, `${name}: the end itself belongs to its text`);
    }
  });

  test("no n-gram reaches over an excluded token of DeepSeek's, which has the rows of padding", () => {
    const { deepseek } = few;
    const masked = (/** @type {number[]} */ ids, /** @type {number} */ at) =>
      ngramIds.deepseek(ids, { ...deepseek, mask: ids.map((_, t) => t !== at) }).toArray();
    const text = [9, 31, 4, 17];
    const rows = masked([5, 6, 8, ...text], 2);
    assert.deepEqual(rows.slice(3), ngramIds.deepseek(text, deepseek).toArray());
    const pad = ngramIds.deepseek([2], deepseek).toArray();
    assert.deepEqual(rows.slice(2, 3), pad);
  });

  test("DeepSeek V4.1's rows are those that ports of its inference/engram.py have pinned", () => {
    // Layers 1 and 14, columns 0, 8 and 16: n-grams of 2, 3 and 4 tokens; ids are compressed ones.
    const pinned = [
      [4052413, 138893193, 270913409],
      [11457621, 135125969, 257763495],
      [4299726, 129401291, 264341430],
      [15507829, 136244361, 262364454],
      [1611640, 140764033, 264586790],
      [15990408, 128381820, 263519714],
    ];
    const ids = [100, 200, 300, 400, 500, 600];
    const mask = [1, 1, 0, 1, 1, 1];
    const first = ngramIds.deepseek(ids, { mask }).toArray();
    const columns = first.map((/** @type {number[]} */ row) => [row[0], row[8], row[16]]);
    assert.deepEqual(columns, pinned);
    const later = ngramIds.deepseek(ids, { mask, layer: 1 }).toArray();
    const bigrams = later.map((/** @type {number[]} */ row) => row[0]);
    assert.deepEqual(bigrams, [12021899, 1475491, 6788701, 11232881, 6182201, 10797156]);
  });

  test("DeepSeek V4.1's last rows are below the heights of its published tables", () => {
    // `engram_num_embeddings` of its configuration.
    const ids = Array.from({ length: 300_000 }, (_, t) => (t * 7919 + (t >> 5) * 31) % 99092);
    for (const [layer, height] of [384_006_168, 384_016_682].entries()) {
      const { data } = ngramIds.deepseek(ids, { layer });
      const last = data.filter((_, at) => at % 24 === 23);
      const most = last.reduce((a, b) => Math.max(a, b));
      assert.ok(most < height && most > height - 1000, `layer ${layer}: ${most}`);
    }
  });

  test("ids with one compressed id have the same rows", () => {
    assert.equal(MAP[28], MAP[5]);
    const { deepseek } = few;
    assert.deepEqual(
      ngramIds.deepseek([28, 6, 5], deepseek),
      ngramIds.deepseek([5, 6, 28], deepseek),
    );
  });

  test("padding of Qwen4-Exp is the end of a text", () => {
    const ids = [5, 6, 7, 8];
    const mask = [0, 1, 1, 0];
    assert.deepEqual(
      ngramIds.qwen4(ids, { ...few.qwen4, mask }),
      ngramIds.qwen4([EOS, 6, 7, EOS], few.qwen4),
    );
  });

  test("ids that LongCat-Next ignores are 0, have row 0, and hide what is before them", () => {
    const options = { ...few.longcat, ignored: [50] };
    const rows = ngramIds.longcat([5, 50, 6], options).toArray();
    assert.deepEqual(rows[1], [0, 0, 0, 0, 0, 0]);
    assert.deepEqual(rows[2], ngramIds.longcat([6], options).toArray()[0]);
    assert.notDeepEqual(ngramIds.longcat([5, 0, 6], few.longcat).toArray()[2], rows[2]);
  });

  test("columns have rows of separate tables, and later layers have the next primes", () => {
    const ids = Array.from({ length: 4000 }, () => (draw() >>> 8) % 60);
    const primes = [11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];
    for (const [layer, own] of [primes.slice(0, 6), primes.slice(6)].entries()) {
      for (const name of ["qwen4", "deepseek"]) {
        const { data } = rowsOf(name, ids, { ...few[name], layer });
        let first = 0;
        for (const [k, prime] of own.entries()) {
          const column = data.filter((_, at) => at % 6 === k);
          assert.deepEqual([Math.min(...column), Math.max(...column)], [first, first + prime - 1]);
          first += prime;
        }
      }
    }
  });

  test("a longer n-gram differs only in its own columns from a shorter one", () => {
    const ids = drawn(40);
    const { data } = ngramIds.qwen4(ids, few.qwen4);
    const narrow = ngramIds.qwen4(ids, { ...few.qwen4, size: 3 });
    assert.deepEqual(
      data.filter((_, at) => at % 6 < 4),
      narrow.data,
    );
  });

  test("batches have the rows of their sequences, and empty ones none", () => {
    for (const [name, options] of all) {
      const [a, b, c, d] = Array.from({ length: 4 }, () => drawn(5));
      const K = rowsOf(name, a, options).shape[1];
      const batch = rowsOf(
        name,
        [
          [a, b],
          [c, d],
        ],
        { ...options, past: 2 },
      );
      assert.deepEqual(batch.shape, [2, 2, 3, K]);
      const alone = [a, b, c, d].map((ids) => rowsOf(name, ids, { ...options, past: 2 }).toArray());
      assert.deepEqual(batch.toArray().flat(), alone);
      assert.deepEqual(rowsOf(name, a, { ...options, past: 5 }).shape, [0, K]);
      assert.deepEqual(rowsOf(name, { data: [], shape: [3, 0] }, options).shape, [3, 0, K]);
      const out = new Int32Array(5 * K);
      assert.equal(rowsOf(name, a, { ...options, out }).data, out);
    }
  });

  test("a batch over several tiles of memory has the rows of its sequences", () => {
    const ids = Array.from({ length: 300 }, () => drawn(60));
    const rows = ngramIds.qwen4(ids, { eos: EOS }).toArray();
    for (const b of [0, 150, 299]) {
      assert.deepEqual(rows[b], ngramIds.qwen4(ids[b], { eos: EOS }).toArray());
    }
  });

  test("embedding.lookup gathers the rows", () => {
    const rows = ngramIds.longcat([5, 6], { ...few.longcat, size: 2 });
    const table = phasor.embedding.create(125, 3, { seed: 4n });
    const gathered = table.lookup(rows);
    assert.deepEqual(gathered.shape, [2, 2, 3]);
    assert.deepEqual(gathered.toArray()[1][0], table.lookup([rows.at(1, 0)]).toArray()[0]);
  });

  test("the default entry has no ngramIds", () => {
    assert.ok(!Object.keys(phasor).includes("ngramIds"));
    assert.deepEqual(Object.keys(ngrams), ["ngramIds"]);
  });

  test("tables that are too many or too long are refused", () => {
    const { qwen4, deepseek, longcat, blt } = ngramIds;
    const refused = (/** @type {() => unknown} */ call, /** @type {RegExp} */ message) =>
      assert.throws(call, { name: "RangeError", message });
    refused(
      () => qwen4([1], { eos: 1, heads: 3000 }),
      /heads must leave at most 4096 tables; got 6000$/,
    );
    refused(
      () => qwen4([1], { eos: 1, layer: 400 }),
      /layer must leave at most 4096 tables; got 6416$/,
    );
    refused(
      () => qwen4([1], { eos: 1, buckets: 2 ** 28 }),
      /buckets must leave fewer than 2\^31 rows; got 4294\d{6}$/,
    );
    refused(() => deepseek([1], { layer: 2 }), /layer must be a whole number from 0 to 1; got 2$/);
    refused(
      () => deepseek([60], few.deepseek),
      /ids must be whole numbers from 0 to 59; got 60 at 0$/,
    );
    refused(
      () => deepseek([1], { ...few.deepseek, pad: 60 }),
      /pad must be .* from 0 to 59; got 60$/,
    );
    refused(() => longcat([1], { ratio: 2 ** 20 }), /ratio must leave fewer than 2\^31 rows; got/);
    refused(() => longcat([1], { heads: 2000 }), /heads must leave at most 4096 tables; got 6000$/);
    refused(
      () => blt([1], { functions: 1000 }),
      /functions must leave at most 4096 tables; got 6000$/,
    );
    refused(() => blt([1], { buckets: 2 ** 30 }), /buckets must leave fewer than 2\^31 rows; got/);
    refused(() => blt([1], { groups: [3, 0] }), /groups must be at least 1; got 0$/);
    refused(() => blt([1, 2], { past: 3 }), /past must be at most the number of ids, 2; got 3$/);
    refused(
      () => qwen4([1, 2], { eos: 1, mask: [1] }),
      /mask must have shape that of ids, \[2\]; got \[1\]$/,
    );
  });
});

const ints = /** @type {const} */ ({ ids: ["tokenIds"], out: ["ints"] });

declaredBattery(
  "ngramIds.qwen4",
  { ids: [1, 2], $: few.qwen4 },
  { ...ints, mask: ["flags", "mask"], past: ["count"], $: ["options", "options", "eos"] },
  undefined,
  entry,
);
declaredBattery(
  "ngramIds.deepseek",
  { ids: [1, 2], $: few.deepseek },
  { ...ints, mask: ["flags", "mask"], map: ["tokenIds"], layers: ["tokenIds"], layer: ["count"] },
  undefined,
  entry,
);
declaredBattery(
  "ngramIds.longcat",
  { ids: [1, 2], $: few.longcat },
  { ...ints, ignored: ["tokenIds"] },
  undefined,
  entry,
);
declaredBattery(
  "ngramIds.blt",
  { ids: [1, 2] },
  { ...ints, groups: ["tokenIds"] },
  undefined,
  entry,
);

describe("ngramIds.deepseekMap", () => {
  test("a part of a character has the id of its token", () => {
    const texts = ["\ufffd", "a", "\ufffd", "\ufffd"];
    assert.deepEqual(ngramIds.deepseekMap(texts, ["Ã", "a", "Â", "Ã"]).toArray(), [0, 1, 2, 0]);
    assert.throws(() => ngramIds.deepseekMap(texts), {
      name: "RangeError",
      message:
        "ngramIds.deepseekMap: tokens must have the token of id 0, a part of a character; got none",
    });
  });

  test("lists that hold anything but strings are refused", () => {
    for (const [given, message] of [
      ["abc", /texts must be an array of strings; got "abc"$/],
      [["a", 1], /texts must be strings; got 1 at 1$/],
      [[null], /texts must be strings; got null at 0$/],
    ]) {
      assert.throws(() => ngramIds.deepseekMap(/** @type {any} */ (given)), {
        name: "TypeError",
        message: /** @type {RegExp} */ (message),
      });
    }
    assert.deepEqual(ngramIds.deepseekMap([]).shape, [0]);
  });
});
