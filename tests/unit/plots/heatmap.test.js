import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { parseHTML } from "linkedom";
import { figures } from "phasor/plots";
import { colors, inkOn, MISSING, SCALES } from "../../../src/plots/colors.js";

const { heatmap } = figures();
const matrix = [
  [0, 0.5, 1],
  [-1, -0.25, NaN],
];

/** An element of linkedom. @param {unknown} data */
function mounted(data) {
  const { document } = parseHTML("<html><body></body></html>");
  return figures({ document }).heatmap(/** @type {any} */ (data), { as: "element" });
}

/** @param {string} svg */
const texts = (svg) => Array.from(svg.matchAll(/<text[^>]*>([^<]*)/g), ([, text]) => text);

/** Indices and palette of a data: address. @param {string} url */
function cells(url) {
  const png = Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
  const width = png.readUInt32BE(16);
  const at = png.indexOf("IDAT");
  const lines = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
  const rows = [];
  for (let i = 0; i < lines.length; i += width + 1)
    rows.push([...lines.subarray(i + 1, i + 1 + width)]);
  return rows;
}

test("heatmap: every named row has its name, up to 40 rows", () => {
  const named = (/** @type {number} */ rows) => {
    const rowLabels = Array.from({ length: rows }, (_, row) => `word${row}`);
    const svg = heatmap(
      rowLabels.map((_, row) => [row]),
      { as: "svg", rowLabels },
    );
    return texts(svg).filter((text) => text.startsWith("word")).length;
  };
  assert.deepEqual([3, 27, 30, 40].map(named), [3, 27, 30, 40]);
  assert.ok(named(400) < 40, "more rows are named in steps");
});

test("heatmap: without a document it is an SVG string with ticks, titles and legend", () => {
  const svg = String(heatmap(matrix, { title: "T", rowTitle: "token", rowLabels: ["a", "b"] }));
  assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="640"/);
  assert.deepEqual(texts(svg), [
    ...["T", "token", "a", "b", "column", "0", "1", "2"],
    ...["1", "−1", "no number"],
  ]);
  assert.match(
    svg,
    /aria-label="Heat map of T: 2 rows, 3 columns, values from −1 to 1, 1 value not finite\."/,
  );
});

test("heatmap: numbers in cells are those of the data", () => {
  const written = (/** @type {number[][]} */ data) => {
    const svg = String(heatmap(data, { numbers: true, width: 900 }));
    return texts(svg).filter((text) => /^[−\d][\d.,]*$/.test(text)).slice(-6, -2); // before the ticks
  };
  assert.deepEqual(written([[1234567, 1001], [1002, 65535]]), ["1,234,567", "1,001", "1,002", "65,535"]);
  assert.deepEqual(written([[0.001, 0.004], [-0.004, 0.5]]), ["0.001", "0.004", "−0.004", "0.500"]);
  assert.deepEqual(written([[1.5, 0.25], [-0.004, 1234.5]]), ["1.500", "0.250", "−0.004", "1234.500"]);
}); // prettier-ignore

test("figures: a column or a bar for each token of a large vocabulary", () => {
  const size = 160_000;
  const columnLabels = Array.from({ length: size }, (_, i) => `t${i}`);
  const data = { data: new Float32Array(size).fill(1), shape: [1, size] };
  assert.match(String(heatmap(data, { as: "svg", columnLabels })), /^<svg /);
});

test("heatmap: the cells as PNG have the colors of their numbers", () => {
  const png = heatmap(matrix, { as: "png" });
  assert.deepEqual(cells(png), [
    [127, 191, 254],
    [0, 95, MISSING],
  ]);
  assert.deepEqual(cells(heatmap(matrix, { as: "png", scale: 2 }))[3], [0, 0, 95, 95, 255, 255]);
  const palette = Buffer.from(png.slice(22), "base64");
  const at = palette.indexOf("PLTE") + 4;
  const { diverging } = colors("light");
  assert.deepEqual([...palette.subarray(at, at + 3)], [...diverging.subarray(0, 3)]);
});

