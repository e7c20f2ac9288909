/** @import { Line } from "../program.js" */
/** @import { Part } from "../parts.js" */
/** @import { Setting, Values } from "../settings.js" */
/** @import { View } from "./scheme.js" */
import { call, expression, line, name, print } from "../program.js";
import { choice, whole } from "../settings.js";

// Ways to look at schemes of three families: tables [T, D], rotations of pairs, biases [H, Tq, Tk].

// --- what views ask for ----------------------------------------------------------------------------

/** @param {...string} views @returns {(settings: Values, view: string) => boolean} */
export const only =
  (...views) =>
  (_, view) =>
    views.includes(view);

/** Which columns are drawn as lines. @returns {Setting[]} */
export const LINES = [
  whole("first", "First column", 0, 0, 4095, { when: only("waves") }),
  whole("count", "Lines", 4, 1, 12, { when: only("waves") }),
  whole("every", "Columns apart", 8, 1, 512, { when: only("waves") }),
];

/** @type {Setting[]} */
export const CLOCK = [
  whole("position", "Position", 5, 0, 1048576, { when: only("clock") }),
  whole("hands", "Hands", 12, 1, 64, { when: only("clock") }),
];

/** The position that all others are compared with. */
export const FROM = whole("from", "Compared with position", 0, 0, 4095, {
  when: only("similarity"),
});

/** How rows are compared. */
export const METRIC = choice(
  "metric",
  "Similarity",
  { dot: "dot product", cosine: "cosine" },
  { when: only("similarity") },
);

/**
 * The columns that `LINES` choose of D.
 * @param {Values} settings @param {number} D
 */
function columnsOf({ first, count, every }, D) {
  const from = Math.min(first, D - 1);
  return Array.from({ length: count }, (_, k) => from + k * every).filter((d) => d < D);
}

/**
 * Some of n, evenly apart.
 * @param {number} n @param {number} most
 */
export function some(n, most) {
  const length = Math.min(n, most);
  return Array.from({ length }, (_, k) => Math.floor((k * n) / length));
}

/** A list as an expression. @param {readonly (string | number)[]} values */
const listed = (values) => expression(print(values), () => values);

// --- tables ----------------------------------------------------------------------------------------

/**
 * A table [T, D], row by position.
 * @typedef {object} Table
 * @property {(settings: Values) => Line[]} lines  the last holds the rows
 * @property {(settings: Values) => string[]} torch  the same
 * @property {(settings: Values) => {rows: number, columns: number}} size
 * @property {(settings: Values, row: number, column: number) => Part[]} cell  its formula
 * @property {string} title
 * @property {string} [row]  what a row is of; default position
 * @property {string} [column]  what a column is; default dimension
 * @property {(settings: Values) => number} [start]  the first row's position; default 0
 * @property {boolean} [isGrid]  whether rows are patches of an image, of the settings `height` and `width`
 * @property {string} [made]  the line that holds the rows; default `table`
 * @property {(settings: Values, from: number, to: number) => Part[] | undefined} [alike]  the formula
 *   of two rows' similarity
 */

/**
 * Heat map, waves and similarity of a table.
 * @param {Table} table
 * @returns {{heatmap: View, waves: View, similarity: View}}
 */
export function tableViews(table) {
  const { lines, torch, size, cell, title } = table;
  const { row = "position", column = "dimension", made = "table" } = table;
  const start = table.start ?? (() => 0);
  return {
    heatmap: {
      plan: (settings) => ({
        kind: "heatmap",
        lines: lines(settings),
        data: made,
        options: {
          title: sized(title, size(settings)),
          rowTitle: row,
          columnTitle: column,
          ...labeled(size(settings).rows, start(settings)),
        },
      }),
      inspect: (settings, [t, d]) => ({
        where: `${row} ${t + start(settings)}, ${column} ${d}`,
        parts: cell(settings, t, d),
      }),
      torch,
    },
    waves: {
      plan(settings) {
        const columns = columnsOf(settings, size(settings).columns);
        return {
          kind: "waves",
          lines: [...lines(settings), line("columns", listed(columns)), picked("waves", made)],
          data: "waves",
          options: {
            title: `${title}, some columns`,
            x: counted(size(settings).rows, start(settings)),
            labels: columns.map((d) => `${column} ${d}`),
            xTitle: row,
            yTitle: "value",
          },
        };
      },
      inspect(settings, [t, k]) {
        const d = columnsOf(settings, size(settings).columns)[k];
        return {
          where: `${row} ${t + start(settings)}, ${column} ${d}`,
          parts: cell(settings, t, d),
        };
      },
      torch: (settings) => [
        ...torch(settings),
        "",
        `waves = ${made}[:, ${print(columnsOf(settings, size(settings).columns))}]`,
      ],
    },
    similarity: table.isGrid ? mapOf({ ...table, made }) : similarityOf({ ...table, made }),
  };
}

