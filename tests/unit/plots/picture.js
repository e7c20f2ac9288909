// What strings of SVG draw, read back.

import assert from "node:assert/strict";
import { parseHTML } from "linkedom";

/** A document for Observable Plot. */
export function blank() {
  return parseHTML("<!doctype html><html><body></body></html>").document;
}

/**
 * A figure's function, of which only strings are asked.
 * @param {(data: any, options: any) => unknown} draw
 * @returns {(data: unknown, options?: object) => string}
 */
export function strings(draw) {
  return (data, options = {}) => {
    const svg = draw(data, options);
    assert.equal(typeof svg, "string");
    return String(svg);
  };
}

/** @param {string} svg */
export function drawing(svg) {
  return parseHTML(`<!doctype html><html><body>${svg}</body></html>`).document;
}

/**
 * The points of each line, px; gaps are left out.
 * @param {string} svg
 */
export function paths(svg) {
  return Array.from(drawing(svg).querySelectorAll('g[aria-label="line"] path'), (path) =>
    Array.from(String(path.getAttribute("d")).matchAll(/[ML]([^MLZ]+)/g), ([, xy]) =>
      xy.split(",").map(Number),
    ),
  );
}

/** @param {string} svg */
export function texts(svg) {
  return Array.from(drawing(svg).querySelectorAll("text"), ({ textContent }) => textContent);
}

/** @param {Element} element @param {...string} names  of attributes that are numbers */
export function numbers(element, ...names) {
  return names.map((name) => Number(element.getAttribute(name)));
}

/**
 * That lengths are numbers times one factor, which is returned, plus one constant.
 * @param {number[]} pixels @param {number[]} values
 */
export function assertLinear(pixels, values) {
  assert.equal(pixels.length, values.length);
  const [least, most] = [Math.min(...values), Math.max(...values)].map((x) => values.indexOf(x));
  const factor = (pixels[most] - pixels[least]) / (values[most] - values[least]);
  for (const [i, value] of values.entries()) {
    const expected = pixels[least] + (value - values[least]) * factor;
    assert.ok(Math.abs(pixels[i] - expected) < 0.02, `${pixels[i]} for ${value}: ${expected}`);
  }
  return factor;
}

/**
 * @param {(data: any, options: any) => unknown} draw
 * @param {[data: unknown, options: object, kind: ErrorConstructor, message: RegExp][]} cases
 */
export function assertRefused(draw, cases) {
  for (const [data, options, { name }, message] of cases) {
    assert.throws(() => draw(data, options), { name, message });
  }
}
