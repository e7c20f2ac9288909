/** phasor identify: what a table, or a pair of arrays, is; no model is needed. */
import { FEWEST_ROWS } from "../oracle/identify/measure.js";
import { describe } from "../runtime/check.js";
import { UsageError, whole } from "./arguments.js";
import { arraysOf } from "./input.js";
import { sizes } from "./output.js";

/** @import { Rotation } from "../oracle/identify/identify.js" */

/** Arrays of a file by what `identify` calls them. @type {Record<string, string>[]} */
const SETS = [
  { cos: "cos", sin: "sin" },
  { q: "q", rotated: "q_rotated", k: "k", k_rotated: "k_rotated" },
  { q: "k", rotated: "k_rotated" },
  { bias: "bias" },
  { table: "table" },
  { positionIds: "position_ids", mask: "mask" },
  { weights: "weights", reference: "reference" },
];

/** Those that may be left out. */
const OPTIONAL = ["mask", "reference", "k", "k_rotated"];

/** @type {import("./arguments.js").Command} */
export const identify = {
  name: "identify",
  operands: "PORT",
  least: 1,
  most: 1,
  does: "what its arrays are, without a model: cos and sin, q and q_rotated (and k), bias, table, position_ids, weights",
  options: {
    first: {
      type: "string",
      value: "N",
      text: "the first position of a rotation, if it is far from 0",
    },
    "heads-after": {
      type: "boolean",
      text: "the vectors are [..., T, H, columns]: heads come after positions; both are tried by default",
    },
    heads: { type: "string", value: "N", text: "of weights [H * D, E]; required for them" },
  },
  async run({ operands, options }) {
    const [path] = operands;
    const first = whole(options.first, "--first", 0);
    const heads = whole(options.heads, "--heads");
    const { sets, unread } = await readSets(path);
    if (heads === undefined && sets.some(({ arrays }) => "weights" in arrays)) {
      throw new UsageError("--heads must be given for weights; got none");
    }
    const { identify: ask } = await import("../oracle/index.js");
    const found = [];
    for (const { names, arrays } of sets) {
      const { shape } = Object.values(arrays)[0];
      const isHeadsAfter = "q" in arrays && options["heads-after"] === true;
      const T = shape[shape.length - (isHeadsAfter ? 3 : 2)] ?? 0;
      const isRotation = "cos" in arrays || "q" in arrays;
      const answer = await ask(
        /** @type {any} */ ({ ...arrays, ...("weights" in arrays && { heads }) }),
        {
          ...(isRotation &&
            first !== undefined && { positions: Array.from({ length: T }, (_, t) => first + t) }),
          ...(isHeadsAfter && { headsAfter: true }),
        },
      );
      const code = answer.kind !== "none" ? 0 : isRotation && T < FEWEST_ROWS ? 2 : 1;
      found.push({ data: { arrays: names, shape, ...answer }, lines: linesOf(answer), code });
    }
    const [{ data }, ...others] = found;
    return {
      data: { ...data, others: others.map((one) => one.data), unread },
      lines: [
        ...found.flatMap(({ data: { arrays, shape }, lines }) => [
          `${path}: ${listed(arrays)}, ${sizes(shape)}`,
          ...lines,
        ]),
        ...(unread.length > 0 ? [`not looked at: ${unread.map(describe).join(", ")}`] : []),
      ],
      code: found.reduce((most, { code }) => Math.max(most, code), 0),
    };
  },
};

/** All sets of arrays in a file, and the names of the other arrays. @param {string} path */
async function readSets(path) {
  const file = await arraysOf(path, "PORT");
  const isThere = (/** @type {string} */ name) => file.names.includes(name);
  const needed = (/** @type {Record<string, string>} */ { q, rotated, ...set }) =>
    [q, rotated, ...Object.values(set).filter((name) => !OPTIONAL.includes(name))].filter(Boolean);
  const isPair = isThere("k") && isThere("k_rotated"); // a part of it says nothing
  const there = SETS.filter((set) => needed(set).every(isThere))
    .filter((set, i, all) => set.q !== "k" || !all.some(({ q }) => q === "q"))
    .map(({ k, k_rotated, ...set }) => (k && isPair ? { ...set, k, k_rotated } : set));
  if (there.length === 0) {
    const wanted = SETS.map((set) => needed(set).join(" and ")).join(", or ");
    const got = file.names.map(describe).join(", ") || "none";
    throw new RangeError(`${path} must have the arrays ${wanted}; got ${got}`);
  }
  const sets = await Promise.all(
    there.map(async (set) => {
      const given = Object.entries(set).filter(([, name]) => isThere(name));
      const tensors = await Promise.all(given.map(([, name]) => file.tensor(name)));
      return {
        names: given.map(([, name]) => name),
        arrays: Object.fromEntries(given.map(([as], i) => [as, tensors[i]])),
      };
    }),
  );
  const read = sets.flatMap(({ names }) => names);
  return { sets, unread: file.names.filter((name) => !read.includes(name)) };
}

/** Names in a sentence. @param {readonly string[]} names */
const listed = (names) => names.join(", ").replace(/, ([^,]*)$/, " and $1");

/** @param {import("../oracle/index.js").Answer} answer */
function linesOf(answer) {
  const lines = [answer.sentence, ...answer.decidedBy.map((one) => `  ${one}`)];
  if (answer.kind === "none") return lines.slice(0, 1);
  const { alsoEqual = [], models = [], families = [] } = /** @type {any} */ (answer);
  return [
    ...lines,
    ...alsoEqual.map((/** @type {any} */ one) => `  the same numbers: ${one.sentence}`),
    ...(models.length > 0 ? [`  models: ${models.join(", ")}`] : []),
    ...(families.length > 0 ? [`  families: ${families.join(", ")}`] : []),
  ];
}

/**
 * The properties of a measured rotation that a model does not have.
 * @param {Rotation} measured @param {Partial<Rotation>} wanted
 */
export function differences(measured, wanted) {
  const said = /** @type {const} */ ([
    "layout",
    "dim",
    "start",
    "base",
    "attentionFactor",
    "offset",
    "sign",
    "swapped",
  ]);
  return said.flatMap((name) => {
    const [got, own] = [measured[name], wanted[name]];
    const isSame =
      got === own ||
      got === null ||
      own === undefined ||
      (typeof got === "number" &&
        typeof own === "number" &&
        Math.abs(got - own) <= 1e-4 * Math.abs(own));
    return isSame ? [] : [`${WORDS[name] ?? name} ${brief(got)}, not ${brief(own)}`];
  });
}

/** A number that is not whole to six digits. @param {unknown} x */
const brief = (x) => (typeof x === "number" && !Number.isInteger(x) ? Number(x.toPrecision(6)) : x);

/** @type {Record<string, string>} */
const WORDS = {
  dim: "columns",
  start: "from column",
  attentionFactor: "attention factor",
  offset: "first position",
};
