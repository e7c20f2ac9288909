import assert from "node:assert/strict";
import { test } from "node:test";
import * as Plot from "@observablehq/plot";
import { figures } from "phasor/plots";
import { assertLinear, assertRefused, blank, drawing, paths, strings, texts } from "./picture.js";

const waves = strings(figures({ Plot, document: blank() }).waves);

test("waves draws each column as a line through its numbers", () => {
  const data = [
    [0, 5],
    [1, -3],
    [4, 2.5],
    [2, 0],
  ];
  const lines = paths(waves(data, { width: 500 }));
  assert.equal(lines.length, 2);
  const all = lines.flat();
  const y = assertLinear(
    all.map(([, y]) => y),
    [0, 1].flatMap((column) => data.map((row) => row[column])),
  );
  assert.ok(y < 0, "upwards");
  for (const line of lines) {
    assert.ok(
      assertLinear(
        line.map(([x]) => x),
        [0, 1, 2, 3],
      ) > 0,
    );
  }
  assert.ok(all.every(([x, y]) => x >= 0 && x <= 500 && y >= 0 && y <= 360));
});

test("waves accepts tensors and a separate x, and modifies neither", () => {
  const data = Float32Array.of(1, 2, 3);
  const x = Float32Array.of(-1, 0, 10);
  const [line] = paths(waves({ data, shape: [3, 1] }, { x }));
  assertLinear(
    line.map(([x]) => x),
    [-1, 0, 10],
  );
  assertLinear(
    line.map(([, y]) => y),
    [1, 2, 3],
  );
  assert.deepEqual([...data, ...x], [1, 2, 3, -1, 0, 10]);
});

test("waves draws lines one above the other, and says their own numbers", () => {
  const data = [
    [0, 1],
    [1, 0],
    [1, 1],
  ];
  const svg = waves(data, { offset: 1.5, labels: ["low", "high"] });
  assertLinear(
    paths(svg).flatMap((line) => line.map(([, y]) => y)),
    [0, 1, 1, 2.5, 1.5, 2.5],
  );
  assert.match(svg, /aria-label="[^"]*value from 0 to 1\./);
  assert.ok(!texts(svg).includes("1.5"), "there is no common axis");
});

test("waves leaves gaps at NaN and infinities", () => {
  const svg = waves([[1], [2], [NaN], [4], [Infinity], [6], [7]], {});
  const d = String(drawing(svg).querySelector('g[aria-label="line"] path')?.getAttribute("d"));
  assert.equal(d.match(/M/g)?.length, 3);
  assert.ok(!/NaN|Infinity/.test(svg));
  assert.equal(paths(svg)[0].length, 5);
  assert.match(svg, /aria-label="[^"]*from 1 to 7; 2 gaps\./);
});

test("waves draws log axes: equal factors are equal steps, and values that are not positive are gaps", () => {
  const svg = waves([[100], [10], [0], [1], [0.1]], {
    x: [1, 10, 50, 100, 1000],
    xScale: "log",
    yScale: "log",
  });
  const [line] = paths(svg);
  assert.equal(line.length, 4);
  assertLinear(
    line.map(([x]) => x),
    [0, 1, 2, 3],
  );
  assertLinear(
    line.map(([, y]) => y),
    [2, 1, 0, -1],
  );
  for (const tick of ["0.1", "1", "10", "100", "1K"]) assert.ok(texts(svg).includes(tick), tick);
});

test("waves names lines at their ends if the names fit, else above", () => {
  const four = [
    [0, 1, 2, 3],
    [3, 2, 1, 0],
  ];
  const labels = ["a", "b", "c", "d"];
  const beside = drawing(waves(four, { labels, width: 640 }));
  const places = Array.from(beside.querySelectorAll("svg svg > text")).filter((text) =>
    labels.includes(String(text.textContent)),
  );
  assert.deepEqual(
    places.map(({ textContent }) => textContent),
    labels,
  );
  const x = places.map((text) => Number(text.getAttribute("x")));
  assert.equal(new Set(x).size, 1);
  const y = places.map((text) => Number(text.getAttribute("y"))).sort((a, b) => a - b);
  for (let i = 1; i < 4; ++i) assert.ok(y[i] - y[i - 1] >= 12, "no label on another");
  const long = labels.map((label) => `${label} with a name that is long`);
  const above = drawing(waves(four, { labels: long, width: 360 }));
  for (const label of long) {
    const text = Array.from(above.querySelectorAll("text")).find((t) => t.textContent === label);
    assert.equal(text?.getAttribute("x"), "24");
  }
});

test("waves distinguishes eight lines by color and by dash", () => {
  const svg = waves([0, 1].map(() => Array.from({ length: 8 }, (_, i) => i)));
  const groups = Array.from(drawing(svg).querySelectorAll('g[aria-label="line"]'));
  const of = (/** @type {string} */ name) => groups.map((group) => group.getAttribute(name));
  assert.equal(new Set(of("stroke")).size, 8);
  assert.equal(new Set(of("stroke-dasharray")).size, 8);
});

