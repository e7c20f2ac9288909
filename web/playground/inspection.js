/** @import { Phasor } from "phasor" */
/** @import { Side } from "./address.js" */
/** @import { Part } from "./parts.js" */
/** @import { Picture } from "./schemes/scheme.js" */
import { make } from "../app/dom.js";
import { viewOf } from "./address.js";
import { remembered } from "../app/remembered.js";
import { difference } from "./compare.js";
import { shown, value } from "./parts.js";
import { schemes } from "./schemes/index.js";
import { cellsOf } from "./stage.js";

/**
 * @typedef {object} Sides
 * @property {Side} one @property {Side | null} other
 * @property {Picture | undefined} onePicture @property {Picture | undefined} otherPicture
 */

const differenceOf = remembered(difference);

/**
 * The formula of a cell in every picture; nothing for a cell that no picture has.
 * @param {Phasor} phasor @param {Sides} sides @param {string} view @param {number[] | null} cell
 * @returns {HTMLElement[]}
 */
export function inspectionOf(phasor, sides, view, cell) {
  const { one, other, onePicture, otherPicture } = sides;
  const lines = [
    ...formulas(phasor, one, onePicture, viewOf(one, view), cell, ""),
    ...(other ? formulas(phasor, other, otherPicture, viewOf(other, view), cell, "second: ") : []),
  ];
  return [...lines, ...(other ? subtractions(onePicture, otherPicture, cell) : [])];
}

/**
 * @param {Phasor} phasor @param {Side} side @param {Picture | undefined} picture @param {string} view
 * @param {number[] | null} cell @param {string} prefix
 */
function formulas(phasor, { scheme, settings }, picture, view, cell, prefix) {
  if (!picture) return [];
  return cellsOf(picture, cell).flatMap((at) => {
    const { where, parts } = schemes[scheme].inspect(phasor, settings, view, at, picture);
    return [
      make("p", { class: "where" }, prefix + where),
      make("p", { class: "formula-of-cell" }, ...parts.map(elementOf)),
    ];
  });
}

/** @param {Picture | undefined} one @param {Picture | undefined} other @param {number[] | null} cell */
function subtractions(one, other, cell) {
  const picture = one && other && differenceOf(one, other).picture;
  if (!picture) return [];
  return cellsOf(one, cell).flatMap((at) => {
    const [a, b] = [one, other].map(({ data }) => Number(data.at(...at)));
    const result = Number(picture.data.at(...at));
    const second = b < 0 ? ["(", value(b), ")"] : [value(b)];
    const parts = [value(a), " \u2212 ", ...second, " = "].map(elementOf);
    return [
      make("p", { class: "where" }, "first minus second"),
      make(
        "p",
        { class: "formula-of-cell" },
        ...parts,
        make("data", { value: result }, sevenDigits(result)),
      ),
    ];
  });
}

/** @param {number} x */
function sevenDigits(x) {
  return (Object.is(x, -0) ? "-0" : String(Number(x.toPrecision(7)))).replaceAll("-", "\u2212");
}

/** @param {Part} part */
function elementOf(part) {
  if (typeof part === "string") return part;
  if ("power" in part) return make("sup", {}, part.power);
  return make("data", { value: part.value }, shown(part.value));
}
