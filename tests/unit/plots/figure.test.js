import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHTML } from "linkedom";
import { figures } from "phasor/plots";
import { draws } from "../../../src/plots/figure.js";

/** A separate document. */
function blank() {
  return parseHTML("<html><body></body></html>").document;
}

/**
 * The smallest kind: numbers in a line, of which one is marked.
 * @type {import("../../../src/plots/figure.js").Kind<number[], {unit?: string}, number[], {index: number}>}
 */
const line = {
  name: "line",
  role: "line",
  needsPlot: true,
  options: { unit: "" },
  style: "",
  read: (data) => data,
  describe: (model) => `${model.length} numbers.`,
  table: (model) => ({
    header: ["index", "=value"],
    rows: model.length,
    cell: (row, column) => (column === 0 ? `@${row}` : model[row]),
  }),
  draw: (model, { document }, former) => {
    const element = former?.element ?? /** @type {Document} */ (document).createElement("div");
    element.textContent = String(model);
    return { element };
  },
  svg: (model, { width, title }) => `<svg>${width} ${title} ${model}</svg>`,
  at: () => null,
  find: (model, { index }) => (index in model ? { index } : null),
  move: (model, from, { rows, columns }) => ({
    index: Math.min(Math.max((from?.index ?? -1) + rows + columns, 0), model.length - 1),
  }),
  say: (model, { index }) => String(model[index]),
  mark: () => {},
};
const Plot = { plot() {} };

test("figures: importing them touches no document, and Node gets strings", () => {
  assert.equal(typeof figures().heatmap([[1]]), "string");
  assert.equal(typeof figures({ document: blank() }).heatmap([[1]]), "string");
});

test("figures: the given document and Plot are checked", () => {
  assert.throws(() => figures(/** @type {any} */ ({ plot: 1 })), {
    name: "TypeError",
    message: 'figures: options must have only Plot, document, as; got "plot"; did you mean "Plot"?',
  });
  assert.throws(() => figures({ document: /** @type {any} */ ({}) }), {
    name: "TypeError",
    message: "figures: document must be a DOM document; got an object",
  });
});

test("figures: as chooses the kind for results that do not name one", () => {
  const document = blank();
  const cells = [[0, 1]];
  assert.equal(typeof figures({ document }).heatmap(cells), "string");
  assert.equal(typeof figures({ document, as: "svg" }).heatmap(cells), "string");
  assert.equal(figures({ document, as: "element" }).heatmap(cells).tagName, "FIGURE");
  assert.equal(
    figures({ document, as: "svg" }).heatmap(cells, { as: "element" }).tagName,
    "FIGURE",
  );
  assert.throws(() => figures({ as: /** @type {any} */ ("png") }), {
    name: "RangeError",
    message: /^figures: as must be one of "element", "svg"; got "png"/,
  });
});

test("a kind that needs Plot throws an error that names it", () => {
  const document = blank();
  assert.throws(() => draws(line, { Plot: undefined, document })([1]), {
    name: "TypeError",
    message:
      'line: Plot must be Observable Plot (`import * as Plot from "@observablehq/plot"`); got undefined',
  });
  assert.throws(() => draws(line, { Plot, document: undefined })([1]), {
    name: "TypeError",
    message: /^line: document must be a DOM document, such as/,
  });
  assert.equal(
    String(draws(line, { Plot, document })([1, 2], { title: "A" })),
    "<svg>640 A 1,2</svg>",
  );
});

test("as: an unsuitable kind is rejected", () => {
  const tools = { Plot, document: blank() };
  assert.throws(() => draws(line, tools)([1], { as: "png" }), {
    name: "RangeError",
    message: 'line: as must be one of "element", "svg"; got "png"',
  });
  assert.throws(() => figures().heatmap([[1]], /** @type {any} */ ({ as: "element" })), {
    name: "TypeError",
    message: /^heatmap: document must be a DOM document, such as/,
  });
  assert.throws(() => draws(line, tools)([1], /** @type {any} */ ({ scale: 2 })), TypeError);
});

/** @param {number[]} data @param {object} [options] */
function mounted(data, options = {}) {
  return draws(line, { Plot, document: blank() })(data, {
    ...options,
    as: /** @type {any} */ ("element"),
  });
}