/** @param {string} title @param {{rows: number, columns: number}} size */
const sized = (title, { rows, columns }) => `${title}, ${rows} × ${columns}`;

/**
 * Row labels, where the first row is not of 0.
 * @param {number} rows @param {number} start
 */
function labeled(rows, start) {
  if (start === 0) return {};
  const text = `Array.from({ length: ${rows} }, (_, t) => String(t + ${start}))`;
  const of = () => Array.from({ length: rows }, (_, t) => String(t + start));
  return { rowLabels: expression(text, of) };
}

/** Columns of a tensor, as [T, n]. @param {string} as @param {string} of */
function picked(as, of) {
  return line(
    as,
    expression(`Array.from(${of}, (row) => columns.map((d) => row.at(d)))`, (scope) =>
      Array.from(scope[of], (row) => scope.columns.map((/** @type {number} */ d) => row.at(d))),
    ),
  );
}

/** 0, 1, 2, ... from a start on. @param {number} length @param {number} start */
export function counted(length, start = 0) {
  const added = start === 0 ? "t" : start < 0 ? `t - ${-start}` : `t + ${start}`;
  return expression(`Array.from({ length: ${length} }, (_, t) => ${added})`, () =>
    Array.from({ length }, (_, t) => t + start),
  );
}

/**
 * How alike one row of a tensor is to all others, by distance.
 * @param {Pick<Table, "lines" | "torch" | "size" | "title" | "row"> & {made: string, others?: string, alike?: Table["alike"]}} of
 *   `made`: the line that holds the rows; `others`: that with those they are compared with, by
 *   default the same; `alike`: the formula of two of them
 * @returns {View}
 */
export function similarityOf({
  lines,
  torch,
  size,
  title,
  row = "position",
  made,
  others = made,
  alike,
}) {
  const fromOf = (/** @type {Values} */ settings) =>
    Math.min(settings.from, size(settings).rows - 1);
  return {
    plan(settings) {
      const from = fromOf(settings);
      const { metric = "dot" } = settings;
      return {
        kind: "waves",
        lines: [...lines(settings), scoresLine(made, others, from, metric, [-1, 1])],
        data: "scores",
        options: {
          title: `${title}: ${row} ${from} compared with the others`,
          x: counted(size(settings).rows, -from),
          labels: [metric === "dot" ? "dot product" : "cosine"],
          xTitle: `distance from ${row} ${from}`,
          yTitle: metric === "dot" ? "dot product" : "cosine",
        },
      };
    },
    inspect(settings, [t]) {
      const from = fromOf(settings);
      const { metric = "dot" } = settings;
      const way = metric === "dot" ? " · " : " and ";
      const vectors = `vector ${from}${way}vector ${t}`;
      return {
        where: `distance ${t - from}: ${row} ${from} and ${row} ${t}`,
        parts: alike?.(settings, from, t) ?? [metric === "dot" ? vectors : `cosine of ${vectors}`],
      };
    },
    torch: (settings) => [
      ...torch(settings),
      "",
      scoresTorch(made, others, fromOf(settings), settings.metric, [-1, 1]),
    ],
  };
}

/**
 * How alike one patch is to all others, as a map of the image.
 * @param {Table & {made: string}} of
 * @returns {View}
 */
