import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { colors } from "../../../src/plots/colors.js";
import { figures } from "../../../src/plots/index.js";
import { gridOf } from "../../../src/plots/scatter/grid.js";
import { LINE, placeLabels } from "../../../src/plots/scatter/labels.js";
import {
  dataAt,
  layOut,
  lens,
  panned,
  revealing,
  whole,
  within,
  zoomed,
} from "../../../src/plots/scatter/view.js";
import { random } from "../reference/samples.js";

/** Numbers from 0 to 1, the same at each run. @param {number} count @param {number} [seed] */
function randoms(count, seed = 1) {
  const next = random(seed);
  return Float64Array.from({ length: count }, () => next() / 2 ** 32);
}

const frame = { x: 40, y: 10, width: 600, height: 400 };

/** @param {number} actual @param {number} expected @param {number} [bound] */
function assertNear(actual, expected, bound = 1e-9) {
  assert.ok(Math.abs(actual - expected) <= bound, `${actual} must be near ${expected}`);
}

/**
 * Of the allowed points the nearest to a place, by looking at each.
 * @param {Float64Array} u @param {Float64Array} v @param {number} atU @param {number} atV
 * @param {(du: number, dv: number) => boolean} allowed
 */
function byLooking(u, v, atU, atV, allowed) {
  let [found, best] = [-1, Infinity];
  for (let i = 0; i < u.length; ++i) {
    const [du, dv] = [u[i] - atU, v[i] - atV];
    if (du * du + dv * dv < best && allowed(du, dv)) [found, best] = [i, du * du + dv * dv];
  }
  return found;
}

/** Clouds that are hard on a grid in different ways. */
const clouds = /** @type {[string, Float64Array, Float64Array][]} */ ([
  ["even", randoms(3000, 2), randoms(3000, 3)],
  ["dense in a corner", randoms(3000, 4).map((x) => x ** 6), randoms(3000, 5).map((x) => x ** 6)],
  ["on a line", randoms(500, 6), new Float64Array(500)],
  ["at one place", new Float64Array(50).fill(3), new Float64Array(50).fill(-2)],
  ["whole numbers", randoms(900, 7).map((x) => Math.floor(x * 9)), randoms(900, 8).map((x) => Math.floor(x * 9))], // prettier-ignore
  ["a single one", Float64Array.of(0.5), Float64Array.of(0.25)],
]);

test("grid: nearest equals a search of every point", () => {
  for (const [name, u, v] of clouds) {
    const grid = gridOf(u, v);
    const places = randoms(400, 9);
    for (let k = 0; k < 200; ++k) {
      const [atU, atV] = [places[2 * k] * 3 - 1, places[2 * k + 1] * 3 - 1]; // outside too
      const expected = byLooking(u, v, atU, atV, () => true);
      assert.equal(grid.nearest(atU, atV, Infinity), expected, `${name}: ${atU}, ${atV}`);
    }
  }
});

test("grid: nearest respects its maximum distance", () => {
  const grid = gridOf([0, 10], [0, 0]);
  assert.equal(grid.nearest(7, 0, 2.9), -1);
  assert.equal(grid.nearest(7, 0, 3.1), 1);
  assert.equal(grid.nearest(-100, 50, 20), -1);
  assert.equal(gridOf([], []).nearest(0, 0, Infinity), -1);
});

test("grid: a point without coordinates is never found", () => {
  const grid = gridOf([NaN, 1, 5], [0, NaN, 5]);
  assert.equal(grid.nearest(0, 0, Infinity), 2);
  assert.equal(gridOf([NaN], [NaN]).nearest(0, 0, Infinity), -1);
});

test("grid: toward finds the nearest point within 45 degrees of a direction", () => {
  const directions = /** @type {const} */ ([[1, 0], [-1, 0], [0, 1], [0, -1]]); // prettier-ignore
  for (const [name, u, v] of clouds) {
    const grid = gridOf(u, v);
    for (let i = 0; i < u.length; i += 37) {
      for (const [across, down] of directions) {
        for (const least of [0, 0.1]) {
          const expected = byLooking(u, v, u[i], v[i], (du, dv) => {
            const along = du * across + dv * down;
            const aside = Math.abs(across === 0 ? du : dv);
            return along > 0 && along >= least && aside <= along;
          });
          assert.equal(grid.toward(i, across, down, least), expected, `${name}: from ${i}`);
        }
      }
    }
  }
});

