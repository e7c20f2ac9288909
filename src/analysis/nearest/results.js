/** @import { Core } from "../../runtime/wasm.js" */
/** @import { Rows } from "../../runtime/table.js" */
/** @import { Search } from "./arguments.js" */
/** @import { Neighbors } from "./nearest.js" */
/** @import { QueryTile } from "./tiles.js" */
import { checkStatus } from "../../runtime/errors.js";
import { take } from "../../runtime/memory.js";
import { output, outputInt32 } from "../../runtime/result.js";
import { Tensor } from "../../runtime/tensor.js";
import { errorsOf, overQueries } from "./tiles.js";

/** phasor::nearest::End */
const LOW = -1;
const MIDDLE = 0;

/**
 * @param {Core} core @param {Rows} table @param {Search} search
 * @param {boolean} certify  whether to compute which results are certain
 */
export function findNearest(core, table, search, certify) {
  const { metric, k, idOf } = search;
  const found = newNeighbors(search.shape, k, certify, search.sortKeys);
  const upperK = certify ? k + 1 : 0;
  const bytesPerQuery = [k * 4, upperK * 8, upperK * 4, certify ? k : 0];
  overQueries(core, table, search, bytesPerQuery, 0, (tile) => {
    const { from, count, best } = tile;
    const [scoresAt, keys, ids] = tile.moreAt;
    const more = { keys, ids, k: upperK };
    tile.overRows((tile, comparison) =>
      core.raw.nearest_scan({ tile, comparison, best, more, end: MIDDLE }),
    );
    checkStatus(core.raw.nearest_rank(best.keys, best.ids, count, k, metric, scoresAt));
    take(core, best.ids, count * k, found.ids.data, from * k);
    take(core, scoresAt, count * k, found.scores.data, from * k);
    if (found.sortKeys) take(core, best.keys, count * k, found.sortKeys.data, from * k);
    if (certify) fillCertain(core, table, search, tile, found);
  });
  found.ids.data.forEach((row, i, ids) => (ids[i] = idOf(row)));
  return found;
}

/**
 * Fills `certain` and `recall` for a tile of queries, after a scan.
 * @param {Core} core @param {Rows} table @param {Search} search @param {QueryTile} tile
 * @param {Neighbors} found
 */
function fillCertain(core, table, { metric, k }, tile, { certain, recall }) {
  if (!certain || !recall) return;
  const { from, count, best, queriesAt: queries } = tile;
  const [, keys, ids, at] = tile.moreAt;
  const { N: V, D } = table;
  const highest = { keys, ids, k: k + 1 };
  const errors = errorsOf(table, metric);
  const all = { best, highest, errors, V, queries, Q: count, D, metric, certain: at };
  checkStatus(core.raw.nearest_certify(all));
  certain.data.set(core.raw.HEAPU8.subarray(at, at + count * k), from * k);
  for (let q = from; q < from + count; ++q) {
    const flags = certain.data.subarray(q * k, (q + 1) * k);
    recall.data[q] = flags.reduce((sum, flag) => sum + flag, 0) / k;
  }
}

/** @param {Core} core @param {Rows} table @param {Search} search */
export function findCandidates(core, table, search) {
  const { idOf } = search;
  const marks = new Uint8Array(table.N);
  overQueries(core, table, search, [], 1, ({ best, moreAt: [at], overRows }) => {
    const more = { keys: 0, ids: 0, k: 0 };
    overRows((tile, comparison) =>
      core.raw.nearest_scan({ tile, comparison, best, more, end: LOW }),
    );
    overRows((tile, comparison) => {
      const { first, N, packed } = tile;
      const last = first + N + packed;
      core.raw.HEAPU8.set(marks.subarray(first, last), at);
      const status = core.raw.nearest_mark({ tile, comparison, lowest: best, marks: at });
      marks.set(core.raw.HEAPU8.subarray(at, at + last - first), first);
      return status;
    });
  });
  const count = marks.reduce((sum, mark) => sum + mark, 0);
  const ids = outputInt32(undefined, [count]);
  let next = 0;
  marks.forEach((mark, row) => {
    if (mark) ids.data[next++] = idOf(row);
  });
  return ids.done();
}

/**
 * @param {readonly number[]} shape @param {number} k @param {boolean} certify @param {boolean} sortKeys
 * @returns {Neighbors}
 */
function newNeighbors(shape, k, certify, sortKeys) {
  const sizes = [...shape, k];
  const ids = outputInt32(undefined, sizes).done();
  const scores = output(undefined, sizes).done();
  const certain = certify && new Tensor(new Uint8Array(ids.size), sizes);
  const recall = certify && output(undefined, shape).done();
  if (recall) recall.data.fill(1);
  return {
    ids,
    scores,
    ...(certain && recall && { certain, recall }),
    ...(sortKeys && { sortKeys: new Tensor(new Float64Array(ids.size), sizes) }),
  };
}