function mapOf({ title, lines, torch, made }) {
  const fromOf = (/** @type {Values} */ { from, height, width }) =>
    Math.min(from, height * width - 1);
  return {
    plan(settings) {
      const { height, width, metric = "dot" } = settings;
      const from = fromOf(settings);
      return {
        kind: "heatmap",
        lines: [...lines(settings), scoresLine(made, made, from, metric, [height, width])],
        data: "scores",
        options: {
          title: `${title}: the patch in row ${Math.floor(from / width)}, column ${from % width} compared with the others`,
          rowTitle: "row of patches",
          columnTitle: "column of patches",
          colors: "sequential",
        },
      };
    },
    inspect(settings, [y, x]) {
      const { width, metric = "dot" } = settings;
      const both = `patch ${fromOf(settings)}${metric === "dot" ? " · " : " and "}patch ${y * width + x}`;
      return {
        where: `row ${y}, column ${x}`,
        parts: [metric === "dot" ? both : `cosine of ${both}`],
      };
    },
    torch(settings) {
      const { height, width, metric } = settings;
      return [
        ...torch(settings),
        "",
        scoresTorch(made, made, fromOf(settings), metric, [height, width]),
      ];
    },
  };
}

/**
 * How alike one row of `made` is to all rows of `others`.
 * @param {string} made @param {string} others @param {number} from @param {string} metric @param {number[]} shape
 */
function scoresLine(made, others, from, metric, shape) {
  const one = expression(`${made}.slice(${from}, ${from + 1})`, (scope) =>
    scope[made].slice(from, from + 1),
  );
  const { text, value } = call("similarity.matrix", one, name(others), { metric });
  const shaped = (/** @type {any} */ scope) => value(scope).reshape(...shape);
  return line("scores", expression(`${text}.reshape(${shape.join(", ")})`, shaped));
}

/**
 * The same for PyTorch.
 * @param {string} made @param {string} others @param {number} from @param {string} metric @param {number[]} shape
 */
function scoresTorch(made, others, from, metric = "dot", shape) {
  const rows = `${made}[${from} : ${from + 1}]`;
  const scores =
    metric === "dot"
      ? `(${others} @ ${rows}.T)`
      : `torch.nn.functional.cosine_similarity(${others}, ${rows})`;
  return `scores = ${scores}.reshape(${shape.join(", ")})`;
}

// --- frequencies -----------------------------------------------------------------------------------

/**
 * The frequency of every pair.
 * @param {object} of
 * @param {string} of.title
 * @param {(settings: Values) => Line[]} of.lines  the last is `frequencies`
 * @param {(settings: Values) => string[]} of.torch  the same
 * @param {(settings: Values) => unknown} [of.given]  what the figure takes, if more than one
 * @param {(settings: Values, i: number) => Part[]} of.theta  the formula of pair i
 * @param {(settings: Values) => {length: number, label: string}[]} of.context
 * @returns {View}
 */
export function spectrumOf({ title, lines, torch, given, theta, context }) {
  return {
    plan: (settings) => ({
      kind: "spectrum",
      lines: lines(settings),
      data: "frequencies",
      given: given?.(settings),
      options: { title, context: context(settings) },
    }),
    inspect(settings, [i], picture) {
      const shown = Number(picture.data.at(i));
      return { where: `pair ${i}: radians per token; ${turn(shown)}`, parts: theta(settings, i) };
    },
    torch,
  };
}

/** @param {number} theta  radians per token */
function turn(theta) {
  if (theta === 0) return "it never rotates";
  const tokens = (2 * Math.PI) / theta;
  const shown = tokens < 1e6 ? String(Number(tokens.toPrecision(4))) : tokens.toExponential(3);
  return `a full rotation takes ${shown} tokens`;
}

// --- rotations -------------------------------------------------------------------------------------

/**
 * Pairs (1, 0), rotated: they become the cosine and the sine of each angle.
 * @typedef {object} Rotation
 * @property {(settings: Values) => Line[]} lines  the last is `table`, {cos, sin}
 * @property {(settings: Values) => string[]} torch  lines that make `cos` and `sin`
 * @property {(settings: Values) => {rows: number, columns: number, turned: number, layout: "halves" | "interleaved"}} size
 *   `columns` of a row, `turned` of them in pairs
 * @property {(settings: Values, row: number, pair: number, wave: "cos" | "sin") => Part[]} cell
 * @property {string} title
 * @property {string} [row]  default position
 * @property {boolean} [isGrid]
 * @property {Table["alike"]} [alike]
 */

