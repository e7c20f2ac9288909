/** The parts beside the wall: layers, what other readers have left, positions of 16 bits, bytes. */

/** @import { Ink, Place } from "./ink.js" */
/** @import { DrawnXray } from "./wall.js" */
import { scaleLog } from "d3-scale";
import { minus } from "../data.js";
import { px } from "../svg.js";
import { sized, wideness } from "./ink.js";

/** Words on a bar of the color `seen`: dark in both themes, and in print. */
const ON_GREEN = "#12161a";

/** The height of a part's heading, px. */
const HEADING = 22;

const number = (/** @type {number} */ value) => value.toLocaleString("en-US");

/** Positions along a line, closer together the farther they are. @param {number} length @param {Place} place */
const along = (length, { x, width }) =>
  scaleLog()
    .domain([1, Math.max(2, length)])
    .range([x, x + width]);

/** A cell for each layer; those without rotation, and with a window, as gaps. @param {DrawnXray} seen @param {Ink} ink @param {Place} place */
export function layers({ kinds, order, length }, { make, colors, write }, { x, y, width }) {
  const all = order ?? Array.from({ length: kinds[0]?.layers ?? 0 }, () => 0);
  const step = Math.min(20, width / all.length);
  const HIGH = 22;
  const cells = all.map((of, layer) => {
    const { rotates, attends, reach } = kinds[of];
    const high = attends ? (reach < length ? HIGH / 2 : HIGH) : HIGH / 5;
    const at = { x: px(x + layer * step + 1), width: px(Math.max(1, step - 2)) };
    const box = { ...at, y: px(y + HEADING + HIGH - high), height: px(high) };
    return rotates
      ? make("rect", { ...box, fill: colors.quiet })
      : make("rect", { ...box, fill: "none", stroke: colors.quiet, "stroke-dasharray": "2 2" });
  });
  const says = ["Layers", kinds.some(({ reach }) => reach < length) && "low: with a window"];
  const still = kinds.some(({ rotates }) => !rotates) && "empty: no rotation";
  const heading = [...says, still].filter(Boolean).join(", ").replace(", ", ": ");
  return {
    parts: [write(heading, x, y + 13, { fill: colors.quiet }), ...cells],
    bottom: y + HEADING + HIGH,
  };
}

/** The share of the dot product by position. @param {DrawnXray} seen @param {Ink} ink @param {Place & {height: number}} place */
export function strip({ kinds, length }, { make, colors, write }, place) {
  const { x, y, width, height } = place;
  const lines = kinds.flatMap(({ ignored, trained }) => (ignored ? [{ ...ignored, trained }] : []));
  if (lines.length === 0) return { parts: [], bottom: y - 14 };
  const heading = "Dot product left if the scaling is ignored";
  const parts = [write(heading, x, y + 13, { fill: colors.quiet })];
  const across = along(length, { ...place, x: x + 28, width: width - 68 });
  const least = Math.min(0, ...lines.flatMap(({ left }) => left));
  const [top, bottom] = [y + HEADING + 6, y + height - 18];
  const up = (/** @type {number} */ share) =>
    px(bottom - ((share - least) / (1 - least)) * (bottom - top));
  for (const share of [0, 0.5, 1]) {
    const rule = { x1: px(x + 28), x2: px(x + width - 40), y1: up(share), y2: up(share) };
    parts.push(make("line", { ...rule, stroke: colors.line }));
    parts.push(write(String(share), x + 22, up(share) + 4, { size: 11, fill: colors.quiet, anchor: "end" })); // prettier-ignore
  }
  for (const tick of across.ticks(3).filter((tick) => /^10*$/.test(String(tick)))) {
    const word = { size: 11, fill: colors.quiet, anchor: "middle" };
    parts.push(write(number(tick), across(tick), bottom + 15, word));
  }
  for (const { trained } of lines.filter(({ trained }) => trained < length)) {
    const at = px(across(trained));
    const dashed = { stroke: colors.quiet, "stroke-dasharray": "2 3" };
    parts.push(make("line", { x1: at, x2: at, y1: top, y2: bottom, ...dashed }));
  }
  for (const { positions, left } of lines) {
    const points = positions.map((position, i) => `${px(across(position))} ${up(left[i])}`);
    const path = { d: `M${points.join("L")}`, fill: "none", stroke: colors.new };
    parts.push(make("path", { ...path, "stroke-width": 2.5, "stroke-linejoin": "round" }));
    const [last, end] = [left[left.length - 1], positions[positions.length - 1]];
    const at = { size: 12, bold: true };
    if (end === length)
      parts.push(write(minus(last.toFixed(2)), across(end) + 5, up(last) + 4, at));
  }
  return { parts, bottom: y + height };
}

/** The most readers that are drawn. */
const MOST = 5;

