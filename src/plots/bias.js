/** @import { TensorInput } from "../runtime/tensor.js" */
/** @import { Kind, Surface } from "./figure.js" */
/** @import { Values } from "./data.js" */
/** @import { Range } from "./legend.js" */
/** @import { Cells } from "./raster.js" */
import { describe, integer } from "../runtime/check.js";
import { count, digits, isIndex, nearest, shortest, subject, tensor, text, texts } from "./data.js";
import { maker } from "./dom.js";
import { between, legend, legendStyle, legendSvg, readRange } from "./legend.js";
import { cellsPng, cellsUrl, raster, rasterStyle } from "./raster.js";
import { cut, escaped, px, standalone, tag } from "./svg.js";

/**
 * How biases are drawn.
 * @typedef {object} BiasOptions
 * @property {readonly number[]} [heads]  the indices of the heads to draw. Default: the first 8
 * @property {readonly string[]} [headLabels]  a label for each of the H heads. Default: "head 0", ...
 * @property {string} [rowTitle]  the title of the rows. Default: "query (tokens)"
 * @property {string} [columnTitle]  the title of the columns. Default: "key (tokens)"
 * @property {string} [unit]  the unit of the values. Default: none
 * @property {import("./colors.js").ScaleName} [colors]  as for heatmap. Default: "diverging"
 * @property {readonly [number, number]} [domain]  as for heatmap; all heads share it
 * @property {number} [scale]  with as: "png": the side of a cell in pixels. Default: 1
 *
 * @typedef {{row: number, column: number, values: number[]}} BiasValue  `values` has one value for each drawn head
 */

/**
 * @typedef {object} Model
 * @property {{label: string, values: Values}[]} heads  [rows * columns] each
 * @property {number} of  H
 * @property {number} rows  Tq
 * @property {number} columns  Tk
 * @property {boolean} single
 * @property {string} title
 * @property {string} rowTitle
 * @property {string} columnTitle
 * @property {string} unit
 * @property {Range} range
 */

/** The default number of drawn heads. */
const FIRST = 8;

/** The minimum width of a head's picture, the gap between pictures and the height of a label, px. */
const NARROWEST = 132;
const GAP = 16;
const LABEL = 20;

/**
 * Draws the biases of attention logits as one heat map for each head. Rows are queries and columns are
 * keys. All heads share one color range. The figure marks the same cell in all heads.
 *
 * @type {Kind<TensorInput, BiasOptions, Model, BiasValue, ReturnType<typeof build>>}
 */
