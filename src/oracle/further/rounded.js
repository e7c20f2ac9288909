/** Tables whose frequencies, angles, products or numbers are rounded. */
import { EPSILON, narrowed, PER_ANGLE } from "../numbers.js";
import { exactTable } from "../identify/residual.js";

/**
 * @import { RopeModules } from "../../positional/rotary/rope/index.js"
 * @import { Convention, Precision, Rounding, Rows } from "../identify/residual.js"
 * @import { Attempt } from "../identify/rotation.js"
 */

/** Formats to which steps are rounded. @type {readonly Rounding["format"][]} */
const FORMATS = ["bfloat16", "float16"];

/** Those with fewer digits than a precision. @param {Precision} precision */
export const formatsBelow = (precision) =>
  FORMATS.filter((format) => EPSILON[format] > EPSILON[precision]);

/** Steps that are rounded to each. @type {readonly Attempt[]} */
export const NARROW = FORMATS.map((format) => [
  format,
  /** @type {const} */ (["frequencies", "angles", "products"]).map((of) => ({ of, format })),
]);

/**
 * Cosines and sines of rows, [rows, P] each, and the sizes of their angles.
 * @param {RopeModules["rope"]} rope @param {Convention} convention @param {Rounding} rounding @param {number[]} own  positions
 * @returns {Omit<Rows, "from" | "to">}
 */
export function roundedTable(rope, convention, { of, format }, own) {
  const { frequencies, pairing } = convention;
  const P = pairing.pairs;
  const near = (/** @type {number} */ x) => narrowed(x, format);
  if (of === "tables") {
    return narrowTable(exactTable(rope, convention, own, frequencies), near, convention.factor);
  }
  const thetas = of === "products" ? frequencies : frequencies.map(near);
  if (of === "frequencies")
    return exactTable(rope, { ...convention, isScaled: false }, own, thetas);
  const angles = new Float64Array(own.length * P);
  for (const [t, place] of own.entries()) {
    const at = of === "angles" ? near(place) : place;
    for (let i = 0; i < P; ++i) angles[t * P + i] = near(at * thetas[i]);
  }
  const { cos, sin } = rope.table(angles, 2, { frequencies: [1] });
  return { cos: cos.data, sin: sin.data, angles, scale: 1 };
}

/**
 * A table whose numbers are rounded. Where the error of an angle decides to which side, both count: the angle is then
 * as uncertain as that.
 * @param {Omit<Rows, "from" | "to">} rows @param {(x: number) => number} near @param {number} factor
 */
function narrowTable({ cos, sin, angles, scale }, near, factor) {
  const uncertain = Float64Array.from(angles, Math.abs);
  const [c, s] = [cos, sin].map((all) =>
    Float64Array.from(all, (x, k) => {
      const [exact, off] = [factor * scale * x, 2 ** -24 + PER_ANGLE * Math.abs(angles[k])];
      const [low, high] = [near(exact - off), near(exact + off)];
      uncertain[k] = Math.max(uncertain[k], (high - low) / (factor * PER_ANGLE));
      return near(exact) / factor;
    }),
  );
  return { cos: c, sin: s, angles: uncertain, scale: 1 };
}
