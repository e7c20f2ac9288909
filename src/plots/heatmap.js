/** @import { TensorInput } from "../runtime/tensor.js" */
/** @import { Drawing, Kind, Surface } from "./figure.js" */
/** @import { Range } from "./legend.js" */
/** @import { Cells } from "./raster.js" */
import { scaleLinear } from "d3-scale";
import { boolean, describe, integer } from "../runtime/check.js";
import {
  brief,
  count,
  digits,
  isIndex,
  largest,
  matrix,
  minus,
  nearest,
  shortest,
  subject,
  text,
  texts,
} from "./data.js";
import { indices, inkOn } from "./colors.js";
import { between, legend, legendStyle, legendSvg, readRange } from "./legend.js";
import { maker } from "./dom.js";
import { cellsPng, cellsUrl, place, raster, rasterStyle } from "./raster.js";
import { cut, escaped, px, standalone, tag } from "./svg.js";

/**
 * How a heat map is drawn.
 * @typedef {object} HeatmapOptions
 * @property {string} [rowTitle]  the title of the rows, with its unit: "position (tokens)". Default: "row"
 * @property {string} [columnTitle]  the title of the columns. Default: "column"
 * @property {readonly string[]} [rowLabels]  the labels of the rows. Default: 0, 1, ...
 * @property {readonly string[]} [columnLabels]  the labels of the columns. Default: 0, 1, ...
 * @property {string} [unit]  the unit of the values. Default: none
 * @property {import("./colors.js").ScaleName} [colors]  a scale that diverges from zero, or one from the
 *   minimum to the maximum: many colors, or from the paper to blue. Default: "diverging"
 * @property {readonly [number, number]} [domain]  the values of the first and the last color. Default
 *   for diverging colors: symmetric about zero, clipped at about the 99th percentile of the absolute
 *   values; for sequential colors: the minimum and the maximum
 * @property {number} [framed]  the number of first rows with a frame around them. Default: 0
 * @property {readonly (readonly [row: number, column: number])[]} [marks]  cells to outline. Default: none
 * @property {boolean} [numbers]  draws cells as squares with their numbers inside, if they have room: for a few rows
 *   and columns. Default: false
 * @property {number} [scale]  with as: "png": the side of a cell in pixels. Default: 1
 *
 * @typedef {{row: number, column: number, value: number}} Cell
 */

/**
 * @typedef {object} Model
 * @property {ArrayLike<number>} values
 * @property {number} rows
 * @property {number} columns
 * @property {boolean} single
 * @property {string} title
 * @property {string} rowTitle
 * @property {string} columnTitle
 * @property {string[] | undefined} rowLabels
 * @property {string[] | undefined} columnLabels
 * @property {string} unit
 * @property {Range} range
 * @property {number} framed
 * @property {{row: number, column: number}[]} marks
 * @property {boolean} numbers
 */

/** The height and the width that a label needs, px. */
const LINE = 14;
const WORD = 64;

/** The default height of a row, the maximum height of a picture, and the one up to which every named row has its name, px. */
const ROW = 22;
const TALLEST = 384;
const TALLEST_NAMED = 560;

/** The side of a square with a number, px; it grows with its number and its label. */
const SQUARE = 52;
const LARGEST = 84;

/** The most cells that have numbers. */
const MOST_NUMBERS = 400;

/** The CSS rules of heat maps. */
const STYLE = `${rasterStyle}${legendStyle}
.phasor-figure .phasor-heatmap {
  display: grid;
  grid-template: auto auto 1.3rem auto / var(--phasor-gutter, 6.5rem) minmax(0, 1fr);
  color: var(--phasor-quiet);
  font-size: 0.8125rem;
  line-height: 1.25;
}
.phasor-figure :is(.phasor-row-title, .phasor-column-title) {
  padding-right: 0.6rem;
  text-align: right;
}
.phasor-figure .phasor-row-title {
  grid-area: 1 / 1 / 2 / -1;
  justify-self: start;
  min-width: var(--phasor-gutter, 6.5rem);
  padding-bottom: 0.35rem;
}
.phasor-figure .phasor-row-axis { grid-area: 2 / 1; }
.phasor-figure :is(.phasor-row-axis, .phasor-column-axis) { position: relative; }
.phasor-figure .phasor-heatmap > .phasor-raster { grid-area: 2 / 2; }
.phasor-figure .phasor-heatmap > .phasor-legend { grid-area: 4 / 2; }
.phasor-figure .phasor-row-axis span {
  position: absolute;
  right: 0.6rem;
  overflow: hidden;
  max-width: calc(100% - 0.6rem);
  translate: 0 -50%;
  text-overflow: ellipsis;
  white-space: pre;
}
.phasor-figure .phasor-column-axis { grid-area: 3 / 2; padding-top: 0.2rem; }
.phasor-figure .phasor-column-axis span {
  position: absolute;
  top: 0.2rem;
  overflow: hidden;
  max-width: 16ch;
  translate: -50% 0;
  text-overflow: ellipsis;
  white-space: pre;
}
.phasor-figure .phasor-heatmap .phasor-here {
  z-index: 1;
  padding-inline: 0.25rem;
  background: var(--phasor-paper);
  color: var(--phasor-ink);
  font-weight: 600;
}
.phasor-figure .phasor-row-axis .phasor-here { right: 0.35rem; }
.phasor-figure .phasor-number {
  position: absolute;
  display: grid;
  place-items: center;
  pointer-events: none;
}
.phasor-figure .phasor-column-title { grid-area: 3 / 1; padding-top: 0.2rem; }
@media (width < 40rem) {
  .phasor-figure .phasor-heatmap { --phasor-gutter: 5rem; }
}
`;

