/** @import { Surface } from "./figure.js" */
/** @import { Scale } from "./axes.js" */
/** @import { Box, Rule } from "./pieces.js" */
import { domain, held, placed, shown, ticks, ticksAcross, tickText } from "./axes.js";
import { category, drawKey, keyOf, SIGN } from "./key.js";
import { advance, fitted, LINE, spread } from "./labels.js";
import { axisTitle, inks, piece, labeled, pointer, ruled, set, text } from "./pieces.js";
import { plotted } from "./plot.js";
import { serialized, standalone } from "./svg.js";

/**
 * Draws lines over a common axis, for waves and spectra.
 *
 * @typedef {object} Scene
 * @property {ArrayLike<number>} x  finite, increasing
 * @property {readonly Line[]} lines
 * @property {readonly Rule[]} rules
 * @property {string} xTitle
 * @property {string} yTitle
 * @property {Scale} xScale  for `log`, every x must be above 0
 * @property {Scale} yScale  for `log`, values that are not above 0 are gaps
 * @property {readonly [number, number]} [yDomain]
 * @property {readonly string[]} [colors]  of the lines
 * @property {number} [offset]  how far each line is above the one before, instead of on a common axis
 *
 * @typedef {object} Line
 * @property {string} label  not shown if empty
 * @property {ArrayLike<number>} y  at most as many as x; NaN and infinities are gaps
 * @property {(index: number) => boolean} [full]  draws a point at each x, hollow where this is
 *   false
 *
 * @typedef {object} Point
 * @property {number} line
 * @property {number} index
 *
 * @typedef {object} LinesDrawing
 * @property {SVGSVGElement} element
 * @property {number} height  px
 * @property {Scene} scene
 * @property {Box} box
 * @property {(x: number) => number} left  px
 * @property {(y: number) => number} top  px
 * @property {string[]} strokes  of each line
 * @property {Element} group  the elements that follow the marked point
 * @property {Element} rule
 * @property {Element} dot
 * @property {Element} label
 */

/** @param {Scene} scene @param {Surface} surface @returns {LinesDrawing} */
export function drawLines(scene, surface) {
  const { Plot } = surface;
  const { paper, quiet, line } = inks(surface);
  const { lines, xScale, yScale, xTitle, yTitle } = scene;
  const { xs, ys, x, y, names, rules, above, box, height } = arranged(scene, surface);
  const styles = lines.map((_, i) => category(i, lines.length, surface, scene.colors));
  const strokes = styles.map(({ stroke }) => stroke);
  const clip = scene.yDomain !== undefined; // else nothing overflows
  const zeros = zerosOf(scene, y.domain);

  const { svg, left, top } = plotted(surface, height, box, {
    x: { type: xScale, domain: x.domain },
    y: { type: yScale, domain: y.domain },
    marks: [
      Plot.gridY(y.ticks, { stroke: line, strokeOpacity: 1 }),
      Plot.ruleY(zeros, { stroke: quiet }),
      Plot.axisY(y.ticks, { tickFormat: y.text, tickSize: 0, label: null }),
      Plot.axisX(x.ticks, { tickFormat: x.text, tickSize: 4, label: xTitle }),
      ys.map((y, i) =>
        Plot.line({ length: y.length }, { x: xs, y, clip, strokeWidth: 1.5, ...styles[i] }),
      ),
      lines.map(({ full }, i) => (full ? [points(i, full, true), points(i, full, false)] : [])),
    ],
  });

  /** @param {number} i @param {(index: number) => boolean} full @param {boolean} which */
  function points(i, full, which) {
    const y = ys[i].map((value, index) => (full(index) === which ? value : NaN));
    const look = { r: 2.25, stroke: strokes[i], fill: which ? strokes[i] : paper };
    return Plot.dot({ length: y.length }, { x: xs, y, clip, ...look });
  }

  const rule = piece(surface, "line", { stroke: quiet });
  const dot = piece(surface, "circle", { r: 4.5, stroke: paper, "stroke-width": 1.5 });
  const { group, label } = pointer(surface, rule, dot);
  const drawing = { element: svg, height, scene, box, left, top, strokes, group, rule, dot, label };
  svg.append(
    ...ruled(rules, above, box, top, surface),
    ...(names.beside > 0 ? besides(drawing, ys, surface) : []),
    ...drawKey(names.above, styles, surface),
    axisTitle(surface, `↑ ${yTitle}`, names.above.height),
    group,
  );
  return drawing;
}

