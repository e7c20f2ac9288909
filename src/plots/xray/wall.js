/** The wall of dials: a circle for each pair, with the arcs of training and of the asked length. */

/** @import { Ink, Place } from "./ink.js" */
import { brief } from "../data.js";
import { px } from "../svg.js";
import { wrapped } from "./ink.js";

/**
 * What `xray` of phasor/xray returns, as far as it is drawn.
 * @typedef {{frequency: number, seen: number, turns: number, unscaled: number, state: "seen" | "mapped" | "new" | "still"}} Pair
 * @typedef {{kind: string, layers: number, rotates: boolean, attends: boolean, window?: number | null, reach: number,
 *   trained: number, rotary?: {layout: string, options: {base: number, scaling?: {type: string, factor?: number}}},
 *   pairs: readonly Pair[], ignored?: {positions: readonly number[], left: readonly number[]}}} XrayKind
 * @typedef {{type: string, scheme: string, length: number, trained: number, kinds: readonly XrayKind[],
 *   order?: readonly number[], readers: readonly {does: string, kinds: readonly {asked: number}[]}[],
 *   precision: Record<"bfloat16" | "float16", {first: number, apart: number | null}>,
 *   cost: {cache: number | null, cachePerToken: number | null, tablesPerToken: number}, sentence: string,
 *   badge: string}} DrawnXray
 *
 * Where a dial is, px.
 * @typedef {{kind: number, pair: number, x: number, y: number, side: number, step: number}} Dial
 */

/** The sides of a dial's square, px; from this side on its turns are written below. */
const WIDEST = 84;
const SMALLEST = 7;
const NUMBERED = 44;
const NUMBER = 13;

/** The size of a heading's letters, the heights of its first line and of others, and what is between kinds of layers, px. */
const LETTERS = 14;
const HEADING = 22;
const LINE = 17;
const BETWEEN = 10;

/** @param {XrayKind} kind @param {number} length */
function headingOf(
  { kind, layers, rotates, attends, window: most, rotary, trained, ignored },
  length,
) {
  const count = `${layers} ${layers === 1 ? "layer" : "layers"}, ${kind.replaceAll("_", " ")}`;
  const sees = most && most < length ? `, sees ${most.toLocaleString("en-US")} tokens` : "";
  if (!rotates) return `${count}${sees}: ${attends ? "no rotation" : "no attention to positions"}`;
  const { base, scaling } = rotary?.options ?? { base: 0 };
  const times = ignored && scaling?.factor ? ` ×${brief(scaling.factor)}` : "";
  const by = scaling ? `, ${scaling.type}${times}` : "";
  const from = ignored ? ` from ${trained.toLocaleString("en-US")}` : "";
  return `${count}${sees}, base ${base.toLocaleString("en-US")}${by}${from}`;
}

/** @param {readonly XrayKind[]} kinds @param {readonly string[][]} headings  lines of each @param {number} width @param {number} side  px */
function heightOf(kinds, headings, width, side) {
  const step = side + (side >= NUMBERED ? NUMBER : 0);
  const columns = Math.floor(width / side);
  return kinds.reduce(
    (sum, { pairs }, kind) =>
      sum + heightOfHeading(headings[kind]) + Math.ceil(pairs.length / columns) * step + BETWEEN,
    -BETWEEN,
  );
}

/** @param {readonly string[]} lines */
const heightOfHeading = (lines) => HEADING + (lines.length - 1) * LINE;

/**
 * @param {DrawnXray} seen @param {Ink} ink @param {Place & {height: number}} place
 * @returns {{parts: any[], dials: Dial[], bottom: number, hasTurns: boolean}}
 */
export function wall({ kinds, length }, ink, { x, y, width, height }) {
  const { write, colors } = ink;
  const headings = kinds.map((kind) => wrapped(headingOf(kind, length), width, LETTERS));
  let side = WIDEST;
  while (side > SMALLEST && heightOf(kinds, headings, width, side) > height) side -= 0.5;
  const step = side + (side >= NUMBERED ? NUMBER : 0);
  const columns = Math.floor(width / side);
  /** @type {any[]} */
  const parts = [];
  /** @type {Dial[]} */
  const dials = [];
  let top = y;
  for (const [kind, of] of kinds.entries()) {
    const style = { size: LETTERS, fill: of.rotates ? colors.ink : colors.quiet };
    for (const [line, words] of headings[kind].entries()) {
      parts.push(write(words, x, top + LETTERS + line * LINE, style));
    }
    top += heightOfHeading(headings[kind]);
    for (const [pair, each] of of.pairs.entries()) {
      const left = x + (pair % columns) * side;
      const at = top + Math.floor(pair / columns) * step;
      dials.push({ kind, pair, x: left, y: at, side, step });
      parts.push(...dial(each, ink, left + side / 2, at + side / 2, side * 0.42));
      if (side < NUMBERED) continue;
      const turns =
        each.state === "still" ? "0" : each.turns < 0.01 ? "<0.01" : brief(each.turns, 2);
      const word = { size: 10.5, fill: colors.quiet, anchor: "middle" };
      parts.push(write(turns, left + side / 2, at + side + 7, word));
    }
    top += Math.ceil(of.pairs.length / columns) * step + BETWEEN;
  }
  return { parts, dials, bottom: top - BETWEEN, hasTurns: side >= NUMBERED };
}

/**
 * Green within: the arc of training. Red, to the rim: angles that are new. A violet rim: what the scaling spares.
 * @param {Pair} pair @param {Ink} ink @param {number} cx @param {number} cy @param {number} radius  px
 */
export function dial({ seen, turns, unscaled, state }, { make, colors }, cx, cy, radius) {
  const rim = make("circle", {
    cx: px(cx),
    cy: px(cy),
    r: px(radius),
    fill: "none",
    stroke: colors.quiet,
    ...(state === "still" && { "stroke-dasharray": "1 3" }),
    "stroke-width": radius < 10 ? 0.5 : 1,
  });
  if (state === "still") return [rim];
  /** An arc between two shares of a turn, clockwise from the top, and two radii. */
  const arc = (
    /** @type {number} */ from,
    /** @type {number} */ to,
    /** @type {[number, number]} */ [inner, outer],
    /** @type {string} */ stroke,
  ) => {
    const r = ((inner + outer) / 2) * radius;
    const whole = 2 * Math.PI * r;
    const part = Math.min(1, to) - from;
    if (!(part > 1e-4)) return [];
    return [
      make("circle", {
        cx: px(cx),
        cy: px(cy),
        r: px(r),
        fill: "none",
        stroke,
        "stroke-width": px((outer - inner) * radius),
        "stroke-dasharray": `${px(part * whole)} ${px(whole + 1)}`,
        transform: `rotate(${px(360 * from - 90)} ${px(cx)} ${px(cy)})`,
      }),
    ];
  };
  const known = Math.min(1, seen);
  const met = Math.min(1, Math.max(known, state === "new" ? turns : known));
  return [
    ...arc(0, known, [0, 0.74], colors.seen),
    ...arc(known, met, [0, 1], colors.new),
    ...arc(met, unscaled, [0.76, 1], colors.mapped),
    rim,
  ];
}
