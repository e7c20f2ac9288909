/** @import { Colors, Theme } from "./colors.js" */
import * as check from "../runtime/check.js";
import { colors } from "./colors.js";
import { count, minus, text } from "./data.js";
import { maker } from "./dom.js";
import { dataUrl } from "./png.js";
import { adopt } from "./style.js";

/**
 * The parts that all kinds of figures share: the element with its reading line, table of numbers, keyboard control,
 * theme and exports; or a string where there is no document.
 */

/**
 * What a kind draws for.
 *
 * @typedef {object} Surface
 * @property {Document | undefined} document
 * @property {any} Plot  Observable Plot, where the kind needs it
 * @property {number} width  px
 * @property {number | undefined} height  px, if it was given
 * @property {Theme} theme
 * @property {Colors} colors
 * @property {boolean} own  true for a string, which contains its colors; an element uses those of the page:
 *   `var(--phasor-ink)`, `--phasor-quiet`, `--phasor-line`, `--phasor-accent`, `--phasor-paper`
 * @property {string} title  "" if there is none
 * @property {string} description  the text alternative
 */

/**
 * A figure's numbers. Column 0 names the row.
 *
 * @typedef {object} Table
 * @property {string[]} header  a name for each column
 * @property {number} rows  how many, the header not counted
 * @property {(row: number, column: number) => string | number} cell  one of them, from 0
 */

/**
 * What a key asks for: steps of 1, of 10 with Shift, of +-Infinity to an end.
 *
 * @typedef {{rows: number, columns: number}} Steps
 */

/**
 * What a picture is made of; kinds add what they need to mark and to update in place.
 *
 * @typedef {object} Drawing
 * @property {HTMLElement | SVGElement} element  hidden from screen readers: the shell describes it
 * @property {HTMLElement} [controls]  buttons and the like, which stand below the reading line
 */

/**
 * One kind of figure. `Value` is plain data that says what is pointed at, e.g. {row, column, value}.
 *
 * @template Data, Options, Model, Value
 * @template {Drawing} [Drawn=Drawing]
 * @typedef {object} Kind
 * @property {string} name  of the function
 * @property {string} role  what a screen reader calls it: "heat map"
 * @property {boolean} needsPlot
 * @property {Record<string, unknown>} options  its own, with defaults; others are refused
 * @property {string} style  rules, each beginning with .phasor-figure
 * @property {(data: Data, options: any) => Model} read  checks everything; `options` has each of its
 *   own and the common ones
 * @property {(model: Model) => string} describe  the text alternative, a sentence or two
 * @property {(model: Model) => Table} table
 * @property {(model: Model, surface: Surface, former?: Drawn) => Drawn} draw  called again after an
 *   update, at another width and in another theme; may change `former` and return it
 * @property {(model: Model, surface: Surface, drawing?: Drawn) => string} svg  `drawing`: of the
 *   element that it is made for, which may show a part
 * @property {(model: Model, surface: Surface, scale: number) => Uint8Array} [png]  the cells alone,
 *   `scale` pixels each way
 * @property {(drawing: Drawn, model: Model, x: number, y: number) => Value | null} at  what lies at
 *   a point, px from the upper left corner of the drawing's element
 * @property {(model: Model, wanted: any) => Value | null} find  the value that a program asks for, or
 *   that was marked before an update; null where there is no such
 * @property {(model: Model, from: any, steps: Steps, drawing: Drawn) => Value | null} move  from what
 *   is marked (null where nothing is), which may lie beyond the data, to the nearest that there is
 * @property {(model: Model, value: Value) => string} say  what it is, in the reading line
 * @property {(drawing: Drawn, model: Model, value: Value | null) => void} mark
 * @property {(drawing: Drawn, model: Model, key: string) => boolean} [press]  another key, such as
 *   "+"; whether it did something
 * @property {boolean} [drags]  a pointer that is pressed moves the picture and points at nothing
 * @property {(drawing: () => Drawn) => PropertyDescriptorMap} [properties]  more that the element has
 */

/**
 * What a caller may pass in.
 *
 * @typedef {object} CommonOptions
 * @property {string} [title]  its first line
 * @property {string} [description]  instead of the text alternative that is made from the numbers
 * @property {number} [width]  px; an element follows its container by default, a string has 640
 * @property {number} [height]  px, of the picture
 * @property {"auto" | Theme} [theme]  "auto" (default) follows prefers-color-scheme; strings are then
 *   light
 * @property {boolean} [reading]  false: without the line that shows the marked value, for a page that
 *   shows it elsewhere; default true
 * @property {"element" | "svg" | "png"} [as]  an element (the default where there is a document), an
 *   SVG string, or (heatmap and bias) the cells alone as a data: address of a PNG
 */

