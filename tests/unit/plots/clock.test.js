import assert from "node:assert/strict";
import { test } from "node:test";
import { figures } from "phasor/plots";
import { assertRefused, blank, drawing, numbers, strings, texts } from "./picture.js";

const clock = strings(figures().clock); // neither Plot nor a document

/** @param {...number} angles  radians */
const hands = (...angles) => angles.map((angle) => [Math.cos(angle), Math.sin(angle)]);

/**
 * Of each circle: its radius, and from its middle to the tips of the hands, in units of that.
 * @param {string} svg
 */
function pairs(svg) {
  return Array.from(drawing(svg).querySelectorAll(".phasor-pair"), (pair) => {
    const [circle, tip] = pair.querySelectorAll("circle");
    const [cx, cy, radius] = numbers(circle, "cx", "cy", "r");
    const vector = (/** @type {number} */ x, /** @type {number} */ y) => [
      (x - cx) / radius,
      (cy - y) / radius,
    ];
    const [tipX, tipY] = tip ? numbers(tip, "cx", "cy") : [NaN, NaN];
    const dashed = pair.querySelector("path[stroke-dasharray]")?.getAttribute("d");
    const [, x, y] = /L(\S+) (\S+)$/.exec(dashed ?? "") ?? [];
    return {
      radius,
      hand: tip && vector(tipX, tipY),
      before: dashed && vector(Number(x), Number(y)),
      pair,
    };
  });
}

/** @param {number[] | undefined | null | ""} actual @param {number[]} expected */
function assertClose(actual, expected) {
  assert.ok(actual);
  for (const i of [0, 1]) {
    assert.ok(Math.abs(actual[i] - expected[i]) < 1e-3, `[${actual}] is [${expected}]`);
  }
}

test("clock draws each pair as a hand: cos to the right, sin upwards", () => {
  const vectors = hands(0, Math.PI / 2, 2, -2.5);
  for (const [i, { hand }] of pairs(clock(vectors)).entries()) assertClose(hand, vectors[i]);
});

test("clock draws lengths to scale, the circle being 1", () => {
  const vectors = [
    [0.5, 0],
    [0, -3],
  ];
  const [half, three] = pairs(clock({ data: Float32Array.of(0.5, 0, 0, -3), shape: [2, 2] }));
  assertClose(half.hand, vectors[0]);
  assertClose(three.hand, vectors[1]);
  assert.equal(half.radius, three.radius);
});

/** The points of a path, in units of the circle's radius from its middle. @param {Element} pair @param {string} selector */
function outline(pair, selector) {
  const [cx, cy, radius] = numbers(pair.querySelectorAll("circle")[0], "cx", "cy", "r");
  const [, d = ""] = pair.querySelector(selector)?.getAttribute("d")?.split("M") ?? []; // no arrowhead
  return Array.from(`L${d}`.matchAll(/L(\S+?) ([^\sLZ]+)/g), ([, x, y]) => [
    (Number(x) - cx) / radius,
    (cy - Number(y)) / radius,
  ]);
}

/** The angle that a path sweeps around the middle, radians; counterclockwise is positive. @param {number[][]} points */
function swept(points) {
  let sum = 0;
  for (let i = 1; i < points.length; ++i) {
    const [[a, b], [c, d]] = [points[i - 1], points[i]];
    sum += Math.atan2(a * d - b * c, a * c + b * d);
  }
  return sum;
}

const SPIRAL = ".phasor-sweep";

test("clock shows previous hands, and the way forward from there", () => {
  const before = hands(0.2, 3, -3, 0);
  const now = hands(1.2, -3, 3, 4);
  const found = pairs(clock(now, { before }));
  for (const [i, { before: was, hand }] of found.entries()) {
    assertClose(was, before[i]);
    assertClose(hand, now[i]);
  }
  const turns = found.map(({ pair }) => swept(outline(pair, SPIRAL)));
  // 4 radians are more than half a turn: the wedge is the way that the hand took.
  for (const [i, turn] of [1, 2 * Math.PI - 6, 6, 4].entries()) {
    assert.ok(Math.abs(turns[i] - turn) < 0.02, `${turns[i]} is ${turn}`);
  }
});