/**
 * Queries of pairs (1, 0): columns beyond those that are turned hold 1.
 * @param {ReturnType<Rotation["size"]>} size
 */
export function queryLines({ rows, columns, turned, layout }) {
  const isFirst = (/** @type {number} */ d) =>
    d >= turned || (layout === "halves" ? d < turned / 2 : d % 2 === 0);
  const first = layout === "halves" ? `d < ${turned / 2}` : "d % 2 === 0";
  const test = turned < columns ? `d >= ${turned} || ${first}` : first;
  const row = `Array.from({ length: ${columns} }, (_, d) => (${test} ? 1 : 0))`;
  return [
    line(
      "pairs",
      expression(row, () => Array.from({ length: columns }, (_, d) => (isFirst(d) ? 1 : 0))),
    ),
    line(
      "query",
      expression(`Array(${rows}).fill(pairs)`, ({ pairs }) => Array(rows).fill(pairs)),
    ),
  ];
}

/** @template Of @param {(wave: "cos" | "sin") => Of} of @returns {[cos: Of, sin: Of]} */
const both = (of) => [of("cos"), of("sin")];

/** @param {string} as @param {string} table @param {object} options */
export function turnedLine(as, table, options) {
  return line(as, call("rope.apply", name("query"), name(table), options));
}

/** The options of `rope.apply`. @param {ReturnType<Rotation["size"]>} size */
const turning = ({ columns, turned, layout }) => ({
  layout,
  ...(turned < columns && { dim: turned }),
});

/** @param {Values} settings @param {Rotation} rotation */
function turnedTorch(settings, { torch, size }) {
  const { columns, turned, layout } = size(settings);
  const rest = columns - turned;
  const after =
    rest > 0 ? [`turned = torch.cat((turned, torch.ones(len(turned), ${rest})), dim=-1)`] : [];
  const turn =
    layout === "halves"
      ? [
          "def rotate_half(x):",
          "    a, b = x.chunk(2, dim=-1)",
          "    return torch.cat((-b, a), dim=-1)",
          "",
          "query = torch.cat((torch.ones_like(cos), torch.zeros_like(cos)), dim=-1)  # (1, 0) in each pair (i, i + R/2)",
          "turned = query * torch.cat((cos, cos), dim=-1) + rotate_half(query) * torch.cat((sin, sin), dim=-1)",
        ]
      : [
          "query = torch.stack((torch.ones_like(cos), torch.zeros_like(cos)), dim=-1)  # (1, 0) in each pair (2i, 2i + 1)",
          "turned = torch.view_as_complex(query) * torch.complex(cos, sin)",
          "turned = torch.view_as_real(turned).flatten(-2)",
        ];
  return [...torch(settings), "", ...turn, ...after];
}

/** Which pair a column belongs to. @param {ReturnType<Rotation["size"]>} size @param {number} d */
function pairOf({ turned, layout }, d) {
  const second = layout === "halves" ? d >= turned / 2 : d % 2 === 1;
  const pair = layout === "halves" ? d % (turned / 2) : Math.floor(d / 2);
  return { pair, wave: /** @type {"cos" | "sin"} */ (second ? "sin" : "cos") };
}

/**
 * Heat map, waves and similarity of pairs (1, 0) that a table has turned.
 * @param {Rotation} rotation
 * @returns {{heatmap: View, waves: View, similarity: View}}
 */
export function rotationViews(rotation) {
  const { size, cell } = rotation;
  const lines = (/** @type {Values} */ settings) => [
    ...rotation.lines(settings),
    ...queryLines(size(settings)),
    turnedLine("turned", "table", turning(size(settings))),
  ];
  const torch = (/** @type {Values} */ settings) => turnedTorch(settings, rotation);
  /** @type {Table["cell"]} */
  const turnedCell = (settings, t, d) => {
    const sizes = size(settings);
    if (d >= sizes.turned) return ["not rotated: 1"];
    const { pair, wave } = pairOf(sizes, d);
    return cell(settings, t, pair, wave);
  };
  return tableViews({ ...rotation, lines, torch, cell: turnedCell, made: "turned" });
}

