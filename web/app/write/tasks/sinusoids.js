/** @import { Phasor } from "phasor" */
import { both } from "./both.js";

/** @typedef {(phasor: Phasor, positions: number[], dim: number, base: number) => any[][]} Rows */

/** @type {Rows} */
export const rows = ({ sinusoidal }, positions, dim, base) =>
  sinusoidal.table(positions, dim, { base }).toArray();

/** @param {number[]} row */
const swapped = (row) => row.map((_, d) => row[d ^ 1]);

/** The numbers of even dimensions, then those of odd ones. @param {number[]} row */
const inHalves = (row) => [0, 1].flatMap((odd) => row.filter((_, d) => d % 2 === odd));

/**
 * @param {number[]} positions @param {number} dim @param {number} base
 * @param {(d: number, dim: number) => number} exponent  of the base, in dimension d
 */
const byAngle = (positions, dim, base, exponent) =>
  positions.map((t) =>
    Array.from({ length: dim }, (_, d) => {
      const angle = t * base ** exponent(d, dim);
      return d % 2 === 0 ? Math.sin(angle) : Math.cos(angle);
    }),
  );

/**
 * Mistakes in rows of sinusoids.
 * @type {readonly { says: string, wrong: Rows, on?: (wrong: Rows) => Rows }[]}
 */
export const mistakes = [
  {
    says: "Sine and cosine are swapped: even dimensions take the sine, odd ones the cosine.",
    wrong: (...given) => rows(...given).map(swapped),
    on: (wrong) => (...given) => wrong(...given).map(swapped), // prettier-ignore
  },
  {
    says: "The exponent is −i/D instead of −2i/D, where i is the number of the pair.",
    wrong: (phasor, positions, dim, base) => rows(phasor, positions, dim, Math.sqrt(base)),
  },
  {
    says: "Each dimension has its own frequency. The sine and the cosine of a pair share one angle.",
    wrong: (_, ...given) => byAngle(...given, (d, dim) => -d / dim),
  },
  {
    says: "The angle is taken as degrees. Sine and cosine take radians: no conversion is needed.",
    wrong: (phasor, positions, dim, base) =>
      rows(
        phasor,
        positions.map((t) => (t * Math.PI) / 180),
        dim,
        base,
      ),
    on: (wrong) => (phasor, positions, dim, base) =>
      wrong(phasor, positions.map((t) => (t * Math.PI) / 180), dim, base), // prettier-ignore
  },
  {
    says: "The layout is all sines, then all cosines. Here each sine is followed by its cosine.",
    wrong: (...given) => rows(...given).map(inHalves),
    on: (wrong) => (...given) => wrong(...given).map(inHalves), // prettier-ignore
  },
  {
    says: "The first position is counted as 1. Positions begin at 0.",
    wrong: (phasor, positions, dim, base) =>
      rows(
        phasor,
        positions.map((t) => t + 1),
        dim,
        base,
      ),
    on: (wrong) => (phasor, positions, dim, base) =>
      wrong(phasor, positions.map((t) => t + 1), dim, base), // prettier-ignore
  },
  {
    says: "The exponent is −2d/D with the dimension d. It has the number of the pair, i.",
    wrong: (_, ...given) => byAngle(...given, (d, dim) => (-2 * d) / dim),
  },
  {
    says: "The exponent has no minus: the frequencies rise from pair to pair. They must fall.",
    wrong: (_, ...given) => byAngle(...given, (d, dim) => (2 * Math.floor(d / 2)) / dim),
  },
];

export const pairs = both(mistakes);
