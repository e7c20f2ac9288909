/** @import { Built } from "./build.js" */
import { make, makeSvg } from "../../app/dom.js";
import { brief, count, shape } from "../../app/numbers.js";

/** The drawing of a vector, in units of the picture. */
const [BAR, GAP, HEIGHT] = [10, 3, 48];

/**
 * The way of each token from the text to the input: a table with a column for each.
 *
 * @param {Built} built
 * @param {number} most  numbers of a vector that are drawn
 */
export function road({ labels, ids, positions, words, places, sum }, most) {
  const drawn = [words, places, sum].map((rows) => rows.map((row) => row.slice(0, most)));
  const limit = Math.max(...drawn.flat(2).map(Math.abs));
  const vectors = (/** @type {number} */ which, /** @type {string} */ kind) =>
    drawn[which].map((row) => strip(row, limit, kind));
  const full = shape([words.length, words[0].length]);
  const texts = (/** @type {readonly (number | string)[]} */ all) => all.map(String);
  const lines = [
    line("token", shape([labels.length]), texts(labels), "token"),
    line("id", shape([ids.length]), ids.map(count), "token"),
    line("row of wte", full, vectors(0, "words")),
    line("position", shape([positions.length]), positions.map(count), "positions"),
    line("+ row of wpe", full, vectors(1, "positions")),
    line("= input", full, vectors(2, "sum")),
  ];
  return make("table", {}, make("tbody", {}, ...lines));
}

/** @param {string} name @param {string} size @param {readonly (Node | string)[]} cells @param {string} [kind] */
function line(name, size, cells, kind = "") {
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, name, make("small", {}, size)),
    ...cells.map((cell) => make("td", { class: kind }, cell)),
  );
}

/** A vector as bars. @param {readonly number[]} row @param {number} limit  the number of the highest bar @param {string} kind */
function strip(row, limit, kind) {
  const middle = HEIGHT / 2;
  const width = row.length * (BAR + GAP);
  const bars = row.map((x, i) => {
    const height = (Math.abs(x) / limit) * (middle - 1);
    const y = x > 0 ? middle - height : middle;
    return makeSvg("rect", { x: i * (BAR + GAP), y, width: BAR, height });
  });
  return makeSvg(
    "svg",
    {
      class: kind,
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "img",
      "aria-label": row.map(brief).join(", "),
    },
    makeSvg("line", { x1: 0, x2: width, y1: middle, y2: middle }),
    ...bars,
  );
}
