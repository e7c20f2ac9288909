/** @import { Colors, Theme } from "./colors.js" */
import * as check from "../runtime/check.js";
import { withName } from "../runtime/named.js";
import { colors } from "./colors.js";
import { count, minus, text } from "./data.js";
import { maker } from "./dom.js";
import { dataUrl } from "./png.js";
import { adopt } from "./style.js";
import { followTheme, themeOf } from "./theme.js";

/**
 * The parts that all kinds of figures share: the element with its reading line, table of numbers, keyboard control,
 * theme and exports; or an SVG or PNG string.
 */

/**
 * The environment that a figure is drawn in.
 *
 * @typedef {object} Surface
 * @property {Document | undefined} document
 * @property {any} Plot  Observable Plot, if the kind requires it
 * @property {number} width  px
 * @property {number | undefined} height  px, if the caller set it
 * @property {Theme} theme
 * @property {Colors} colors
 * @property {boolean} own  true for a string, which contains its colors. An element uses custom properties:
 *   `var(--phasor-ink)`, `--phasor-quiet`, `--phasor-line`, `--phasor-accent`, `--phasor-paper`
 * @property {(color: string) => string} [computed]  the color behind `var(--NAME)`, for the string of an element
 * @property {string} title  "" if the figure has no title
 * @property {string} description  the text alternative
 */

/**
 * The numbers of a figure. Column 0 contains the names of the rows.
 *
 * @typedef {object} Table
 * @property {string[]} header  the name of each column
 * @property {number} rows  the number of rows without the header
 * @property {(row: number, column: number) => string | number} cell  returns the cell at 0-based indices
 */

/**
 * The movement that a key requests: 1 step, 10 steps with Shift, or +-Infinity to go to an end.
 *
 * @typedef {{rows: number, columns: number}} Steps
 */

/**
 * The elements of a picture. Each kind adds the properties that it needs for marks and updates.
 *
 * @typedef {object} Drawing
 * @property {HTMLElement | SVGElement} element  hidden from screen readers, because the figure has a description
 * @property {HTMLElement} [controls]  buttons and other controls below the reading line
 */

/**
 * One kind of figure. `Value` is plain data that identifies the marked item, such as {row, column, value}.
 *
 * @template Data, Options, Model, Value
 * @template {Drawing} [Drawn=Drawing]
 * @typedef {object} Kind
 * @property {string} name  the name of the public function
 * @property {string} role  the role description for screen readers, such as "heat map"
 * @property {boolean} needsPlot  whether the kind requires Observable Plot
 * @property {Record<string, unknown>} options  the options of the kind with their defaults. Other options throw
 * @property {string} style  CSS rules. Each selector begins with .phasor-figure
 * @property {(data: Data, options: any) => Model} read  checks the data and options. `options`
 *   contains the options of the kind and the common options
 * @property {(model: Model) => string} describe  returns the text alternative, one or two sentences
 * @property {(model: Model) => Table} table
 * @property {(model: Model, surface: Surface, former?: Drawn) => Drawn} draw  called again after an
 *   update or a change of width or theme. It may change `former` and return it
 * @property {(model: Model, surface: Surface, drawing?: Drawn) => string} svg  `drawing`: the drawing
 *   of the element that is exported, which may show only a part of the data
 * @property {(model: Model, surface: Surface, scale: number) => Uint8Array} [png]  returns a PNG
 *   of the cells alone, each `scale` x `scale` pixels
 * @property {(drawing: Drawn, model: Model, x: number, y: number) => Value | null} at  returns
 *   the value at a point, in px from the upper left corner of the drawing's element
 * @property {(model: Model, wanted: any) => Value | null} find  finds the value that a program set or
 *   that was marked before an update; null if the data do not contain it
 * @property {(model: Model, from: any, steps: Steps, drawing: Drawn) => Value | null} move  returns the
 *   value after a movement, limited to the data. `from` is the marked value, which may be outside the data, or
 *   null
 * @property {(model: Model, value: Value) => string} say  returns the text of the reading line
 * @property {(drawing: Drawn, model: Model, value: Value | null) => void} mark  marks a value, or
 *   removes the mark
 * @property {(drawing: Drawn, model: Model, key: string) => boolean} [press]  handles any other
 *   key, such as "+". Returns whether it did
 * @property {boolean} [drags]  a pressed pointer pans the picture and does not change the marked value
 * @property {(drawing: () => Drawn) => PropertyDescriptorMap} [properties]  additional properties of the
 *   element
 */

