// The schemes side by side, for a model that the reader sets.

/** @import { Phasor } from "phasor" */
/** @import { Values } from "../../app/controls.js" */
import { atlas, models } from "phasor/models";
import { make } from "../../app/dom.js";
import { page } from "../../app/page.js";
import "./style.css";

const families = atlas();

/**
 * A scheme. `beyond` says what a text longer than those of training meets.
 * @typedef {object} Scheme
 * @property {string} name
 * @property {string} title
 * @property {string} page  of the reference
 * @property {string} on  what it acts on
 * @property {"absolute" | "relative"} kind
 * @property {(phasor: Phasor, sizes: Values) => string} beyond
 */

/** @type {Scheme[]} */
const SCHEMES = [
  {
    ...{ name: "learnedPositions", title: "Learned table", page: "learned-positions" },
    ...{ on: "input", kind: "absolute" },
    beyond(_, { trained, length }) {
      return `${counted(length - trained, "position")} without a row: an error`;
    },
  },
  {
    ...{ name: "sinusoidal", title: "Sinusoids", page: "sinusoidal" },
    ...{ on: "input", kind: "absolute" },
    beyond: (phasor, { dim, trained, length }) =>
      newAngles(phasor.rope.frequencies(dim).frequencies.data, trained, length), // the same ones
  },
  {
    ...{ name: "rope", title: "RoPE", page: "rope" },
    ...{ on: "queries, keys", kind: "relative" },
    beyond: (phasor, { dim, heads, trained, length }) =>
      newAngles(phasor.rope.frequencies(headOf(dim, heads)).frequencies.data, trained, length),
  },
  {
    ...{ name: "alibi", title: "ALiBi", page: "alibi" },
    ...{ on: "scores", kind: "relative" },
    beyond(phasor, { heads, trained, length }) {
      const weakest = Math.min(...Array.from(phasor.alibi.slopes(heads).data, Number));
      const [was, is] = [trained - 1, length - 1].map((distance) => -weakest * distance);
      return `the same slopes: the farthest token's score is lowered by ${short(-is)} instead of ${short(-was)} in the head with the smallest slope`;
    },
  },
  {
    ...{ name: "t5Bias", title: "T5's bias", page: "t5-bias" },
    ...{ on: "scores", kind: "relative" },
    beyond(phasor, { trained, length }) {
      const options = /** @type {const} */ ({ direction: "causal" });
      const far = [trained - 1, length - 1].map((distance) =>
        Number(phasor.t5Bias.bucket([-distance], options).data[0]),
      );
      return far[0] === far[1]
        ? "the farthest tokens share the last bucket, as in training"
        : `the farthest token is in bucket ${far[1]}, in training ${far[0]}`;
    },
  },
  {
    ...{ name: "shaw", title: "Shaw's relative positions", page: "shaw" },
    ...{ on: "scores, values", kind: "relative" },
    beyond: (_, { trained }) =>
      trained > CLIPPED
        ? `distances from ${CLIPPED} on share a vector, as in training`
        : `distances from ${trained} to ${CLIPPED} have vectors that were not trained`,
  },
];

/** The distance at which Shaw's vectors end, the default of `models.cost`. */
const CLIPPED = 16;

page({
  facts: {
    table(phasor, sizes) {
      const head = ["Scheme", "Acts on", "Positions", "Parameters", "Operations", "Beyond L", "Families"]; // prettier-ignore
      return make(
        "table",
        {},
        make(
          "thead",
          {},
          make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name))),
        ),
        make("tbody", {}, ...SCHEMES.map((scheme) => row(phasor, scheme, sizes))),
      );
    },
  },
});

/** @param {Phasor} phasor @param {Scheme} scheme @param {Values} sizes */
function row(phasor, { name, title, page: reference, on, kind, beyond }, sizes) {
  const { dim, heads, trained, length } = sizes;
  const learned = name === "learnedPositions";
  const cost = models.cost(name, {
    ...{ dim, heads, headDim: headOf(dim, heads), rotaryDim: headOf(dim, heads) },
    length: learned ? trained : length,
  });
  const uses = families.filter(({ scheme }) => scheme === name).length;
  const cells = [
    on,
    kind,
    cost.parameters.toLocaleString("en"),
    cost.flops.toLocaleString("en"),
    length > trained ? beyond(phasor, sizes) : "nothing: T is at most L",
    uses === 0 ? "-" : String(uses),
  ];
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, make("a", { href: `../../reference/${reference}/` }, title)),
    ...cells.map((cell) => make("td", {}, cell)),
  );
}

/** The width of a head, even. @param {number} dim @param {number} heads */
const headOf = (dim, heads) => Math.max(2, 2 * Math.floor(dim / heads / 2));

/**
 * How many pairs meet angles that they did not have in training: those that made no whole turn.
 * @param {ArrayLike<number | bigint>} frequencies  radians per token @param {number} trained @param {number} length
 */
function newAngles(frequencies, trained, length) {
  const all = Array.from(frequencies, Number);
  const fresh = all.filter((theta) => theta * (trained - 1) < 2 * Math.PI);
  const turned = Math.max(...fresh.map((theta) => (theta * (length - 1)) / (2 * Math.PI)), 0);
  const what = `${fresh.length} of ${counted(all.length, "pair")} meet new angles`;
  return fresh.length === 0
    ? "every pair has made a whole turn"
    : `${what}, up to ${short(turned)} turns`;
}

/** @param {number} n @param {string} noun */
const counted = (n, noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;

/** @param {number} x */
const short = (x) => x.toLocaleString("en", { maximumSignificantDigits: 3 });
