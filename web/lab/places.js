// What schemes reach by position: means of eight positions, whose spread over the seeds is recorded.

/** @import { Shown } from "./curves.js" */
/** @import { Recorded, Row, SchemeName, Setup } from "./setup.js" */
/** @import { Line } from "./panels.js" */
import { measureOf, readingOf, rowOf } from "./setup.js";
import { meanOf, spreadText, two } from "./spread.js";

/** Positions that a number is the mean of. */
export const SPAN = 8;

/** The mean of the eight positions up to `end`; undefined where none was asked, or tested. @param {readonly (number | null)[]} all @param {number} end */
export function meanAt(all, end) {
  const there = all.slice(end - SPAN, end).filter((x) => x !== null && !Number.isNaN(x));
  return there.length > 0 && end <= all.length
    ? meanOf(/** @type {number[]} */ (there))
    : undefined;
}

/** The row of the record that has a scheme's positions. @param {Recorded} recorded @param {Setup} setup @param {SchemeName} name */
export function placedRow(recorded, setup, name) {
  const { lengths } = recorded.tasks[setup.task];
  const longest = setup.length * setup.factor;
  // A reading depends on the length of the text: the record has its positions in the longest texts alone.
  const isOther = readingOf(setup, name) !== null && longest !== lengths[lengths.length - 1];
  return isOther ? undefined : rowOf(recorded, setup, name);
}

/** What a row of the record has at eight positions. @param {Row} row @param {"loss" | "accuracy"} measure @param {number} end */
function recordedAt({ byPosition }, measure, end) {
  const mean = meanAt(byPosition[measure], end);
  const deviation = byPosition.deviation[measure][end / SPAN - 1];
  return mean === undefined ? undefined : { mean, deviation: deviation ?? NaN };
}

/** The losses or the accuracies of a test. @param {Float32Array | undefined} both  [2, T] @param {"loss" | "accuracy"} measure */
export function halfOf(both, measure) {
  if (!both) return [];
  const half = both.length / 2;
  return [...(measure === "loss" ? both.subarray(0, half) : both.subarray(half))];
}

/**
 * What a scheme has at eight positions: of the record, and of each seed that was trained here.
 * @param {Pick<Shown, "recorded" | "setup" | "runs" | "isCovered">} shown @param {SchemeName} name @param {number} end  the last one, from 1
 */
export function foundAt({ recorded, setup, runs, isCovered }, name, end) {
  const measure = measureOf(setup.task);
  const row = isCovered ? undefined : placedRow(recorded, setup, name);
  const own = runs.filter(({ scheme }) => scheme === name);
  const here = own.flatMap(({ byPosition }) => meanAt(halfOf(byPosition, measure), end) ?? []);
  return { record: row && recordedAt(row, measure, end), here };
}

/** The ends of the positions that words and tables have: each twice as far as the one before. @param {Setup} setup */
export function endsOf({ length, factor }) {
  const count = Math.log2((length * factor) / SPAN) + 1;
  return Array.from({ length: count }, (_, i) => SPAN * 2 ** i);
}

/** A mean that is recorded with its deviation, as words. @param {{mean: number, deviation: number}} record */
export const meanText = ({ mean, deviation }) => `${two(mean)} ± ${two(deviation)}`;

/** What a scheme has at some positions, for those who do not see the curve. @param {Parameters<typeof foundAt>[0]} shown @param {SchemeName} name */
export function placesText(shown, name) {
  return endsOf(shown.setup)
    .flatMap((end) => {
      const { record, here } = foundAt(shown, name, end);
      const parts = [
        ...(record ? [`recorded ${meanText(record)}`] : []),
        ...(here.length > 0 ? [`here ${spreadText(here)}`] : []),
      ];
      return parts.length > 0 ? [`at positions ${spanText(end)} ${parts.join(", ")}`] : [];
    })
    .join("; ");
}

/** Eight positions, as words. @param {number} end */
export const spanText = (end) => `${end - SPAN + 1} to ${end}`;

/**
 * One standard deviation on either side of the mean of each eight positions: a band for those that follow one another.
 * @param {Row} row @param {Setup} setup @returns {Line[]}
 */
export function bandsOf(row, { task, length, factor }) {
  const measure = measureOf(task);
  /** @type {{from: number, found: {mean: number, deviation: number}[]}[]} */
  const bands = [];
  for (let end = SPAN; end <= length * factor; end += SPAN) {
    const found = recordedAt(row, measure, end);
    if (!found) continue;
    const last = bands[bands.length - 1];
    if (last && last.from + last.found.length * SPAN === end - SPAN) last.found.push(found);
    else bands.push({ from: end - SPAN, found: [found] });
  }
  return bands.map(({ from, found }) => {
    const edge = (/** @type {1 | -1} */ sign) =>
      found.flatMap(({ mean, deviation }, i) =>
        [0, SPAN].map(
          (x) => /** @type {const} */ ([from + i * SPAN + x - 0.5, mean + sign * deviation]),
        ),
      );
    return { kind: "band", points: [...edge(1), ...edge(-1).reverse()] };
  });
}
