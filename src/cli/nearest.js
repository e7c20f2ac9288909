/** phasor nearest: the tokens whose rows are nearest to those of given tokens. */
import { whole } from "./arguments.js";
import { neighbors } from "./explore.js";
import { exploreModel, openModel, TABLE } from "./source.js";

/** @type {import("./arguments.js").Command} */
export const nearest = {
  name: "nearest",
  operands: "MODEL TOKEN...",
  least: 2,
  does: "the nearest tokens of tokens (digits are an id)",
  options: {
    k: { type: "string", value: "N", text: "how many; 10 by default" },
    metric: {
      type: "string",
      value: "METRIC",
      values: ["cosine", "dot", "euclidean"],
      text: "cosine, dot or euclidean",
    },
    ...TABLE,
  },
  async run(call) {
    const { operands, options } = call;
    const k = whole(options.k, "--k") ?? 10;
    const { metric = "cosine" } = options;
    const found = await exploreModel(await openModel(operands[0], options), call);
    const { data, lines, code } = neighbors(found, operands.slice(1), { k, metric });
    found.dispose();
    return { data: { metric, tokens: data }, lines: [`nearest by ${metric}`, ...lines], code };
  },
};