/**
 * What a figure's element has besides all that elements have.
 *
 * @template Data, Options, Value
 * @typedef {object} FigureParts
 * @property {(data: Data, options?: Options & CommonOptions) => void} update  other numbers in the
 *   same element: focus, the marked value and open numbers stay. Options that are given replace all
 *   the former ones.
 * @property {Value | null} value  what the reader points at, null where it is nothing; an "input"
 *   event, which rises, tells that it is something else. It can be set, by its indices alone.
 * @property {Table} table  all the numbers
 * @property {() => string} svg  standalone
 * @property {() => string} csv  all the numbers
 * @property {(options?: {scale?: number}) => Promise<Blob>} png  of the svg; `scale`: pixels per px
 */

/**
 * A figure in a page.
 *
 * @template Data, Options, Value
 * @typedef {HTMLElement & FigureParts<Data, Options, Value>} Figure
 */

/**
 * @template Data, Options, Value
 * @typedef {{
 *   (data: Data, options: Options & CommonOptions & {as: "svg" | "png"}): string,
 *   (data: Data, options?: Options & CommonOptions): Figure<Data, Options, Value>,
 * }} Draw  gives a string as well where there is no document
 */

/** @typedef {{Plot: any, document: Document | undefined}} Tools */

const COMMON = {
  title: "",
  description: undefined,
  width: undefined,
  height: undefined,
  theme: "auto",
  reading: true,
};

/** The optional peer that some kinds draw with; the caller imports it. */
const PEER = '"@observablehq/plot"';

/** Width of a string, and of an element that nobody has laid out yet. */
const WIDTH = 640;

/** Steps of the keys; with Shift ten times as many. @type {Record<string, Steps>} */
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

/** Most rows and columns of the numbers that are shown. */
const MOST = { rows: 200, columns: 40 };

/**
 * The public function of a kind.
 *
 * @template Data, Options, Model, Value
 * @template {Drawing} Drawn
 * @param {Kind<Data, Options, Model, Value, Drawn>} kind
 * @param {Tools} tools
 * @returns {Draw<Data, Options, Value>}
 */
