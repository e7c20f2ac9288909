/** @import { Places, Wanted } from "./map.js" */
import { make } from "../app/dom.js";
import { brief, count } from "../app/numbers.js";
import { nearestAt, projected, radiusOf, rotated, start } from "./camera.js";
import { heightOf, known } from "./map.js";

/** The most points that are drawn; more would make a rotation stutter. */
const MOST = 20_000;

/** Levels of depth: points of one level have one size and one opacity. */
const LEVELS = 10;

/** The maximal distance from a pointer to the point that it marks, px. */
const REACH = 24;

/** A pointer that moves less than this is a click, px. */
const SLOP = 5;

/** Radians for a pixel of a drag, and for an arrow key. */
const [DRAG, KEY] = [0.008, Math.PI / 24];

/** The factor of a zoom by key or button, and its limits. */
const [ZOOM, LEAST, GREATEST] = [1.3, 0.4, 12];

/** Labels besides those of the chosen words, at most. */
const LABELS = 30;

/** The first rotation by itself: milliseconds, and radians for each. */
const [SPIN, SPEED] = [4000, 0.0003];

/**
 * The points of a 3-D view.
 * @typedef {object} Cloud
 * @property {Int32Array} ids  [N]
 * @property {Float32Array} points  [N, 3]
 * @property {Int8Array} groups  [N]: the index of the group, -1 for none
 * @property {string[]} labels  [N]
 * @property {number[]} named  indices of the points whose labels come first
 * @property {[number, number][]} arrows  pairs of indices
 */

/** The map along three principal components, in perspective. The reader rotates it. */
export class Space {
  #place;
  #options;
  #picture;
  #canvas = make("canvas");
  #name = make("div", { class: "space-name", hidden: true });
  #legend = make("div");
  #said = make("p", { class: "note" });
  #spinner = make("button", { type: "button", "aria-pressed": "false" }, "Rotate");
  #still = matchMedia("(prefers-reduced-motion: reduce)");
  /** @type {Cloud | undefined} */
  #cloud;
  #radius = 1;
  #rotation = start();
  #zoom = 1;
  /** Of the points on the screen. @type {Float32Array} */
  #places = new Float32Array(0);
  #marked = -1;
  #waiting = false;
  /** Until when it rotates by itself, and the time of the last step, ms. */
  #spin = { until: 0, last: 0 };
  #hasSpun = false;