/**
 * Draws a matrix as a heat map with one colored cell for each number.
 *
 * @type {Kind<TensorInput, HeatmapOptions, Model, Cell, ReturnType<typeof draw>>}
 */
export const heatmap = {
  name: "heatmap",
  role: "heat map",
  needsPlot: false,
  options: {
    rowTitle: "row",
    columnTitle: "column",
    rowLabels: undefined,
    columnLabels: undefined,
    unit: "",
    colors: "diverging",
    domain: undefined,
    framed: 0,
    marks: [],
    numbers: false,
  },
  style: STYLE,
  read,
  describe: describeModel,
  table(model) {
    const { rows, columns, values, single } = model;
    return {
      header: [model.rowTitle, ...Array.from({ length: columns }, (_, i) => columnName(model, i))],
      rows,
      cell: (row, column) =>
        column === 0 ? rowName(model, row) : shortest(values[row * columns + column - 1], single),
    };
  },
  draw,
  svg,
  png(model, surface, scale) {
    if (model.rows === 0 || model.columns === 0) {
      throw new RangeError(
        `matrix must have rows and columns for a PNG; got [${model.rows}, ${model.columns}]`,
      );
    }
    return cellsPng(cells(model), surface, scale);
  },
  at(drawing, model, x, y) {
    const found = drawing.raster.at(drawing.element, x, y);
    return found && cell(model, found.row, found.column);
  },
  find(model, { row, column }) {
    const isThere = isIndex(row, model.rows) && isIndex(column, model.columns);
    return isThere ? cell(model, row, column) : null;
  },
  move(model, from, steps) {
    if (model.rows === 0 || model.columns === 0) return null;
    const row = nearest((from?.row ?? -1) + steps.rows, model.rows);
    return cell(model, row, nearest((from?.column ?? -1) + steps.columns, model.columns));
  },
  say(model, { row, column, value }) {
    const where = `${subject(model.rowTitle)} ${rowName(model, row)}, ${subject(model.columnTitle)} ${columnName(model, column)}`;
    return `${where}: ${digits(value, model.single)}${model.unit && ` ${model.unit}`}`;
  },
  mark(drawing, model, value) {
    drawing.raster.mark(value);
    drawing.rows.mark(value ? value.row : -1, LINE / drawing.size.height);
    drawing.columns.mark(value ? value.column : -1, WORD / 2 / drawing.size.width);
  },
};

/** @param {unknown} data @param {Record<string, any>} options @returns {Model} */
function read(data, options) {
  const { values, rows, columns, single } = matrix(data);
  const { marks } = options;
  if (!Array.isArray(marks)) {
    throw new TypeError(`marks must be an array of [row, column]; got ${describe(marks)}`);
  }
  return {
    values,
    rows,
    columns,
    single,
    title: options.title,
    rowTitle: text(options.rowTitle, "rowTitle"),
    columnTitle: text(options.columnTitle, "columnTitle"),
    rowLabels: texts(options.rowLabels, "rowLabels", rows),
    columnLabels: texts(options.columnLabels, "columnLabels", columns),
    unit: text(options.unit, "unit"),
    range: readRange([values], options),
    framed: integer(options.framed, "framed", 0),
    numbers: boolean(options.numbers, "numbers"),
    marks: marks.map((pair, i) => {
      if (!Array.isArray(pair) || pair.length !== 2) {
        throw new TypeError(`marks[${i}] must be [row, column]; got ${describe(pair)}`);
      }
      return {
        row: integer(pair[0], `marks[${i}][0]`, 0, rows - 1),
        column: integer(pair[1], `marks[${i}][1]`, 0, columns - 1),
      };
    }),
  };
}