test("waves draws labeled rules at their positions", () => {
  const svg = waves([[0], [10]], {
    x: [0, 100],
    rules: [
      { x: 50, label: "middle" },
      { y: 5, label: "half" },
    ],
  });
  const [[[x0, y0], [x1, y1]]] = paths(svg);
  const rules = Array.from(drawing(svg).querySelectorAll('line[stroke-dasharray="2 3"]'));
  const at = (/** @type {number} */ i, /** @type {string} */ name) =>
    Number(rules[i].getAttribute(name));
  assert.equal(rules.length, 2);
  assert.ok(Math.abs(at(0, "x1") - (x0 + x1) / 2) < 0.01 && at(0, "x1") === at(0, "x2"));
  assert.ok(Math.abs(at(1, "y1") - (y0 + y1) / 2) < 0.01 && at(1, "y1") === at(1, "y2"));
  assert.ok(texts(svg).includes("middle") && texts(svg).includes("half"));
});

test("waves: yDomain sets the axis, and clips lines beyond it", () => {
  const svg = waves([[0], [100]], { yDomain: [0, 1], rules: [{ y: 50, label: "far" }] });
  assert.ok(texts(svg).includes("1") && !texts(svg).includes("100"));
  assert.ok(!texts(svg).includes("far"));
  assert.ok(drawing(svg).querySelector("g[clip-path]"));
});

test("waves escapes its labels", () => {
  const hostile = `<script>alert("1")</script>&'\u0000`;
  const svg = waves(
    [
      [1, 2],
      [3, 4],
    ],
    {
      labels: [hostile, "b"],
      title: hostile,
      xTitle: hostile,
      yTitle: hostile,
      rules: [{ x: 1, label: hostile }],
      width: 2000,
    },
  );
  assert.equal(drawing(svg).querySelectorAll("script").length, 0);
  assert.ok(!svg.includes("<script") && !svg.includes("\0"));
  assert.equal(svg.match(/&lt;script&gt;/g)?.length, 7); // 5 texts, 2 in the description
});

test("waves without finite numbers is an empty chart", () => {
  for (const data of [[], { data: new Float32Array(0), shape: [0, 3] }, [[NaN], [NaN]], [[]]]) {
    const svg = waves(data, { rules: [] });
    assert.match(svg, /without numbers\./);
    assert.ok(!/NaN|Infinity/.test(svg));
  }
  assert.ok(drawing(waves([[5]])).querySelector("circle"), "a single number is a point");
});

test("waves rejects invalid arguments", () => {
  const two = [[1], [2]];
  assertRefused(waves, [
    ["text", {}, TypeError, /matrix must/],
    [[1, 2], {}, RangeError, /matrix must have the shape \[rows, columns\]; got \[2\]/],
    [two, { x: [1] }, RangeError, /x must hold 2 numbers; got 1/],
    [two, { x: [1, 1] }, RangeError, /x must increase; got 1 after 1 at 1/],
    [two, { x: [0, NaN] }, RangeError, /x\[1\] must be a finite number; got NaN/],
    [two, { xScale: "log" }, RangeError, /x\[0\] must be a number > 0 on a log axis; got 0/],
    [two, { yScale: "logarithmic" }, RangeError, /yScale must be one of "linear", "log"/],
    [two, { labels: ["a", "b"] }, RangeError, /labels must hold 1 texts; got 2/],
    [two, { rules: [{ label: "a" }] }, TypeError, /rules\[0\] must have either x or y/],
    [two, { rules: [{ x: 1, y: 1 }] }, TypeError, /rules\[0\] must have either x or y/],
    [
      two,
      { rules: [{ z: 1 }] },
      TypeError,
      /^waves: rules\[0\] must have only x, y, label; got "z"/,
    ],
    [two, { yDomain: [1, 1] }, RangeError, /yDomain must increase; got \[1, 1\]/],
    [two, { yScale: "log", yDomain: [0, 1] }, RangeError, /yDomain must be a number > 0/],
    [two, { offset: -1 }, RangeError, /offset must be a number >= 0; got -1/],
    [two, { offset: 1, yDomain: [0, 1] }, RangeError, /offset must be 0 with yDomain; got 1/],
    [two, { offset: 1, yScale: "log" }, RangeError, /offset must be 0 with a log axis; got 1/],
    [two, { offset: 1, rules: [{ y: 1 }] }, RangeError, /offset must be 0 with a rule at y; got 1/],
    [two, { points: 1 }, TypeError, /points must be true or false; got 1/],
    [two, { legend: true }, TypeError, /^waves: options must have only .*; got "legend"/],
  ]);
  assert.throws(() => figures({ document: blank() }).waves(two), {
    name: "TypeError",
    message: /^waves: Plot must be Observable Plot .*; got undefined$/,
  });
});

test("waves: lines take the given colors, and keep their dashes", () => {
  const svg = waves([[0, 1], [1, 3]], { colors: ["#123456", "teal"] }); // prettier-ignore
  assert.match(svg, /stroke="#123456"/);
  assert.match(
    svg,
    /stroke="teal"[^>]*stroke-dasharray="6 2"|stroke-dasharray="6 2"[^>]*stroke="teal"/,
  );
  assert.throws(() => waves([[1, 2]], { colors: ["teal"] }), /colors must hold 2 texts; got 1/);
});

test("waves: names are at the ends of lines that end apart, else in a key", () => {
  const signs = (/** @type {string} */ svg) => svg.match(/stroke-opacity="0.6"/g)?.length ?? 0;
  const labels = ["one", "two"];
  assert.equal(signs(waves([[0, 5], [0, 1]], { labels })), 2); // prettier-ignore
  assert.equal(signs(waves([[0, 5], [1, 1]], { labels })), 0); // prettier-ignore
});
