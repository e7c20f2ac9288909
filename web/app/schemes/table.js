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

/** @param {Phasor} phasor @param {Scheme} scheme @param {Sizes} sizes */
function row(phasor, { name, title, page, on, kind, beyond }, sizes) {
  const cost = costOf(name, sizes);
  const cells = [
    on,
    kind,
    count(cost.parameters),
    count(cost.flops),
    sizes.length > sizes.trained ? beyond(phasor, sizes).words : "nothing: T is at most L",
    count(familiesOf(name)).replace(/^0$/, "-"),
  ];
  const link = make("a", { href: new URL(`reference/${page}/`, root).href }, title);
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, link),
    ...cells.map((cell) => make("td", {}, cell)),
  );
}
