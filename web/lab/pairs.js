// What the heads of a trained model do with each pair of a rotation, by the pair's wavelength.

import { make, makeSvg } from "../app/dom.js";

/** The sizes of a figure, in its own units. */
const WIDTH = 200;
const HEIGHT = 96;
const TOP = 6;
const BOTTOM = 18;

/** Labels of a figure at most. */
const LABELS = 8;

/** A wavelength in tokens, in few digits. @param {number} tokens */
const short = (tokens) =>
  tokens < 1000 ? String(Math.round(tokens)) : `${Math.round(tokens / 1000)}k`;

/**
 * @param {{turns: readonly number[], shares: Float64Array} | undefined} pairs  undefined: the scheme has none
 * @param {{trained: number, heads: number}} sizes
 * @returns {HTMLElement[]}
 */
export function pairsOf(pairs, { trained, heads }) {
  const title = make("h3", {}, "Weights by pair");
  if (!pairs) {
    const words = "RoPE and xPos alone turn pairs of numbers, each with a wavelength.";
    return [title, make("p", { class: "note" }, words)];
  }
  const { turns, shares } = pairs;
  const count = turns.length;
  const all = Array.from({ length: shares.length / count }, (_, i) => [
    ...shares.subarray(i * count, (i + 1) * count),
  ]);
  const most = Math.max(...shares);
  const within = turns.filter((turn) => turn <= trained).length;
  const figures = all.map((own, i) => {
    const layer = all.length > heads ? `Layer ${Math.floor(i / heads) + 1}, head` : "Head";
    const name = `${layer} ${(i % heads) + 1}`;
    const inside = own.slice(0, within).reduce((sum, share) => sum + share, 0);
    const best = own.indexOf(Math.max(...own));
    const words = `${name}: ${inside.toFixed(2)} of its weight on pairs that turn within T; most, ${own[best].toFixed(2)}, on the one of ${short(turns[best])} tokens.`;
    const label = own.map((share, p) => `${short(turns[p])} tokens ${share.toFixed(2)}`).join(", ");
    return make(
      "figure",
      { class: "pairs" },
      barsOf(own, { turns, within, most, label: `${name}, share by wavelength: ${label}` }),
      make("figcaption", {}, words),
    );
  });
  const sub = (/** @type {string} */ letter) => make("sub", {}, letter);
  const formula = make(
    "p",
    {},
    "How much a head has of each pair: |W",
    sub("q"),
    " G| \u00b7 |W",
    sub("k"),
    " G| of the pair\u2019s two rows, where G are the weights of the layer norm before them, as a share of the head. Below each bar, the tokens of a whole turn. Dashed: equal shares, near those before the training. Red: pairs that do not turn once within T, so that the training has not seen all their angles.",
  );
  return [title, formula, make("div", { class: "maps" }, ...figures)];
}

/**
 * @param {readonly number[]} own @param {{turns: readonly number[], within: number, most: number, label: string}} how
 */
function barsOf(own, { turns, within, most, label }) {
  const step = WIDTH / own.length;
  const low = HEIGHT - BOTTOM;
  const heightOf = (/** @type {number} */ share) => ((low - TOP) * share) / most;
  const wall = step * within;
  const every = Math.ceil(own.length / LABELS);
  const bars = own.map((share, i) => {
    const height = heightOf(share);
    const at = { x: step * (i + 0.15), y: low - height, width: step * 0.7, height };
    return makeSvg("rect", { class: i < within ? "share" : "share unseen", ...at });
  });
  const labels = own.flatMap((_, i) =>
    i % every === 0 ? [makeSvg("text", { x: step * (i + 0.5), y: low + 13 }, short(turns[i]))] : [],
  );
  const line = (/** @type {string} */ kind, /** @type {number[]} */ [x1, y1, x2, y2]) =>
    makeSvg("line", { class: kind, x1, y1, x2, y2 });
  const equal = low - heightOf(1 / own.length);
  return makeSvg(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label },
    makeSvg("rect", { class: "beyond", x: wall, y: TOP, width: WIDTH - wall, height: low - TOP }),
    ...bars,
    line("equal", [0, equal, WIDTH, equal]),
    line("wall", [wall, TOP, wall, low]),
    line("axis", [0, low, WIDTH, low]),
    ...labels,
  );
}