test("grid: the nearest of 50,000 is found by comparing few", () => {
  const [u, v] = [randoms(50_000, 10), randoms(50_000, 11)];
  let looks = 0;
  const watched = (/** @type {Float64Array} */ values) =>
    new Proxy(values, {
      get(target, name) {
        ++looks;
        return Reflect.get(target, name);
      },
    });
  const grid = gridOf(watched(u), v);
  looks = 0;
  const places = randoms(200, 12);
  for (let k = 0; k < 100; ++k) grid.nearest(places[2 * k], places[2 * k + 1], Infinity);
  assert.ok(looks / 100 < 60, `${looks / 100} looks for one`);
});

test("view: the whole view contains every point, and fills the frame in one direction", () => {
  const x = randoms(200, 13);
  const points = x.map((value, i) => (i % 2 === 0 ? 7 + value * 3 : value * 2 - 900));
  const sheet = layOut(points);
  const { k, left, top } = lens(sheet, whole(sheet), frame);
  const px = Array.from(sheet.u, (u) => u * k + left);
  const py = Array.from(sheet.v, (v) => v * k + top);
  assert.ok(Math.min(...px) >= frame.x && Math.max(...px) <= frame.x + frame.width);
  assert.ok(Math.min(...py) >= frame.y && Math.max(...py) <= frame.y + frame.height);
  const [wide, high] = [Math.max(...px) - Math.min(...px), Math.max(...py) - Math.min(...py)];
  assert.ok(wide > 0.9 * frame.width || high > 0.85 * frame.height, `${wide} x ${high}`);
});

test("view: distances are the same in both directions if the ranges are similar", () => {
  const alike = layOut([0, 0, 3, 0, 0, 1]);
  assertNear(alike.across.unit, alike.down.unit);
  const unlike = layOut([0, 0, 50_000, 0, 0, 1]); // rank and norm
  assert.ok(unlike.down.unit > 1000 * unlike.across.unit);
  assertNear(unlike.width / unlike.height, 1.5);
});

test("view: points without coordinates, one point and huge numbers are handled", () => {
  const odd = [
    [],
    [1, 1],
    [NaN, 0, Infinity, 2],
    [NaN, 0, 3, 4, 5, 6],
    [-1e300, -1e300, 1e300, 1e300],
    [5, 0, 5, 9],
  ];
  for (const points of odd) {
    const sheet = layOut(points);
    const view = zoomed(sheet, whole(sheet), frame, 2, 100, 100);
    const { k, left, top } = lens(sheet, view, frame);
    assert.ok([view.x, view.y, view.scale, k, left, top].every(Number.isFinite), `${points}`);
    for (let i = 0; i < points.length / 2; ++i) {
      const known = Number.isFinite(points[2 * i]) && Number.isFinite(points[2 * i + 1]);
      assert.equal(Number.isFinite(sheet.u[i]) && Number.isFinite(sheet.v[i]), known, `${points}`);
    }
  }
});

test("view: the point under the pointer stays there during a zoom", () => {
  const sheet = layOut(randoms(400, 14));
  let view = whole(sheet);
  const [px, py] = [400, 150];
  const before = dataAt(sheet, lens(sheet, view, frame), px, py);
  for (const factor of [1.5, 4, 0.7, 10]) {
    view = zoomed(sheet, view, frame, factor, px, py);
    const after = dataAt(sheet, lens(sheet, view, frame), px, py);
    assertNear(after.x, before.x);
    assertNear(after.y, before.y);
  }
  assertNear(view.scale, 42);
});

test("view: dragging moves the points with the pointer", () => {
  const sheet = layOut(randoms(400, 15));
  const view = zoomed(sheet, whole(sheet), frame, 8, 300, 200);
  const before = dataAt(sheet, lens(sheet, view, frame), 300, 200);
  const moved = panned(sheet, view, frame, 35, -20);
  const after = dataAt(sheet, lens(sheet, moved, frame), 335, 180);
  assertNear(after.x, before.x);
  assertNear(after.y, before.y);
});

test("view: the center stays among the points, and the scale between 1 and 4,096", () => {
  const sheet = layOut([0, 0, 10, 8]);
  assert.deepEqual(within(sheet, { x: 99, y: -99, scale: 0.1 }), { x: 10, y: 0, scale: 1 });
  assert.deepEqual(within(sheet, { x: 5, y: 4, scale: 1e9 }), { x: 5, y: 4, scale: 4096 });
  const far = panned(sheet, whole(sheet), frame, 1e6, 1e6);
  assert.deepEqual([far.x, far.y], [0, 8]);
});