/**
 * The options of all figures.
 *
 * @typedef {object} CommonOptions
 * @property {string} [title]  the title above the picture. Default: no title
 * @property {string} [description]  the text alternative. Default: a summary of the numbers
 * @property {number} [width]  px. Default: the width of the container for an element, 640 for a string
 * @property {number} [height]  the height of the picture, px. Default: depends on the kind and the width
 * @property {"auto" | Theme} [theme]  "auto" follows the page's color-scheme in an element, else
 *   prefers-color-scheme, and is light in a string. Default: "auto"
 * @property {boolean} [reading]  whether to show the line with the marked value below the picture.
 *   Default: true
 * @property {"element" | "svg" | "png"} [as]  the result: an element, an SVG string, or for heatmap,
 *   bias and scatter a PNG of the cells or points alone as a data: URL. Default: that of `figures`
 */

/**
 * The properties and methods that a figure adds to its element.
 *
 * @template Data, Options, Value
 * @typedef {object} FigureParts
 * @property {(data: Data, options?: Options & CommonOptions) => void} update  replaces the data
 *   and keeps focus, the marked value and the open table. If `options` are passed, they replace all earlier options.
 * @property {Value | null} value  the marked value, or null. The element dispatches an "input" event, which
 *   bubbles, when the reader changes it. To set it, its indices are sufficient.
 * @property {Table} table  the numbers of the figure
 * @property {() => string} svg  returns a standalone SVG document
 * @property {() => string} csv  returns the numbers as CSV
 * @property {(options?: {scale?: number}) => Promise<Blob>} png  returns the SVG as a PNG;
 *   `scale`: pixels per px, from 0.1 to 16, default 2
 */

/**
 * A figure in a page.
 *
 * @template Data, Options, Value
 * @typedef {HTMLElement & FigureParts<Data, Options, Value>} Figure
 */

/**
 * Draws a figure. Without `as` the result is what `figures` was asked for.
 *
 * @template Data, Options, Value
 * @template {"element" | "svg"} [As="element"]
 * @template [Element=Figure<Data, Options, Value>]
 * @typedef {{
 *   (data: Data, options: Options & CommonOptions & {as: "svg" | "png"}): string,
 *   (data: Data, options: Options & CommonOptions & {as: "element"}): Element,
 *   (data: Data, options?: Options & CommonOptions): As extends "svg" ? string : Element,
 * }} Draw
 */

/** @typedef {{Plot: any, document: Document | undefined, as?: "element" | "svg"}} Tools */

const COMMON = {
  title: "",
  description: undefined,
  width: undefined,
  height: undefined,
  theme: "auto",
  reading: true,
};

/** The optional peer dependency that some kinds require. The caller imports it. */
const PEER = '"@observablehq/plot"';

/** The width of a string, and of an element before its layout, px. */
const WIDTH = 640;

/** The movement of each key. Shift multiplies it by 10. @type {Record<string, Steps>} */
const KEYS = {
  ArrowUp: { rows: -1, columns: 0 },
  ArrowDown: { rows: 1, columns: 0 },
  ArrowLeft: { rows: 0, columns: -1 },
  ArrowRight: { rows: 0, columns: 1 },
  PageUp: { rows: -10, columns: 0 },
  PageDown: { rows: 10, columns: 0 },
  Home: { rows: 0, columns: -Infinity },
  End: { rows: 0, columns: Infinity },
};

/** The maximum number of rows and columns in the table. */
const MOST = { rows: 200, columns: 40 };

/**
 * Returns the public function of a kind.
 *
 * @template Data, Options, Model, Value
 * @template {Drawing} Drawn
 * @param {Kind<Data, Options, Model, Value, Drawn>} kind
 * @template {"element" | "svg"} [As="element"]
 * @param {Tools & {as?: As}} tools
 * @returns {Draw<Data, Options, Value, As>}
 */
