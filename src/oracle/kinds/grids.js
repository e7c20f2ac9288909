/**
 * Tables of sinusoids of a grid: half of the columns are those of a cell's row and half those of its column. Each of the
 * two is a table by itself, and is named as one.
 */
import { FEWEST_ROWS } from "../identify/measure.js";
import { EPSILON } from "../numbers.js";
import { knownWith, NOBODY } from "./known.js";
import {
  frequenciesOf,
  identifySinusoids,
  MOST,
  namesOf,
  PER_ANGLE,
  readTable,
  tableOf,
} from "./sinusoids.js";
import { none, number } from "../words.js";

/**
 * @import { Phasor } from "../../index.js"
 * @import { None } from "../identify/identify.js"
 * @import { Precision } from "../identify/residual.js"
 * @import { Known } from "./known.js"
 * @import { Fit, Named, Sinusoids, Steps, Table } from "./sinusoids.js"
 * @import { Waves } from "./waves.js"
 *
 * The positions of the rows or the columns of a grid: `positionScale` times first, first + step, ...
 * @typedef {{positionScale: number, first: number, step: 1 | -1}} AxisPositions
 *
 * @typedef {Pick<Waves, "form" | "base" | "spectrum" | "minTimescale"> & {axes: [number, number],
 *   layout: "interleaved" | "halves" | "flipped" | "sines-first", isCosineFirst: boolean, scale: Named["scale"],
 *   rows: AxisPositions, columns: AxisPositions, steps: Steps}} GridName
 *
 * A table of the sinusoids of a grid, as of `sincosGrid.table`. All rows were computed again, and `residual` is the largest
 * difference. `axes` [1, 0]: the column of a cell comes first; `prefix`: rows of zeros before the grid; D of `form` is the
 * width of an axis.
 * @typedef {GridName & {kind: "sincosGrid", sentence: string, residual: number, at: {row: number, column: number},
 *   grid: [number, number], prefix: number, dim: number, precision: Precision,
 *   frequencies: {measured: number[], fitted: number[]}, presets: string[], decidedBy: string[],
 *   alsoEqual: (GridName & {sentence: string})[]} & Known} SincosGrid `frequencies`: of the rows
 *
 * The columns of the two axes in a table: of rows, and of columns.
 * @typedef {{axes: [number, number], isSinesFirst: boolean, columns: [number[], number[]]}} Arrangement
 */

/** Rows before columns, and columns before rows. */
const ORDERS = /** @type {const} */ ([[0, 1], [1, 0]]); // prettier-ignore

/** @param {Phasor} modules @param {{table: unknown}} given @returns {Sinusoids | SincosGrid | None} */
export function identifyTable(modules, given) {
  const table = readTable(given.table);
  const plain = identifySinusoids(modules, table);
  return plain.kind === "none" ? (gridOf(modules, table) ?? plain) : plain;
}

/**
 * The grid that a table has, or why it has no name; undefined where no grid shows.
 * @param {Phasor} modules @param {Table} table
 * @returns {SincosGrid | None | undefined}
 */
function gridOf(modules, table) {
  const { D, T, rows, precision } = table;
  const prefix = rows[0] ?? T;
  const cells = T - prefix;
  if (D % 4 !== 0 || rows.length !== cells) return undefined;
  for (let w = 2; 2 * w <= cells; ++w) {
    if (cells % w !== 0 || (table.width ?? w) !== w) continue;
    const found = arrangementOf(table, prefix, w);
    if (!found) continue;
    const grid = /** @type {[number, number]} */ ([cells / w, w]);
    const size = `a grid of ${grid.join(" x ")}`;
    if (Math.min(...grid) < FEWEST_ROWS)
      return none(
        `columns are those of ${size}: at least ${FEWEST_ROWS} rows and columns of cells show how they turn`,
      );
    const parts = [0, 1].map((axis) => {
      const stride = axis === 0 ? w : 1;
      const columns = found.columns[axis];
      const data = Float32Array.from(
        { length: grid[axis] * columns.length },
        (_, k) =>
          table.data[
            (prefix + stride * Math.floor(k / columns.length)) * D + columns[k % columns.length]
          ],
      );
      return namesOf(modules.sinusoidal, tableOf(data, columns.length, precision));
    });
    const [ofRows, ofColumns] = parts;
    if (typeof ofRows === "string") return none(`in the rows of ${size} ${ofRows}`);
    if (typeof ofColumns === "string") return none(`in the columns of ${size} ${ofColumns}`);
    const names = pairsOf(found, ofRows.fits, ofColumns.fits);
    if (names.length === 0)
      return none(`rows and columns of ${size} have other frequencies or layouts`);
    return answer(modules, table, { ...found, grid, prefix }, names);
  }
  return undefined;
}

