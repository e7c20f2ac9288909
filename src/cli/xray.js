/** phasor xray: what a context length is to a model. */
import { whole } from "./arguments.js";
import { columns, count, doubts, fixed, some } from "./output.js";
import { configOf, findConfig, HUB } from "./source.js";

/** @import { Kind, OtherReader, Xray } from "../oracle/xray/index.js" */

/** @type {import("./arguments.js").Command} */
export const xray = {
  name: "xray",
  operands: "CONFIG",
  least: 1,
  most: 1,
  does: "what a context length is to a model: new angles, other readers, bytes",
  options: {
    length: {
      type: "string",
      value: "N",
      text: "tokens of the text; what the model was made for by default",
    },
    svg: { type: "string", value: "FILE", text: "write the picture as .svg" },
    badge: { type: "string", value: "FILE", text: "write a badge for a model card as .svg" },
    ...HUB,
  },
  notes: [
    "A sign for each pair: # every angle occurs in the original length, + the scaling keeps it within those,",
    "! it meets angles that do not, . it does not rotate.",
  ],
  async run({ operands, options, save }) {
    const length = whole(options.length, "--length");
    const found = await findConfig(operands[0], options);
    const { xray } = await import("../oracle/xray/index.js");
    const config = await configOf(found);
    const seen = await xray(config, length === undefined ? {} : { length });
    const more = "warnings" in found ? (found.warnings ?? []) : [];
    const data = { ...seen, warnings: [...more, ...seen.warnings] };
    const lines = linesOf(data);
    if (options.svg !== undefined) {
      const { figures } = await import("../plots/index.js");
      await save(
        options.svg,
        figures({ as: "svg" }).xray(data, { name: nameOf(operands[0], data) }),
      );
      lines.push(`wrote ${options.svg}`);
    }
    if (options.badge !== undefined) {
      const { figures } = await import("../plots/index.js");
      await save(options.badge, figures({ as: "svg" }).xray(data, { form: "badge" }));
      lines.push(`wrote ${options.badge}`, markdownOf(data, options.badge));
    }
    return { data, lines };
  },
};

/** The badge in a model card. @param {Xray} seen @param {string} path  of its file */
const markdownOf = ({ badge }, path) =>
  `![positions: ${badge}](${/^[\w./-]+$/.test(path) ? path : `<${path}>`})`;

/** A heading of the picture: the name of a model, or its family where a file is named. @param {string} name @param {Xray} seen */
const nameOf = (name, { type }) =>
  /^[\w-][\w.-]*(?:\/[\w.-]+)?$/.test(name) && !/\.(?:json|gguf)$/i.test(name) ? name : type;

const SIGNS = { seen: "#", mapped: "+", new: "!", still: "." };

/** Signs in a line. */
const LINE = 64;

/** @param {Xray} seen */
function linesOf({ type, length, kinds, readers, precision, cost, sentence, warnings }) {
  const { cache, cachePerToken, tablesPerToken } = cost;
  return [
    `${type}, ${some(length, "token")}`,
    ...doubts(warnings),
    ...sentence.split(/(?<=\.) /).map((line) => `  ${line}`),
    ...kinds.flatMap(kindLines),
    ...readerLines(readers),
    "",
    ...columns([
      ["bfloat16", merged(precision.bfloat16)],
      ["float16", merged(precision.float16)],
      [
        "cache",
        cache === null || cachePerToken === null
          ? "not known"
          : `${count(Math.round(cachePerToken))} bytes a token, ${count(cache)} in all`,
      ],
      ["tables", `${count(tablesPerToken)} bytes a token`],
    ]),
  ];
}

/** @param {Kind} kind */
function kindLines({ kind, layers, rotates, window, trained, pairs }) {
  const seen = window === undefined ? "" : `, sees ${window ? count(window) : "?"} tokens`;
  const turned = rotates ? `, original length ${count(trained)}` : ", no rotation";
  const signs = pairs.map(({ state }) => SIGNS[state]).join("");
  const rows = signs.match(new RegExp(`.{1,${LINE}}`, "g")) ?? [];
  return [
    "",
    `  ${kind}, ${some(layers, "layer")}${seen}${turned}`,
    ...rows.map((row, i) => `    ${i === 0 ? "pairs" : "     "} ${row}`),
  ];
}

/** What is left to programs that misread a configuration. @param {readonly OtherReader[]} readers */
export function readerLines(readers) {
  if (readers.length === 0) return [];
  const rows = readers.flatMap(({ does, kinds, scores }) =>
    kinds.map(({ kind, trained, asked }) => [
      `  ${does}`,
      kind,
      fixed(trained),
      fixed(asked),
      scores === undefined ? "" : `scores x ${fixed(scores)}`,
    ]),
  );
  return [
    "",
    ...columns([
      ["dot product left to a program that", "layers", "original", "asked", ""],
      ...rows,
    ]),
  ];
}

/** @param {Xray["precision"]["float16"]} of */
function merged({ first, apart }) {
  const at = `position ${count(first)} is ${count(first - 1)}`;
  if (apart === null) return `${at}; the last positions are beyond its largest number`;
  return `${at}; numbers are ${count(apart)} apart at the end`;
}