/** @param {Model} model @returns {Cells} */
function cells({ values, rows, columns, range: { low, high, colors } }) {
  return { values, rows, columns, low, high, colors };
}

/** @param {Model} model @param {number} row @param {number} column @returns {Cell} */
function cell({ values, columns }, row, column) {
  return { row, column, value: values[row * columns + column] };
}

/** @param {Model} model @param {number} row */
const rowName = ({ rowLabels }, row) => rowLabels?.[row] ?? String(row);

/** @param {Model} model @param {number} column */
const columnName = ({ columnLabels }, column) => columnLabels?.[column] ?? String(column);

/** @param {Model} model */
function describeModel({ title, rows, columns, unit, range }) {
  const what = title ? ` of ${title}` : "";
  const size = `${count(rows, "row")}, ${count(columns, "column")}`;
  return `Heat map${what}: ${size}, ${between(range, unit)}.`;
}

// --- the element ---------------------------------------------------------------------------------

/**
 * @param {Model} model @param {Surface} surface
 * @param {Drawn} [former]
 * @returns {Drawn}
 */
function draw(model, surface, former) {
  const drawing = former ?? build(/** @type {Document} */ (surface.document));
  drawing.show(model, surface);
  return drawing;
}

/** @typedef {ReturnType<typeof build>} Drawn */

/** @param {Document} document */
function build(document) {
  const make = maker(document);
  const picture = raster(document);
  const frame = make("div", { class: "phasor-frame", hidden: "" });
  const noted = make("div");
  const numbers = make("div");
  picture.element.append(numbers, noted, frame);
  const rows = axis(document, "row");
  const columns = axis(document, "column");
  const rowTitle = make("div", { class: "phasor-row-title" });
  const columnTitle = make("div", { class: "phasor-column-title" });
  const key = legend(document);
  const element = make(
    "div",
    { class: "phasor-heatmap" },
    rowTitle,
    rows.element,
    picture.element,
    columns.element,
    columnTitle,
    key.element,
  );
  const size = { width: 0, height: 0 };
  /** The width of the figure when `size.width` was measured. */
  let measured = 0;
  /** The painted model and theme. A change of width alone does not repaint. @type {unknown[]} */
  let painted = [];

  /** @param {Model} model @param {Surface} surface */
  function side(model, surface) {
    if (!model.numbers) return 0; // measures nothing
    return squareOf(model, surface.width - (rows.element.clientWidth || 104), surface.height);
  }

  /** @param {Model} model @param {Surface} surface @param {number} [side]  of a square cell */
  function repaint(model, surface, side = 0) {
    if (painted[0] === model && painted[1] === surface.theme && painted[2] === side) return;
    painted = [model, surface.theme, side];
    picture.paint(cells(model), surface);
    key.show(model.range, model.unit, surface);
    rowTitle.textContent = model.rowTitle;
    columnTitle.textContent = model.columnTitle;
    frame.hidden = model.framed === 0 || model.rows === 0;
    const share = model.rows > 0 ? Math.min(model.framed, model.rows) / model.rows : 0;
    frame.style.height = `${share * 100}%`;
    key.element.hidden = side > 0;
    const width = side > 0 ? `${side * model.columns}px` : "";
    for (const each of [picture.element, columns.element]) each.style.width = width;
    numbers.replaceChildren(...(side > 0 ? numberElements(model, surface) : []));
    noted.replaceChildren(
      ...model.marks.map(({ row, column }) => {
        const mark = make("div", { class: "phasor-cell phasor-noted" });
        const { rows, columns } = model;
        place(mark, row / rows, column / columns, 1 / rows, 1 / columns);
        return mark;
      }),
    );
  }

  return {
    element,
    raster: picture,
    rows,
    columns,
    size,

    /** @param {Model} model @param {Surface} surface */
    show(model, surface) {
      const square = side(model, surface);
      const height = square > 0 ? square * model.rows : (surface.height ?? heightOf(model));
      picture.element.style.height = `${height}px`;
      repaint(model, surface, square);
      if (surface.width !== measured || size.width === 0 || model.numbers) {
        measured = surface.width; // avoids a page layout at every update
        size.width = picture.element.clientWidth || surface.width - 104;
      }
      size.height = height;
      picture.smooth(size.width, height);
      const each = height / model.rows >= LINE;
      const places = each ? upTo(model.rows) : ticks(model.rows, height / 28);
      rows.label(places, (row) => rowName(model, row), model.rows);
      const wanted = columnPlaces(model, size.width);
      columns.label(wanted, (column) => columnName(model, column), model.columns);
    },
  };
}

