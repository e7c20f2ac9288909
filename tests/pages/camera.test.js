// The geometry of the explorer's 3-D view.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestAt, projected, radiusOf, rotated, start } from "../../web/explorer/camera.js";

const EYE = [1, 0, 0, 0, 1, 0, 0, 0, 1];
const view = { rotation: EYE, radius: 1, zoom: 1, width: 400, height: 400 };

/** @param {number[]} actual @param {number[]} expected */
function near(actual, expected) {
  for (const [i, x] of expected.entries()) {
    assert.ok(Math.abs(actual[i] - x) < 1e-6, `${actual} must be near ${expected}`);
  }
}

test("a rotation keeps lengths and right angles after thousands of steps", () => {
  let by = start();
  for (let i = 0; i < 5000; ++i) by = rotated(by, 0.013, -0.007);
  for (const i of [0, 1, 2]) {
    for (const j of [0, 1, 2]) {
      const dot = [0, 1, 2].reduce((sum, d) => sum + by[3 * i + d] * by[3 * j + d], 0);
      assert.ok(Math.abs(dot - Number(i === j)) < 1e-12, `${i}, ${j}: ${dot}`);
    }
  }
});

test("a drag to the right moves the front to the right, and one down moves it down", () => {
  const front = [0, 0, 1];
  const [x, y] = projected(front, { ...view, rotation: rotated(EYE, 0.1, 0) });
  assert.ok(x > 201 && Math.abs(y - 200) < 1e-3, `${x}, ${y}`);
  const [across, down] = projected(front, { ...view, rotation: rotated(EYE, 0, 0.1) });
  assert.ok(down > 201 && Math.abs(across - 200) < 1e-3, `${across}, ${down}`);
});

test("a full rotation is the identity", () => {
  near(rotated(EYE, 2 * Math.PI, 0), EYE);
  near(rotated(rotated(EYE, 0.4, 0), -0.4, 0), EYE);
});

test("the center is in the middle, up is up, and what is nearer is larger", () => {
  const [x0, y0, z0, x1, y1, , x2, , z2, x3, , z3] = projected(
    [0, 0, 0, 0, 0.5, 0, 0.5, 0, 0.9, 0.5, 0, -0.9],
    view,
  );
  near([x0, y0, z0], [200, 200, 0]);
  assert.ok(x1 === 200 && y1 < 200);
  assert.ok(x2 > x3 && x3 > 200 && z2 > z3);
});

test("a point behind the viewer has no screen position and is never hit", () => {
  const places = projected([0, 0, 5, 0.1, 0, 0], view);
  assert.ok(Number.isNaN(places[0]) && Number.isNaN(places[2]));
  assert.equal(nearestAt(places, 200, 200, 50), 1);
  assert.equal(nearestAt(places, 20, 20, 50), -1);
});

test("of several points at one screen position the nearest to the viewer is hit", () => {
  const places = Float32Array.of(10, 10, -0.5, 10, 10, 0.5, 10, 10, 0);
  assert.equal(nearestAt(places, 12, 10, 5), 1);
});

test("the radius leaves out a few outliers, and is never 0", () => {
  const points = new Float32Array(3000).fill(0);
  for (let i = 0; i < 1000; ++i) points[3 * i] = i % 2 ? 2 : -2;
  points[0] = 1000;
  assert.equal(radiusOf(points), 2);
  assert.equal(radiusOf(new Float32Array(6)), 1);
  assert.equal(radiusOf(new Float32Array(0)), 1);
});
