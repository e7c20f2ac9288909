/** @import { Surface } from "../figure.js" */
/** @import { Points } from "./scene.js" */
/** @import { View } from "./view.js" */
import { escaped, px, standalone, tag } from "../svg.js";
import { NONE, frameOf, heightOf, markOf, sceneOf, shown } from "./scene.js";
import { outline } from "./shapes.js";
import { contains, whole } from "./view.js";

/** Height of a line of the legend, px. */
const ROW = 18;

/**
 * Draws the visible points as SVG, one path for each group.
 *
 * @param {Points} points @param {Surface} surface @param {View} [view]  by default all points
 */
export function scatterSvg(points, surface, view = whole(points.sheet)) {
  const { width, height = heightOf(width), colors } = surface;
  const labels = points.labels ?? [];
  const frame = frameOf(width, height);
  const scene = sceneOf(points, view, frame, (i) => widthOf(shown(labels[i])));
  const { beside } = scene;
  const [right, bottom] = [frame.x + frame.width, frame.y + frame.height];
  /** @param {number} x @param {number} y @param {string} anchor @param {string} words */
  const quiet = (x, y, anchor, words) =>
    tag("text", { x: px(x), y: px(y), "text-anchor": anchor, fill: colors.quiet }, escaped(words));
  const ticks = [
    ...scene.across.map(({ at }) => `M${px(at)},${px(bottom)}v5`),
    ...scene.down.map(({ at }) => `M${px(frame.x)},${px(at)}h-5`),
  ];
  const box = { x: frame.x, y: frame.y, width: px(frame.width), height: px(frame.height) };
  const line = { fill: "none", stroke: colors.line };
  const legend = points.names.map((name, group) => {
    const y = height + ROW * group + ROW / 2;
    const { shape, color } = markOf(points, scene, group, colors);
    const mark = tag("path", { d: outline(shape, frame.x + 6, y, 4.5), fill: color });
    return mark + tag("text", { x: frame.x + 18, y: y + 4 }, escaped(name));
  });
  const halo = {
    "paint-order": "stroke",
    stroke: colors.paper,
    "stroke-width": 3,
    "stroke-linejoin": "round",
  };
  return standalone(
    surface,
    height + ROW * legend.length,
    tag("rect", { ...box, ...line }),
    tag("path", { d: ticks.join(""), ...line }),
    ...scene.across.map(({ at, text }) => quiet(at, bottom + 17, "middle", text)),
    ...scene.down.map(({ at, text }) =>
      quiet(beside.x, at + 4, beside.inside ? "start" : "end", text),
    ),
    quiet(right, bottom + 34, "end", `${points.xTitle} \u2192`),
    quiet(4, 15, "start", `\u2191 ${points.yTitle}`),
    ...[NONE, ...points.names.keys()].map((group) => {
      const mark = markOf(points, scene, group, colors);
      const d = marksOf(points, scene, group, mark);
      const fill = { fill: mark.color, "fill-opacity": px(mark.strength) };
      return d === "" ? "" : tag("path", { d, ...fill });
    }),
    arrowsOf(scene, colors),
    tag(
      "g",
      halo,
      ...scene.labels.map(({ index, x, y, anchor }) => {
        const weight = points.highlight.has(index) ? 600 : undefined;
        const place = { x: px(x), y: px(y + 4), "text-anchor": anchor, "font-weight": weight };
        return tag("text", place, escaped(shown(labels[index])));
      }),
    ),
    ...legend,
  );
}

/**
 * The arrows, cut at the frame.
 * @param {import("./scene.js").Scene} scene @param {import("../colors.js").Colors} colors
 */
function arrowsOf({ arrows: d, frame: { x, y, width, height } }, { ink, paper }) {
  if (d === "") return "";
  const viewBox = [x, y, width, height].map(px).join(" ");
  const line = { d, fill: "none" };
  return tag(
    "svg",
    { x: px(x), y: px(y), width: px(width), height: px(height), viewBox },
    tag("path", { ...line, stroke: paper, "stroke-width": 5 }),
    tag("path", { ...line, stroke: ink, "stroke-width": 2 }),
  );
}

/**
 * The marks of a group that are within the frame, as path data.
 * @param {Points} points @param {import("./scene.js").Scene} scene
 * @param {number} group @param {{shape: number, radius: number}} mark
 */
function marksOf({ sheet: { u, v }, order, groups }, { frame, lens }, group, { shape, radius }) {
  let d = "";
  for (const i of order) {
    const [x, y] = [u[i] * lens.k + lens.left, v[i] * lens.k + lens.top];
    if (groups[i] === group && contains(frame, x, y)) d += outline(shape, x, y, radius);
  }
  return d;
}

/** Wide letters: those of Chinese, Japanese, Korean, and pictures. */
const WIDE = /[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{1f000}-\u{3ffff}]/u; // prettier-ignore

/**
 * Estimates the width of a text, px, because the fonts of the viewer are unknown.
 * @param {string} label
 */
function widthOf(label) {
  let width = 0;
  for (const letter of label) {
    width += WIDE.test(letter) ? 12 : /[ijlftr.,:;'|!()[\]]/.test(letter) ? 4.6 : /[mwMW@%]/.test(letter) ? 10.4 : /[A-Z]/.test(letter) ? 8.4 : 7.2; // prettier-ignore
  }
  return width;
}
