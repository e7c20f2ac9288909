import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { safetensors, vocabulary } from "phasor/files";
import { explore, open } from "phasor/open";
import { phasor } from "../../phasor.js";
import { apart, compared } from "./compared.js";
import { names, pieces, run, signalOperations, weights } from "./sentence-encoder.js";

const { embedding, sinusoidal } = phasor;

const [V, D, LONGEST] = [8002, 256, 128]; // the graph cuts a sentence after 128 pieces
const table = weights.get(names.table);

/** @param {{buffer: ArrayBufferLike, byteOffset: number, byteLength: number}} data */
const bytesOf = ({ buffer, byteOffset, byteLength }) =>
  new Uint8Array(buffer, byteOffset, byteLength);

/** Pieces from all over the vocabulary. */
const ids = Int32Array.from({ length: LONGEST }, (_, t) => (t * 2477 + 5) % V);

const graph = await run(ids);

const about = { model: "sentence-encoder", with: "TensorFlow.js" };

describe("the weights of a sentence encoder", () => {
  test("are the same bytes in safetensors as in the shards", async () => {
    const file = await safetensors.read(safetensors.write(weights));
    assert.equal(file.names.length, 61);
    let numbers = 0;
    for (const [name, { data, shape, dtype }] of weights) {
      const stored = await file.stored(name);
      assert.equal(stored.dtype, dtype === "int32" ? "int32" : "float32", name);
      assert.deepEqual(stored.shape, shape, name);
      assert.ok(Buffer.from(stored.bytes).equals(bytesOf(data)), name);
      numbers += data.length;
    }
    compared({ ...about, compared: "weights", with: "their shards", numbers, apart: "0" });
  });

  test("open with their table of words, whose rows equal those that the graph looks up", async () => {
    const source = { "model.safetensors": safetensors.write({ [names.table]: table }) };
    const model = await open(source, { phasor });
    assert.equal(model.tensorNames.wordEmbeddings, names.table);
    assert.deepEqual(model.wordEmbeddings?.shape, [V, D]);
    const rows = await model.wordEmbeddings?.rows(ids);
    assert.deepEqual(rows?.shape, graph.words.shape);
    assert.deepEqual(rows?.data, graph.words.data);
    assert.deepEqual((await model.embed(ids)).data, graph.words.data);
    assert.deepEqual((await model.tensor(names.table)).data, table.data);
    const numbers = graph.words.data.length;
    compared({ ...about, compared: "rows of words", numbers, apart: "0" });
  });
});

describe("the words of a sentence encoder", async () => {
  const words = embedding.from(table);
  // The origin of the package's JSON converted other text to numbers: three pieces are the same.
  const first = new Map([...pieces.entries()].reverse().map(([id, [piece]]) => [piece, id]));
  const distinct = pieces.map(([piece], id) => (first.get(piece) === id ? piece : ""));
  const list = await vocabulary.words(distinct);
  const explorer = explore(phasor, words, { vocabulary: list });

  test("have three pieces that are the same, and the last is found", async () => {
    assert.deepEqual(
      [...distinct.keys()].filter((id) => distinct[id] === "").map((id) => pieces[id][0]),
      ["\u201d5", "\u201d5"],
    );
    const all = await vocabulary.words(pieces.map(([piece]) => piece));
    const same = [...pieces.keys()].filter((id) => all.text(id) === "\u201d5");
    assert.deepEqual([same.length, same[0], same[1]], [3, 230, 238]);
    assert.equal(all.find("\u201d5"), same[2]);
    assert.equal(list.size, 8000);
    assert.equal(list.find("\u2581the"), 9);
    assert.equal(list.text(129), "\u2581good");
  });

  test("are close to words of similar meaning", () => {
    const near = {
      good: "Good great decent",
      two: "three four Two 2 five",
      Monday: "Thursday Wednesday Tuesday Friday Saturday Sunday yesterday",
      dog: "Dog dogs puppy cat animal kitten pet pup",
      France: "Spain Italy French Germany Britain Scotland England Europe",
      red: "Red yellow green blue Green brown orange pink",
      doctor: "Doctor physician nurse dentist",
    };
    for (const [word, expected] of Object.entries(near)) {
      const wanted = expected.split(" ").map((each) => `\u2581${each}`);
      const found = explorer.nearest(`\u2581${word}`, { k: wanted.length });
      assert.deepEqual(
        found.map(({ text }) => text),
        wanted,
        word,
      );
    }
  });

  test("have the cosines of a plain loop", () => {
    const [{ id, score }] = explorer.nearest("\u2581two", { k: 1 });
    const [a, b] = [174, id].map((row) => table.data.subarray(row * D, (row + 1) * D));
    const dot = (/** @type {Float32Array} */ x, /** @type {Float32Array} */ y) =>
      x.reduce((sum, value, i) => sum + value * y[i], 0);
    const cosine = dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
    assert.ok(Math.abs(score - cosine) <= 2 ** -24); // one rounding to float32 below 1
    assert.equal(score.toFixed(3), "0.823");
  });

  test("are longer for more frequent words, and all are trained", () => {
    const { norms, mean, std, min, max, byRank, meanCosine } = explorer.norms({ groups: 8 });
    const lengths = Float64Array.from({ length: V }, (_, row) =>
      Math.hypot(...table.data.subarray(row * D, (row + 1) * D)),
    );
    const worst = apart(norms.data, lengths);
    assert.ok(worst <= 2 ** -22); // the longest is below 8, where half an ULP of float32 is 2^-22
    const numbers = V;
    const length = { ...about, with: "a plain loop", compared: "lengths of words", numbers };
    compared({ ...length, apart: worst.toExponential(1) });

    const own = lengths.reduce((sum, length) => sum + length, 0) / V;
    assert.ok(Math.abs(mean - own) <= 1e-6 && std > 0);
    const shown = [mean, std, min, max, meanCosine].map((x) => x.toFixed(3));
    assert.deepEqual(shown, ["1.713", "0.361", "0.814", "6.333", "0.004"]);
    assert.deepEqual(
      [...byRank.data],
      [...byRank.data].sort((a, b) => b - a),
    );
    assert.deepEqual(explorer.duplicates(), []);
    const far = explorer.outliers().map(({ text }) => text);
    assert.deepEqual(far, [".", "s", "▁the", "'", ",", "▁to", "▁I", "▁a", "▁of", "t", "?"]);
  });
});

