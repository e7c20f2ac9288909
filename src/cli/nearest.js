/** phasor nearest: the tokens whose rows are nearest to those of given tokens. */
import { whole } from "./arguments.js";
import { neighbors } from "./explore.js";
import { doubts } from "./output.js";
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
    const model = await openModel(operands[0], options);
    const found = await exploreModel(model, call);
    const { data, lines, code } = neighbors(found, operands.slice(1), { k, metric });
    found.dispose();
    const { warnings } = model;
    const title = [`nearest by ${metric}`, ...doubts(warnings)];
    return { data: { metric, tokens: data, warnings }, lines: [...title, ...lines], code };
  },
};