/** Which columns depend on the row of a cell alone, and which on its column. @param {Table} table @param {number} prefix @param {number} w @returns {Arrangement | undefined} */
function arrangementOf({ data, T, D }, prefix, w) {
  const isOf = [new Uint8Array(D), new Uint8Array(D)];
  for (let column = 0; column < D; ++column) {
    let [isOfRow, isOfColumn] = [true, true];
    for (let t = prefix; t < T && (isOfRow || isOfColumn); ++t) {
      const x = data[t * D + column];
      const cell = t - prefix;
      if (cell % w > 0 && x !== data[(t - 1) * D + column]) isOfRow = false;
      if (cell >= w && x !== data[(t - w) * D + column]) isOfColumn = false;
    }
    if (!isOfRow && !isOfColumn) return undefined;
    isOf[0][column] = Number(isOfRow);
    isOf[1][column] = Number(isOfColumn);
  }
  const all = Array.from({ length: D }, (_, column) => column);
  const isShown = [0, 1].every((axis) => all.some((column) => !isOf[axis][column]));
  for (const isSinesFirst of [false, true]) {
    for (const axes of ORDERS) {
      const block = isSinesFirst ? D / 4 : D / 2;
      const axisOf = (/** @type {number} */ column) => axes[Math.floor(column / block) % 2];
      if (!isShown || !all.every((column) => isOf[axisOf(column)][column])) continue;
      const columns = /** @type {[number[], number[]]} */ ([0, 1].map((axis) => all.filter((column) => axisOf(column) === axis))); // prettier-ignore
      return { axes: [...axes], isSinesFirst, columns };
    }
  }
  return undefined;
}

/**
 * Names of both axes with the same frequencies, simplest first.
 * @param {Arrangement} of @param {readonly Fit[]} rows @param {readonly Fit[]} columns
 * @returns {{name: GridName, fits: [Fit, Fit]}[]}
 */
function pairsOf({ axes, isSinesFirst }, rows, columns) {
  const key = (/** @type {Fit} */ { named }) =>
    JSON.stringify([
      named.layout,
      named.isCosineFirst,
      named.form,
      named.base,
      named.minTimescale,
      named.scale,
    ]);
  const placesOf = (/** @type {Fit} */ { named: { positionScale, positions } }) => ({
    positionScale,
    first: positions.first,
    step: positions.step,
  });
  const found = rows.flatMap((a) =>
    columns
      .filter((b) => key(a) === key(b) && (!isSinesFirst || a.named.layout === "halves"))
      .map((b) => ({ a, b, cost: a.cost + b.cost, isAlike: a.named.steps === b.named.steps })),
  );
  found.sort((one, other) => one.cost - other.cost);
  const alike = found.filter((one) => one.isAlike);
  return (alike.length > 0 ? alike : found.slice(0, 1)).map(({ a, b, isAlike }) => {
    const { layout, isCosineFirst, form, base, spectrum, minTimescale, scale, steps } = a.named;
    const name = {
      axes,
      layout: /** @type {GridName["layout"]} */ (isSinesFirst ? "sines-first" : layout),
      isCosineFirst,
      form,
      base,
      spectrum,
      minTimescale,
      scale,
      rows: placesOf(a),
      columns: placesOf(b),
      steps: isAlike ? steps : null,
    };
    return { name, fits: [a, b] };
  });
}

/**
 * @param {Phasor} modules @param {Table} table
 * @param {Arrangement & {grid: [number, number], prefix: number}} of @param {{name: GridName, fits: [Fit, Fit]}[]} names  at least one
 * @returns {SincosGrid}
 */
