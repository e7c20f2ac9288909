/** @import { Side } from "./address.js" */
/** @import { Picture } from "./schemes/scheme.js" */
import { Tensor } from "phasor";

/** The settings that decide how large a picture is. */
const SIZES = ["length", "dim", "heads", "height", "width", "first", "count", "every"];

/**
 * A side with the sizes of another, as far as its scheme has them.
 * @param {Side} side @param {Side} model
 * @returns {Side | undefined} undefined if nothing would change
 */
export function inSizeOf(side, model) {
  const [own, given] = [side.settings, model.settings];
  const changed = SIZES.filter(
    (name) => name in own && name in given && !Object.is(own[name], given[name]),
  );
  if (changed.length === 0) return undefined;
  const sizes = Object.fromEntries(changed.map((name) => [name, given[name]]));
  return { ...side, settings: { ...own, ...sizes } };
}

/**
 * The difference of two pictures.
 * @typedef {object} Difference
 * @property {Picture} [picture]  the first minus the second
 * @property {number} [largest]  the largest absolute difference
 * @property {number[]} [at]  the cell that has it
 * @property {string} [why]  why there is none
 */

/**
 * The difference of two pictures, cell by cell; cells with the same number, infinite ones too, have 0.
 * @param {Picture} one @param {Picture} other
 * @returns {Difference}
 */
export function difference(one, other) {
  if (one.kind !== other.kind) {
    return { why: "Cannot subtract: the pictures are of different kinds." };
  }
  const [a, b] = [one.data, other.data];
  if (a.shape.join() !== b.shape.join()) {
    const shapes = [a, b].map(({ shape }) => shape.join(" × ")).join(" and ");
    return { why: `Cannot subtract: the sizes are ${shapes}.` };
  }
  const data = new Float64Array(a.size);
  let [largest, place] = [0, 0];
  for (let k = 0; k < data.length; ++k) {
    const [x, y] = [Number(a.data[k]), Number(b.data[k])];
    data[k] = Object.is(x, y) ? 0 : x - y;
    if (Math.abs(data[k]) > largest) [largest, place] = [Math.abs(data[k]), k];
  }
  return { picture: drawn(one, new Tensor(data, a.shape)), largest, at: cellOf(place, a.shape) };
}

/**
 * A difference as a picture; of a spectrum or clock as lines.
 * @param {Picture} one @param {Tensor<Float64Array>} data
 * @returns {Picture}
 */
function drawn({ kind, options }, data) {
  const title = "Difference";
  if (kind !== "spectrum" && kind !== "clock") {
    return { kind, data, given: data, options: { ...options, title } };
  }
  const lines = kind === "clock" ? data : data.reshape(-1, 1);
  const labels = kind === "clock" ? ["cosine", "sine"] : ["radians per token"];
  const xTitle = kind === "clock" ? "hand" : "pair";
  const all = { title, labels, xTitle, yTitle: "difference", points: true };
  return { kind: "waves", data, given: lines, options: all };
}

/** @param {number} k @param {readonly number[]} shape */
function cellOf(k, shape) {
  const cell = [];
  for (const size of [...shape].reverse()) {
    cell.unshift(k % size);
    k = Math.floor(k / size);
  }
  return cell;
}
