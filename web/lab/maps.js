// Maps of attention: one pixel for each weight, and where the trained length ends.

import { make } from "../app/dom.js";

/** The distance that rows look at most in the mean, as words. @param {Float32Array} weights @param {number} T @param {number} from @param {number} to */
export function farthest(weights, T, from, to) {
  const sums = new Float64Array(to);
  for (let i = from; i < to; ++i) for (let j = 0; j <= i; ++j) sums[i - j] += weights[i * T + j];
  const best = sums.indexOf(Math.max(...sums));
  return `${best} back (${(sums[best] / (to - from)).toFixed(2)} of its weight)`;
}

/** @param {Float32Array} weights @param {number} T */
export function paint(weights, T) {
  const canvas = make("canvas", { width: T, height: T, "aria-hidden": "true" });
  const context = canvas.getContext("2d");
  if (!context) return canvas;
  const image = context.createImageData(T, T);
  const { data } = image;
  const [red, green, blue] = colorOf("--position");
  weights.forEach((weight, i) => {
    data[4 * i] = red;
    data[4 * i + 1] = green;
    data[4 * i + 2] = blue;
    data[4 * i + 3] = 255 * Math.sqrt(weight); // small weights can be seen, too
  });
  context.putImageData(image, 0, 0);
  return canvas;
}

/** The parts of a color of the theme. @param {string} name */
function colorOf(name) {
  const canvas = make("canvas", { width: 1, height: 1 });
  const context = canvas.getContext("2d");
  const probe = make("i", { hidden: true });
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  if (!context) return [0, 0, 0];
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data];
}

/** Where the trained length ends, in rows and in columns. @param {number} share */
export function walls(share) {
  return ["left", "top"].map((side) => {
    const line = make("i", {});
    const isColumn = side === "left";
    Object.assign(line.style, {
      left: isColumn ? `${100 * share}%` : "0",
      top: isColumn ? "0" : `${100 * share}%`,
      width: isColumn ? "1px" : "100%",
      height: isColumn ? "100%" : "1px",
    });
    return line;
  });
}