test("an element has title, picture, reading and numbers, with a text description", () => {
  const figure = /** @type {any} */ (mounted([4, 5], { title: "Two" }));
  assert.equal(figure.localName, "figure");
  assert.equal(figure.dataset.kind, "line");
  const parts = Array.from(figure.children, (/** @type {Element} */ { className }) => className);
  assert.deepEqual(parts, ["phasor-title", "phasor-picture", "phasor-reading", "phasor-numbers"]);
  const picture = figure.querySelector(".phasor-picture");
  assert.equal(picture.getAttribute("role"), "application");
  assert.equal(picture.getAttribute("aria-roledescription"), "line");
  assert.match(picture.getAttribute("aria-label"), /^2 numbers\. Arrow keys/);
  assert.equal(
    picture.getAttribute("aria-describedby"),
    figure.querySelector(".phasor-reading").id,
  );
  assert.equal(picture.firstChild.getAttribute("aria-hidden"), "true");
});

test("ids of two figures differ", () => {
  const ids = [mounted([1]), mounted([1])].map(
    (figure) => /** @type {any} */ (figure).querySelector(".phasor-reading").id,
  );
  assert.notEqual(ids[0], ids[1]);
});

test("description replaces the generated description of the numbers", () => {
  const figure = /** @type {any} */ (mounted([1], { description: "As I see it." }));
  assert.match(
    figure.querySelector(".phasor-picture").getAttribute("aria-label"),
    /^As I see it\./,
  );
});

test("reading: false hides the line", () => {
  const figure = /** @type {any} */ (mounted([1], { reading: false }));
  assert.ok(figure.querySelector(".phasor-reading").hasAttribute("hidden"));
});

test("csv: a cell that a spreadsheet would execute is escaped, numbers are unchanged", () => {
  const figure = /** @type {any} */ (mounted([-1, 1e-9, NaN, -Infinity, -0]));
  assert.equal(
    figure.csv(),
    "index,'=value\r\n'@0,-1\r\n'@1,1e-9\r\n'@2,NaN\r\n'@3,-Infinity\r\n'@4,-0\r\n",
  );
  const cells = ["+1+1", "-x", "\t", "\r=1", "a,b", 'say "x"', "-5", "+1.5e3", "", "-"];
  const kind = { ...line, table: () => ({ header: cells, rows: 0, cell: () => 0 }) };
  const other = /** @type {any} */ (
    draws(kind, { Plot, document: blank() })([1], { as: /** @type {any} */ ("element") })
  );
  assert.equal(other.csv(), `'+1+1,'-x,'\t,"'\r=1","a,b","say ""x""",-5,+1.5e3,,'-\r\n`);
});

test("update: a rejected one changes nothing", () => {
  const { document } = parseHTML("<html><body></body></html>");
  const figure = figures({ document }).heatmap([[1, 2]], {
    title: "A",
    as: /** @type {any} */ ("element"),
  });
  const element = /** @type {any} */ (figure);
  assert.throws(() => element.update([[1], [2, 3]]), RangeError);
  assert.throws(() => element.update([[1]], { titel: "B" }), TypeError);
  assert.equal(element.table.cell(0, 2), 2);
  assert.equal(element.querySelector("figcaption").textContent, "A");
  element.update([[7]]);
  assert.equal(element.table.cell(0, 1), 7);
  assert.equal(
    element.querySelector("figcaption").textContent,
    "A",
    "options stay where none are given",
  );
});

test("numbers: created when they are opened, at most 200 x 40, with the total", () => {
  let cells = 0;
  const table = {
    header: Array.from({ length: 60 }, (_, i) => String(i)),
    rows: 1000,
    cell: () => (++cells, 0),
  };
  const kind = { ...line, table: () => table };
  const figure = /** @type {any} */ (
    draws(kind, { Plot, document: blank() })([1], { as: /** @type {any} */ ("element") })
  );
  figure.update([2]);
  assert.equal(cells, 0);
  const details = figure.querySelector("details");
  details.open = true;
  details.dispatchEvent(new figure.ownerDocument.defaultView.Event("toggle"));
  assert.equal(cells, 200 * 41);
  assert.equal(figure.querySelectorAll("tbody tr").length, 200);
  assert.equal(
    details.querySelector("p").textContent,
    "1,000 rows and 59 columns in all; the first 200 rows and 40 columns are shown.",
  );
  assert.equal(figure.querySelector("tbody th").getAttribute("scope"), "row");
  assert.equal(figure.querySelector("thead th").getAttribute("scope"), "col");
});
