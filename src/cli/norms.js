/** phasor norms: statistics of the lengths of a model's rows. */
import { whole } from "./arguments.js";
import { normsOf } from "./explore.js";
import { doubts } from "./output.js";
import { exploreModel, openModel, TABLE } from "./source.js";

/** @type {import("./arguments.js").Command} */
export const norms = {
  name: "norms",
  operands: "MODEL",
  least: 1,
  most: 1,
  does: "the norms of the rows, their outliers and duplicates",
  options: {
    groups: {
      type: "string",
      value: "N",
      text: "groups of consecutive ids with a mean each; 4 by default",
    },
    bins: { type: "string", value: "N", text: "of the histogram of --json; 40 by default" },
    ...TABLE,
  },
  async run(call) {
    const { operands, options } = call;
    const groups = whole(options.groups, "--groups") ?? 4;
    const bins = whole(options.bins, "--bins") ?? 40;
    const model = await openModel(operands[0], options);
    const found = await exploreModel(model, call);
    const { norms: data, lines } = normsOf(found, { groups, bins });
    found.dispose();
    const { warnings } = model;
    return { data: { ...data, warnings }, lines: [...lines, ...doubts(warnings)] };
  },
};