export const bias = {
  name: "bias",
  role: "heat maps",
  needsPlot: false,
  options: {
    heads: undefined,
    headLabels: undefined,
    rowTitle: "query (tokens)",
    columnTitle: "key (tokens)",
    unit: "",
    colors: "diverging",
    domain: undefined,
  },
  style: `${rasterStyle}${legendStyle}
.phasor-figure .phasor-bias { color: var(--phasor-quiet); font-size: 0.8125rem; line-height: 1.25; }
.phasor-figure .phasor-heads { display: grid; gap: 0.6rem ${GAP}px; }
.phasor-figure .phasor-head-label {
  overflow: hidden;
  height: ${LABEL}px;
  text-overflow: ellipsis;
  white-space: pre;
}
.phasor-figure .phasor-foot {
  display: flex;
  flex-wrap: wrap;
  gap: 0.25rem 1rem;
  justify-content: space-between;
  margin-top: 0.5rem;
}
`,
  read,

  describe({ title, heads, of, rows, columns, range, unit }) {
    const what = title ? ` of ${title}` : "";
    const shown = heads.length < of ? `${heads.length} of ${count(of, "head")}` : count(of, "head");
    const size = `${count(rows, "row")}, ${count(columns, "column")}`;
    return `Heat maps${what}: ${shown}, each ${size}, ${between(range, unit)}.`;
  },

  table({ heads, rows, columns, rowTitle, columnTitle, single }) {
    return {
      header: [rowTitle, columnTitle, ...heads.map(({ label }) => label)],
      rows: rows * columns,
      cell(at, column) {
        if (column === 0) return Math.floor(at / columns);
        return column === 1 ? at % columns : shortest(heads[column - 2].values[at], single);
      },
    };
  },

  draw(model, surface, former) {
    const drawing = former ?? build(/** @type {Document} */ (surface.document));
    drawing.show(model, surface);
    return drawing;
  },

  svg,

  png(model, surface, scale) {
    const { heads, rows, columns } = model;
    if (rows * columns * heads.length === 0) {
      throw new RangeError(
        `bias must have heads, rows and columns for a PNG; got [${heads.length}, ${rows}, ${columns}]`,
      );
    }
    const width = heads.length * (columns + 1) - 1; // a column of NaN separates two heads
    const values = new Float64Array(rows * width).fill(NaN);
    for (const [head, { values: own }] of heads.entries()) {
      for (let row = 0; row < rows; ++row) {
        const line = own.subarray(row * columns, (row + 1) * columns);
        values.set(line, row * width + head * (columns + 1));
      }
    }
    return cellsPng({ ...cells(model, values), columns: width }, surface, scale);
  },

  at(drawing, model, x, y) {
    for (const picture of drawing.pictures()) {
      const found = picture.at(drawing.element, x, y);
      if (found) return cell(model, found.row, found.column);
    }
    return null;
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

  say({ heads, rowTitle, columnTitle, unit, single }, { row, column, values }) {
    const where = `${subject(rowTitle)} ${row}, ${subject(columnTitle)} ${column}`;
    const each = values.map((value, i) => `${heads[i].label} ${digits(value, single)}`);
    return `${where}: ${each.join("; ")}${unit && ` ${unit}`}`;
  },

  mark(drawing, _, value) {
    for (const picture of drawing.pictures()) picture.mark(value);
  },
};

/** @param {unknown} data @param {Record<string, any>} options @returns {Model} */
function read(data, options) {
  const { values, shape, single } = tensor(data, "bias", ["heads", "queries", "keys"]);
  const [of, rows, columns] = shape;
  const labels = texts(options.headLabels, "headLabels", of);
  const size = rows * columns;
  const heads = readHeads(options.heads, of).map((head) => ({
    label: labels?.[head] ?? `head ${head}`,
    values: values.subarray(head * size, (head + 1) * size),
  }));
  return {
    heads,
    of,
    rows,
    columns,
    single,
    title: options.title,
    rowTitle: text(options.rowTitle, "rowTitle"),
    columnTitle: text(options.columnTitle, "columnTitle"),
    unit: text(options.unit, "unit"),
    range: readRange(
      heads.map(({ values }) => values),
      options,
    ),
  };
}

/** @param {unknown} heads @param {number} of @returns {number[]} */
function readHeads(heads, of) {
  if (heads === undefined) return Array.from({ length: Math.min(FIRST, of) }, (_, head) => head);
  if (!Array.isArray(heads)) {
    throw new TypeError(`heads must be an array of indices; got ${describe(heads)}`);
  }
  return heads.map((head, i) => integer(head, `heads[${i}]`, 0, of - 1));
}

/** @param {Model} model @param {ArrayLike<number>} values @returns {Cells} */
function cells({ rows, columns, range: { low, high, colors } }, values) {
  return { values, rows, columns, low, high, colors };
}

/** @param {Model} model @param {number} row @param {number} column @returns {BiasValue} */
function cell({ heads, columns }, row, column) {
  return { row, column, values: heads.map(({ values }) => values[row * columns + column]) };
}

/**
 * The number of heads in a row, and the size of each in px. As many queries as keys are squares in any height.
 * @param {Model} model @param {number} width @param {number} [height]  of one
 */
function layout({ heads, rows, columns }, width, height) {
  const most = Math.max(1, Math.floor((width + GAP) / (NARROWEST + GAP)));
  const lines = Math.max(1, Math.ceil(heads.length / most));
  const across = Math.max(1, Math.ceil(heads.length / lines)); // as equal as possible
  const each = (width - GAP * (across - 1)) / across;
  const square = columns > 0 ? (each * rows) / columns : 0;
  const tall = height ?? Math.min(Math.max(square, 24), each * 1.5);
  const side = rows === columns ? Math.min(each, tall) : Infinity;
  return {
    across,
    lines,
    width: Math.min(each, side),
    height: Math.min(tall, side),
  };
}

/** Returns the line that names the axes. @param {Model} model */
function axes({ rows, columns, rowTitle, columnTitle }) {
  const span = (/** @type {number} */ n) => (n > 0 ? ` 0 to ${n - 1}` : "");
  return `↓ ${rowTitle}${span(rows)}, → ${columnTitle}${span(columns)}`;
}

/** @param {Document} document */
function build(document) {
  const make = maker(document);
  const grid = make("div", { class: "phasor-heads" });
  const said = make("span");
  const key = legend(document);
  const foot = make("div", { class: "phasor-foot" }, said, key.element);
  const element = make("div", { class: "phasor-bias" }, grid, foot);
  /** @type {{label: HTMLElement, picture: ReturnType<typeof raster>}[]} */
  let panels = [];
  /** The painted model and theme. A change of width alone does not repaint. @type {unknown[]} */
  let painted = [];

  function panel() {
    const label = make("div", { class: "phasor-head-label" });
    const picture = raster(document);
    grid.append(make("div", {}, label, picture.element));
    return { label, picture };
  }

  /** @param {Model} model @param {Surface} surface */
  function repaint(model, surface) {
    if (painted[0] === model && painted[1] === surface.theme) return;
    painted = [model, surface.theme];
    if (panels.length !== model.heads.length) {
      grid.replaceChildren();
      panels = model.heads.map(panel);
    }
    for (const [i, { label, values }] of model.heads.entries()) {
      panels[i].label.textContent = label;
      panels[i].picture.paint(cells(model, values), surface);
    }
    said.textContent = axes(model);
    key.show(model.range, model.unit, surface);
  }

  return {
    element,
    pictures: () => panels.map(({ picture }) => picture),

    /** @param {Model} model @param {Surface} surface */
    show(model, surface) {
      repaint(model, surface);
      const { across, width, height } = layout(model, surface.width, surface.height);
      grid.style.gridTemplateColumns = `repeat(${across}, minmax(0, ${px(width)}px))`;
      for (const { picture } of panels) {
        picture.element.style.height = `${px(height)}px`;
        picture.smooth(width, height);
      }
    },
  };
}

/** @param {Model} model @param {Surface} surface */
function svg(model, surface) {
  const { heads, rows, columns } = model;
  const { across, lines, width, height } = layout(model, surface.width, surface.height);
  const line = LABEL + height + 10;
  const fill = surface.colors.quiet;
  const pictures = heads.map(({ label, values }, i) => {
    const x = px((i % across) * (width + GAP));
    const y = px(Math.floor(i / across) * line);
    const box = { x, y: px(y + LABEL), width: px(width), height: px(height) };
    const href = rows * columns > 0 ? cellsUrl(cells(model, values), surface) : "";
    return (
      tag("text", { x, y: y + 13, fill }, escaped(cut(label, width / 7))) +
      tag("image", { ...box, href, preserveAspectRatio: "none", "image-rendering": "pixelated" })
    );
  });
  const y = lines * line;
  return standalone(
    surface,
    y + 44,
    ...pictures,
    tag("text", { x: 0, y: y + 12, fill }, escaped(axes(model))),
    legendSvg(model.range, model.unit, surface, y + 24),
  );
}