/**
 * The side of a square cell with its number, px; 0 if cells are not squares or have no room for their numbers.
 * @param {Model} model @param {number} room  the width of all cells @param {number} [height]  of all cells
 */
function squareOf(model, room, height = Infinity) {
  const { numbers, rows, columns, columnLabels } = model;
  if (!numbers || rows * columns === 0 || rows * columns > MOST_NUMBERS) return 0;
  const least = largest(numbersOf(model).map(({ label }) => label.length)) * 8 + 4;
  const longest = largest(
    (columnLabels ?? []).map(({ length }) => length),
    0,
  );
  const wanted = Math.min(
    LARGEST,
    Math.max(SQUARE, least, Math.ceil(Math.min(longest, 16) * 7.5) + 8),
  );
  const side = Math.floor(Math.min(wanted, room / columns, height / rows));
  return side >= Math.max(least, 18) ? side : 0;
}

/**
 * The numbers of cells, all with two decimals if one has any, or with more where these would make 0 of another number.
 * @param {Model} model @param {Surface} [surface]
 */
function numbersOf({ values, columns, range: { low, high, colors } }, surface) {
  const levels = indices(values, low, high);
  const sizes = Array.from(values, Math.abs).filter((x) => x < Infinity);
  const whole = sizes.every(Number.isInteger);
  const least = -largest(sizes.filter((x) => x > 0).map((x) => -x));
  const decimals = [2, 3, 4].find((digits) => least >= 10 ** -digits / 2);
  const write = (/** @type {number} */ x) => {
    if (whole) return brief(x, 7);
    if (decimals === undefined || Math.abs(x) >= 1e5)
      return brief(x, decimals === undefined ? 2 : 7);
    return minus((Number(x.toFixed(decimals)) + 0).toFixed(decimals));
  };
  return Array.from(levels, (level, i) => ({
    row: Math.floor(i / columns),
    column: i % columns,
    label: Number.isFinite(values[i]) ? write(values[i]) : "–",
    color: surface ? inkOn(surface.colors[colors], level) : "",
  }));
}

/** @param {Model} model @param {Surface} surface */
function numberElements(model, surface) {
  const { rows, columns } = model;
  const make = maker(/** @type {Document} */ (surface.document));
  return numbersOf(model, surface).map(({ row, column, label, color }) => {
    const number = make("span", { class: "phasor-number" }, label);
    place(number, row / rows, column / columns, 1 / rows, 1 / columns);
    number.style.color = color;
    return number;
  });
}

/** The default height of a picture. @param {Model} model */
function heightOf({ rows, rowLabels }) {
  const named = rowLabels && rows * LINE <= TALLEST_NAMED ? rows * LINE : 0;
  return Math.max(Math.min(Math.max(rows, 1) * ROW, TALLEST), named);
}

/** Returns the columns to label: names that fit, or numbers at integer ticks. @param {Model} model @param {number} width */
function columnPlaces({ columns, columnLabels }, width) {
  if (!columnLabels) return ticks(columns, width / WORD);
  const longest = largest(
    columnLabels.map(({ length }) => length),
    0,
  );
  const step = Math.max(1, Math.ceil((Math.min(longest, 16) * 7.5 + 8) / (width / columns)));
  return upTo(columns).filter((column) => column % step === 0);
}

/**
 * Creates the labels of rows or columns, one of which is marked.
 * @param {Document} document @param {"row" | "column"} of
 */
function axis(document, of) {
  const make = maker(document);
  const here = make("span", { class: "phasor-here", hidden: "" });
  const element = make("div", { class: `phasor-${of}-axis` }, here);
  const side = of === "row" ? "top" : "left";
  /** @type {{at: number, tick: HTMLElement}[]} */
  let placed = [];
  let length = 0;
  let name = (/** @type {number} */ at) => String(at);
  /** The current labels, to skip an update that changes nothing. */
  let labeled = "";

  /** @param {HTMLElement} tick @param {number} at */
  function put(tick, at) {
    tick.textContent = name(at);
    const middle = `${((at + 0.5) / length) * 100}%`;
    // On the column axis the last label must not overflow: a character is about 1ch wide.
    const half = Math.min(name(at).length, 16) / 2;
    tick.style[side] = of === "row" ? middle : `min(${middle}, 100% - ${half}ch)`;
    return tick;
  }

  return {
    element,

    /** @param {number[]} places @param {(at: number) => string} names @param {number} total */
    label(places, names, total) {
      const wanted = [total, ...places.map((at) => `${at} ${names(at)}`)].join("\n");
      [name, length] = [names, total];
      if (wanted === labeled) return;
      labeled = wanted;
      placed = places.map((at) => ({ at, tick: put(make("span"), at) }));
      element.replaceChildren(...placed.map(({ tick }) => tick), here);
    },

    /** @param {number} at  -1: none @param {number} room  the size of a label as a fraction of the axis */
    mark(at, room) {
      here.hidden = at < 0;
      if (at >= 0) put(here, at);
      for (const { at: other, tick } of placed) {
        tick.hidden = at >= 0 && Math.abs(other - at) < room * length; // the marked label covers it
      }
    },
  };
}