export function draws(kind, tools) {
  const draw = (/** @type {Data} */ data, /** @type {unknown} */ given) => {
    const inPage = tools.document !== undefined && tools.document === globalThis.document;
    const defaults = { as: inPage ? "element" : "svg", ...(kind.png ? { scale: 1 } : {}) };
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
  return /** @type {Draw<Data, Options, Value>} */ (draw);
}

/**
 * What a figure shows at a time.
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
 * @param {Record<string, unknown>} more  options that only the first call has, with defaults
 * @returns {State<Model>}
 */
function read(kind, data, given, more = {}) {
  const options = check.options(given, { ...kind.options, ...COMMON, ...more }, kind.name);
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
function demand({ name, needsPlot }, { Plot, document }, as) {
  if (needsPlot && typeof Plot?.plot !== "function") {
    throw new TypeError(
      `Plot must be Observable Plot (\`import * as Plot from ${PEER}\`) for ${name}; got ${check.describe(Plot)}`,
    );
  }
  if ((needsPlot || as === "element") && document === undefined) {
    throw new TypeError(
      `document must be given for ${name} where there is none, as linkedom's; got undefined`,
    );
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
  // Only the focused figure is announced: others may change with it silently.
  picture.addEventListener("focus", () => reading.setAttribute("aria-live", "polite"));
  picture.addEventListener("blur", () => reading.removeAttribute("aria-live"));
  adopt(document, kind.style);
  figure.show();
  if (view?.ResizeObserver) {
    // In the next frame: drawing changes the height, which other observers may react to in this one.
    new view.ResizeObserver(() => view.requestAnimationFrame(() => figure.fit())).observe(picture);
  }
  if (figure.dark) whileAlive(element, figure.dark, () => figure.draw());
  Object.defineProperties(element, Object.getOwnPropertyDescriptors(partsOf(figure)));
  const drawn = () => /** @type {Drawn} */ (figure.drawing); // set by show()
  Object.defineProperties(element, kind.properties?.(drawn) ?? {});
  return /** @type {any} */ (element);
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
    update: (data, options) => figure.update(data, options),
    get value() {
      return figure.value;
    },
    set value(next) {
      if (next !== null && typeof next !== "object") {
        throw new TypeError(`value must be an object or null; got ${check.describe(next)}`);
      }
      figure.wanted = next === null ? null : { ...next };
      figure.mark();
    },
    get table() {
      return kind.table(figure.state.model);
    },
    svg: () => figure.svg(),
    csv: () => csv(kind.table(figure.state.model)),
    async png({ scale = 2 } = {}) {
      check.finite(scale, "scale", "a finite number from 0.1 to 16", (x) => x >= 0.1 && x <= 16);
      return rasterized(document, figure.svg(), scale);
    },
  };
}

/**
 * A figure in a page: its elements, what it shows and which value is marked.
 *
 * @template Data, Options, Model, Value
 * @template {Drawing} Drawn
 */
class MountedFigure {
  /** The value that the reader or a program asked for; the data may not have it now. @type {any} */
  wanted = null;
  /** The marked value. @type {Value | null} */
  value = null;
  /** @type {Drawn | undefined} */
  drawing = undefined;
  /** px, as laid out; 0 before. */
  #width = 0;

  /** @param {Kind<Data, Options, Model, Value, Drawn>} kind @param {Tools} tools @param {State<Model>} state */
  constructor(kind, tools, state) {
    this.kind = kind;
    this.tools = tools;
    this.state = state;
    this.document = /** @type {Document} */ (tools.document);
    this.view = this.document.defaultView;
    this.dark = this.view?.matchMedia?.("(prefers-color-scheme: dark)");
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

  /** The width to draw, px. */
  #drawnWidth() {
    return this.state.options.width ?? (this.#width || WIDTH);
  }

  /** @returns {Surface} */
  #surface() {
    const { options, title, description } = this.state;
    const auto = this.dark?.matches ? "dark" : "light";
    const theme = options.theme === "auto" ? auto : options.theme;
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

  /** Marks the wanted value, if the data have it. */
  mark() {
    const { kind, wanted, drawing, reading } = this;
    const { model } = this.state;
    this.value = wanted === null ? null : kind.find(model, wanted);
    if (drawing) kind.mark(drawing, model, this.value);
    const text = this.value === null ? "" : kind.say(model, this.value);
    if (reading.textContent !== text) reading.textContent = text; // setting it again would repeat it aloud
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

  /** Draws again if the width changed. */
  fit() {
    const root = this.element.getRootNode();
    if ("host" in root) adopt(/** @type {ShadowRoot} */ (root), this.kind.style);
    if (this.picture.clientWidth === this.#width) return;
    this.#width = this.picture.clientWidth;
    this.draw();
  }

  /** Marks what the reader points at. @param {Value | null} next */
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

  /** @param {Data} data @param {unknown} options  undefined keeps the present ones */
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
    return kind.svg(state.model, stringSurface(tools, { ...state, options }), drawing);
  }
}

/**
 * Calls back at each change of a query, for as long as somebody holds the element.
 * @param {object} element @param {MediaQueryList} query @param {() => void} redraw
 */
function whileAlive(element, query, redraw) {
  kept.set(element, redraw);
  const held = new WeakRef(element);
  const listen = () => {
    const alive = held.deref();
    if (alive) kept.get(alive)?.();
    else query.removeEventListener("change", listen);
  };
  query.addEventListener("change", listen);
}

/** @type {WeakMap<object, () => void>} */
const kept = new WeakMap();

/** Whether two values are the same, numbers and arrays of them. @param {any} a @param {any} b @returns {boolean} */
function same(a, b) {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return Object.is(a, b);
  return Object.keys(a).every((/** @type {string} */ key) => same(a[key], b[key]));
}

// --- the numbers ---------------------------------------------------------------------------------

/**
 * The numbers as a table, made when it is opened.
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

/** @param {string | number} cell */
function written(cell) {
  return typeof cell === "number" ? minus(String(cell)) : cell;
}

/** A table as CSV (RFC 4180). @param {Table} table */
function csv({ header, rows, cell }) {
  const lines = [header.map(field).join(",")];
  for (let row = 0; row < rows; ++row) {
    lines.push(header.map((_, column) => field(cell(row, column))).join(","));
  }
  return lines.join("\r\n") + "\r\n";
}

/**
 * A cell; what a spreadsheet would take for a formula gets an apostrophe, which makes it text.
 * @param {string | number} cell
 */
function field(cell) {
  if (typeof cell === "number") return Object.is(cell, -0) ? "-0" : String(cell);
  const isNumber = cell.trim() !== "" && Number.isFinite(Number(cell));
  const safe = /^[=+\-@\t\r]/.test(cell) && !isNumber ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// --- pixels --------------------------------------------------------------------------------------

/** Paints an SVG to a PNG. @param {Document} document @param {string} svg @param {number} scale */
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
          blob ? made(blob) : failed(new Error("The picture could not be made: too large?")),
        ),
      )
    );
  } finally {
    URL.revokeObjectURL(address);
  }
}