describe("the timing signal of a sentence encoder", () => {
  const preset = sinusoidal.presets.tensor2tensor;
  const ours = sinusoidal.table(LONGEST, D, preset);

  /** The exponent of the i-th rate: log(10000) i / (D/2 - 1). @param {number} column */
  const exponent = (column) => (Math.log(10000) * (column % (D / 2))) / (D / 2 - 1);

  test("is the sines of all angles, then their cosines: phasor's layout of halves", () => {
    assert.deepEqual(signalOperations(), ["ConcatV2", "Sin", "Cos", "Mul", true]);
    assert.equal(preset.layout, "halves");
    assert.deepEqual(graph.signal.shape, ours.shape);
  });

  test("has the rates from 1 to 1 / 10000 of the spectrum tensor2tensor", () => {
    const { data, shape } = /** @type {{data: Float32Array, shape: number[]}} */ (
      weights.get(names.rates)
    );
    assert.deepEqual(shape, [1, D / 2]);
    // exp of a float32 x: its step and its product are rounded, then the result, each by 2^-24.
    for (const [i, rate] of data.entries()) {
      const most = (2 * exponent(i) + 2) * 2 ** -24;
      assert.ok(Math.abs(rate * Math.exp(exponent(i)) - 1) <= most, String(i));
    }
    // No other spectrum is as near: the paper's has another rate at every place but the first.
    const paper = sinusoidal.table(1, D, { layout: "halves", offset: 1 });
    const other = data.findIndex((rate, i) => Math.abs(Math.sin(rate) / paper.data[i] - 1) > 1e-4);
    assert.equal(other, 1);
  });

  test("equals phasor's, within the error of the graph's float32 angles", () => {
    const { data } = graph.signal;
    for (const [i, value] of data.entries()) {
      const [t, column] = [Math.floor(i / D), i % D];
      // The angle t * rate has the error of the rate and of one product; a sine follows it at most
      // as far. Then both sides are rounded, to within half an ULP of a number below 1.
      const angle = t * Math.exp(-exponent(column));
      const most = angle * (2 * exponent(column) + 3) * 2 ** -24 + 2 ** -24;
      assert.ok(Math.abs(value - ours.data[i]) <= most, `position ${t}, column ${column}`);
    }
    const worst = apart(data, ours.data);
    assert.ok(worst < 1e-5 && worst > 0);
    const row = { ...about, compared: "timing signal", numbers: data.length };
    compared({ ...row, apart: worst.toExponential(1) });
  });

  test("with the rates of the graph equals the graph's own up to rounding", () => {
    const { data: rates } = weights.get(names.rates);
    const plain = graph.signal.data.map((_, i) => {
      const angle = Math.fround(Math.floor(i / D) * rates[i % (D / 2)]);
      return i % D < D / 2 ? Math.sin(angle) : Math.cos(angle);
    });
    assert.deepEqual(graph.signal.data, plain);
  });

  test("plus the words is the input of the first layer", () => {
    const words = embedding.from(table);
    const x = words.lookup(ids).data.map((word, i) => word + ours.data[i]);
    const worst = apart(x, graph.sum.data);
    // What the signals differ by, and the rounding of two sums below 2.
    assert.ok(worst <= apart(ours.data, graph.signal.data) + 2 ** -23);
    const row = { ...about, compared: "words + signal", numbers: x.length };
    compared({ ...row, apart: worst.toExponential(1) });
  });
});
