import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { vocabulary } from "phasor/files";
import { planted } from "../../files/planted.js";
import { explore, phasor } from "./entry.js";

const D = 136; // of which 128 are the groups' own directions
const model = planted({ dim: D, positions: 0 });
const V = 50_257;
const weights = new Float32Array(V * D);
for (let id = 0; id < V; ++id) weights.set(model.row(id), id * D);
const table = phasor.embedding.from({ data: weights, shape: [V, D] });
after(table.dispose);
const names = Array.from({ length: V }, (_, id) => `w${id}`);
const words = explore(phasor, table, { vocabulary: await vocabulary.words(names) });

/** Mean, in double. @param {ArrayLike<number>} numbers */
const mean = (numbers) => Array.from(numbers).reduce((sum, x) => sum + x, 0) / numbers.length;

describe("explore", () => {
  test("nearest finds the planted neighbors, best first, without the word itself", () => {
    const expected = model.neighbors(1234);
    for (const token of [1234, "w1234"]) {
      const found = words.nearest(token, { k: 7 });
      assert.deepEqual(
        found.map(({ id }) => id),
        expected.map(({ id }) => id),
      );
      for (const [i, { text, score }] of found.entries()) {
        assert.equal(text, `w${expected[i].id}`);
        assert.ok(Math.abs(score - expected[i].cosine) < 1e-6, `${score}`);
      }
    }
    assert.equal(words.nearest(5).length, 10);
    assert.equal(words.nearest(8, { k: 1, metric: "euclidean" })[0].id, 9);
  });

  test("analogy follows the planted rule, without the three words", () => {
    const [a, b] = [8 * 100, 8 * 200];
    const answers = words.analogy([a + 3, a + 1, b + 3], { k: 2, metric: "cosine" });
    assert.equal(answers[0].id, b + 1);
    assert.ok(answers.every(({ id }) => ![a + 3, a + 1, b + 3].includes(id)));
  });

  test("cosines of words are a symmetric table with ones on the diagonal", () => {
    const cosines = words.cosines(["w8", "w9", 16]);
    assert.deepEqual(cosines.shape, [3, 3]);
    const [first] = model.neighbors(8);
    assert.equal(first.id, 9);
    assert.ok(Math.abs(cosines.at(0, 1) - first.cosine) < 1e-6);
    assert.equal(cosines.at(0, 1), cosines.at(1, 0));
    for (const i of [0, 1, 2]) assert.ok(Math.abs(cosines.at(i, i) - 1) < 1e-6);
  });

  test("norms are those of the rows, by rank in equal groups", () => {
    const {
      norms,
      mean: average,
      min,
      max,
      byRank,
      histogram,
      meanCosine,
    } = words.norms({ groups: 5 });
    assert.equal(norms.size, V);
    const own = (/** @type {number} */ id) => Math.hypot(...model.row(id));
    for (const id of [0, 7, 50_000, V - 1]) assert.ok(Math.abs(norms.at(id) - own(id)) < 1e-6);
    assert.ok(Math.abs(average - mean(norms.data)) < 1e-6);
    assert.ok(Math.abs(min - own(50_000)) < 1e-6 && Math.abs(max - own(7)) < 1e-6);
    assert.equal(byRank.size, 5);
    const fifth = norms.data.slice(0, Math.floor(V / 5));
    assert.ok(Math.abs(byRank.at(0) - mean(fifth)) < 1e-6);
    assert.equal(
      histogram.counts.data.reduce((sum, count) => sum + count),
      V,
    );
    assert.ok(Math.abs(meanCosine) < 0.1, "directions by a hash point everywhere");
    const usual = words.norms();
    assert.deepEqual([usual.byRank.size, usual.histogram.counts.size], [32, 40]);
  });

  test("outliers are the untrained rows, the farthest first", () => {
    const found = words.outliers({ deviations: 3 });
    assert.deepEqual(found.map(({ id }) => id).sort(), [...model.untrained]);
    assert.ok(found[0].deviations >= found[3].deviations);
    assert.equal(found[0].text, `w${found[0].id}`);
    assert.deepEqual(words.outliers({ deviations: 1e6 }), []);
  });

  test("duplicates are groups of identical rows", () => {
    assert.deepEqual(words.duplicates(), [[40_000, 40_001]]);
    const zeros = explore(
      phasor,
      phasor.embedding.from([
        [0, 0],
        [1, 0],
        [0, 0],
      ]),
    );
    assert.deepEqual(zeros.duplicates(), [[0, 2]]);
    const signed = explore(phasor, phasor.embedding.from([[0], [-0]]));
    assert.deepEqual(signed.duplicates(), [], "0 and -0 are other bits");
  });

  test("components of some words are those of pca, and of all words are centered on the mean of the rows", () => {
    const tokens = ["w0", "w9", "w100", "w2000"];
    const some = words.components({ tokens, components: 3 });
    const rows = table.lookup([0, 9, 100, 2000]);
    assert.deepEqual(some.projected.data, phasor.pca(rows, { components: 3 }).projected.data);
    const all = words.components();
    assert.deepEqual(all.projected.shape, [V, 2]);
    const expected = Array.from({ length: V }, (_, id) => weights[id * D + 3]);
    assert.ok(Math.abs(all.mean.at(3) - mean(expected)) < 1e-6);
  });

  test("unknown tokens and options are typed errors", () => {
    const message = /^\S+: token must be a whole token of the vocabulary .+; got "cat"$/;
    assert.throws(() => words.nearest("cat"), { name: "RangeError", message });
    assert.throws(() => words.nearest(V), RangeError);
    assert.throws(() => words.nearest(/** @type {any} */ (undefined)), TypeError);
    assert.throws(() => words.analogy(/** @type {any} */ ([1, 2])), RangeError);
    assert.throws(() => words.cosines(/** @type {any} */ ("w1")), TypeError);
    assert.throws(() => words.outliers({ deviations: 0 }), RangeError);
    assert.throws(() => words.nearest(1, /** @type {any} */ ({ K: 1 })), TypeError);
    assert.throws(() => explore(phasor, /** @type {any} */ ([[1]])), TypeError);
  });

  test("exactly finds in int8 what nearest finds in float32, by reading rows again", async () => {
    const noisy = weights.map((value, i) => value + ((i * 2_654_435_761) % 1009) / 20_000); // nothing is round
    const rows = { data: noisy, shape: [V, D] };
    const whole = phasor.embedding.quantize(rows);
    const small = phasor.embedding.quantize(rows, { dtype: "int8" });
    let read = 0;
    const found = explore(phasor, small, {
      async rows(ids) {
        const found = whole.lookup(ids);
        read += found.shape[0];
        return found;
      },
    });
    const exact = explore(phasor, whole);
    for (const id of [3, 1234, 40_000, 50_001]) {
      assert.deepEqual(await found.exactly(id, { k: 9 }), exact.nearest(id, { k: 9 }));
    }
    assert.ok(read < 4 * 2000, `${read} rows`);
    await assert.rejects(exact.exactly(3), {
      name: "RangeError",
      message: /^\S+: rows must be given/,
    });
    found.dispose();
    exact.dispose();
    assert.throws(() => found.nearest(3), { name: "DisposedError" });
  });

  test("a row whose id has no token is shown by its id", async () => {
    const few = explore(phasor, table, { vocabulary: await vocabulary.words(["a", "", "c"]) });
    assert.deepEqual([few.text(0), few.text(1), few.text(2)], ["a", "1", "c"]);
  });

  test("without a vocabulary words are ids", () => {
    const bare = explore(phasor, table);
    assert.equal(bare.nearest(1234, { k: 1 })[0].text, String(model.neighbors(1234)[0].id));
    assert.throws(() => bare.id("w1"), {
      name: "RangeError",
      message: /^\S+: token must be an id /,
    });
  });
});
