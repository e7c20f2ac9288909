// `npm run x -- table`: which scheme each public model uses, and what each scheme costs, as Markdown.

import { pathToFileURL } from "node:url";
import { models } from "../../src/models/index.js";

/** @typedef {ReturnType<typeof models.get>} Model */

const number = new Intl.NumberFormat("en-US");

/**
 * A table in Markdown, as Prettier writes it.
 * @param {string[]} head @param {string[][]} rows
 */
function table(head, rows) {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i].length)));
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, i) => cell.padEnd(widths[i])).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** @param {Model} model */
function tokens({ tokens: { scale, scaleDtype, segments, norm } }) {
  const parts = [
    scale === "sqrt" ? `x sqrt(D)${scaleDtype === "bfloat16" ? " in bfloat16" : ""}` : "",
    segments > 0 ? `${segments} segment${segments === 1 ? "" : "s"}` : "",
    norm === null ? "" : `LayerNorm ${norm.toExponential()}`,
  ];
  return parts.filter(Boolean).join(", ") || "as they are";
}

/** @param {import("../../src/models/config.js").Rotary} rotary */
function turning({ dim, layout, options: { base, scaling }, multimodal }) {
  const parts = [`${layout}, R ${dim}`, `base ${number.format(base)}`];
  if (scaling) {
    const { type, factor, originalLength } = /** @type {Record<string, unknown>} */ (scaling);
    const from = originalLength ? ` from ${number.format(Number(originalLength))}` : "";
    parts.push(`${type} x${factor}${from}`);
  }
  if (multimodal) parts.push(`sections ${multimodal.sections.join("/")}`);
  return parts.join(", ");
}

/** @param {Model} model */
function positions({ positions: { scheme, preset, rows, options, rotary, layerKinds } }) {
  if (rotary) {
    const kinds = Object.entries(rotary).filter(
      ([kind]) => !layerKinds || layerKinds.includes(kind),
    );
    const words = kinds.map(([kind, one]) => {
      const count = layerKinds?.filter((other) => other === kind).length;
      const what = one ? turning(one) : "none";
      return count ? `${what} (${count} layers)` : what;
    });
    return words.join("; ");
  }
  const settings = Object.entries(options ?? {}).map(
    ([key, value]) => `${key} ${[value].flat().join(" x ")}`,
  );
  const parts = [scheme === preset ? "" : (preset ?? ""), rows ? `${rows} rows` : "", ...settings];
  return parts.filter(Boolean).join(", ");
}

export function modelTable() {
  const rows = models.names.map((name) => {
    const model = models.get(name);
    const { vocabulary, dim, heads, keyValueHeads, headDim, positions: where } = model;
    const all = [heads].flat().join("/");
    const shared = keyValueHeads === heads || Array.isArray(heads) ? "" : ` (${keyValueHeads})`;
    return [
      `[${name}](${model.source})`,
      `${vocabulary ? number.format(vocabulary) : "patches"} x ${number.format(dim)}`,
      `${all}${shared} x ${headDim}`,
      tokens(model),
      `\`${where.rotary && Object.values(where.rotary)[0]?.multimodal ? "mrope" : where.scheme}\``,
      positions(model),
      where.length ? number.format(where.length) : "any",
    ];
  });
  const head = ["model", "vocabulary x D", "heads (kv)", "tokens", "room", "convention", "length"];
  return table(head, rows);
}

/** The sizes of GPT-2. */
const SHAPE = Object.freeze({ vocabulary: 50257, dim: 768, length: 1024, heads: 12, headDim: 64 });

export function costTable() {
  const rows = models.schemes.map((scheme) => {
    const { parameters, table, flops } = models.cost(scheme, SHAPE);
    const cells = [parameters, parameters * 4, parameters * 2, table * 4, flops];
    return [`\`${scheme}\``, ...cells.map((cell) => number.format(cell))];
  });
  const head = [
    "scheme",
    "parameters",
    "bytes float32",
    "bytes float16",
    "table bytes",
    "FLOPs per token",
  ];
  return table(head, rows);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log(`${modelTable()}\n\n${costTable()}`);
}
