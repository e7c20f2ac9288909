/** @import { Frame } from "./view.js" */
import { contains } from "./view.js";

/**
 * A label next to its point, px.
 *
 * @typedef {object} Label
 * @property {number} index  of the point
 * @property {number} x  of the text's start, middle or end, as `anchor` says
 * @property {number} y  of the line's middle
 * @property {"start" | "middle" | "end"} anchor
 */

/** Side of an occupied square, px. */
const GRAIN = 4;

/** Height of a label's line, px. */
export const LINE = 15;

/** The space at both ends of a label, px: words side by side must not read as a sentence. */
const GAP = 6;

/** The maximal number of labels to try, which bounds the time where points are dense. */
const TRIES = 3000;

/**
 * Places labels beside points, greedily: each takes the first free one of four sides, or is left
 * out. None overlaps another, a labeled point or the frame's edge.
 *
 * @param {Iterable<number>} order  of the points: the first has priority
 * @param {object} picture
 * @param {(i: number) => number} picture.px  where a point is
 * @param {(i: number) => number} picture.py
 * @param {(i: number) => number} picture.width  of its label's text, px; 0 where it has none
 * @param {(i: number) => number} picture.radius  of its mark, px
 * @param {Frame} picture.frame
 * @returns {Label[]}
 */
export function placeLabels(order, { px, py, width, radius, frame }) {
  const taken = raster(frame);
  /** @type {Label[]} */
  const labels = [];
  let tries = 0;
  for (const index of order) {
    const [x, y] = [px(index), py(index)];
    // Before the width is measured, which is slow: a label whose point is covered is never placed.
    if (!contains(frame, x, y) || !taken.free(x - 1, y - 1, 2, 2)) continue;
    if (++tries > TRIES) break;
    const wide = width(index);
    if (wide === 0) continue;
    const half = radius(index);
    const [aside, above] = [half + 3, half + 1 + LINE / 2];
    /** @type {[x: number, y: number, anchor: Label["anchor"], left: number][]} */
    const sides = [
      [x + aside, y, "start", x + aside],
      [x - aside, y, "end", x - aside - wide],
      [x, y - above, "middle", x - wide / 2],
      [x, y + above, "middle", x - wide / 2],
    ];
    const free = sides.find(([, middle, , left]) =>
      taken.free(left - GAP, middle - LINE / 2, wide + 2 * GAP, LINE),
    );
    if (!free) continue;
    const [labelX, labelY, anchor, left] = free;
    taken.take(left, labelY - LINE / 2, wide, LINE);
    taken.take(x - half, y - half, 2 * half, 2 * half);
    labels.push({ index, x: labelX, y: labelY, anchor });
  }
  return labels;
}

/** The occupied squares of a frame; outside of it all are occupied. @param {Frame} frame */
function raster(frame) {
  const columns = Math.ceil(frame.width / GRAIN);
  const rows = Math.ceil(frame.height / GRAIN);
  const cells = new Uint8Array(columns * rows);

  /** @param {number} x @param {number} y @param {number} width @param {number} height */
  const squares = (x, y, width, height) => ({
    left: Math.floor((x - frame.x) / GRAIN),
    top: Math.floor((y - frame.y) / GRAIN),
    right: Math.ceil((x + width - frame.x) / GRAIN),
    bottom: Math.ceil((y + height - frame.y) / GRAIN),
  });

  return {
    /** @param {number} x @param {number} y @param {number} width @param {number} height */
    free(x, y, width, height) {
      const { left, top, right, bottom } = squares(x, y, width, height);
      if (left < 0 || top < 0 || right > columns || bottom > rows) return false;
      for (let row = top; row < bottom; ++row) {
        for (let column = left; column < right; ++column) {
          if (cells[row * columns + column] !== 0) return false;
        }
      }
      return true;
    },

    /** @param {number} x @param {number} y @param {number} width @param {number} height */
    take(x, y, width, height) {
      const { left, top, right, bottom } = squares(x, y, width, height);
      for (let row = Math.max(0, top); row < Math.min(rows, bottom); ++row) {
        cells.fill(
          1,
          row * columns + Math.max(0, left),
          row * columns + Math.min(columns, Math.max(0, right)),
        );
      }
    },
  };
}
