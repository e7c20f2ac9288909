/** @import { Drawing, Surface } from "../figure.js" */
/** @import { Points, Scene } from "./scene.js" */
/** @import { View } from "./view.js" */
import { maker } from "../dom.js";
import { sceneCanvas } from "./canvas.js";
import { gestures } from "./gestures.js";
import { frameOf, heightOf, markOf, sceneOf, shown } from "./scene.js";
import { outline } from "./shapes.js";
import { inFrame, isPrinted } from "../theme.js";
import { contains, lens, panned, revealing, whole, within, zoomed } from "./view.js";

/**
 * @typedef {Drawing & {
 *   readonly view: View,
 *   look(view: View | undefined): void,
 *   show(points: Points, surface: Surface): void,
 *   at(x: number, y: number): number,
 *   toward(from: number, across: number, down: number, steps: number): number,
 *   mark(index: number): void,
 *   press(key: string): boolean,
 * }} Chart
 */

/** The maximal distance from a pointer to the point that it marks, px. */
const REACH = 32;

/** The minimal step of an arrow key, px. Where points are dense, the next point is too close to be a step. */
const STEP = 6;

/** The factor of a zoom by key or button. */
const ZOOM = 1.5;

/** The margin around a point that is moved into view, px. */
const ROOM = 40;

/** The instructions; the style sheet shows those for the available pointer. */
const HINTS = {
  mouse:
    "Drag to move; a double click zooms, and so does the wheel with Ctrl, or without once the picture is clicked. " +
    "Keys: arrows go to the nearest point that way, + and \u2212 zoom, 0 shows all, Enter chooses.",
  touch: "Two fingers move and zoom; once the picture is tapped, one finger moves it.",
};

/** @param {ReturnType<typeof maker>} make */
const hints = (make) =>
  Object.entries(HINTS).map(([by, text]) => make("p", { class: `phasor-hint phasor-${by}` }, text));

/**
 * The moving picture: a canvas, the pointed-at point over it, and below it buttons, legend, hint.
 *
 * @param {Document} document
 * @returns {Chart}
 */
