/** @import { Phasor } from "phasor" */
/** @import { Compared } from "../../../src/positional/about.js" */
import { atlas, models } from "phasor/models";
import { comparisons, declarations } from "../../../src/positional/about.js";

/**
 * The sizes of a model and of a text.
 * @typedef {object} Sizes
 * @property {number} dim  D
 * @property {number} heads  H
 * @property {number} trained  L, the length of the texts of training
 * @property {number} length  T, the length of the text
 */

/**
 * What a text longer than those of training meets.
 * @typedef {{ isNew: boolean, words: string }} Beyond  `isNew`: whether training has not shown it
 */

/**
 * A positional encoding that pages compare.
 * @typedef {object} Scheme
 * @property {string} name  of its module
 * @property {string} title
 * @property {string} page  of the reference
 * @property {string} on  what it acts on
 * @property {"absolute" | "relative"} kind
 * @property {(phasor: Phasor, sizes: Sizes) => Beyond} beyond
 */

/** @type {readonly Scheme[]} */
export const SCHEMES = Object.entries(comparisons).map(declared);

/** The row that a scheme declares. @param {[name: string, compared: Compared]} entry @returns {Scheme} */
function declared([name, compared]) {
  return {
    title: declarations[name].about.title,
    ...compared,
    name,
    page: name.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`),
    beyond: (phasor, sizes) => {
      const { dim, heads } = sizes;
      const ofHead = { ...sizes, headDim: headOf(dim, heads) };
      return compared.beyond(phasor, ofHead, { short, counted, newAngles });
    },
  };
}

/** @param {string} name */
export function schemeOf(name) {
  const found = SCHEMES.find((scheme) => scheme.name === name);
  if (!found) throw new Error(`src/positional/about.js must compare ${name}`);
  return found;
}

/** The cost of a scheme, as `models.cost` counts it. @param {string} name @param {Sizes} sizes */
export function costOf(name, { dim, heads, trained, length }) {
  const isTrained = comparisons[name]?.length === "trained";
  return models.cost(name, {
    dim,
    heads,
    headDim: headOf(dim, heads),
    rotaryDim: headOf(dim, heads),
    length: isTrained ? trained : length,
  });
}

const families = atlas();

/** The number of families in the atlas with a scheme. @param {string} name */
export function familiesOf(name) {
  return families.filter(({ scheme }) => scheme === name).length;
}

/** How many families the atlas has. */
export const FAMILIES = families.length;

/** The width of a head, even. @param {number} dim @param {number} heads */
export const headOf = (dim, heads) => Math.max(2, 2 * Math.floor(dim / heads / 2));

/**
 * How many pairs meet angles that they did not have in training: those that made no whole turn.
 *
 * @param {ArrayLike<number | bigint>} frequencies  radians per token
 * @param {number} trained @param {number} length
 * @returns {Beyond}
 */
function newAngles(frequencies, trained, length) {
  const all = Array.from(frequencies, Number);
  const fresh = all.filter((theta) => theta * (trained - 1) < 2 * Math.PI);
  const turned = Math.max(...fresh.map((theta) => (theta * (length - 1)) / (2 * Math.PI)), 0);
  const what = `${fresh.length} of ${counted(all.length, "pair")} meet new angles`;
  return {
    isNew: fresh.length > 0,
    words:
      fresh.length === 0
        ? "every pair has made a whole turn"
        : `${what}, up to ${short(turned)} turns`,
  };
}

/** @param {number} n @param {string} noun */
const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

/** @param {number} x */
const short = (x) => x.toLocaleString("en", { maximumSignificantDigits: 3 });
