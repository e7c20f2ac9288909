/** Where the parts of the picture are: in two columns of a wide one, below each other in a narrow one. */

/** @import { Surface } from "../figure.js" */
/** @import { Make } from "../pieces.js" */
/** @import { Dial, DrawnXray } from "./wall.js" */
import { inkOf, wideness, wrapped } from "./ink.js";
import { bytes, key, layers, readers, ruler, strip } from "./panels.js";
import { wall } from "./wall.js";

/** The size of the picture, as of pictures of shared links, px. */
export const WIDTH = 1200;
export const HEIGHT = 630;

/** A narrower element has all parts below each other, px. */
export const NARROW = 640;

const PAD = 40;

/** @typedef {{seen: DrawnXray, name: string}} Model */
/** @typedef {{parts: any[], dials: Dial[], height: number}} Made */

/** @param {Model} model @param {Surface} surface @param {Make} make @returns {Made} */
export function wide({ seen, name }, surface, make) {
  const ink = inkOf(surface, make);
  const { colors, write } = ink;
  const tokens = `${seen.length.toLocaleString("en-US")} tokens`;
  const room = WIDTH - 2 * PAD - wideness(tokens, 30) - 30;
  const right = { x: 800, width: WIDTH - PAD - 800 };
  const left = { x: PAD, width: 720 };
  const shown = wall(seen, ink, { ...left, y: 84, height: 340 });
  const drawn = strip(seen, ink, { ...right, y: 84, height: 150 });
  const below = readers(seen, ink, { ...right, y: drawn.bottom + 14 });
  const lines = sentence(seen.sentence, WIDTH - 2 * PAD, [16, 15, 14, 13, 12]);
  const isOther = seen.kinds.length === 0;
  const parts = [
    write(name, PAD, 58, { size: Math.min(30, (30 * room) / wideness(name, 30)), bold: true }),
    write(tokens, WIDTH - PAD, 58, { size: 30, anchor: "end", fill: colors.accent }),
    ...(isOther ? other(seen, ink) : [...shown.parts, ...drawn.parts, ...below.parts]),
    ...(isOther ? [] : layers(seen, ink, { ...left, y: 436 }).parts),
    ...bytes(seen, ink, { ...left, y: 498 }).parts,
    ...key(seen, ink, { ...right, y: 428, hasTurns: shown.hasTurns }).parts,
    ...ruler(seen, ink, { ...right, y: 476 }).parts,
    make("line", { x1: PAD, x2: WIDTH - PAD, y1: 552, y2: 552, stroke: colors.line }),
    ...lines.all.map((line, i) =>
      write(line, PAD, 574 + i * lines.size * 1.3, { size: lines.size }),
    ),
  ];
  return { parts, dials: isOther ? [] : shown.dials, height: HEIGHT };
}

/** The largest size at which a text has at most three lines. @param {string} text @param {number} width @param {number[]} sizes */
function sentence(text, width, sizes) {
  const found = sizes.find((size) => wrapped(text, width, size).length <= 3) ?? sizes.at(-1) ?? 12;
  const { length } = wrapped(text, width, found);
  let room = width; // lines of about one length
  while (wrapped(text, room * 0.98, found).length === length) room *= 0.98;
  return { size: found, all: wrapped(text, room, found) };
}

/** @param {Model} model @param {Surface} surface @param {Make} make @param {number} width @returns {Made} */
export function narrow({ seen, name }, surface, make, width) {
  const ink = inkOf(surface, make);
  const { colors, write } = ink;
  const tokens = `${seen.length.toLocaleString("en-US")} tokens`;
  const size = Math.min(20, (20 * width) / wideness(name, 20));
  const place = { x: 0, width };
  const isOther = seen.kinds.length === 0;
  const shown = wall(seen, ink, { ...place, y: 56, height: 420 });
  let y = isOther ? 56 : shown.bottom + 14;
  const stacked = [key, layers, strip, readers, ruler, bytes].flatMap((part) => {
    if (isOther && part !== ruler && part !== bytes) return [];
    const { hasTurns } = shown;
    const { parts, bottom } = part(seen, ink, { ...place, y, height: 150, hasTurns });
    if (parts.length > 0) y = bottom + 20;
    return parts;
  });
  const lines = wrapped(seen.sentence, width, 13);
  const parts = [
    write(name, 0, 20, { size, bold: true }),
    write(tokens, 0, 44, { size: 18, fill: colors.accent }),
    ...(isOther ? [] : shown.parts),
    ...stacked,
    ...lines.map((line, i) => write(line, 0, y + 12 + i * 18)),
  ];
  return { parts, dials: isOther ? [] : shown.dials, height: y + 12 + lines.length * 18 };
}

/** What is drawn instead of a wall for schemes that do not rotate. @param {DrawnXray} seen @param {ReturnType<typeof inkOf>} ink */
function other({ sentence }, { write, colors }) {
  const [first] = sentence.split(/(?<=\.) /);
  return wrapped(first, WIDTH - 2 * PAD, 34).map((line, i) =>
    write(line, PAD, 200 + i * 46, { size: 34, fill: colors.ink }),
  );
}