export function chart(document) {
  const make = maker(document);
  const canvas = sceneCanvas(document);
  const ring = make("div", { class: "phasor-ring", hidden: "" });
  const name = make("div", { class: "phasor-name", hidden: "" });
  const element = make("div", { class: "phasor-scatter" }, canvas.element, ring, name);
  const legend = make("ul", { class: "phasor-groups" });
  const controls = make(
    "div",
    { class: "phasor-scatter-controls" },
    button("+", "Zoom in", () => magnify(ZOOM)),
    button("\u2212", "Zoom out", () => magnify(1 / ZOOM)),
    button("All", "Show all points", () => turn(undefined)),
    legend,
    ...hints(make),
  );

  /** @type {Points} */
  let points;
  /** @type {Surface} */
  let surface;
  /** The view; undefined shows all points. @type {View | undefined} */
  let view;
  let frame = frameOf(0, 0);
  let marked = -1;
  /** What is on the canvas. @type {Scene | undefined} */
  let scene;
  let moved = false; // by the user, since the last frame
  let waiting = false;

  const now = () => (view ? within(points.sheet, view) : whole(points.sheet));

  /** Sets the view. @param {View | undefined} next */
  function turn(next) {
    view = next;
    moved = true;
    repaint();
  }

  /** @param {number} factor @param {number} [x] @param {number} [y] */
  function magnify(factor, x = frame.x + frame.width / 2, y = frame.y + frame.height / 2) {
    turn(zoomed(points.sheet, now(), frame, factor, x, y));
  }

  /** Once for each frame of the screen, however many events come between. */
  function repaint() {
    if (waiting && !isPrinted(document)) return; // the frame that it waits for comes after the printing
    waiting = true;
    inFrame(document, () => {
      waiting = false;
      scene = sceneOf(points, now(), frame, (i) => canvas.widthOf(points, i));
      canvas.paint(points, scene, surface.colors, marked);
      point(scene);
      if (moved) announce("view");
      moved = false;
    });
  }

  /** The marked point over the picture. @param {Pick<Scene, "lens" | "radius">} scene */
  function point({ lens: { k, left, top }, radius }) {
    const { u, v } = points.sheet;
    const [x, y] = [u[marked] * k + left, v[marked] * k + top];
    const inside = contains(frame, x, y);
    ring.hidden = !inside;
    name.hidden = !inside || !points.labels;
    if (!inside) return;
    const size = 2 * radius + 10;
    ring.style.width = ring.style.height = `${size}px`;
    ring.style.transform = `translate(${x - size / 2}px, ${y - size / 2}px)`;
    name.textContent = shown(points.labels?.[marked] ?? "");
    const aside = size / 2 + 3;
    const toLeft = x + aside + name.offsetWidth > frame.x + frame.width;
    const start = toLeft ? Math.max(0, x - aside - name.offsetWidth) : x + aside;
    name.style.transform = `translate(${start}px, ${y - name.offsetHeight / 2}px)`;
  }

  /** @param {string} type */
  function announce(type) {
    const Event = /** @type {any} */ (document.defaultView).Event;
    element.dispatchEvent(new Event(type, { bubbles: true }));
  }

  /** @param {string} sign @param {string} label @param {() => void} press */
  function button(sign, label, press) {
    const made = make("button", { type: "button", "aria-label": label, title: label }, sign);
    made.addEventListener("click", press);
    return made;
  }

  gestures(element, {
    pan: (dx, dy) => turn(panned(points.sheet, now(), frame, dx, dy)),
    zoom: magnify,
    tap: (x, y) => {
      element.parentElement?.focus({ preventScroll: true }); // a touch does not set the focus
      if (at(x, y) >= 0) announce("change");
    },
    focused: () => element.parentElement?.matches(":focus") ?? false,
  });

  /** Index of the point at a place, px; -1 where there is none. @param {number} x @param {number} y */
  function at(x, y) {
    const { k, left, top } = lens(points.sheet, now(), frame);
    const i = points.grid.nearest((x - left) / k, (y - top) / k, REACH / k);
    const { u, v } = points.sheet;
    return contains(frame, u[i] * k + left, v[i] * k + top) ? i : -1;
  }

  return {
    element,
    controls,
    at,

    get view() {
      return now();
    },

    look(next) {
      view = next;
      repaint();
    },

    show(nextPoints, nextSurface) {
      [points, surface] = [nextPoints, nextSurface];
      const { width, height = heightOf(width), colors } = surface;
      frame = frameOf(width, height);
      canvas.resize(width, height);
      legend.replaceChildren(
        ...points.names.map((text, group) => {
          const mark = markOf(points, { radius: 0, strength: 1 }, group, colors);
          return make("li", {}, sample(document, mark), text);
        }),
      );
      legend.hidden = points.names.length === 0;
      repaint();
    },

    toward(from, across, down, steps) {
      const { k } = lens(points.sheet, now(), frame);
      return points.grid.toward(from, across, down, (STEP * steps) / k);
    },

    mark(index) {
      const before = view;
      if (index !== marked && index >= 0) {
        const from = now();
        const seen = revealing(points.sheet, from, frame, index, ROOM);
        if (seen !== from) view = seen;
      }
      // The canvas is repainted only if its labels change, because a pointer passes many points.
      const labeled = [index, marked].some((i) => scene?.labels.some((label) => label.index === i));
      marked = index;
      if (!scene || labeled || view !== before) repaint();
      else point(scene);
    },

    press(key) {
      if (key === "+" || key === "=") magnify(ZOOM);
      else if (key === "-" || key === "_") magnify(1 / ZOOM);
      else if (key === "0") turn(undefined);
      else if (key === "Enter" && marked >= 0) announce("change");
      else return false;
      return true;
    },
  };
}

/** One mark of the legend. @param {Document} document @param {{shape: number, color: string}} mark */
function sample(document, { shape, color }) {
  const of = (/** @type {string} */ name, /** @type {Record<string, string>} */ attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  const picture = of("svg", { width: "14", height: "14", "aria-hidden": "true" });
  picture.append(of("path", { d: outline(shape, 7, 7, 4.5), fill: color }));
  return picture;
}
