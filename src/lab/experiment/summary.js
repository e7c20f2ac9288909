/** @import { Position, PositionByLayer } from "../lab/position.js" */
/** @import { Row } from "./index.js" */
/** @import { Reading } from "../lab/readings.js" */
import * as check from "../../runtime/check.js";
import { inFunction } from "../../runtime/named.js";
import { Tensor } from "../../runtime/tensor.js";

/**
 * The mean and the standard deviation over seeds, at each length. The deviation is that of a sample (n - 1); NaN for one
 * seed, which says nothing of the spread.
 * @typedef {{mean: readonly number[], deviation: readonly number[]}} Spread
 */

/**
 * What all seeds found.
 * @typedef {object} Line
 * @property {string} task  as in the rows
 * @property {string} scheme  as in the rows
 * @property {Reading | null} reading  as in the rows
 * @property {Position | PositionByLayer} position  the scheme
 * @property {readonly (number | bigint)[]} seeds  of the rows
 * @property {readonly number[]} lengths  of the tests, in tokens
 * @property {Spread} loss  in nats
 * @property {Spread} accuracy  the shares of right answers
 * @property {Tensor} byPosition  [2, T], the means of loss and accuracy at each place of the longest texts
 */

/**
 * Summarizes rows of `lab.experiment`: one line for all seeds of a task, a scheme and a reading, tested at the same
 * lengths.
 * @param {readonly Row[]} rows  of one experiment
 * @returns {Line[]} in the order of the rows
 * @throws {TypeError} if rows is not a list, or one of them no row, or one without a number for each length
 * @throws {RangeError} if two rows of a line have the same seed
 * @see NumPy, numpy.std with ddof=1, https://numpy.org/doc/stable/reference/generated/numpy.std.html
 * @example
 * const rows = await lab.experiment({ tasks: ["needle"], schemes: ["rope"], seeds: 2, steps: 4, test: [1] });
 * summarize(rows).map(({ scheme, reading, seeds }) => [scheme, reading, seeds.length])
 * // [["rope", null, 2], ["rope", "linear", 2], ["rope", "ntk", 2], ["rope", "yarn", 2]]
 */
export function summarize(rows) {
  const wrong = wrongOf(rows);
  if (wrong) throw inFunction("summarize", new TypeError(wrong));
  /** @type {Map<string, Row[]>} */
  const lines = new Map();
  rows.forEach((row, at) => {
    const { task, scheme, reading, lengths, seed } = row;
    const key = JSON.stringify([task, scheme, reading, lengths]);
    const others = lines.get(key) ?? [];
    if (others.some((other) => String(other.seed) === String(seed))) {
      const words = `rows[${at}].seed must be another in each row of a line; got ${seed} twice`;
      throw inFunction("summarize", new RangeError(words));
    }
    lines.set(key, [...others, row]);
  });
  return [...lines.values()].map((all) => {
    const [{ task, scheme, reading, position, lengths, byPosition }] = all;
    const places = all.map((row) => /** @type {Float32Array} */ (row.byPosition.data));
    const means = byPosition.data.map((_, i) => meanOf(places.map((own) => own[i])));
    return {
      task,
      scheme,
      reading,
      position,
      lengths,
      seeds: all.map(({ seed }) => seed),
      loss: spreadOf(all.map(({ loss }) => loss)),
      accuracy: spreadOf(all.map(({ accuracy }) => accuracy)),
      byPosition: new Tensor(/** @type {Float32Array} */ (means), [2, means.length / 2]),
    };
  });
}

/** What is wrong with an argument, if anything is. @param {unknown} rows */
function wrongOf(rows) {
  if (!check.isList(rows)) return `rows must be a list; got ${check.describe(rows)}`;
  const at = rows.findIndex((row) => !isRow(row));
  return at < 0
    ? ""
    : `rows[${at}] must be a row of an experiment; got ${check.describe(rows[at])}`;
}

/** Whether a row has numbers at each length, and at each place of the longest. @param {unknown} row */
function isRow(row) {
  if (!check.isRecord(row) || !check.isRecord(row.byPosition)) return false;
  const { lengths, loss, accuracy, byPosition } = row;
  if (!check.isList(lengths) || lengths.length === 0) return false;
  const areNumbers = (/** @type {unknown} */ of) =>
    check.isList(of) && of.length === lengths.length && of.every((x) => typeof x === "number");
  const data = byPosition.data; // of this realm or another
  const isWhole = [lengths, loss, accuracy].every(areNumbers) && ArrayBuffer.isView(data);
  return isWhole && Object(data).length === 2 * Math.max(...lengths);
}

/** @param {readonly number[]} numbers */
const meanOf = (numbers) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

/** @param {readonly (readonly number[])[]} all  of each seed @returns {Spread} */
function spreadOf(all) {
  const columns = all[0].map((_, i) => all.map((own) => own[i]));
  const deviationOf = (/** @type {number[]} */ numbers) => {
    const mean = meanOf(numbers);
    const squares = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0);
    return Math.sqrt(squares / (numbers.length - 1));
  };
  return { mean: columns.map(meanOf), deviation: columns.map(deviationOf) };
}