export function draws(kind, tools) {
  const draw = (/** @type {Data} */ data, /** @type {unknown} */ given) => {
    const inPage = tools.document !== undefined && tools.document === globalThis.document;
    const byDefault = tools.as ?? (inPage ? "element" : "svg");
    const defaults = { as: byDefault, ...(kind.png ? { scale: 1 } : {}) };
    const state = read(kind, data, given, defaults);
    const as = check.oneOf(state.options.as, "as", [
      "element",
      "svg",
      ...(kind.png ? ["png"] : []),
    ]);
    if (as === "png") return pngString(kind, state, tools);
    demand(kind, tools, as);
    return as === "svg"
      ? kind.svg(state.model, stringSurface(tools, state))
      : mount(kind, tools, state);
  };
  return /** @type {Draw<Data, Options, Value, As>} */ (
    /** @type {unknown} */ (withName(kind.name, draw))
  );
}

/**
 * The current content of a figure.
 *
 * @template Model
 * @typedef {object} State
 * @property {Model} model
 * @property {Record<string, any>} options
 * @property {string} title
 * @property {string} description
 */

/**
 * @template Model
 * @param {Kind<any, any, Model, any, any>} kind
 * @param {unknown} data @param {unknown} given
 * @param {Record<string, unknown>} more  options that only the first call accepts, with their defaults
 * @returns {State<Model>}
 */
function read(kind, data, given, more = {}) {
  const options = check.options(given, { ...kind.options, ...COMMON, ...more });
  for (const name of /** @type {const} */ (["width", "height"])) {
    if (options[name] !== undefined) {
      check.finite(options[name], name, "a finite number > 0", (x) => x > 0);
    }
  }
  check.oneOf(options.theme, "theme", ["auto", "light", "dark"]);
  check.boolean(options.reading, "reading");
  const title = text(options.title, "title");
  const model = kind.read(data, { ...options, title });
  const { description } = options;
  return {
    model,
    options,
    title,
    description:
      description === undefined ? kind.describe(model) : text(description, "description"),
  };
}

/** @param {Kind<any, any, any, any, any>} kind @param {Tools} tools @param {string} as */
function demand({ needsPlot }, { Plot, document }, as) {
  if (needsPlot && typeof Plot?.plot !== "function") {
    throw new TypeError(
      `Plot must be Observable Plot (\`import * as Plot from ${PEER}\`); got ${check.describe(Plot)}`,
    );
  }
  if ((needsPlot || as === "element") && document === undefined) {
    throw new TypeError("document must be a DOM document, such as linkedom's; got undefined");
  }
}

/** @param {Tools} tools @param {State<any>} state @returns {Surface} */
function stringSurface({ Plot, document }, { options, title, description }) {
  const theme = options.theme === "dark" ? "dark" : "light";
  const { width = WIDTH, height } = options;
  const own = true;
  return { document, Plot, width, height, theme, colors: colors(theme), own, title, description };
}

/**
 * @template Model
 * @param {Kind<any, any, Model, any, any>} kind @param {State<Model>} state @param {Tools} tools
 */
function pngString(kind, state, tools) {
  const scale = check.integer(state.options.scale, "scale", 1, 64);
  const bytes = kind.png?.(state.model, stringSurface(tools, state), scale);
  return dataUrl(/** @type {Uint8Array} */ (bytes));
}

let ids = 0;

/**
 * Creates the element of a figure.
 *
 * @template Data, Options, Model, Value
 * @template {Drawing} Drawn
 * @param {Kind<Data, Options, Model, Value, Drawn>} kind
 * @param {Tools} tools
 * @param {State<Model>} state
 * @returns {Figure<Data, Options, Value>}
 */