  /** @param {HTMLElement} place @param {{chosen: (id: number) => void, pointed: (id: number) => void, legend: () => Element | null}} options */
  constructor(place, options) {
    this.#place = place;
    this.#options = options;
    this.#picture = make(
      "div",
      {
        class: "space-picture",
        tabindex: "0",
        role: "application",
        "aria-roledescription": "3-D scatter plot",
      },
      this.#canvas,
      this.#name,
    );
    const button = (/** @type {string} */ sign, /** @type {string} */ label, press = () => {}) => {
      const made = make("button", { type: "button", "aria-label": label, title: label }, sign);
      made.addEventListener("click", press);
      return made;
    };
    this.#spinner.addEventListener("click", () => this.#spinFor(this.#spin.until ? 0 : Infinity));
    place.replaceChildren(
      make(
        "figure",
        { class: "space" },
        this.#picture,
        make(
          "div",
          { class: "space-controls" },
          button("+", "Closer", () => this.#magnify(ZOOM)),
          button("\u2212", "Farther", () => this.#magnify(1 / ZOOM)),
          button("Reset", "Reset the view", () => this.#reset()),
          this.#spinner,
          this.#legend,
        ),
        make(
          "p",
          { class: "note" },
          "Drag to rotate. Keys: arrows rotate, + and \u2212 zoom, 0 resets, Page Up and Page Down go through the labeled words, Enter chooses. Near words are larger and darker.",
        ),
        this.#said,
      ),
    );
    this.#listen();
  }

  /** @param {Places} places @param {Wanted} wanted */
  show(places, wanted) {
    const before = this.#cloud;
    const cloud = (this.#cloud = cloudOf(places, wanted));
    if (before?.ids.length !== cloud.ids.length) this.#marked = -1;
    this.#radius = radiusOf(cloud.points);
    const shares = Array.from(places.ratio).slice(0, 3);
    const [shown, all] = [cloud.ids.length, places.ids.length];
    const some = shown < all ? ` It draws ${count(shown)} of ${count(all)}.` : "";
    const share = brief(100 * shares.reduce((sum, each) => sum + each, 0));
    this.#said.textContent = `Components 1, 2 and 3 hold ${share} % of the variance.${some}`;
    this.#picture.setAttribute(
      "aria-label",
      `Words along three principal components: ${count(shown)} ${wanted.table.noun}s. Arrow keys rotate.`,
    );
    const legend = this.#options.legend();
    this.#legend.replaceChildren(...(legend ? [legend.cloneNode(true)] : []));
    this.#draw();
    if (!this.#hasSpun && !this.#still.matches) this.#spinFor(SPIN);
  }

  /** Where a word is on the screen, px; for tests and for pointers. @param {number} id */
  placeOf(id) {
    const at = 3 * (this.#cloud?.ids.indexOf(id) ?? -1);
    return at < 0 ? undefined : { x: this.#places[at], y: this.#places[at + 1] };
  }

  get rotation() {
    return [...this.#rotation];
  }

  #reset() {
    [this.#rotation, this.#zoom] = [start(), 1];
    this.#spinFor(0);
    this.#draw();
  }

  /** @param {number} factor */
  #magnify(factor) {
    this.#zoom = Math.min(GREATEST, Math.max(LEAST, this.#zoom * factor));
    this.#draw();
  }

  /** @param {number} right @param {number} down  radians */
  #turn(right, down) {
    this.#spinFor(0);
    this.#rotation = rotated(this.#rotation, right, down);
    this.#draw();
  }

  /** Rotates by itself for some time; 0 ends it. @param {number} time  ms */
  #spinFor(time) {
    const now = performance.now();
    const isOn = time > 0;
    this.#hasSpun = true;
    this.#spin = { until: isOn ? now + time : 0, last: now };
    this.#spinner.textContent = isOn ? "Stop rotating" : "Rotate";
    this.#spinner.setAttribute("aria-pressed", String(isOn));
    if (isOn) this.#draw();
  }

  #step() {
    const { until, last } = this.#spin;
    const now = performance.now();
    if (until === 0) return;
    if (now > until || this.#place.hidden) return this.#spinFor(0);
    this.#spin.last = now;
    this.#rotation = rotated(this.#rotation, Math.min(100, now - last) * SPEED, 0);
    this.#draw();
  }

  /** Once for each frame of the screen. */
  #draw() {
    if (this.#waiting) return;
    this.#waiting = true;
    const paint = () => {
      this.#waiting = false;
      if (!this.#cloud || this.#place.hidden) return;
      this.#paint(this.#cloud);
      this.#step();
    };
    if (matchMedia("print").matches)
      paint(); // paper has no frames
    else requestAnimationFrame(paint);
  }

  /** @param {Cloud} cloud */
  #paint(cloud) {
    const [width, height] = [this.#place.clientWidth, heightOf(this.#place)];
    const density = devicePixelRatio;
    const canvas = this.#canvas;
    const [columns, rows] = [Math.round(width * density), Math.round(height * density)];
    if (canvas.width !== columns) canvas.width = columns;
    if (canvas.height !== rows) canvas.height = rows;
    canvas.style.height = `${height}px`;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    context.setTransform(density, 0, 0, density, 0, 0);
    context.clearRect(0, 0, width, height);
    const view = {
      rotation: this.#rotation,
      radius: this.#radius,
      zoom: this.#zoom,
      width,
      height,
    };
    const inks = inksOf(this.#picture, this.#options.legend());
    this.#places = projected(cloud.points, view);
    axes(context, view, inks);
    marks(context, cloud, this.#places, inks);
    arrows(context, cloud, this.#places, inks);
    labels(context, cloud, this.#places, inks, { width, height });
    this.#point(width, height);
  }

  /** The name of the marked point over the picture. @param {number} width @param {number} height */
  #point(width, height) {
    const cloud = this.#cloud;
    const [x, y] = this.#places.subarray(3 * this.#marked, 3 * this.#marked + 2);
    this.#name.hidden =
      !cloud || this.#marked < 0 || !(x >= 0 && x <= width && y >= 0 && y <= height);
    if (this.#name.hidden || !cloud) return;
    this.#name.textContent = cloud.labels[this.#marked];
    const left = Math.max(0, Math.min(x + 8, width - this.#name.offsetWidth));
    this.#name.style.transform = `translate(${left}px, ${y - 12}px)`;
  }

  /** @param {number} index */
  #mark(index) {
    if (index === this.#marked || index < 0 || !this.#cloud) return;
    this.#marked = index;
    this.#options.pointed(this.#cloud.ids[index]);
    this.#point(this.#place.clientWidth, this.#canvas.clientHeight);
  }

  #choose() {
    if (this.#cloud && this.#marked >= 0) this.#options.chosen(this.#cloud.ids[this.#marked]);
  }

  /** Marks the next of the labeled words. @param {number} by */
  #next(by) {
    const named = this.#cloud?.named ?? [];
    if (named.length === 0) return;
    const at = named.indexOf(this.#marked);
    this.#mark(named[(at + by + named.length + (at < 0 && by < 0 ? 1 : 0)) % named.length]);
  }

  #listen() {
    const picture = this.#picture;
    /** @type {{x: number, y: number, far: boolean} | undefined} */
    let held;
    const at = (/** @type {PointerEvent} */ { clientX, clientY }) => {
      const { left, top } = this.#canvas.getBoundingClientRect();
      return nearestAt(this.#places, clientX - left, clientY - top, REACH);
    };
    picture.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      picture.setPointerCapture(event.pointerId);
      held = { x: event.clientX, y: event.clientY, far: false };
      this.#mark(at(event));
    });
    picture.addEventListener("pointermove", (event) => {
      const { clientX: x, clientY: y } = event;
      if (!held) return this.#mark(at(event));
      const [dx, dy] = [x - held.x, y - held.y];
      if (!held.far && Math.max(Math.abs(dx), Math.abs(dy)) < SLOP) return;
      held = { x, y, far: true };
      this.#turn(dx * DRAG, dy * DRAG);
    });
    picture.addEventListener("pointerup", (event) => {
      if (held && !held.far && at(event) === this.#marked && this.#marked >= 0) this.#choose();
      if (held && event.pointerType !== "mouse") picture.focus({ preventScroll: true });
      held = undefined;
    });
    picture.addEventListener("pointercancel", () => (held = undefined));
    picture.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey && !event.metaKey && !picture.matches(":focus")) return;
        event.preventDefault();
        this.#magnify(2 ** Math.min(0.5, Math.max(-0.5, -event.deltaY * 0.002)));
      },
      { passive: false },
    );
    picture.addEventListener("keydown", (event) => this.#press(event));
    new ResizeObserver(() => this.#draw()).observe(this.#place);
    for (const query of ["(prefers-color-scheme: dark)", "print"]) {
      matchMedia(query).addEventListener("change", () => this.#draw());
    }
    new MutationObserver(() => this.#draw()).observe(document.documentElement, {
      attributeFilter: ["data-theme", "class"],
    });
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const by = event.shiftKey ? 3 * KEY : KEY;
    /** @type {Record<string, () => void>} */
    const keys = {
      ArrowLeft: () => this.#turn(-by, 0),
      ArrowRight: () => this.#turn(by, 0),
      ArrowUp: () => this.#turn(0, -by),
      ArrowDown: () => this.#turn(0, by),
      PageDown: () => this.#next(1),
      PageUp: () => this.#next(-1),
      "+": () => this.#magnify(ZOOM),
      "=": () => this.#magnify(ZOOM),
      "-": () => this.#magnify(1 / ZOOM),
      0: () => this.#reset(),
      Enter: () => this.#choose(),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  }
}

/** @param {Places} places @param {Wanted} wanted @returns {Cloud} */
function cloudOf({ ids, projected, ratio }, { table, groups, word, named, arrows }) {
  const first = [word, ...arrows.flat(), ...named];
  const isFirst = new Set([...first, ...groups.keys()]);
  const chosen = Array.from(ids.keys());
  const shown =
    ids.length <= MOST
      ? chosen
      : [...chosen.filter((i) => isFirst.has(ids[i])), ...chosen.filter((i) => !isFirst.has(ids[i]))].slice(0, MOST); // prettier-ignore
  const names = [...new Set(groups.values())];
  const width = ratio.length;
  const at = known(Int32Array.from(shown, (i) => ids[i]));
  return {
    ids: Int32Array.from(shown, (i) => ids[i]),
    points: Float32Array.from({ length: 3 * shown.length }, (_, k) =>
      k % 3 < width ? projected[shown[Math.floor(k / 3)] * width + (k % 3)] : 0,
    ),
    groups: Int8Array.from(shown, (i) => names.indexOf(groups.get(ids[i]) ?? "")),
    labels: shown.map((i) => table.words[ids[i]]),
    named: [...new Set(at(first))],
    arrows: /** @type {[number, number][]} */ (
      arrows.map((pair) => at(pair)).filter(({ length }) => length === 2)
    ),
  };
}

/**
 * The colors of the page, and those of the groups from the legend of the flat map.
 * @param {Element} element @param {Element | null} legend
 */
function inksOf(element, legend) {
  const style = getComputedStyle(element);
  const [paper, ink, quiet, line, accent] = ["paper", "ink", "quiet", "line", "accent"].map(
    (name) => style.getPropertyValue(`--${name}`).trim(),
  );
  const groups = [...(legend?.querySelectorAll("path") ?? [])].map(
    (path) => path.getAttribute("fill") ?? accent,
  );
  return { paper, ink, quiet, line, accent, groups, font: style.fontFamily };
}

/** @typedef {ReturnType<typeof inksOf>} Inks */
/** @typedef {CanvasRenderingContext2D} Context */

/** @param {Context} context @param {Parameters<typeof projected>[1]} view @param {Inks} inks */
function axes(context, view, { line, quiet, font }) {
  const ends = [];
  for (const [axis, sign] of [0, 1, 2].flatMap((axis) => [
    [axis, -1],
    [axis, 1],
  ])) {
    ends.push(...[0, 1, 2].map((d) => (d === axis ? sign * view.radius : 0)));
  }
  const places = projected(ends, view);
  context.strokeStyle = line;
  context.fillStyle = quiet;
  context.lineWidth = 1;
  context.font = `12px ${font}`;
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (let axis = 0; axis < 3; ++axis) {
    const [x1, y1, , x2, y2] = places.subarray(6 * axis);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
    context.fillText(`component ${axis + 1}`, x2, y2 - 8);
  }
}

/**
 * The points, the farthest first.
 * @param {Context} context @param {Cloud} cloud @param {Float32Array} places @param {Inks} inks
 */
function marks(context, { groups, ids }, places, { quiet, accent, groups: colors }) {
  const grouped = colors.length > 0;
  /** Points by level, and within it by group. @type {number[][]} */
  const cells = Array.from({ length: LEVELS * 9 }, () => []);
  for (const i of ids.keys()) {
    const depth = places[3 * i + 2];
    if (!(depth === depth)) continue;
    const level = Math.min(LEVELS - 1, Math.max(0, Math.floor(((depth + 1) / 2) * LEVELS)));
    cells[level * 9 + groups[i] + 1].push(i);
  }
  for (const [cell, members] of cells.entries()) {
    if (members.length === 0) continue;
    const [nearness, group] = [(Math.floor(cell / 9) + 0.5) / LEVELS, (cell % 9) - 1];
    context.fillStyle = group < 0 ? (grouped ? quiet : accent) : (colors[group] ?? accent);
    context.globalAlpha = (group < 0 && grouped ? 0.5 : 1) * (0.2 + 0.75 * nearness);
    const size = (group < 0 ? 1 : 2) * (0.8 + 1.2 * nearness);
    context.beginPath();
    for (const i of members) {
      const [x, y] = [places[3 * i], places[3 * i + 1]];
      if (group < 0) context.rect(x - size, y - size, 2 * size, 2 * size);
      else {
        context.moveTo(x + size, y);
        context.arc(x, y, size, 0, 2 * Math.PI);
      }
    }
    context.fill();
  }
  context.globalAlpha = 1;
}

/** @param {Context} context @param {Cloud} cloud @param {Float32Array} places @param {Inks} inks */
function arrows(context, { arrows }, places, { ink, paper }) {
  for (const [from, to] of arrows) {
    const [x1, y1] = places.subarray(3 * from);
    const [x2, y2] = places.subarray(3 * to);
    const angle = Math.atan2(y2 - y1, x2 - x1);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    for (const side of [angle + 2.7, angle - 2.7]) {
      context.moveTo(x2, y2);
      context.lineTo(x2 + 12 * Math.cos(side), y2 + 12 * Math.sin(side));
    }
    for (const [color, width] of /** @type {[string, number][]} */ ([
      [paper, 5],
      [ink, 2],
    ])) {
      context.strokeStyle = color;
      context.lineWidth = width;
      context.stroke();
    }
  }
}

/**
 * Labels that do not overlap: first the chosen words, then the foremost words of groups.
 * @param {Context} context @param {Cloud} cloud @param {Float32Array} places @param {Inks} inks
 * @param {{width: number, height: number}} size
 */
function labels(context, cloud, places, { ink, paper, font }, { width, height }) {
  const named = new Set(cloud.named);
  const others = Array.from(cloud.groups.keys())
    .filter((i) => cloud.groups[i] >= 0 && !named.has(i) && places[3 * i + 2] > 0)
    .sort((i, j) => places[3 * j + 2] - places[3 * i + 2])
    .slice(0, LABELS);
  /** @type {{left: number, right: number, y: number}[]} */
  const taken = [];
  context.lineJoin = "round";
  context.lineWidth = 3;
  context.textAlign = "left";
  context.textBaseline = "middle";
  for (const i of [...named, ...others]) {
    const [x, y] = places.subarray(3 * i);
    context.font = `${named.has(i) ? "600 " : ""}12px ${font}`;
    const [left, right] = [x + 6, x + 8 + context.measureText(cloud.labels[i]).width];
    const isInside = left >= 0 && right <= width && y >= 8 && y <= height - 8;
    const isFree = taken.every(
      (other) => left > other.right || right < other.left || Math.abs(y - other.y) > 14,
    );
    if (!isInside || !isFree) continue;
    taken.push({ left, right, y });
    context.strokeStyle = paper;
    context.fillStyle = ink;
    context.strokeText(cloud.labels[i], left, y);
    context.fillText(cloud.labels[i], left, y);
  }
}