test("clock draws a rotation with its direction and every whole turn", () => {
  const rotation = [-1, 4, 4 + 2 * Math.PI, 1 - 4 * Math.PI, 0, 2 * Math.PI];
  const before = hands(...rotation.map((_, i) => i));
  const now = hands(...rotation.map((turn, i) => i + turn));
  const svg = clock(now, { before, rotation });
  for (const [i, { pair, hand }] of pairs(svg).entries()) {
    const sweep = outline(pair, SPIRAL);
    assert.ok(Math.abs(swept(sweep) - rotation[i]) < 0.05, `${swept(sweep)} is ${rotation[i]}`);
    if (rotation[i] === 0) continue;
    const [x, y] = sweep[sweep.length - 1];
    const scale = Math.hypot(x, y);
    assert.ok(Math.hypot(x / scale - now[i][0], y / scale - now[i][1]) < 0.02);
    assert.equal(Number(hand !== undefined), 1);
  }
  assert.deepEqual(
    pairs(svg).map(({ pair }) => pair.querySelector(".phasor-turns")?.textContent),
    [undefined, undefined, "×1", "×1", undefined, "×1"],
  );
});

test("clock counts the whole turns of a long rotation, whose spiral stays readable", () => {
  const rotation = [1000.5 * 2 * Math.PI];
  const [{ pair }] = pairs(clock(hands(Math.PI), { before: hands(0), rotation }));
  assert.equal(pair.querySelector(".phasor-turns")?.textContent, "×1000");
  const turns = swept(outline(pair, SPIRAL)) / (2 * Math.PI);
  assert.ok(turns > 1.5 && turns < 4, `${turns} turns are drawn`);
});

test("clock: hands that have not moved have no path between them, despite rounding", () => {
  const before = { data: Float32Array.of(1, 0, 1, 1e-9), shape: [2, 2] };
  const now = { data: Float32Array.of(1, -1e-9, 1, 0), shape: [2, 2] };
  for (const rotation of [undefined, [0, 0]]) {
    for (const { pair } of pairs(clock(now, { before, rotation }))) {
      assert.equal(pair.querySelector(SPIRAL), null);
    }
  }
});

test("clock skips pairs without a direction", () => {
  const svg = clock([
    [0, 0],
    [NaN, 1],
    [Infinity, 0],
    [1, 0],
  ]);
  assert.deepEqual(
    pairs(svg).map(({ hand }) => hand !== undefined),
    [false, false, false, true],
  );
  assert.match(svg, /4 hands on circles, a pair of numbers each; 3 without a direction/);
  assert.ok(!/NaN|Infinity/.test(svg));
  assert.match(clock([]), /0 hands/);
});

test("clock uses rows of about equal length, or the given number of columns", () => {
  const rows = (/** @type {string} */ svg) => {
    const y = pairs(svg).map(
      ({ pair }) => /translate\(\S+ (\S+)\)/.exec(String(pair.getAttribute("transform")))?.[1],
    );
    return [...new Set(y)].map((row) => y.filter((other) => other === row).length);
  };
  const sixteen = hands(...Array.from({ length: 16 }, (_, i) => i));
  assert.deepEqual(rows(clock(sixteen, { width: 900 })), [8, 8]);
  assert.deepEqual(rows(clock(sixteen, { width: 360 })), [4, 4, 4, 4]);
  assert.deepEqual(rows(clock(sixteen, { columns: 10 })), [10, 6]);
});

test("clock labels its parts and escapes text", () => {
  const hostile = `<script>alert("1")</script>`;
  const svg = clock(hands(0, 1), { labels: [hostile, "b"], columns: 1, title: hostile });
  assert.equal(drawing(svg).querySelectorAll("script").length, 0);
  assert.ok(texts(svg).includes("b") && texts(svg).includes(hostile));
  assert.ok(texts(clock(hands(0, 1))).includes("pair 1"));
});

