/** @import { Phasor } from "phasor" */
/** @import { Scheme, Sizes } from "./schemes.js" */
import { make } from "../dom.js";
import { count } from "../numbers.js";
import { root } from "../root.js";
import { SCHEMES, costOf, familiesOf } from "./schemes.js";
import "./style.css";

const HEAD = ["Scheme", "Acts on", "Positions", "Parameters", "Operations", "Beyond L", "Families"];

/**
 * The schemes side by side.
 * @param {Phasor} phasor @param {Sizes} sizes
 */
export function schemesTable(phasor, sizes) {
  const head = HEAD.map((name) => make("th", { scope: "col" }, name));
  return make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...head)),
    make("tbody", {}, ...SCHEMES.map((scheme) => row(phasor, scheme, sizes))),
  );
}

/**
 * The same as comma-separated values, numbers without separators, below the sizes that they are for.
 * @param {Phasor} phasor @param {Sizes} sizes
 */
export function schemesCsv(phasor, sizes) {
  const given = Object.entries({ D: "dim", H: "heads", L: "trained", T: "length" });
  const rows = SCHEMES.map((scheme) => [
    scheme.title,
    ...cellsOf(phasor, scheme, sizes),
    ...given.map(([, name]) => sizes[/** @type {keyof Sizes} */ (name)]),
  ]);
  const quoted = (/** @type {unknown} */ cell) => `"${String(cell).replaceAll('"', '""')}"`;
  const lines = [[...HEAD, ...given.map(([letter]) => letter)], ...rows].map((cells) =>
    cells.map((cell) => (typeof cell === "number" ? cell : quoted(cell))).join(","),
  );
  return `${lines.join("\r\n")}\r\n`;
}

/** @param {Phasor} phasor @param {Scheme} scheme @param {Sizes} sizes @returns {(string | number)[]} */
function cellsOf(phasor, { name, on, kind, beyond }, sizes) {
  const { parameters, flops } = costOf(name, sizes);
  const fresh =
    sizes.length > sizes.trained ? beyond(phasor, sizes).words : "nothing: T is at most L";
  return [on, kind, parameters, flops, fresh, familiesOf(name)];
}

/** @param {Phasor} phasor @param {Scheme} scheme @param {Sizes} sizes */
function row(phasor, scheme, sizes) {
  const { title, page } = scheme;
  const cells = cellsOf(phasor, scheme, sizes).map((cell) =>
    typeof cell === "number" ? count(cell) : cell,
  );
  const link = make("a", { href: new URL(`reference/${page}/`, root).href }, title);
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, link),
    ...cells.map((cell) => make("td", {}, cell)),
  );
}
