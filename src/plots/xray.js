/** @import { Kind } from "./figure.js" */
/** @import { Dial, DrawnXray } from "./xray/wall.js" */
import { describe, isRecord, oneOf } from "../runtime/check.js";
import { brief, count, text } from "./data.js";
import { markup, nodes } from "./pieces.js";
import { px, standalone, tag } from "./svg.js";
import { badgeParts, badgeText } from "./xray/badge.js";
import { HEIGHT, NARROW, narrow, wide, WIDTH } from "./xray/layout.js";
import { MEANS } from "./xray/ink.js";

/**
 * Draws what a context length is to a model, as `xray` of phasor/xray returns it.
 *
 * @typedef {object} XrayOptions
 * @property {string} [name]  the model's name, as the heading of the picture. Default: its family
 * @property {"picture" | "badge"} [form]  "badge": what the configuration says of positions alone, for a model card.
 *   Default: "picture"
 *
 * @typedef {{kind: number, pair: number}} XrayValue
 * @typedef {{seen: DrawnXray, name: string, width: number | undefined, isBadge: boolean}} Model
 * @typedef {{element: SVGElement, dials: Dial[], scale: number, ring: SVGElement}} Drawn
 */

/** @type {Kind<unknown, XrayOptions, Model, XrayValue, Drawn>} */
export const xray = {
  name: "xray",
  role: "x-ray of a context length",
  needsPlot: false,
  options: { name: undefined, form: "picture" },
  style: "",

  read(data, { name, width, form }) {
    const seen = /** @type {DrawnXray} */ (data);
    if (!isRecord(data) || !Array.isArray(seen.kinds) || typeof seen.sentence !== "string") {
      throw new TypeError(`data must be what xray returns; got ${describe(data)}`);
    }
    return {
      seen,
      name: name === undefined ? seen.type : text(name, "name"),
      width,
      isBadge: oneOf(form, "form", ["picture", "badge"]) === "badge",
    };
  },

  describe: ({ seen, name, isBadge }) => (isBadge ? badgeText(seen) : `${name}: ${seen.sentence}`),

  table({ seen }) {
    const rows = seen.kinds.flatMap(({ kind, pairs }) =>
      pairs.map((pair, i) => [
        `${kind}, pair ${i}`,
        pair.frequency,
        pair.seen,
        pair.turns,
        pair.unscaled,
        MEANS[pair.state],
      ]),
    );
    return {
      header: [
        "pair",
        "frequency (radians per token)",
        "turns in training",
        "turns at this length",
        "turns without the scaling",
        "what it meets",
      ],
      rows: rows.length,
      cell: (row, column) => rows[row][column],
    };
  },

  draw(model, surface) {
    const make = nodes(surface);
    const ring = make("rect", { fill: "none", "stroke-width": 2, visibility: "hidden", rx: 4 });
    if (model.isBadge) {
      const { parts, ...size } = badgeParts(model.seen, make);
      return { element: make("svg", size, [...parts, ring]), dials: [], scale: 1, ring };
    }
    const isNarrow = surface.width < NARROW;
    const made = isNarrow
      ? narrow(model, surface, make, surface.width)
      : wide(model, surface, make);
    const across = isNarrow ? surface.width : WIDTH;
    const scale = surface.width / across;
    const element = make(
      "svg",
      {
        width: surface.width,
        height: px(made.height * scale),
        viewBox: `0 0 ${across} ${made.height}`,
      },
      [...made.parts, ring],
    );
    return { element, dials: made.dials, scale, ring };
  },

  svg(model, surface) {
    if (model.isBadge) {
      const { parts, width, height } = badgeParts(model.seen, markup);
      return standalone({ ...surface, width, title: "" }, height, ...parts);
    }
    const { width = WIDTH } = model;
    const { parts } = wide(model, surface, markup);
    const scaled = tag(
      "g",
      width === WIDTH ? {} : { transform: `scale(${width / WIDTH})` },
      ...parts,
    );
    return standalone({ ...surface, width, title: "" }, (HEIGHT * width) / WIDTH, scaled);
  },

  at({ dials, scale }, _, x, y) {
    const [u, v] = [x / scale, y / scale];
    const found = dials.find(
      (dial) => u >= dial.x && v >= dial.y && u < dial.x + dial.side && v < dial.y + dial.step,
    );
    return found ? { kind: found.kind, pair: found.pair } : null;
  },

  find: ({ seen }, { kind, pair }) => (seen.kinds[kind]?.pairs[pair] ? { kind, pair } : null),

  move({ seen }, from, { rows, columns }) {
    const all = seen.kinds.flatMap(({ pairs }, kind) => pairs.map((_, pair) => ({ kind, pair })));
    const at = from ? all.findIndex((one) => one.kind === from.kind && one.pair === from.pair) : -1;
    return all[Math.min(all.length - 1, Math.max(0, at + columns + rows * 8))] ?? null;
  },

  say({ seen }, { kind, pair }) {
    const of = seen.kinds[kind];
    const { seen: before, turns, state } = of.pairs[pair];
    const where = `${of.kind}, pair ${pair}`;
    if (state === "still") return `${where}: ${MEANS.still}`;
    return `${where}: ${brief(before)} turns in the original ${count(of.trained, "token")}, ${brief(turns)} now: ${MEANS[state]}`;
  },

  mark({ dials, ring }, _, value) {
    const dial =
      value && dials.find(({ kind, pair }) => kind === value.kind && pair === value.pair);
    ring.setAttribute("visibility", dial ? "visible" : "hidden");
    if (!dial) return;
    const { x, y, side, step } = dial;
    const place = { x, y, width: side, height: step, stroke: "var(--phasor-accent)" };
    for (const [name, to] of Object.entries(place)) ring.setAttribute(name, String(to));
  },
};
