/** phasor models: the families and names that are known, by words. */
import { atlas } from "../models/index.js";
import { count, some } from "./output.js";

/** @import { AtlasEntry } from "../models/atlas.js" */

/** @type {import("./arguments.js").Command} */
export const models = {
  name: "models",
  operands: "[WORD...]",
  least: 0,
  does: "the families and models that are known by name, with what ports get wrong",
  notes: ["A family is shown if each WORD is in its name, scheme, layout, models or sentences."],
  options: {},
  async run({ operands }) {
    const words = operands.map((word) => word.toLowerCase());
    const found = atlas().filter((entry) => {
      const text = Object.values(entry).flat().join(" ").toLowerCase();
      return words.every((word) => text.includes(word));
    });
    const lines = [some(found.length, "family").replace(/ys$/, "ies"), ...found.flatMap(linesOf)];
    return { data: { families: found }, lines, code: found.length > 0 ? 0 : 1 };
  },
};

/** @param {AtlasEntry} entry */
function linesOf({ family, scheme, layout, base, partial, models, notComputed, traps }) {
  const facts = [
    scheme,
    layout,
    base !== undefined && `base ${count(base)} unless the configuration names one`,
    partial !== undefined && partial !== 1 && `${Number(partial.toPrecision(3))} of a head rotates`,
  ];
  return [
    `  ${family}: ${facts.filter(Boolean).join(", ")}${models ? `; ${models.join(", ")}` : ""}`,
    ...(notComputed === undefined ? [] : [`    not computed: ${notComputed}`]),
    ...traps.map((trap) => `    ${trap}`),
  ];
}