test("heatmap: its range is symmetric, or as given, or sequential from minimum to maximum", () => {
  const skewed = [[-1, 0, 3]];
  assert.deepEqual(cells(heatmap(skewed, { as: "png" }))[0], [85, 127, 254]);
  assert.deepEqual(cells(heatmap(skewed, { as: "png", domain: [0, 2] }))[0], [0, 0, 254]);
  const sequential = heatmap(skewed, { as: "png", colors: "sequential" });
  assert.deepEqual(cells(sequential)[0], [0, 64, 254]);
  const svg = heatmap(skewed, { as: "svg", domain: [0, 2], unit: "bits" });
  assert.ok(texts(svg).includes("≤ 0 bits") && texts(svg).includes("≥ 2 bits"));
});

test("heatmap: a string in another theme has another background", () => {
  assert.match(heatmap(matrix, { as: "svg" }), /fill="#ffffff"/);
  assert.match(heatmap(matrix, { as: "svg", theme: "dark" }), /fill="#12161a"/);
});

test("heatmap: labels are escaped", () => {
  const svg = heatmap([[1]], { as: "svg", title: `<b a="x">&'\u0000`, rowLabels: ["</text>"] });
  assert.ok(svg.includes("&lt;b a=&quot;x&quot;&gt;&amp;&#39;\ufffd"));
  assert.ok(!svg.includes("<b") && texts(svg).includes("&lt;/text&gt;"));
});

test("heatmap: the element reads, marks and lists the numbers in any document", () => {
  const figure = mounted({ data: Float32Array.of(0.1, 0.2, 0.3, 0.4), shape: [2, 2] });
  figure.value = /** @type {any} */ ({ row: 1, column: 0 });
  assert.deepEqual(figure.value, { row: 1, column: 0, value: Math.fround(0.3) });
  const reading = figure.querySelector(".phasor-reading");
  assert.equal(reading?.textContent, "row 1, column 0: 0.3");
  const { header, rows, cell } = figure.table;
  assert.deepEqual(header, ["row", "0", "1"]);
  assert.deepEqual([rows, cell(1, 0), cell(1, 2)], [2, "1", 0.4]);
  assert.equal(figure.csv(), "row,0,1\r\n0,0.1,0.2\r\n1,0.3,0.4\r\n");
});

test("heatmap: keys in linkedom move the mark and announce it", () => {
  const figure = mounted(matrix);
  const picture = /** @type {HTMLElement} */ (figure.querySelector(".phasor-picture"));
  /** @type {unknown[]} */
  const heard = [];
  figure.addEventListener("input", () => heard.push(figure.value?.column));
  for (const key of ["ArrowRight", "ArrowRight", "End", "End"]) {
    const Event = /** @type {any} */ (figure.ownerDocument.defaultView).Event;
    picture.dispatchEvent(Object.assign(new Event("keydown"), { key }));
  }
  assert.deepEqual(heard, [0, 1, 2]);
});

test("heatmap: a value outside marks nothing, and one that is not an object is rejected", () => {
  const figure = mounted(matrix);
  for (const nowhere of [{ row: 9, column: 0 }, { row: 0.5, column: 0 }, {}, null]) {
    figure.value = /** @type {any} */ (nowhere);
    assert.equal(figure.value, null);
  }
  assert.throws(() => (figure.value = /** @type {any} */ (3)), {
    name: "TypeError",
    message: "Figure.value: value must be an object or null; got 3",
  });
});

test("heatmap: an empty one is drawn, without a mark", () => {
  const figure = mounted([]);
  const picture = figure.querySelector(".phasor-picture");
  assert.match(String(picture?.getAttribute("aria-label")), /0 rows, 0 columns, no values\./);
  assert.match(String(heatmap([])), /^<svg/);
  assert.throws(() => heatmap([], { as: "png" }), {
    name: "RangeError",
    message: "heatmap: matrix must have rows and columns for a PNG; got [0, 0]",
  });
});

test("heatmap: all zeros have the middle color, and a legend without a sign", () => {
  assert.deepEqual(cells(heatmap([[0, 0]], { as: "png" })), [[127, 127]]);
  assert.deepEqual(texts(heatmap([[0, 0]], { as: "svg" })).slice(-2), ["0", "0"]);
});

test("heatmap: arguments are not modified", () => {
  const data = Float32Array.of(3, 1, 2);
  const options = Object.freeze({ marks: Object.freeze([Object.freeze([0, 1])]), title: "x" });
  heatmap({ data, shape: [1, 3] }, /** @type {any} */ (options));
  assert.deepEqual(data, Float32Array.of(3, 1, 2));
});