test("clock: with a document, the element draws the same as the string", () => {
  const document = blank();
  const vectors = hands(1, 2, 3);
  const options = { before: hands(0, 0, 0), width: 400 };
  const figure = figures({ document }).clock(vectors, { ...options, as: "element" });
  const inPage = Array.from(figure.querySelectorAll("path"), (path) => path.getAttribute("d"));
  const svg = drawing(clock(vectors, options));
  assert.deepEqual(
    inPage,
    Array.from(svg.querySelectorAll("path"), (path) => path.getAttribute("d")),
  );
  assert.equal(inPage.length, 15); // of each: cross, sector, spiral, earlier hand, hand
});

test("clock: its table and its description contain the angles", () => {
  const { table } = figures({ document: blank() }).clock(hands(Math.PI / 3), {
    as: "element",
    before: hands(0),
    rotation: [Math.PI / 3 + 2 * Math.PI],
  });
  assert.deepEqual(table.header.slice(0, 4), ["pair", "cos", "sin", "angle (radians)"]);
  assert.equal(table.cell(0, 0), "pair 0");
  assert.ok(Math.abs(Number(table.cell(0, 3)) - Math.PI / 3) < 1e-12);
  assert.equal(table.cell(0, 6), 0);
  assert.equal(table.header[7], "rotation (radians)");
  assert.ok(Math.abs(Number(table.cell(0, 7)) - (7 * Math.PI) / 3) < 1e-12);
});

test("clock computes every angle to 1e-15", () => {
  const vectors = Array.from({ length: 721 }, (_, i) => {
    const angle = ((i - 360) / 360) * Math.PI;
    return [3 * Math.cos(angle), 3 * Math.sin(angle)];
  });
  const edges = [
    [1, 0],
    [-1, 0],
    [0, 1],
    [0, -1],
    [1, 1e-9],
    [-1, -1e-9],
  ];
  const all = [...vectors, ...edges];
  const { table } = figures({ document: blank() }).clock(all, { as: "element" });
  for (const [i, [x, y]] of all.entries()) {
    const error = Math.abs(Number(table.cell(i, 3)) - Math.atan2(y, x));
    assert.ok(error < 1e-15, `(${x}, ${y}): ${error}`);
  }
});

test("clock knows the directions of vectors whose squares overflow or underflow", () => {
  const far = [[1e200, 0], [1e-200, 1e-200], [0, -1e300]]; // prettier-ignore
  const { table } = figures({ document: blank() }).clock(far, { as: "element" });
  const angles = far.map((_, i) => Number(table.cell(i, 3)));
  [0, Math.PI / 4, -Math.PI / 2].forEach((angle, i) =>
    assert.ok(Math.abs(angles[i] - angle) < 1e-15),
  );
});

test("clock rejects invalid arguments", () => {
  assertRefused(clock, [
    [[1, 2], {}, RangeError, /vectors must have the shape \[rows, columns\]/],
    [[[1, 2, 3]], {}, RangeError, /vectors must have the shape \[pairs, 2\]; got \[1, 3\]/],
    [hands(1), { before: hands(1, 2) }, RangeError, /before must hold 1 pairs; got 2/],
    [hands(1), { before: hands(1), rotation: [1, 2] }, RangeError, /rotation must hold 1 numbers/],
    [hands(1), { before: hands(1), rotation: [NaN] }, RangeError, /rotation\[0\] must be a finite/],
    [
      hands(1),
      { rotation: [1] },
      TypeError,
      /^clock: before must come with rotation; got undefined$/,
    ],
    [hands(1), { labels: ["a", "b"] }, RangeError, /labels must hold 1 texts; got 2/],
    [hands(1), { columns: 0 }, RangeError, /columns must be a whole number from 1/],
    [hands(1), { radius: 3 }, TypeError, /^clock: options must have only .*; got "radius"/],
  ]);
});
