import assert from "node:assert/strict";
import { test } from "node:test";
import { interpolateCividis } from "d3-scale-chromatic";
import { colors, indices, LEVELS, MISSING, paint } from "../../../src/plots/colors.js";

/** @typedef {[number, number, number]} Triple */

const themes = /** @type {const} */ (["light", "dark"]);
const grounds = { light: ["#ffffff", "#fdfdfb"], dark: ["#12161a", "#121212"] };

/** Linear light of "#rrggbb" (IEC 61966-2-1). @param {string} color */
function linear(color) {
  return [1, 3, 5]
    .map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
}

/** @param {number[]} rgb linear */
const luminance = ([r, g, b]) => 0.2126 * r + 0.7152 * g + 0.0722 * b;

/** WCAG 2.2. @param {string} a @param {string} b */
function contrast(a, b) {
  const [low, high] = [luminance(linear(a)), luminance(linear(b))].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** Machado, Oliveira and Fernandes 2009, severity 1. */
const visions = {
  usual: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  protanopia: [
    0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998,
  ],
  deuteranopia: [
    0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881,
  ],
  tritanopia: [
    1.255528, -0.076749, -0.178779, -0.078411, 0.930809, 0.147602, 0.004733, 0.691367, 0.3039,
  ],
};

/** CIELAB (D65) of a color as an eye sees it. @param {string} color @param {number[]} m */
function seen(color, m) {
  const rgb = linear(color);
  const [r, g, b] = [0, 3, 6].map((row) =>
    Math.min(1, Math.max(0, m[row] * rgb[0] + m[row + 1] * rgb[1] + m[row + 2] * rgb[2])),
  );
  const [x, y, z] = [
    (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505,
    luminance([r, g, b]),
    (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089,
  ].map((t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

test("categories: eight, each with a contrast of at least 3 to the background", () => {
  for (const theme of themes) {
    const { categories } = colors(theme);
    assert.equal(categories.length, 8);
    for (const color of categories) {
      for (const ground of grounds[theme]) {
        assert.ok(contrast(color, ground) >= 3, `${theme} ${color} on ${ground}`);
      }
    }
  }
});

test("categories: any two differ for every common color vision", () => {
  for (const theme of themes) {
    const { categories } = colors(theme);
    for (const [name, matrix] of Object.entries(visions)) {
      for (const [i, a] of categories.entries()) {
        for (const b of categories.slice(0, i)) {
          const [p, q] = [seen(a, matrix), seen(b, matrix)];
          const distance = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
          assert.ok(distance > 15, `${theme} ${name}: ${a} and ${b}, ${distance.toFixed(1)}`);
        }
      }
    }
  }
});

test("text colors: text and secondary text have a contrast of at least 4.5 to the background", () => {
  for (const theme of themes) {
    const { ink, quiet, accent, paper } = colors(theme);
    for (const color of [ink, quiet, accent]) assert.ok(contrast(color, paper) >= 4.5, color);
  }
});

/** @param {Uint8Array} ramp @param {number} level @returns {Triple} */
const rgb = (ramp, level) =>
  /** @type {any} */ (Array.from(ramp.subarray(level * 4, level * 4 + 3)));

test("diverging: vermilion below zero, teal above, the background color at zero", () => {
  for (const theme of themes) {
    const { diverging } = colors(theme);
    const middle = rgb(diverging, (LEVELS - 1) / 2);
    const edge = theme === "light" ? Math.min(...middle) : 255 - Math.max(...middle);
    assert.ok(edge > 225, `${theme}: ${middle}`);
    for (let level = 0; level < LEVELS; ++level) {
      const [red, , blue] = rgb(diverging, level);
      const from = level - (LEVELS - 1) / 2;
      if (Math.abs(from) > 8)
        assert.equal(Math.sign(blue - red), Math.sign(from), `${theme} ${level}`);
    }
  }
});

test("diverging: both sides have the same lightness, and any two distant colors differ for every common color vision", () => {
  for (const theme of themes) {
    const { diverging } = colors(theme);
    const hex = (/** @type {number} */ level) =>
      `#${rgb(diverging, level)
        .map((channel) => channel.toString(16).padStart(2, "0"))
        .join("")}`;
    for (let away = 50; away <= 127; away += 7) {
      const [low, high] = [hex(127 - away), hex(127 + away)];
      const lightness = [low, high].map((color) => seen(color, visions.usual)[0]);
      assert.ok(Math.abs(lightness[0] - lightness[1]) < 8, `${theme} ${away}: ${lightness}`);
      for (const [name, matrix] of Object.entries(visions)) {
        const [p, q] = [seen(low, matrix), seen(high, matrix)];
        const distance = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
        assert.ok(distance > 15, `${theme} ${name}: ${low} and ${high}, ${distance.toFixed(1)}`);
      }
    }
  }
});

test("the light sequential ramp is that of d3-scale-chromatic, color by color", () => {
  const { sequential } = colors("light");
  for (let level = 0; level < LEVELS; ++level) {
    const t = level / (LEVELS - 1);
    assert.equal(`rgb(${rgb(sequential, level).join(", ")})`, interpolateCividis(t));
  }
});

test("sequential: lightness increases from end to end", () => {
  for (const theme of themes) {
    const { sequential } = colors(theme);
    let last = -1;
    for (let level = 0; level < LEVELS; level += 4) {
      const [r, g, b] = rgb(sequential, level);
      const light = luminance([r, g, b].map((c) => (c / 255) ** 2.2));
      assert.ok(light > last, `${theme} ${level}`);
      last = light;
    }
  }
});

test("indices: linear from the first color to the last, clamped beyond; NaN has a separate color", () => {
  const values = [-1, 0, 1, -5, 5, 1e308, NaN, Infinity, -Infinity, 0.5];
  assert.deepEqual(Array.from(indices(values, -1, 1)), [
    0,
    127,
    254,
    0,
    254,
    254,
    MISSING,
    MISSING,
    MISSING,
    191,
  ]);
  assert.deepEqual(Array.from(indices([3, 4, 5], 3, 5)), [0, 127, 254]);
  assert.deepEqual(Array.from(indices([7, 7, NaN], 7, 7)), [127, 127, MISSING]);
  assert.deepEqual(Array.from(indices([-0, 0], 0, 0)), [127, 127]);
  const far = 1.7e308; // twice this is infinite
  assert.deepEqual(Array.from(indices([far, -far, 0], -far, far)), [254, 0, 127]);
});

test("paint: pixels are the colors of the indices", () => {
  const { diverging } = colors("light");
  const values = Float32Array.of(-2, -0.3, 0, 0.7, NaN);
  const pixels = new Uint32Array(values.length);
  paint(values, -1, 1, diverging, pixels);
  const bytes = new Uint8Array(pixels.buffer);
  for (const [i, level] of indices(values, -1, 1).entries()) {
    assert.deepEqual(rgb(bytes, i), rgb(diverging, level));
    assert.equal(bytes[i * 4 + 3], 255);
  }
});
