/** phasor identify: what a table, or a pair of arrays, is; no model is needed. */
import { describe } from "../runtime/check.js";
import { whole } from "./arguments.js";
import { sizes } from "./output.js";
import { bytesOf } from "./port.js";

/** @import { Rotation } from "../oracle/identify/identify.js" */

/** Arrays of a file, and what `identify` calls them. */
const SETS = [
  ["cos", "sin"],
  ["q", "q_rotated"],
  ["k", "k_rotated"],
];

/** The fewest rows that show an angle; here, not to load the entry for a refusal. */
const FEWEST_ROWS = 4;

/** @type {import("./arguments.js").Command} */
export const identify = {
  name: "identify",
  operands: "PORT",
  least: 1,
  most: 1,
  does: "what its cos and sin, or q and q_rotated, are: layout, base, scaling, positions; without a model",
  options: {
    first: { type: "string", value: "N", text: "the first position, if it is far from 0" },
    "heads-after": {
      type: "boolean",
      text: "the vectors are [..., T, H, columns]: heads come after positions; both are tried by default",
    },
  },
  async run({ operands, options }) {
    const first = whole(options.first, "--first", 0);
    const { names, arrays, T } = await readSet(operands[0]);
    const { identify: ask } = await import("../oracle/index.js");
    const answer = await ask(arrays, {
      ...(first !== undefined && { positions: Array.from({ length: T }, (_, t) => first + t) }),
      ...(options["heads-after"] === true && { headsAfter: true }),
    });
    const { shape } = Object.values(arrays)[0];
    const isDecided = answer.kind !== "none" || T >= FEWEST_ROWS;
    return {
      data: { arrays: names, shape, ...answer },
      lines: [`${operands[0]}: ${names.join(" and ")}, ${sizes(shape)}`, ...linesOf(answer)],
      code: answer.kind !== "none" ? 0 : isDecided ? 1 : 2,
    };
  },
};

/** @param {string} path */
async function readSet(path) {
  const { npz, safetensors } = await import("../files/index.js");
  const format = /\.safetensors$/i.test(path) ? safetensors : npz;
  const file = await format.read(await bytesOf(path, "PORT"));
  const names = SETS.find((set) => set.every((name) => file.names.includes(name)));
  if (names === undefined) {
    const rule = `${path} must have the arrays ${SETS.map((set) => set.join(" and ")).join(", or ")}`;
    throw new RangeError(`${rule}; got ${file.names.map(describe).join(", ") || "none"}`);
  }
  const [one, two] = await Promise.all(names.map((name) => file.tensor(name)));
  const arrays = names[0] === "cos" ? { cos: one, sin: two } : { q: one, rotated: two };
  return { names, arrays, T: one.shape[one.shape.length - 2] ?? 0 };
}

/** @param {import("../oracle/identify/identify.js").Answer} answer */
export function linesOf(answer) {
  if (answer.kind === "none") return [answer.sentence];
  const { sentence, decidedBy } = answer;
  const lines = [sentence, ...decidedBy.map((one) => `  ${one}`)];
  if (answer.kind === "still") return lines;
  const { alsoEqual, models } = answer;
  return [
    ...lines,
    ...alsoEqual.map((one) => `  the same numbers: ${one.sentence}`),
    ...(models.length > 0 ? [`  models: ${models.join(", ")}`] : []),
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
    return isSame ? [] : [`${WORDS[name] ?? name} ${got}, not ${own}`];
  });
}

/** @type {Record<string, string>} */
const WORDS = {
  dim: "columns",
  start: "from column",
  attentionFactor: "attention factor",
  offset: "first position",
};