test("view: a point outside is brought into the frame, one inside moves nothing", () => {
  const sheet = layOut([0, 0, 10, 8, 5, 4]);
  const view = { x: 5, y: 4, scale: 4 };
  assert.equal(revealing(sheet, view, frame, 2, 30), view);
  const moved = revealing(sheet, view, frame, 1, 30);
  const { k, left, top } = lens(sheet, moved, frame);
  const [px, py] = [sheet.u[1] * k + left, sheet.v[1] * k + top];
  assertNear(px, frame.x + frame.width - 30, 1e-6);
  assertNear(py, frame.y + 30, 1e-6);
});

/** @param {number[]} places  x, y, x, y, ... @param {number[]} widths */
function labeled(places, widths, order = widths.keys()) {
  return placeLabels(order, {
    px: (i) => places[2 * i],
    py: (i) => places[2 * i + 1],
    width: (i) => widths[i],
    radius: () => 3,
    frame,
  });
}

/** The box of a placed label. @param {import("../../../src/plots/scatter/labels.js").Label} label @param {number} width */
function box({ x, y, anchor }, width) {
  const left = { start: x, middle: x - width / 2, end: x - width }[anchor];
  return { left, right: left + width, top: y - LINE / 2, bottom: y + LINE / 2 };
}

test("labels: none overlaps another, a labeled point or the edge", () => {
  const count = 2000;
  const places = Array.from(randoms(2 * count, 16), (x) => x * 640);
  const widths = Array.from(randoms(count, 17), (x) => 10 + x * 60);
  const labels = labeled(places, widths);
  assert.ok(labels.length > 60, `${labels.length} labels`);
  const boxes = labels.map((label) => box(label, widths[label.index]));
  for (const [n, a] of boxes.entries()) {
    assert.ok(a.left >= frame.x && a.right <= frame.x + frame.width);
    assert.ok(a.top >= frame.y && a.bottom <= frame.y + frame.height);
    for (const b of boxes.slice(n + 1)) {
      const apart =
        a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
      assert.ok(apart, "two labels overlap");
    }
    for (const { index } of labels) {
      const [x, y] = [places[2 * index], places[2 * index + 1]];
      assert.ok(x <= a.left || x >= a.right || y <= a.top || y >= a.bottom, "a covered point");
    }
  }
});

test("labels: the first in the order is labeled first", () => {
  const places = [300, 200, 302, 201, 301, 199];
  assert.deepEqual(labeled(places, [50, 50, 50]).map(({ index }) => index).slice(0, 1), [0]); // prettier-ignore
  assert.deepEqual(labeled(places, [50, 50, 50], [2, 0, 1].values())[0].index, 2);
  assert.equal(labeled(places, [50, 50, 50]).length, 1, "the others' points are covered");
});

test("labels: at the right edge a label is to the left of its point", () => {
  assert.equal(labeled([630, 200], [50])[0].anchor, "end");
  assert.equal(labeled([300, 200], [50])[0].anchor, "start");
  assert.deepEqual(labeled([900, 200], [50]), []); // outside
  assert.deepEqual(labeled([300, 200], [0]), []); // has no text
  assert.deepEqual(labeled([300, 200], [700]), []); // wider than the frame
});

const { scatter } = figures();

/** The marks of each path, as color and number. @param {string} svg */
function marks(svg) {
  return [...svg.matchAll(/<path d="([^"]*)" fill="(#\w+)" fill-opacity/g)].map(([, d, fill]) => [
    fill,
    d.split("M").length - 1,
  ]);
}

test("scatter: without a document it is a drawing: one path per group, labels as text", () => {
  const svg = scatter(
    [
      [0, 0],
      [1, 2],
      [2, 1],
      [NaN, 1],
    ],
    {
      // prettier-ignore
      labels: ["a", "b & <c>", "", "nowhere"],
      groups: ["x", null, "y", "x"],
      title: "Map",
      xTitle: "first (units)",
      as: "svg",
    },
  );
  assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" /);
  assert.match(svg, /aria-label="Scatter plot of Map: 4 points, 1 not drawn, first \(units\) from 0 to 2, y from 0 to 2\. Groups: x \(2 points\), y \(1 point\)\."/); // prettier-ignore
  assert.deepEqual(marks(svg).map(([, count]) => count), [1, 1, 1]); // prettier-ignore
  assert.equal(new Set(marks(svg).map(([fill]) => fill)).size, 3);
  for (const text of [">a<", ">b &amp; &lt;c&gt;<", ">first (units) \u2192<", ">\u2191 y<"]) {
    assert.ok(svg.includes(text), text);
  }
  assert.ok(!svg.includes("nowhere"));
});