function mount(kind, tools, state) {
  const document = /** @type {Document} */ (tools.document);
  const view = document.defaultView;
  const figure = new MountedFigure(kind, tools, state);
  const { element, picture, reading } = figure;
  const follow = (/** @type {PointerEvent} */ event) => figure.follow(event);
  picture.addEventListener("pointermove", follow);
  picture.addEventListener("pointerdown", follow);
  picture.addEventListener("keydown", (event) => figure.press(event));
  // Screen readers announce the focused figure only.
  picture.addEventListener("focus", () => reading.setAttribute("aria-live", "polite"));
  picture.addEventListener("blur", () => reading.removeAttribute("aria-live"));
  adopt(document, kind.style);
  figure.show();
  if (view?.ResizeObserver) {
    // Draw in the next frame, because a change of height in this frame could trigger other observers.
    const resize = () => {
      figure.measure();
      soon(view, figure);
    };
    new view.ResizeObserver(resize).observe(picture);
  }
  followTheme(element, () => figure.draw());
  Object.defineProperties(element, Object.getOwnPropertyDescriptors(partsOf(figure)));
  const drawn = () => /** @type {Drawn} */ (figure.drawing); // set by show()
  Object.defineProperties(element, kind.properties?.(drawn) ?? {});
  return /** @type {any} */ (element);
}

/** Milliseconds after which figures with a new width wait for the next frame. */
const SLICE = 8;

/** Figures with a new width, by window. @type {WeakMap<Window, Set<{fit(): void}>>} */
const resized = new WeakMap();

/** Fits a figure in the next frame, or in one of the next if others need the time. @param {Window} view @param {{fit(): void}} figure */
function soon(view, figure) {
  const waiting = resized.get(view) ?? new Set();
  if (waiting.size === 0) view.requestAnimationFrame(() => fitSome(view, waiting));
  resized.set(view, waiting.add(figure));
}

/** @param {Window} view @param {Set<{fit(): void}>} waiting */
function fitSome(view, waiting) {
  const end = view.performance.now() + SLICE;
  try {
    for (const figure of waiting) {
      waiting.delete(figure);
      figure.fit();
      if (view.performance.now() > end) break;
    }
  } finally {
    if (waiting.size > 0) view.requestAnimationFrame(() => fitSome(view, waiting));
  }
}

/**
 * The properties and methods of a figure's element.
 *
 * @template Data, Options, Model, Value
 * @template {Drawing} Drawn
 * @param {MountedFigure<Data, Options, Model, Value, Drawn>} figure
 * @returns {FigureParts<Data, Options, Value>}
 */
function partsOf(figure) {
  const { document, kind } = figure;
  return {
    update: withName("Figure.update", (data, options) => figure.update(data, options)),
    get value() {
      return figure.value;
    },
    set value(next) {
      if (next !== null && typeof next !== "object") {
        throw new TypeError(
          `Figure.value: value must be an object or null; got ${check.describe(next)}`,
        );
      }
      figure.wanted = next === null ? null : { ...next };
      figure.mark();
    },
    get table() {
      return kind.table(figure.state.model);
    },
    svg: () => figure.svg(),
    csv: () => csv(kind.table(figure.state.model)),
    png: withName("Figure.png", async (options = {}) => {
      const { scale } = check.options(options, { scale: 2 });
      check.finite(scale, "scale", "a finite number from 0.1 to 16", (x) => x >= 0.1 && x <= 16);
      return rasterized(document, figure.svg(), scale);
    }),
  };
}

/**
 * A figure in a page: its elements, its content and its marked value.
 *
 * @template Data, Options, Model, Value
 * @template {Drawing} Drawn
 */
class MountedFigure {
  /** The value that the reader or a program set. The current data may not contain it. @type {any} */
  wanted = null;
  /** The marked value. @type {Value | null} */
  value = null;
  /** @type {Drawn | undefined} */
  drawing = undefined;
  /** The layout width in px; 0 before the layout. */
  #width = 0;
  /** The width that it was drawn for. */
  #drawnFor = 0;

  /** @param {Kind<Data, Options, Model, Value, Drawn>} kind @param {Tools} tools @param {State<Model>} state */
  constructor(kind, tools, state) {
    this.kind = kind;
    this.tools = tools;
    this.state = state;
    this.document = /** @type {Document} */ (tools.document);
    this.view = this.document.defaultView;
    const make = maker(this.document);
    this.caption = make("figcaption", { class: "phasor-title" });
    this.reading = make("p", { class: "phasor-reading", id: `phasor-reading-${++ids}` });
    this.picture = make("div", {
      class: "phasor-picture",
      tabindex: "0",
      role: "application",
      "aria-roledescription": kind.role,
      "aria-describedby": this.reading.id,
    });
    this.numbers = numbersOf(this.document, () => kind.table(this.state.model));
    const attributes = { class: "phasor-figure", "data-kind": kind.name };
    const parts = [this.caption, this.picture, this.reading, this.numbers.element];
    this.element = make("figure", attributes, ...parts);
  }

