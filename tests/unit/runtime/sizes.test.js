import assert from "node:assert/strict";
import { test } from "node:test";
import { phasor, Tensor } from "../../phasor.js";

const { axialRope, dropout, embedding, fourierFeatures, learnedPositions } = phasor;
const { mrope, positionIds, sincosGrid, tokenTypeIds, windowBias } = phasor;

const drawn = (/** @type {number[]} */ ...shape) => embedding.create(shape[0], shape[1], { seed: 1 }).weights(); // prettier-ignore

/** Every argument that is a list of sizes, with one that fits. @type {Record<string, [number[], (sizes: any) => unknown]>} */
// prettier-ignore
const CALLS = {
  "axialRope.table": [[2, 3], (grid) => axialRope.table(grid, 4)],
  "axialRope.table, sections": [[1, 1], (sections) => axialRope.table([2, 2], 4, { sections })],
  "axialRope.mixed": [[2, 1], (grid) => axialRope.mixed(grid, new Tensor(new Float32Array(4), [2, 1, 2]))],
  "dropout.mask": [[2, 3], (shape) => dropout.mask(shape)],
  "embedding.create, after": [[2, 3], (shape) => embedding.create(2, 2, { generator: "torch", after: [shape] }).weights()],
  "fourierFeatures.bands": [[2, 3], (sizes) => fourierFeatures.bands(sizes, 2)],
  "learnedPositions.interpolateGrid": [[3, 4], (size) => learnedPositions.interpolateGrid(drawn(5, 2), size)],
  "learnedPositions.interpolateGrid, grid": [[2, 3], (grid) => learnedPositions.interpolateGrid(drawn(7, 2), [4, 4], { grid })],
  "mrope.axes, sections": [[2, 1, 1], (sections) => mrope.axes(8, { sections })],
  "positionIds.packed": [[3, 2], (lengths) => positionIds.packed(lengths)],
  "positionIds.multimodal, grid": [[1, 2, 2], (grid) => positionIds.multimodal([{ grid }])],
  "sincosGrid.table": [[2, 2], (sizes) => sincosGrid.table(sizes, 4)],
  "tokenTypeIds.ids": [[3, 2], (lengths) => tokenTypeIds.ids(lengths)],
  "windowBias.index": [[2, 3], (size) => windowBias.index(size)],
  "windowBias.bias": [[2, 2], (size) => windowBias.bias(drawn(9, 2), size)],
  "windowBias.logCoordinates": [[2, 3], (size) => windowBias.logCoordinates(size)],
  "windowBias.logCoordinates, pretrained": [[4, 5], (pretrained) => windowBias.logCoordinates([2, 3], { pretrained })],
  "windowBias.resize": [[3, 2], (size) => windowBias.resize(drawn(9, 2), size, { pretrained: [2, 2] })],
  "windowBias.resize, pretrained": [[2, 2], (pretrained) => windowBias.resize(drawn(9, 2), [3, 3], { pretrained })],
  "windowBias.decomposed": [[2, 2], (size) => windowBias.decomposed(drawn(4, 3), size, { heights: drawn(3, 3), widths: drawn(3, 3) })],
};

for (const [name, [sizes, call]] of Object.entries(CALLS)) {
  test(`${name} takes sizes in arrays of every kind`, () => {
    const wanted = call(sizes);
    const kinds = [Int32Array.from(sizes), Float64Array.from(sizes), BigInt64Array.from(sizes.map(BigInt))];
    for (const other of [...kinds, new Tensor(kinds[0], [sizes.length])]) assert.deepEqual(call(other), wanted);
    const [short, part] = [Float64Array.of(0.5), sizes.with?.(0, -1) ?? [-1, ...sizes.slice(1)]];
    for (const wrong of [short, part, [sizes, sizes], "23", null, {}, () => 2])
      assert.throws(() => call(wrong), /^(Type|Range)Error: \S+: .+ must .+; got /);
  });
} // prettier-ignore