/** Returns integer ticks from 0 to length - 1. @param {number} length @param {number} wanted */
function ticks(length, wanted) {
  if (length < 1) return [];
  const scale = scaleLinear().domain([0, length - 1]);
  return scale.ticks(Math.max(1, wanted)).filter(Number.isInteger);
}

/** Returns 0, 1, ..., length - 1. @param {number} length */
function upTo(length) {
  return Array.from({ length }, (_, at) => at);
}

// --- the string ----------------------------------------------------------------------------------

/** @param {Model} model @param {Surface} surface */
function svg(model, surface) {
  const { rows, columns, framed, range } = model;
  const { colors } = surface;
  const { columnTitle, rowTitle } = model;
  const names = Math.max(...upTo(Math.min(rows, 100)).map((row) => rowName(model, row).length), 0);
  const gutter = Math.max(Math.min(names, 18), columnTitle.length, rowTitle.length) * 7 + 12;
  const side = squareOf(model, surface.width - gutter - 8, surface.height);
  const height = side > 0 ? side * rows : (surface.height ?? heightOf(model));
  const each = height / rows >= LINE;
  const rowPlaces = each ? upTo(rows) : ticks(rows, height / 28);
  const longest = Math.max(...[0, ...rowPlaces].map((row) => rowName(model, row).length));
  const left =
    Math.max(Math.min(longest, 18) * 7, model.columnTitle.length * 7, model.rowTitle.length * 7) +
    12;
  const width = side > 0 ? side * columns : Math.max(1, surface.width - left - 8);
  const top = 20;
  const middle = (/** @type {number} */ at, /** @type {number} */ n, /** @type {number} */ size) =>
    px(((at + 0.5) / n) * size);
  const word = (
    /** @type {number} */ x,
    /** @type {number} */ y,
    /** @type {string} */ anchor,
    /** @type {string} */ label,
  ) =>
    tag("text", { x: px(x), y: px(y), "text-anchor": anchor, fill: colors.quiet }, escaped(label));
  const outline = (/** @type {Record<string, string | number>} */ box) =>
    tag("rect", { ...box, fill: "none", stroke: colors.ink, "stroke-width": 2 });
  const box = { x: left, y: top, width: px(width), height: px(height) };
  const empty = rows === 0 || columns === 0;
  return standalone(
    surface,
    height + 64,
    word(left - 8, 12, "end", model.rowTitle),
    ...rowPlaces.map((row) =>
      word(left - 8, top + middle(row, rows, height) + 4, "end", cut(rowName(model, row))),
    ),
    empty
      ? ""
      : tag("image", {
          ...box,
          href: cellsUrl(cells(model), surface),
          preserveAspectRatio: "none",
          "image-rendering": "pixelated",
        }),
    ...(side > 0 ? numbersOf(model, surface) : []).map(({ row, column, label, color }) =>
      tag(
        "text",
        {
          x: px(left + (column + 0.5) * side),
          y: px(top + (row + 0.5) * side + 4),
          "text-anchor": "middle",
          fill: color,
        },
        escaped(label),
      ),
    ),
    framed > 0 && !empty
      ? outline({ ...box, height: px((Math.min(framed, rows) / rows) * height) })
      : "",
    ...model.marks.map(({ row, column }) =>
      outline({
        x: px(left + (column / columns) * width),
        y: px(top + (row / rows) * height),
        width: px(width / columns),
        height: px(height / rows),
      }),
    ),
    word(left - 8, top + height + 15, "end", model.columnTitle),
    ...columnPlaces(model, width).map((column) =>
      word(
        left + middle(column, columns, width),
        top + height + 15,
        "middle",
        cut(columnName(model, column)),
      ),
    ),
    side > 0 ? "" : legendSvg(range, model.unit, surface, top + height + 34),
  );
}
