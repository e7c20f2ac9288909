// UMAP in the worker: neighbors stay neighbors, and every run gives the same map.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "phasor/worker";
import { umap } from "../../web/app/umap.js";
import { neighborsOf } from "../../web/explorer/neighbors.js";
import { random } from "../unit/reference/samples.js";

const phasor = await load();

/** Points around the ends of N axes, the same at each run. @param {number} each @param {number} clusters @param {number} D */
function clustered(each, clusters, D) {
  const next = random(5);
  const N = each * clusters;
  const data = Float32Array.from({ length: N * D }, (_, at) => {
    const [i, d] = [Math.floor(at / D), at % D];
    return Number(d === i % clusters) + 0.1 * (next() / 2 ** 31 - 1);
  });
  return { data, shape: [N, D] };
}

/** @param {ReturnType<typeof clustered>} points */
async function run(points) {
  /** @type {number[][]} */
  const [searched, shares] = [[], []];
  /** @type {Float32Array[]} */
  const early = [];
  const { signal } = new AbortController();
  const near = await neighborsOf(phasor, points, signal, (share) => searched.push(share));
  assert.deepEqual(searched, [1]);
  const tell = (/** @type {{share: number, places?: Float32Array}} */ { share, places }) => {
    shares.push(share);
    if (places) early.push(places);
  };
  return { ...umap(near, tell), shares, early };
}

test("the points of a cluster stay together, and the progress goes from 0 to 1", async () => {
  const [each, clusters] = [40, 4];
  const points = clustered(each, clusters, 8);
  const { places, shares, early } = await run(points);
  const N = each * clusters;
  assert.equal(places.length, 2 * N);
  assert.ok(places.every(Number.isFinite));
  for (let i = 0; i < N; ++i) {
    let [nearest, best] = [-1, Infinity];
    for (let j = 0; j < N; ++j) {
      const square =
        (places[2 * i] - places[2 * j]) ** 2 + (places[2 * i + 1] - places[2 * j + 1]) ** 2;
      if (j !== i && square < best) [nearest, best] = [j, square];
    }
    assert.equal(nearest % clusters, i % clusters, `point ${i}`);
  }
  assert.ok(
    shares.every((share, i) => share > 0 && share <= 1 && (i === 0 || share >= shares[i - 1])),
  );
  assert.deepEqual((await run(points)).places, places, "the same again");
  const [first] = early;
  assert.equal(first.length, places.length);
  assert.notDeepEqual(first, places, "the first places that are told have not settled");
});

test("few points have a map too", async () => {
  const { places } = await run(clustered(5, 2, 3));
  assert.equal(places.length, 20);
  assert.ok(places.every(Number.isFinite));
});