function answer({ sincosGrid }, table, { grid, prefix, columns }, names) {
  const [{ name, fits }, ...others] = names.slice(0, MOST);
  const { D, T, precision } = table;
  const axis = fits[0].largest >= fits[1].largest ? 0 : 1;
  const { largest, at } = fits[axis];
  const presets = presetsOf(sincosGrid, table, grid, prefix);
  const words = (/** @type {GridName} */ one) => sentenceOf(one, grid, prefix, D);
  return {
    kind: "sincosGrid",
    sentence: words(name),
    residual: largest,
    at: { row: prefix + at.row * (axis === 0 ? grid[1] : 1), column: columns[axis][at.column] },
    grid,
    prefix,
    dim: D,
    ...name,
    precision,
    frequencies: {
      measured: Array.from(fits[0].theta, Math.fround),
      fitted: frequenciesOf(fits[0].named, D / 2).map(Math.fround),
    },
    presets,
    ...(presets.length > 0 ? knownWith("sincosGrid", { presets }) : NOBODY),
    decidedBy: [
      `half of the columns have the same numbers in all cells of a row, and half in all cells of a column, of ${grid.join(" x ")} cells`,
      `all ${T} rows and ${D} columns were computed again: the largest difference is ${largest.toPrecision(3)}`,
      ...(prefix > 0 ? [`the first ${prefix} rows are of zeros`] : []),
      ...(name.steps === null ? ["numbers are those of float32 steps, as of another library"] : []),
    ],
    alsoEqual: others.map((one) => ({ ...one.name, sentence: words(one.name) })),
  };
}

/** The presets that give this table. @param {Phasor["sincosGrid"]} module @param {Table} table @param {[number, number]} grid @param {number} prefix */
function presetsOf(module, { data, D, precision }, grid, prefix) {
  const most = EPSILON[precision] + PER_ANGLE * Math.max(...grid); // no angle is larger
  const gives = (/** @type {any} */ options) => {
    try {
      const mask = { data: new Float32Array(grid[0] * grid[1]).fill(1), shape: grid };
      const { data: wanted } = options.normalize
        ? module.masked(mask, D, options)
        : module.table(grid, D, { ...options, prefix });
      return data.length === wanted.length && data.every((x, k) => Math.abs(x - wanted[k]) <= most);
    } catch {
      return false; // a preset of three axes
    }
  };
  return Object.entries(module.presets)
    .filter(([, options]) => gives(options))
    .map(([name]) => name);
}

/** @param {GridName} name @param {[number, number]} grid @param {number} prefix @param {number} D */
function sentenceOf({ axes, layout, isCosineFirst, base, form, minTimescale, scale, rows, columns, steps }, grid, prefix, D) {
  const order = axes[0] === 0 ? "rows before columns" : "columns before rows";
  const placesOf = (/** @type {AxisPositions} */ { positionScale, first, step }) =>
    [
      positionScale === 1 || form === "base^(-2(i+1)/D)" ? "" : ` times ${number(positionScale)}`,
      step === -1 ? ` from ${number(first)} down` : first === 0 ? "" : ` from ${number(first)}`,
    ].join("");
  const [y, x] = [placesOf(rows), placesOf(columns)];
  const parts = [
    `sinusoids of a grid of ${grid.join(" x ")}, ${order}`,
    layout === "sines-first" ? "sines before cosines" : layout === "flipped" ? "halves, cosines first" : `${layout}${isCosineFirst ? ", cosines first" : ""}`,
    `${D} columns`,
    `base ${number(base)} by ${form.replace("D", `${D / 2}`)}`,
    minTimescale === 1 ? "" : `first frequency ${number(minTimescale)}`,
    y === x ? (y && `positions${y}`) : `rows${y || " from 0"}, columns${x || " from 0"}`,
    scale === 1 ? "" : `times ${scale === "unit" ? `(2/${D / 2})^(1/2)` : scale === "inverse-sqrt" ? `${D / 2}^(-1/2)` : number(scale)}`,
    prefix > 0 ? `${prefix} ${prefix === 1 ? "row" : "rows"} of zeros first` : "",
    steps === null ? "float32 steps" : steps === "exact" ? "" : `PyTorch's float32 steps by ${steps.slice(6)}`,
  ];
  return parts.filter((part) => part !== "").join(", ");
} // prettier-ignore