/**
 * Hands of some pairs at a position, and the rotation that brought them there from position 0.
 * @param {object} of
 * @param {string} of.title
 * @param {(settings: Values) => Line[]} of.lines  the last has row 0 and that of the position
 * @param {(row: number, settings: Values) => [cos: string, sin: string]} [of.hand]  of pair i; default: of {cos, sin}
 * @param {(scope: any, i: number, row: number, settings: Values) => [number, number]} [of.read]  the same
 * @param {(settings: Values) => number} of.pairs  how many there are
 * @param {(settings: Values, at: number, pair: number, wave: "cos" | "sin") => Part[]} of.cell
 * @param {(settings: Values) => string[]} of.torch  lines that make `cos` and `sin` of the position
 * @param {string} [of.row]  what a row is of; default position
 * @param {(settings: Values) => number} [of.at]  the row, if there are more than these two
 * @param {(settings: Values) => Line[]} [of.frequencies]  the last is `frequencies`, radians per token: with them the
 *   whole turns are counted
 * @returns {View}
 */
export function clockOf(of) {
  const { title, lines, pairs, cell, torch, frequencies, row = "position", at } = of;
  const made = (/** @type {Values} */ settings) => lines(settings)[lines(settings).length - 1].name;
  const rowOf = (/** @type {number} */ k, /** @type {Values} */ settings) =>
    k * (at?.(settings) ?? 1);
  const {
    hand = (k, settings) =>
      both((wave) => `${made(settings)}.${wave}.at(${rowOf(k, settings)}, i)`),
  } = of;
  const {
    read = (scope, i, k, settings) =>
      both((wave) => scope[made(settings)][wave].at(rowOf(k, settings), i)),
  } = of;
  const shownAt = at ?? ((/** @type {Values} */ { position }) => position);
  const chosen = (/** @type {Values} */ settings) => some(pairs(settings), settings.hands);
  /** @param {Values} settings @param {string} as @param {number} row */
  const hands = (settings, as, row) =>
    line(
      as,
      expression(`chosen.map((i) => [${hand(row, settings).join(", ")}])`, (scope) =>
        scope.chosen.map((/** @type {number} */ i) => read(scope, i, row, settings)),
      ),
    );
  const rotation = (/** @type {Values} */ { position }) =>
    expression(`chosen.map((i) => ${position} * frequencies.at(i))`, ({ chosen, frequencies }) =>
      chosen.map((/** @type {number} */ i) => position * frequencies.at(i)),
    );
  const where = (/** @type {Values} */ settings) => `${row} ${shownAt(settings)}`;
  return {
    plan: (settings) => ({
      kind: "clock",
      lines: [
        ...lines(settings),
        line("chosen", listed(chosen(settings))),
        hands(settings, "before", 0),
        hands(settings, "hands", 1),
        ...(frequencies ? [...frequencies(settings), line("rotation", rotation(settings))] : []),
      ],
      data: "hands",
      options: {
        title: `${title} at ${where(settings)} (dashed: at 0)`,
        labels: chosen(settings).map((i) => `pair ${i}`),
        columns: Math.min(6, chosen(settings).length),
        before: name("before"),
        ...(frequencies && { rotation: name("rotation") }),
      },
    }),
    inspect(settings, [k, component]) {
      const pair = chosen(settings)[k];
      const wave = component === 1 ? "sin" : "cos";
      const parts = cell(settings, shownAt(settings), pair, wave);
      return { where: `${where(settings)}, pair ${pair}`, parts };
    },
    torch: (settings) => [
      ...torch(settings),
      ...(at ? [`cos, sin = cos[${at(settings)} :][:1], sin[${at(settings)} :][:1]`] : []),
      "",
      `chosen = ${print(chosen(settings))}`,
      "hands = torch.stack((cos[-1, chosen], sin[-1, chosen]), dim=-1)",
    ],
  };
}

// --- biases ----------------------------------------------------------------------------------------

/**
 * A bias [H, Tq, Tk] of queries and keys.
 * @typedef {object} Bias
 * @property {(settings: Values) => Line[]} lines  the last is `bias`
 * @property {(settings: Values) => string[]} torch  the same
 * @property {(settings: Values) => {heads: number, queries: number, keys: number}} size
 * @property {(settings: Values, head: number, query: number, key: number) => Part[]} cell
 * @property {string} title
 */