/**
 * Computes the layout, as far as it is known before Plot draws.
 * @param {Scene} scene @param {Surface} surface
 */
function arranged(scene, { width, height: asked }) {
  const { lines, x, xScale, yScale, yDomain, rules: all, offset = 0 } = scene;
  const ample = asked ?? Math.round(Math.min(360, Math.max(220, width * 0.45)));
  const xs = Array.from(x);
  const ys = lines.map(({ y }, i) =>
    Array.from(y, (value) => (shown(value, yScale) ? value + i * offset : NaN)),
  );
  const xEnds = domain([...xs, ...at(all, "x")], xScale);
  const yEnds = yDomain ?? airy(domain([...ys.flat(), ...at(all, "y")], yScale), yScale);
  const rules = all.filter(({ y }) => y === undefined || (y >= yEnds[0] && y <= yEnds[1]));
  const lasts = ys.map((y) => y.findLast((value) => !Number.isNaN(value)) ?? yEnds[0]);
  const names = namesOf(lines, width, ample, lasts.map(placed(yEnds, yScale, [ample - 44, 30])));
  const [xText, yText] = [tickText(xEnds, xScale), tickText(yEnds, yScale)];

  const widestX = Math.max(...ticks(xEnds, width / 60, xScale).map((tick) => advance(xText(tick))));
  const right = width - Math.max(14, names.beside, widestX / 2 - 4);
  const yTexts = offset > 0 ? [] : ticks(yEnds, 8, yScale).map(yText);
  const widest = Math.max(0, ...yTexts.map(advance));
  const left = Math.max(30, widest + 12);
  const above = labeled(rules, placed(xEnds, xScale, [left, right]), right);
  const height = asked ?? ample + names.above.height + above.height;
  const box = { left, right, top: 30 + names.above.height + above.height, bottom: height - 44 };

  const whole = xs.every(Number.isInteger);
  const xTicks = ticksAcross(xEnds, right - left, 60, xScale);
  const yTicks = offset > 0 ? [] : ticks(yEnds, (box.bottom - box.top) / 40, yScale);
  const some = whole ? xTicks.filter(Number.isInteger) : xTicks;
  return {
    xs,
    ys,
    names,
    rules,
    above,
    box,
    height,
    x: { domain: xEnds, ticks: some, text: xText },
    y: { domain: yEnds, ticks: yTicks, text: yText },
  };
}

/** The farthest that the name of a line may be from the line's end, px. */
const NEAR = 10;

/** Draws the lines as a string. @param {Scene} scene @param {Surface} surface @returns {string} */
export function linesString(scene, surface) {
  const { element, height } = drawLines(scene, surface);
  return standalone(surface, height, serialized(element));
}

/**
 * Finds the point of a line that is nearest to a place: first horizontally, then vertically. Gaps are skipped.
 * @param {LinesDrawing} drawing @param {number} x @param {number} y  px
 * @returns {Point | null}
 */
export function nearestPoint({ scene, left, top }, x, y) {
  const distances = Array.from(scene.x, (value) => Math.abs(left(value) - x));
  let [least, found] = [Infinity, /** @type {Point | null} */ (null)];
  for (const [line, { y: values }] of scene.lines.entries()) {
    for (let index = 0; index < values.length; ++index) {
      if (!shown(values[index], scene.yScale)) continue;
      const away = Math.abs(top(values[index] + line * (scene.offset ?? 0)) - y);
      const distance = distances[index] * 1e4 + away;
      if (distance < least) [least, found] = [distance, { line, index }];
    }
  }
  return found;
}

