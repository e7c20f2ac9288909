// One small figure for each scheme: what is recorded, what was trained here, and the wall at the trained length.

import { make, makeSvg } from "../app/dom.js";
import "./panels.css";

/** The sizes of a figure, in its own units; those of its plot are without the labels. */
const WIDTH = 200;
const HEIGHT = 132;
const LEFT = 27;
const RIGHT = 6;
const TOP = 6;
const BOTTOM = 20;

/**
 * What all figures share.
 * @typedef {object} Axes
 * @property {readonly [number, number]} x  from and to
 * @property {readonly [number, number]} y
 * @property {readonly {at: number, text: string}[]} xTicks
 * @property {readonly {at: number, text: string}[]} yTicks
 * @property {number} [wall]  where the trained length ends
 * @property {number} [chance]  what a guess reaches
 * @property {number} [ruler]  where it stands
 *
 * @typedef {readonly (readonly [number, number])[]} Points
 * @typedef {{kind: "band" | "seed" | "mean" | "here", points: Points}} Line
 * @typedef {{name: string, title: string, said: string, note: string, mark: "" | "same" | "other", lines: readonly Line[], label: string}} Panel
 */

/** A figure in the page, which keeps its elements. @typedef {ReturnType<typeof figureOf>} Figure */

/**
 * The figures in a place.
 * @param {HTMLElement} place
 */
export function panels(place) {
  /** @type {Map<string, Figure>} */
  const figures = new Map();
  return {
    /** @param {Axes} axes @param {readonly Panel[]} shown */
    show(axes, shown) {
      const all = shown.map((panel) => {
        const figure = figures.get(panel.name) ?? figureOf();
        figures.set(panel.name, figure);
        figure.put(axes, panel);
        return figure.element;
      });
      const isSame =
        place.children.length === all.length && all.every((each, i) => place.children[i] === each);
      if (!isSame) place.replaceChildren(...all);
    },
  };
}

function figureOf() {
  const frame = makeSvg("g", {});
  const content = makeSvg("g", {});
  const svg = makeSvg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" }, frame, content);
  const title = make("b");
  const said = make("span", { class: "said" });
  const note = make("span", { class: "bits" });
  const element = make(
    "figure",
    { class: "panel" },
    make("figcaption", {}, title, said),
    svg,
    note,
  );
  let [framed, shown] = ["", ""];
  return {
    element,
    /** @param {Axes} axes @param {Panel} panel */
    put(axes, panel) {
      const [key, now] = [JSON.stringify(axes), JSON.stringify(panel)];
      if (key === framed && now === shown) return;
      const scale = scalesOf(axes);
      if (key !== framed) frame.replaceChildren(...frameOf(axes, scale));
      [framed, shown] = [key, now];
      element.dataset.scheme = panel.name;
      title.textContent = panel.title;
      said.textContent = panel.said;
      note.textContent = panel.note;
      note.dataset.mark = panel.mark;
      svg.setAttribute("aria-label", panel.label);
      content.replaceChildren(...panel.lines.flatMap((line) => drawn(line, scale)));
    },
  };
}

/** @param {Axes} axes */
function scalesOf({ x: [x0, x1], y: [y0, y1] }) {
  const [width, height] = [WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM];
  const inside = (/** @type {number} */ share) => Math.min(1, Math.max(0, share));
  return {
    x: (/** @type {number} */ at) => round(LEFT + (width * (at - x0)) / (x1 - x0)),
    y: (/** @type {number} */ at) => round(TOP + height * inside((y1 - at) / (y1 - y0))),
  };
}

/** @param {number} at */
const round = (at) => Math.round(at * 10) / 10;

/** @param {Axes} axes @param {ReturnType<typeof scalesOf>} scale */
function frameOf({ x, y, xTicks, yTicks, wall, chance, ruler }, scale) {
  const [left, right] = x.map(scale.x);
  const [low, high] = y.map(scale.y);
  const line = (/** @type {string} */ kind, /** @type {number[]} */ [x1, y1, x2, y2]) =>
    makeSvg("line", { class: kind, x1, y1, x2, y2 });
  const beyond =
    wall === undefined
      ? []
      : [
          makeSvg("rect", {
            class: "beyond",
            x: scale.x(wall),
            y: high,
            width: round(right - scale.x(wall)),
            height: low - high,
          }),
          line("wall", [scale.x(wall), high, scale.x(wall), low]),
        ];
  return [
    ...beyond,
    ...(chance === undefined
      ? []
      : [line("chance", [left, scale.y(chance), right, scale.y(chance)])]),
    ...(ruler === undefined ? [] : [line("ruler", [scale.x(ruler), high, scale.x(ruler), low])]),
    line("axis", [left, low, right, low]),
    ...yTicks.map(({ at, text }) =>
      makeSvg("text", { x: LEFT - 4, y: scale.y(at) + 3.5, class: "y" }, text),
    ),
    ...xTicks.map(({ at, text }) =>
      makeSvg("text", { x: scale.x(at), y: low + 13, class: "x" }, text),
    ),
  ];
}

/** @param {Line} line @param {ReturnType<typeof scalesOf>} scale */
function drawn({ kind, points }, scale) {
  if (points.length === 0) return [];
  const at = points.map(([x, y]) => `${scale.x(x)} ${scale.y(y)}`);
  const path = makeSvg("path", { class: kind, d: `M${at.join("L")}` });
  const isSparse = kind === "here" && points.length < 8;
  const dots = isSparse
    ? points.map(([x, y]) =>
        makeSvg("circle", { class: kind, cx: scale.x(x), cy: scale.y(y), r: 2.6 }),
      )
    : [];
  return [path, ...dots];
}