/** What readers have left, as bars. @param {DrawnXray} seen @param {Ink} ink @param {Place} place */
export function readers({ readers: all }, { make, colors, write }, { x, y, width }) {
  const shown = all.slice(0, MOST);
  const parts = [
    write("Dot product left to a program that", x, y + 13, { fill: colors.quiet }),
    ...shown.flatMap(({ does, kinds }, i) => {
      const top = y + HEADING + i * 28;
      const share = Math.min(...kinds.map(({ asked }) => asked));
      const size = Math.min(12.5, (12.5 * (width - 44)) / wideness(does, 12.5));
      const bar = { x: px(x), y: px(top + 17), height: 4, rx: 2 };
      return [
        write(does, x, top + 12, { size }),
        write(minus(share.toFixed(2)), x + width, top + 12, {
          size: 12.5,
          bold: true,
          anchor: "end",
        }),
        make("rect", { ...bar, width: px(width), fill: colors.line }),
        make("rect", { ...bar, width: px(Math.max(0, share) * width), fill: colors.accent }),
      ];
    }),
  ];
  return { parts: shown.length > 0 ? parts : [], bottom: y + HEADING + shown.length * 28 };
}

/** Where positions merge. @param {DrawnXray} seen @param {Ink} ink @param {Place} place */
export function ruler({ precision, length }, { make, colors, write }, place) {
  const { x, y, width } = place;
  const across = along(length, { ...place, x: x + 62, width: width - 62 });
  const right = x + width;
  const parts = [write("Positions that stay apart", x, y + 13, { fill: colors.quiet })];
  for (const [i, [name, { first, apart }]] of Object.entries(precision).entries()) {
    const top = y + HEADING + i * 24;
    const from = Math.min(right, across(Math.min(first - 1, length)));
    const box = { y: px(top), height: 16 };
    const says =
      first > length ? "" : apart === null ? "ends at 65,504" : `${number(apart)} apart at the end`;
    const inside = right - from > wideness(says, 11) + 8;
    parts.push(
      write(name, x, top + 12, { size: 12 }),
      make("rect", { ...box, x: px(x + 62), width: px(from - x - 62), fill: colors.seen }),
      make("rect", { ...box, x: px(from), width: px(right - from), fill: colors.line }),
      write(
        `to ${number(Math.min(first - 1, length))}${inside || !says ? "" : `, ${says}`}`,
        x + 68,
        top + 12,
        { size: 11, fill: ON_GREEN, bold: true },
      ),
      ...(inside ? [write(says, right - 6, top + 12, { size: 11, anchor: "end" })] : []),
    );
  }
  return { parts, bottom: y + HEADING + 40 };
}

/** Bytes, as large numbers. @param {DrawnXray} seen @param {Ink} ink @param {Place} place */
export function bytes({ cost }, { write, colors }, { x, y, width }) {
  const { cache, cachePerToken, tablesPerToken } = cost;
  const shown = [
    [cachePerToken === null ? "not known" : sized(cachePerToken), "of cache a token"],
    [cache === null ? "not known" : sized(cache), "of cache in all"],
    ...(tablesPerToken > 0 ? [[sized(tablesPerToken), "of tables a token"]] : []),
  ];
  const parts = shown.flatMap(([value, what], i) => {
    const at = x + (i * width) / 3;
    return [
      write(value, at, y + 22, { size: Math.min(24, width / 15), bold: true }),
      write(what, at, y + 40, { size: Math.min(13, width / 26), fill: colors.quiet }),
    ];
  });
  return { parts, bottom: y + 46 };
}

/** What the colors and numbers of dials say. @param {DrawnXray} seen @param {Ink} ink @param {Place & {hasTurns: boolean}} place */
export function key({ kinds }, { make, colors, write }, { x, y, width, hasTurns }) {
  const states = new Set(kinds.flatMap(({ pairs }) => pairs.map(({ state }) => state)));
  const isSpared = kinds.some(({ pairs }) =>
    pairs.some(({ turns, unscaled }) => unscaled > turns * 1.001),
  );
  const shown = /** @type {const} */ ([
    ["seen", "in the original length", states.size > 0],
    ["new", "beyond it", states.has("new")],
    ["mapped", "spared by the scaling", isSpared],
    ["", "numbers: turns", hasTurns],
  ]);
  let [left, row] = [x, 0];
  const parts = shown.flatMap(([state, says, isThere]) => {
    if (!isThere) return [];
    const mark = state === "" ? 0 : 15;
    const room = mark + wideness(says, 12.5) + 14;
    if (left > x && left + room > x + width) [left, row] = [x, row + 1];
    const at = left;
    left += room;
    const words = write(says, at + mark, y + 13 + row * 18, { size: 12.5 });
    if (state === "") return [words];
    const dot = { cx: px(at + 5), cy: px(y + 9 + row * 18), r: 5, fill: colors[state] };
    return [make("circle", dot), words];
  });
  return { parts, bottom: y + 18 * (row + 1) };
}