test("heatmap: invalid arguments are rejected with the rule that they break", () => {
  for (const [options, name, message] of /** @type {[any, string, string | RegExp][]} */ ([
    [
      { rowtitle: "x" },
      "TypeError",
      /^heatmap: options must have only .*; got "rowtitle"; did you mean "rowTitle"\?$/,
    ],
    [{ rowLabels: ["a"] }, "RangeError", "heatmap: rowLabels must hold 2 texts; got 1"],
    [
      { colors: "rainbow" },
      "RangeError",
      /^\S+: colors must be one of "diverging", "sequential", "blue"; got "rainbow"$/,
    ],
    [{ domain: [1] }, "TypeError", "heatmap: domain must be [low, high]; got an array of 1"],
    [{ domain: [1, 0] }, "RangeError", "heatmap: domain must rise; got [1, 0]"],
    [{ domain: [NaN, 0] }, "RangeError", "heatmap: domain[0] must be a finite number; got NaN"],
    [{ framed: -1 }, "RangeError", /^\S+: framed must be a whole number from 0/],
    [
      { marks: [[0, 3]] },
      "RangeError",
      "heatmap: marks[0][1] must be a whole number from 0 to 2; got 3",
    ],
    [{ marks: [3] }, "TypeError", "heatmap: marks[0] must be [row, column]; got 3"],
    [{ width: 0 }, "RangeError", "heatmap: width must be a finite number > 0; got 0"],
    [{ theme: "sepia" }, "RangeError", /^\S+: theme must be one of/],
    [
      { as: "jpeg" },
      "RangeError",
      'heatmap: as must be one of "element", "svg", "png"; got "jpeg"',
    ],
    [
      { as: "png", scale: 0 },
      "RangeError",
      "heatmap: scale must be a whole number from 1 to 64; got 0",
    ],
    [{ title: {} }, "TypeError", "heatmap: title must be text; got an object"],
  ])) {
    assert.throws(() => heatmap(matrix, options), { name, message }, JSON.stringify(options));
  }
});

test("heatmap: numbers are in squares, all with two decimals, in black or white", () => {
  const [words, numbers] = [["dog", "bites", "man"], true];
  const rows = [
    [0, 0.5, 1],
    [0.25, NaN, 0.333],
    [1, 1, 1],
  ];
  const svg = heatmap(rows, {
    as: "svg",
    rowLabels: words,
    columnLabels: words,
    colors: "blue",
    numbers,
  });
  const [, width, height] = /<image[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  assert.equal(width, height);
  assert.ok(Number(width) >= 3 * 44, width);
  assert.deepEqual(
    texts(svg).filter((text) => /^[\d–]/.test(text)),
    ["0.00", "0.50", "1.00", "0.25", "–", "0.33", "1.00", "1.00", "1.00"],
  );
  const inks = Array.from(svg.matchAll(/fill="(#(?:0{6}|f{6}))">[\d–]/g), ([, ink]) => ink);
  assert.deepEqual([inks.length, inks[0], inks[2]], [9, "#000000", "#ffffff"]);
  const whole = heatmap([[3, 12]], { as: "svg", numbers });
  assert.ok(texts(whole).includes("3") && texts(whole).includes("12"), "whole numbers stay whole");
  const many = heatmap([Array.from({ length: 100 }, () => 1)], { as: "svg", numbers });
  assert.doesNotMatch(many, /fill="#(?:0{6}|f{6})">1</, "cells without room have no numbers");
  assert.throws(
    () => heatmap(rows, /** @type {any} */ ({ as: "svg", numbers: 1 })),
    /numbers must be true or false; got 1/,
  );
});

test("heatmap: the ink on a cell has a contrast of 4.5 or more, in each ramp and theme", () => {
  for (const theme of /** @type {const} */ (["light", "dark"])) {
    for (const scale of SCALES) {
      const ramp = colors(theme)[scale];
      for (let index = 0; index < 255; ++index) {
        const [r, g, b] = ramp.subarray(4 * index, 4 * index + 3);
        const [x, y, z] = [r, g, b].map((byte) =>
          byte <= 10 ? byte / 255 / 12.92 : ((byte / 255 + 0.055) / 1.055) ** 2.4,
        );
        const ground = 0.2126 * x + 0.7152 * y + 0.0722 * z;
        const ink = inkOn(ramp, index) === "#000000" ? 0 : 1;
        const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
        assert.ok(contrast >= 4.5, `${theme} ${scale} ${index}: ${contrast}`);
      }
    }
  }
});
