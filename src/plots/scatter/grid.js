/**
 * Sorts points into square cells, so that a search for the nearest one visits few of them: O(1) for evenly distributed
 * points of any number.
 *
 * @typedef {object} Grid
 * @property {Uint32Array} items  the points with finite coordinates, cell by cell
 * @property {(u: number, v: number, reach: number) => number} nearest  index of the point nearest to
 *   a place and no farther than reach; -1 where there is none. The first of equally near points.
 * @property {(i: number, across: number, down: number, least: number) => number} toward  index of the
 *   point nearest to point i in the direction (across, down), an axis: within 45 degrees of it and at
 *   least so far along it; -1 where there is none
 */

/** Points in a cell, on average. */
const SHARE = 2;

/**
 * @param {ArrayLike<number>} u  [N]; points with NaN are never found
 * @param {ArrayLike<number>} v  [N]
 * @returns {Grid}
 */
export function gridOf(u, v) {
  const box = bounds(u, v);
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const cells = Math.max(1, box.count / SHARE);
  // The second bound is for points on a line, whose area is 0.
  const size = Math.max(Math.sqrt((width * height) / cells), (width + height) / cells) || 1;
  const columns = Math.floor(width / size) + 1;
  const rows = Math.floor(height / size) + 1;
  const column = (/** @type {number} */ at) => Math.floor((at - box.left) / size);
  const row = (/** @type {number} */ at) => Math.floor((at - box.top) / size);

  // A counting sort: the points of cell c are items[starts[c]] up to items[starts[c + 1]].
  const starts = new Uint32Array(columns * rows + 1);
  const cellOf = (/** @type {number} */ i) => row(v[i]) * columns + column(u[i]);
  for (let i = 0; i < u.length; ++i) if (placed(i)) ++starts[cellOf(i) + 1];
  for (let c = 0; c < columns * rows; ++c) starts[c + 1] += starts[c];
  const items = new Uint32Array(box.count);
  const next = starts.slice();
  for (let i = 0; i < u.length; ++i) if (placed(i)) items[next[cellOf(i)]++] = i;

  return {
    items,

    nearest: (atU, atV, reach) => search(atU, atV, reach, () => true),

    toward(i, across, down, least) {
      return search(u[i], v[i], Infinity, (du, dv) => {
        const along = du * across + dv * down;
        return along > 0 && along >= least && along >= Math.abs(du * down - dv * across);
      });
    },
  };

  /** @param {number} i */
  function placed(i) {
    return !Number.isNaN(u[i] + v[i]);
  }

  /**
   * Goes through the cells in rings about the place, until no point can be nearer.
   * @param {number} atU @param {number} atV @param {number} reach
   * @param {(du: number, dv: number) => boolean} allowed
   */
  function search(atU, atV, reach, allowed) {
    const [middleColumn, middleRow] = [column(atU), row(atV)];
    const last = Math.max(
      middleColumn,
      columns - 1 - middleColumn,
      middleRow,
      rows - 1 - middleRow,
    );
    let [found, best] = [-1, reach * reach];
    // All of ring r is at least r - 1 cells away.
    for (let r = ringOutside(middleColumn, middleRow); r <= last; ++r) {
      if (r > 0 && ((r - 1) * size) ** 2 > best) break;
      const [above, below] = [middleRow - r, middleRow + r];
      const [from, to] = [Math.max(0, middleColumn - r), Math.min(columns - 1, middleColumn + r)];
      look(above, from, to);
      if (r > 0) look(below, from, to);
      const [first, end] = [Math.max(0, above + 1), Math.min(rows - 1, below - 1)];
      for (let at = first; at <= end; ++at) {
        if (middleColumn - r === from) look(at, from, from);
        if (middleColumn + r === to) look(at, to, to);
      }
    }
    return found;

    /** Cells of one row. @param {number} at @param {number} from @param {number} to */
    function look(at, from, to) {
      if (at < 0 || at >= rows || from > to) return;
      const end = starts[at * columns + to + 1];
      for (let k = starts[at * columns + from]; k < end; ++k) {
        const i = items[k];
        const [du, dv] = [u[i] - atU, v[i] - atV];
        const distance = du * du + dv * dv;
        const nearer = distance < best || (distance === best && (found < 0 || i < found));
        if (nearer && allowed(du, dv)) [found, best] = [i, distance];
      }
    }
  }

  /** The first ring about a cell that meets the grid. @param {number} column @param {number} row */
  function ringOutside(column, row) {
    return Math.max(0, -column, column - columns + 1, -row, row - rows + 1);
  }
}

/** The bounding box of the points with finite coordinates. @param {ArrayLike<number>} u @param {ArrayLike<number>} v */
function bounds(u, v) {
  const box = { left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity, count: 0 };
  for (let i = 0; i < u.length; ++i) {
    if (Number.isNaN(u[i] + v[i])) continue;
    if (u[i] < box.left) box.left = u[i];
    if (u[i] > box.right) box.right = u[i];
    if (v[i] < box.top) box.top = v[i];
    if (v[i] > box.bottom) box.bottom = v[i];
    ++box.count;
  }
  return box.count > 0 ? box : { left: 0, right: 0, top: 0, bottom: 0, count: 0 };
}