/** The query whose row is drawn as lines. */
export const QUERY = whole("query", "Query", 4095, 0, 4095, {
  when: only("waves"),
  note: "the last one if there are fewer",
});

/** Heads that pictures show at once. */
const HEADS = 8;

/**
 * Bias per head, and as lines over distance.
 * @param {Bias} bias
 * @returns {{bias: View, waves: View}}
 */
export function biasViews({ lines, torch, size, cell, title }) {
  const queryOf = (/** @type {Values} */ settings) =>
    Math.min(settings.query, size(settings).queries - 1);
  const hidden = "the key is ahead of the query, the mask hides it";
  /** @param {Values} settings @param {number} h @param {number} i @param {number} j @param {number} shown */
  const parts = (settings, h, i, j, shown) =>
    shown === -Infinity ? [hidden] : cell(settings, h, i, j);
  return {
    bias: {
      plan(settings) {
        const { heads } = size(settings);
        return {
          kind: "bias",
          lines: lines(settings),
          data: "bias",
          options: {
            title,
            heads: some(heads, HEADS),
            headLabels: Array.from({ length: heads }, (_, h) => `head ${h}`),
            rowTitle: "query",
            columnTitle: "key",
          },
        };
      },
      inspect: (settings, [h, i, j], picture) => ({
        where: `head ${h}, query ${i}, key ${j}`,
        parts: parts(settings, h, i, j, Number(picture.data.at(h, i, j))),
      }),
      torch,
    },
    waves: {
      plan(settings) {
        const { heads, keys } = size(settings);
        const query = queryOf(settings);
        return {
          kind: "waves",
          lines: [
            ...lines(settings),
            line("heads", listed(some(heads, HEADS))),
            line(
              "waves",
              expression(
                `Array.from({ length: ${keys} }, (_, j) => heads.map((h) => bias.at(h, ${query}, j)))`,
                (scope) =>
                  Array.from({ length: keys }, (_, j) =>
                    scope.heads.map((/** @type {number} */ h) => scope.bias.at(h, query, j)),
                  ),
              ),
            ),
          ],
          data: "waves",
          options: {
            title: `${title}: what query ${query} adds to each key`,
            x: counted(keys, -query),
            labels: some(heads, HEADS).map((h) => `head ${h}`),
            xTitle: "key \u2212 query",
            yTitle: "bias",
          },
        };
      },
      inspect(settings, [j, k], picture) {
        const h = some(size(settings).heads, HEADS)[k];
        const i = queryOf(settings);
        return {
          where: `head ${h}, query ${i}, key ${j}`,
          parts: parts(settings, h, i, j, Number(picture.data.at(j, k))),
        };
      },
      torch: (settings) => [
        ...torch(settings),
        "",
        `waves = bias[${print(some(size(settings).heads, HEADS))}, ${queryOf(settings)}].T`,
      ],
    },
  };
}

/**
 * A whole number for every query and key: buckets, rows of tables.
 * @param {object} of
 * @param {string} of.title
 * @param {(settings: Values) => Line[]} of.lines  the last is `index`
 * @param {(settings: Values) => string[]} of.torch  the same
 * @param {(settings: Values, query: number, key: number) => Part[]} of.cell
 * @returns {View}
 */
export function indexView({ title, lines, torch, cell }) {
  return {
    plan: (settings) => ({
      kind: "heatmap",
      lines: lines(settings),
      data: "index",
      options: { title, rowTitle: "query", columnTitle: "key", colors: "sequential" },
    }),
    inspect: (settings, [i, j]) => ({
      where: `query ${i}, key ${j}`,
      parts: cell(settings, i, j),
    }),
    torch,
  };
}

/** The float32 numbers of a drawn table, for PyTorch. @param {string} as @param {Values} settings @param {string} shape */
export function drawnTorch(as, { std, seed, generator }, shape) {
  const others =
    generator === "philox"
      ? ["# Philox is phasor's own generator: PyTorch draws other numbers from the same seed."]
      : [];
  return [
    ...others,
    `torch.manual_seed(${seed})`,
    `${as} = torch.empty(${shape}).normal_(0, ${std})`,
  ];
}