  /** Returns the width of the drawing, px. */
  #drawnWidth() {
    return this.state.options.width ?? (this.#width || WIDTH);
  }

  /** @returns {Surface} */
  #surface() {
    const { options, title, description } = this.state;
    const theme = themeOf(this.element, options.theme);
    return {
      document: this.document,
      Plot: this.tools.Plot,
      theme,
      colors: colors(theme),
      own: false,
      width: this.#drawnWidth(),
      height: options.height,
      title,
      description,
    };
  }

  draw() {
    const former = this.drawing;
    this.#drawnFor = this.#width;
    const drawing = this.kind.draw(this.state.model, this.#surface(), former);
    this.drawing = drawing;
    if (drawing.element !== former?.element) {
      drawing.element.setAttribute("aria-hidden", "true"); // the picture has a description
      if (former) former.element.replaceWith(drawing.element);
      else this.picture.append(drawing.element);
    }
    if (drawing.controls !== former?.controls) {
      former?.controls?.remove();
      if (drawing.controls) this.reading.after(drawing.controls);
    }
    this.mark();
  }

  /** Marks the wanted value if the data contain it. */
  mark() {
    const { kind, wanted, drawing, reading } = this;
    const { model } = this.state;
    this.value = wanted === null ? null : kind.find(model, wanted);
    if (drawing) kind.mark(drawing, model, this.value);
    const text = this.value === null ? "" : kind.say(model, this.value);
    if (reading.textContent !== text) reading.textContent = text; // screen readers repeat a text that is set again
  }

  show() {
    const { element, picture, caption, reading } = this;
    const { title, description, options } = this.state;
    caption.textContent = title;
    caption.hidden = title === "";
    reading.hidden = options.reading === false;
    picture.setAttribute("aria-label", `${description} Arrow keys move, with Shift by ten.`);
    if (options.theme === "auto") element.removeAttribute("data-theme");
    else element.setAttribute("data-theme", options.theme);
    if (element.style) element.style.width = options.width ? `${options.width}px` : "";
    this.numbers.renew();
    this.draw();
  }

  /** Reads the width, while the layout is known. */
  measure() {
    this.#width = this.picture.clientWidth;
  }

  /** Redraws the figure if its width changed. */
  fit() {
    const root = this.element.getRootNode();
    if ("host" in root) adopt(/** @type {ShadowRoot} */ (root), this.kind.style);
    if (this.#drawnFor !== this.#width) this.draw();
  }

  /** Marks a value that the reader points at and dispatches "input". @param {Value | null} next */
  #point(next) {
    if (next === null || same(next, this.value)) return;
    this.wanted = next;
    this.mark();
    this.element.dispatchEvent(new (this.view?.Event ?? Event)("input", { bubbles: true }));
  }

  /** Handles a pointer event. @param {PointerEvent} event */
  follow({ clientX, clientY, type, buttons }) {
    const { kind, drawing } = this;
    if (!drawing || (kind.drags && type === "pointermove" && buttons !== 0)) return;
    const { left, top } = drawing.element.getBoundingClientRect();
    this.#point(kind.at(drawing, this.state.model, clientX - left, clientY - top));
  }

  /** Handles a key. @param {KeyboardEvent} event */
  press(event) {
    const { kind, drawing } = this;
    const { model } = this.state;
    if (event.ctrlKey || event.metaKey || event.altKey || !drawing) return;
    const steps = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : undefined;
    if (!steps) {
      if (kind.press?.(drawing, model, event.key)) event.preventDefault();
      return;
    }
    event.preventDefault();
    const factor = event.shiftKey ? 10 : 1;
    const moved = { rows: steps.rows * factor, columns: steps.columns * factor };
    this.#point(kind.move(model, this.wanted, moved, drawing));
  }

  /** @param {Data} data @param {unknown} options  undefined keeps the current options */
  update(data, options) {
    const { kind, state } = this;
    const kept = Object.fromEntries(
      Object.keys({ ...kind.options, ...COMMON }).map((name) => [name, state.options[name]]),
    );
    this.state = read(kind, data, options === undefined ? kept : options);
    this.show();
  }

  svg() {
    const { kind, tools, state, drawing } = this;
    const options = { ...state.options, width: this.#drawnWidth() };
    const surface = stringSurface(tools, { ...state, options });
    const style = this.view?.getComputedStyle?.(this.element);
    /** @param {string} color */
    const computed = (color) =>
      style?.getPropertyValue(/^var\((--[\w-]+)\)$/.exec(color)?.[1] ?? "").trim() || color;
    return kind.svg(state.model, { ...surface, computed }, drawing);
  }
}

/** Returns whether two values are deeply equal. @param {any} a @param {any} b @returns {boolean} */
function same(a, b) {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return Object.is(a, b);
  return Object.keys(a).every((/** @type {string} */ key) => same(a[key], b[key]));
}

// --- the numbers ---------------------------------------------------------------------------------

/**
 * Creates the table of numbers. Its rows are created when it is opened.
 * @param {Document} document @param {() => Table} tableNow
 */
function numbersOf(document, tableNow) {
  const make = maker(document);
  const said = make("p");
  const rows = make("div", {
    class: "phasor-rows",
    tabindex: "0",
    role: "group",
    "aria-label": "Numbers",
  });
  const summary = make("summary", {}, "Numbers");
  const element = make("details", { class: "phasor-numbers" }, summary, said, rows);
  let stale = true;

  function fill() {
    if (!stale || !element.open) return;
    stale = false;
    const table = tableNow();
    const columns = Math.min(table.header.length, MOST.columns + 1);
    const shown = Math.min(table.rows, MOST.rows);
    const all = shown === table.rows && columns === table.header.length;
    const size = `${count(table.rows, "row")} and ${count(table.header.length - 1, "column")}`;
    said.textContent = all
      ? `${size}.`
      : `${size} in all; the first ${count(shown, "row")} and ${count(columns - 1, "column")} are shown.`;
    const head = make("tr");
    for (let column = 0; column < columns; ++column) {
      head.append(make("th", { scope: "col" }, table.header[column]));
    }
    const body = make("tbody");
    for (let row = 0; row < shown; ++row) {
      const line = make("tr", {}, make("th", { scope: "row" }, written(table.cell(row, 0))));
      for (let column = 1; column < columns; ++column) {
        line.append(make("td", {}, written(table.cell(row, column))));
      }
      body.append(line);
    }
    rows.replaceChildren(make("table", {}, make("thead", {}, head), body));
  }

  element.addEventListener("toggle", fill);
  return {
    element,
    renew() {
      stale = true;
      fill();
    },
  };
}

/** A number with its sign, also that of zero. @param {number} x */
const signed = (x) => (Object.is(x, -0) ? "-0" : String(x));

/** @param {string | number} cell */
function written(cell) {
  if (typeof cell !== "number") return cell;
  return Number.isNaN(cell) ? "no number" : minus(signed(cell));
}

/** Returns a table as CSV (RFC 4180). @param {Table} table */
function csv({ header, rows, cell }) {
  const lines = [header.map(field).join(",")];
  for (let row = 0; row < rows; ++row) {
    lines.push(header.map((_, column) => field(cell(row, column))).join(","));
  }
  return lines.join("\r\n") + "\r\n";
}

/**
 * Returns a CSV field. An apostrophe precedes text that a spreadsheet would evaluate as a formula.
 * @param {string | number} cell
 */
function field(cell) {
  if (typeof cell === "number") return signed(cell);
  const isNumber = cell.trim() !== "" && Number.isFinite(Number(cell));
  const safe = /^[=+\-@\t\r]/.test(cell) && !isNumber ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// --- pixels --------------------------------------------------------------------------------------

/** Renders an SVG as a PNG. @param {Document} document @param {string} svg @param {number} scale */
async function rasterized(document, svg, scale) {
  const image = document.createElement("img");
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.naturalWidth * scale);
    canvas.height = Math.round(image.naturalHeight * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await /** @type {Promise<Blob>} */ (
      new Promise((made, failed) =>
        canvas.toBlob((blob) =>
          blob
            ? made(blob)
            : failed(new Error("The browser cannot create the PNG. Try a smaller scale.")),
        ),
      )
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}
