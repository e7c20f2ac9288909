// The geometry of the 3-D view: rotations, perspective, and where points are on the screen.

/** How far the viewer is from the center, in units of the cloud's radius. */
const DISTANCE = 3.2;

/** The share of the points that are within the radius: a few outliers do not make the others small. */
const WITHIN = 0.995;

/** Nine numbers: the rows of a rotation. @typedef {number[]} Rotation */

/** The first view: a little from above and from the side. @returns {Rotation} */
export const start = () => rotated(rotated([1, 0, 0, 0, 1, 0, 0, 0, 1], 0.5, 0), 0, 0.3);

/**
 * A rotation followed by one about the upright axis of the screen and one about its horizontal axis.
 * @param {Rotation} by @param {number} right @param {number} down  radians
 * @returns {Rotation}
 */
export function rotated(by, right, down) {
  const [c, s] = [Math.cos(right), Math.sin(right)];
  const [d, e] = [Math.cos(down), Math.sin(down)];
  const turned = multiplied([c, 0, s, 0, 1, 0, -s, 0, c], by);
  return orthonormal(multiplied([1, 0, 0, 0, d, -e, 0, e, d], turned));
}

/** @param {number[]} a @param {number[]} b  [3, 3] */
function multiplied(a, b) {
  return Array.from({ length: 9 }, (_, i) => {
    const [row, column] = [3 * Math.floor(i / 3), i % 3];
    return a[row] * b[column] + a[row + 1] * b[column + 3] + a[row + 2] * b[column + 6];
  });
}

/** The rows with length 1 and right angles between them: thousands of small rotations add up their errors. @param {number[]} m */
function orthonormal([a, b, c, d, e, f]) {
  const [x, y, z] = unit([a, b, c]);
  const along = d * x + e * y + f * z;
  const [u, v, w] = unit([d - along * x, e - along * y, f - along * z]);
  return [x, y, z, u, v, w, y * w - z * v, z * u - x * w, x * v - y * u];
}

/** @param {number[]} v */
function unit(v) {
  const length = Math.sqrt(v.reduce((sum, x) => sum + x * x, 0));
  return v.map((x) => x / length);
}

/**
 * The radius of a cloud around 0 without its outliers; 1 for points that are all at 0.
 * @param {ArrayLike<number>} points  [N, 3]
 */
export function radiusOf(points) {
  const N = points.length / 3;
  const squares = Float64Array.from(
    { length: N },
    (_, i) => points[3 * i] ** 2 + points[3 * i + 1] ** 2 + points[3 * i + 2] ** 2,
  ).sort();
  return Math.sqrt(squares[Math.min(N - 1, Math.floor(WITHIN * N))] ?? 0) || 1;
}

/**
 * Where points are on the screen.
 *
 * @param {ArrayLike<number>} points  [N, 3]
 * @param {{rotation: Rotation, radius: number, zoom: number, width: number, height: number}} view
 * @returns {Float32Array} [N, 3]: px from the left, px from the top, and depth: 1 at the front of the radius, -1 at its
 *   back; NaN for a point that is behind the viewer
 */
export function projected(points, { rotation: r, radius, zoom, width, height }) {
  const out = new Float32Array(points.length);
  const size = 0.42 * Math.min(width, height) * zoom;
  for (let at = 0; at < points.length; at += 3) {
    const [x, y, z] = [points[at] / radius, points[at + 1] / radius, points[at + 2] / radius];
    const depth = r[6] * x + r[7] * y + r[8] * z;
    const scale = depth < DISTANCE - 0.2 ? (size * DISTANCE) / (DISTANCE - depth) : NaN;
    out[at] = width / 2 + scale * (r[0] * x + r[1] * y + r[2] * z);
    out[at + 1] = height / 2 - scale * (r[3] * x + r[4] * y + r[5] * z);
    out[at + 2] = scale === scale ? depth : NaN;
  }
  return out;
}

/**
 * The point nearest to a place of the screen, the foremost of those that are equally near; -1 if none is within reach.
 * @param {Float32Array} places  as `projected` gives them @param {number} x @param {number} y @param {number} reach  px
 */
export function nearestAt(places, x, y, reach) {
  let [found, best] = [-1, reach * reach];
  for (let at = 0; at < places.length; at += 3) {
    const square = (places[at] - x) ** 2 + (places[at + 1] - y) ** 2;
    if (square < best || (square === best && places[at + 2] > places[3 * found + 2])) {
      [found, best] = [at / 3, square];
    }
  }
  return found;
}