/**
 * Marks a point with a rule, a dot and its value; removes the mark for null.
 * @param {LinesDrawing} drawing @param {Point | null} point @param {string} text
 */
export function markPoint(
  { scene, box, left, top, strokes, group, rule, dot, label },
  point,
  text,
) {
  group.setAttribute("visibility", point ? "visible" : "hidden");
  if (!point) return;
  const x = left(scene.x[point.index]);
  const value = scene.lines[point.line].y[point.index];
  const here = shown(value, scene.yScale);
  const height = top(value + point.line * (scene.offset ?? 0));
  const y = here ? Math.min(box.bottom, Math.max(box.top, height)) : box.top + LINE;
  set(rule, { x1: x, x2: x, y1: box.top, y2: box.bottom });
  set(dot, { cx: x, cy: y, fill: strokes[point.line], visibility: here ? "inherit" : "hidden" });
  const rightwards = x < (box.left + box.right) / 2;
  const below = y < box.top + LINE;
  set(label, {
    x: rightwards ? x + 8 : x - 8,
    y: below ? y + 14 : y - 10,
    "text-anchor": rightwards ? "start" : "end",
  });
  label.textContent = text;
}

/** Where lines are 0, within the axis. @param {Scene} scene @param {readonly number[]} ends  of the axis */
function zerosOf({ lines, offset = 0 }, [least, most]) {
  const zeros = offset > 0 ? lines.map((_, i) => i * offset) : [0];
  return zeros.filter((y) => least < y && y < most);
}

/** Extends a range by a margin. @param {readonly [number, number]} ends @param {Scale} scale */
function airy([least, most], scale) {
  const air = scale === "log" ? 0 : (most - least) * 0.04;
  return /** @type {[number, number]} */ ([held(least - air), held(most + air)]);
}

/** @param {readonly Rule[]} rules @param {"x" | "y"} side */
function at(rules, side) {
  return rules.flatMap((rule) => rule[side] ?? []);
}

/**
 * Places the names of the lines at their ends if they fit and the ends are apart, otherwise in rows above.
 * @param {readonly Line[]} lines @param {number} width @param {number} height
 * @param {readonly number[]} ends  the heights at which the lines end, px
 */
function namesOf(lines, width, height, ends) {
  const texts = lines.map(({ label }) => fitted(label, width - SIGN));
  const widest = Math.max(0, ...texts.map(advance));
  if (widest === 0) return { beside: 0, above: keyOf([], width) };
  const moved = spread(ends, 30, height - 44).map((y, i) => Math.abs(y - ends[i]));
  const fits = widest < width * 0.28 && texts.length * LINE < height - 90;
  if (fits && Math.max(...moved) <= NEAR)
    return { beside: SIGN + widest + 6, above: keyOf([], width) };
  return { beside: 0, above: keyOf(texts, width) };
}

/** The names at the lines' ends. @param {LinesDrawing} drawing @param {number[][]} ys @param {Surface} surface */
function besides({ scene, box, left, top, strokes }, ys, surface) {
  const lasts = ys.map((y) => y.findLastIndex((value) => !Number.isNaN(value)));
  const ends = ys.map((y, i) => (lasts[i] < 0 ? box.bottom : within(box, top(y[lasts[i]]))));
  const heights = spread(ends, box.top, box.bottom);
  return scene.lines.flatMap(({ label }, i) => {
    const from = lasts[i] < 0 ? box.right : left(scene.x[lasts[i]]);
    const d = `M${from + 3},${ends[i]}H${Math.max(from, box.right - 2) + 3}L${box.right + SIGN - 8},${heights[i]}`;
    return [
      piece(surface, "path", { d, stroke: strokes[i], fill: "none", "stroke-opacity": 0.6 }),
      text(surface, fitted(label, surface.width), box.right + SIGN - 4, heights[i]),
    ];
  });
}

/** @param {Box} box @param {number} y */
const within = ({ top, bottom }, y) => Math.min(bottom, Math.max(top, y));