test("scatter: draws no points, one point and points at one position", () => {
  for (const points of [
    [],
    [[3, 4]],
    [
      [1, 1],
      [1, 1],
    ],
    [[NaN, NaN]],
  ]) {
    // prettier-ignore
    const svg = scatter(points, { as: "svg" });
    assert.ok(!/NaN|Infinity/.test(svg.replace(/aria-label="[^"]*"/, "")), svg);
  }
});

test("scatter: highlighted points are labeled before all others, in bold", () => {
  const points = [[0, 0], [1, 0], [0.001, 0], [0, 1]]; // prettier-ignore
  const labels = ["first", "second", "third", "fourth"];
  assert.ok(!scatter(points, { labels, as: "svg" }).includes(">third<"));
  const svg = scatter(points, { labels, highlight: [2], as: "svg" });
  assert.match(svg, /font-weight="600">third</);
  assert.ok(!svg.includes(">first<"));
});

test("scatter: an arrow leads from one point to another, with its head at the second", () => {
  const points = [[0, 0], [1, 0], [0, 1], [1, 1]]; // prettier-ignore
  const drawn = (/** @type {object} */ options) =>
    String(scatter(points, { ...options, as: "svg" }));
  const lines = (/** @type {string} */ svg) =>
    [...svg.matchAll(/d="M([\d.]+),([\d.]+)L([\d.]+),([\d.]+)M/g)].map((found) =>
      found.slice(1).map(Number),
    );
  const [right] = lines(drawn({ arrows: [[0, 1]] }));
  const [left] = lines(drawn({ arrows: [[1, 0]] }));
  assert.deepEqual([left[2], left[3], left[0], left[1]], right, "the same ends, exchanged");
  const [fromX, fromY, toX, toY] = right;
  assert.ok(toX > fromX && toY === fromY, String(right));
  const up = lines(drawn({ arrows: [[0, 2]] }))[0];
  assert.ok(up[2] === up[0] && up[3] < up[1], String(up));
  const head = /M([\d.]+),([\d.]+)L[\d.]+,[\d.]+L([\d.]+),([\d.]+)"/.exec(
    drawn({ arrows: [[0, 1]] }),
  );
  const [x1, y1, x2, y2] = (head ?? []).slice(1).map(Number);
  assert.ok(x1 < toX && x1 === x2 && Math.abs(y1 + y2 - 2 * toY) < 0.02 && y1 !== y2);
  assert.equal(drawn({ arrows: [] }), drawn({}));
  assert.equal(drawn({ arrows: [[1, 1]] }), drawn({}), "no length, no arrow");
  const nowhere = scatter([[NaN, 0], [1, 1]], { arrows: [[0, 1]], as: "svg" }); // prettier-ignore
  assert.ok(!/NaN/.test(String(nowhere).replace(/aria-label="[^"]*"/, "")));
});

test("scatter: numbered groups are in numeric order, in any order of the points", () => {
  const svg = scatter([[0, 0], [1, 1], [2, 2]], { groups: Int32Array.of(10, 2, 10), as: "svg" }); // prettier-ignore
  assert.ok(svg.indexOf(">2<") < svg.lastIndexOf(">10<"));
  assert.match(svg, /Groups: 2 \(1 point\), 10 \(2 points\)/);
});

test("scatter: invalid arguments are typed errors", () => {
  const three = [[0, 0], [1, 1], [2, 2]]; // prettier-ignore
  const cases = /** @type {[any, any, RegExp][]} */ ([
    [[[1, 2, 3]], {}, /^RangeError: \S+: points must have the shape \[points, 2\]; got \[1, 3\]$/],
    [[1, 2], {}, /^RangeError: \S+: points must have the shape/],
    ["abc", {}, /^TypeError: \S+: points must/],
    [three, { labels: ["a"] }, /^RangeError: \S+: labels must hold 3 texts; got 1$/],
    [three, { labels: "abc" }, /^TypeError: \S+: labels must be an array of texts; got "abc"$/],
    [three, { groups: [1, 2] }, /^RangeError: \S+: groups must hold 3 groups; got 2$/],
    [three, { groups: 5 }, /^TypeError: \S+: groups must be an array of names or numbers; got 5$/],
    [three, { groups: [1, {}, 2] }, /^TypeError: \S+: each of groups must be text; got an object$/],
    [
      three,
      { highlight: [3] },
      /^RangeError: \S+: highlight\[0\] must be a whole number from 0 to 2; got 3$/,
    ],
    [three, { highlight: 1 }, /^TypeError: \S+: highlight must be an array of indices; got 1$/],
    [three, { arrows: 1 }, /^TypeError: \S+: arrows must be an array of pairs of indices; got 1$/],
    [three, { arrows: [1] }, /^TypeError: \S+: arrows\[0\] must be a pair of indices; got 1$/],
    [
      three,
      { arrows: Array(1) },
      /^TypeError: \S+: arrows\[0\] must be a pair of indices; got undefined$/,
    ],
    [
      three,
      { arrows: [[0, 1], [0, 3]] }, // prettier-ignore
      /^RangeError: \S+: arrows\[1\]\[1\] must be a whole number from 0 to 2; got 3$/,
    ],
    [three, { color: "red" }, /^TypeError: scatter: options must have only .*; got "color"/],
    [
      Array.from({ length: 9 }, (_, i) => [i, i]),
      { groups: [0, 1, 2, 3, 4, 5, 6, 7, 8] },
      /^RangeError: \S+: groups must be at most 8, which color and shape distinguish; got 9$/,
    ],
  ]);
  for (const [points, options, message] of cases) {
    assert.throws(
      () => scatter(points, { ...options, as: "svg" }),
      (error) => message.test(String(error)) || assert.fail(String(error)),
    );
  }
});

/** The width, the pixels and the palette of a PNG of up to 256 colors. @param {string} url */
function decoded(url) {
  const bytes = Buffer.from(url.replace("data:image/png;base64,", ""), "base64");
  const part = (/** @type {string} */ type) => {
    const at = bytes.indexOf(type);
    return bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4));
  };
  const [width, height] = [0, 4].map((at) => part("IHDR").readUInt32BE(at));
  const lines = inflateSync(part("IDAT"));
  const pixel = (/** @type {number} */ x, /** @type {number} */ y) =>
    lines[y * (width + 1) + 1 + x];
  return { width, height, pixel, palette: part("PLTE") };
}

test("scatter: a PNG contains only the points, at the positions of the SVG, in the colors of their groups", () => {
  const { scatter } = figures({ as: "svg" });
  const points = [[0, 0], [4, 3], [4, 0]]; // prettier-ignore
  const options = { groups: ["a", "b", null], width: 400, height: 300 };
  const svg = scatter(points, options);
  const [, x, y, w, h] =
    /<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  const { categories } = colors("light");
  for (const scale of [1, 2]) {
    const { width, height, pixel, palette } = decoded(
      scatter(points, { ...options, as: "png", scale }),
    );
    assert.deepEqual(
      [width, height],
      [Math.round(scale * Number(w)), Math.round(scale * Number(h))],
    );
    assert.deepEqual([...palette.subarray(0, 3)], [255, 255, 255]);
    for (const [group, color] of [categories[0], categories[1]].entries()) {
      const [path] = svg.match(new RegExp(`<path d="[^"]*" fill="${color}"[^>]*>`)) ?? [];
      const places = path?.match(/-?[\d.]+/g)?.map(Number) ?? [];
      const found = { left: Infinity, right: -1, top: Infinity, bottom: -1 };
      for (let row = 0; row < height; ++row) {
        for (let column = 0; column < width; ++column) {
          if (Math.ceil(pixel(column, row) / 4) !== group + 2) continue; // 0 is paper, then those without a group
          found.left = Math.min(found.left, column);
          found.right = Math.max(found.right, column + 1);
          found.top = Math.min(found.top, row);
          found.bottom = Math.max(found.bottom, row + 1);
        }
      }
      const center = [(found.left + found.right) / 2, (found.top + found.bottom) / 2];
      assert.ok(places.length > 2);
      const near = places.slice(0, 2).map((at, i) => (at - Number([x, y][i])) * scale);
      for (const i of [0, 1]) assertNear(center[i], near[i], 6 * scale);
    }
    assert.equal(pixel(1, 1), 0);
  }
  assert.equal(decoded(scatter([], { as: "png" })).pixel(5, 5), 0);
});
