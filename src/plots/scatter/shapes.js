/** Half the side of a square with the area of a disc of radius 1; then the measures of the other marks. */
const SQUARE = 0.89;
const DIAMOND = 1.25;
const TRIANGLE = 1.35;
const [LONG, THICK] = [1.2, 0.4];
const [TALL, HALF] = [1.15, 0.6];

/**
 * Corners of the marks of radius 1, which distinguish groups also without color; the first is a disc.
 *
 * @type {readonly (readonly (readonly [x: number, y: number])[] | "disc")[]}
 */
const SHAPES = [
  "disc",
  square(SQUARE),
  triangle(TRIANGLE),
  diamond(DIAMOND, DIAMOND),
  cross(),
  triangle(-TRIANGLE),
  cross().map(turned),
  diamond(HALF * 1.2, TALL * 1.4),
];

/** How far the corners of a mark of radius 1 are from its middle, at most. */
export const LONGEST = 1.7;

/** The number of shapes. */
export const COUNT = SHAPES.length;

/**
 * A mark as SVG path data.
 * @param {number} shape  from 0 to COUNT - 1
 * @param {number} x @param {number} y @param {number} r  px
 */
export function outline(shape, x, y, r) {
  const corners = SHAPES[shape];
  if (corners === "disc") {
    const arc = (/** @type {number} */ dx) => `a${short(r)},${short(r)} 0 1 0 ${short(dx)},0`;
    return `M${short(x - r)},${short(y)}${arc(2 * r)}${arc(-2 * r)}z`;
  }
  const places = corners.map(([dx, dy]) => `${short(x + dx * r)},${short(y + dy * r)}`);
  return `M${places.join("L")}z`;
}

/** Rounded to a hundredth of a pixel, which is invisible. @param {number} px */
function short(px) {
  return Math.round(px * 100) / 100;
}

/** @param {number} half @returns {[number, number][]} */
function square(half) {
  return [[-half, -half], [half, -half], [half, half], [-half, half]]; // prettier-ignore
}

/** A triangle with its tip up, or down if the height is negative. @param {number} height @returns {[number, number][]} */
function triangle(height) {
  const foot = height * 0.6;
  return [[0, -height], [1.2, foot], [-1.2, foot]]; // prettier-ignore
}

/** @param {number} across @param {number} down @returns {[number, number][]} */
function diamond(across, down) {
  return [[0, -down], [across, 0], [0, down], [-across, 0]]; // prettier-ignore
}

/** @returns {[number, number][]} */
function cross() {
  const [a, b] = [LONG, THICK];
  return [[-b, -a], [b, -a], [b, -b], [a, -b], [a, b], [b, b], [b, a], [-b, a], [-b, b], [-a, b], [-a, -b], [-b, -b]]; // prettier-ignore
}

/** Rotates by 45 degrees. @param {readonly [number, number]} corner @returns {[number, number]} */
function turned([x, y]) {
  return [(x - y) * Math.SQRT1_2, (x + y) * Math.SQRT1_2];
}
