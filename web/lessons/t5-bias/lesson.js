/** @import { Phasor } from "phasor" */
/** @import { Values } from "../../app/controls.js" */
import { models } from "phasor/models";
import { page } from "../../app/page.js";
import { count } from "../../app/numbers.js";
import { bar, bias, heatmap, waves } from "../../app/pictures.js";

/** Distances that are drawn, each way. */
const REACH = 160;

/** Heads of the drawn table. */
const HEADS = 4;

/** T5's defaults. */
const t5 = /** @type {const} */ ({ buckets: 32, maxDistance: 128, direction: "bidirectional" });

/** @param {Values} controls @returns {{buckets: number, maxDistance: number, direction: "bidirectional" | "causal"}} */
function optionsOf({ buckets, "max-distance": maxDistance, direction }) {
  return { buckets, maxDistance, direction };
}

/** The bucket of each distance back, from 0 on. @param {Phasor} phasor @param {number} reach @param {ReturnType<typeof optionsOf>} options */
function back({ t5Bias }, reach, options) {
  const positions = Array.from({ length: reach + 1 }, (_, n) => -n);
  return Array.from(t5Bias.bucket(positions, options).data);
}

/** The number of distances back in each bucket. @param {number[]} buckets */
function widths(buckets) {
  /** @type {Map<number, number>} */
  const held = new Map();
  for (const bucket of buckets) held.set(bucket, (held.get(bucket) ?? 0) + 1);
  return held;
}

page({
  pictures: {
    "by-distance"({ t5Bias }, controls) {
      const relative = Array.from({ length: 2 * REACH + 1 }, (_, i) => i - REACH);
      const { data } = t5Bias.bucket(relative, optionsOf(controls));
      return waves(
        { data, shape: [data.length, 1] },
        {
          title: "The bucket of every distance",
          x: relative,
          labels: ["bucket"],
          xTitle: "position of the key less that of the query (tokens)",
          yTitle: "bucket",
          rules: [{ x: 0, label: "the query" }],
        },
      );
    },

    matrix: ({ t5Bias }, controls) =>
      heatmap(t5Bias.buckets(controls.length, optionsOf(controls)), {
        title: "The bucket of each query and key",
        rowTitle: "query (tokens)",
        columnTitle: "key (tokens)",
        colors: "sequential",
      }),

    bias({ embedding, t5Bias }, controls) {
      const { buckets, ...options } = optionsOf(controls);
      const drawn = embedding.create(buckets, HEADS, { std: 1, seed: controls.seed });
      const table = drawn.weights();
      drawn.dispose();
      return bias(t5Bias.bias(table, controls.length, options), {
        title: `What is added to the scores of ${HEADS} heads`,
      });
    },

    shared(phasor, { far, ...controls }) {
      const options = optionsOf(controls);
      const buckets = back(phasor, 2000, options);
      const shares = widths(buckets);
      const [from, to] = [buckets.indexOf(buckets[far]), buckets.lastIndexOf(buckets[far])];
      const last = buckets.lastIndexOf(buckets[2000]) === to;
      return bar([...shares.values()].slice(0, -1), {
        title: last
          ? `A distance of ${count(far)} is in the last bucket, with all from ${count(from)} on`
          : `A distance of ${count(far)} shares its bucket with ${count(from)} to ${count(to)}`,
        labels: [...shares.keys()].slice(0, -1).map(String),
        groups: [...shares.keys()]
          .slice(0, -1)
          .map((bucket) => (bucket === buckets[far] ? "this distance" : "others")),
        xTitle: "bucket (all but the last)",
        yTitle: "distances in it",
      });
    },
  },

  playground: {
    matrix: (_, { length, ...controls }) => ({
      scheme: "t5Bias",
      view: "heatmap",
      settings: { length, ...optionsOf(controls) },
    }),
    bias: (_, { length, seed, ...controls }) => ({
      scheme: "t5Bias",
      view: "bias",
      settings: { heads: HEADS, length, seed, std: 1, ...optionsOf(controls) },
    }),
  },

  facts: {
    each: (phasor, controls) => count(new Set(back(phasor, 2000, optionsOf(controls))).size),
    widest: (phasor, controls) =>
      count(
        Math.max(...[...widths(back(phasor, 2000, optionsOf(controls))).values()].slice(0, -1)),
      ),
  },

  questions: {
    pairs({ t5Bias }) {
      const [a, b, c, d] = t5Bias.bucket([-20, -22, -3, -5], t5).data;
      return {
        answer: a !== b && c !== d ? "both" : c !== d ? "near" : "none",
        because: {
          both: `20 and 22 are in buckets ${a} and ${b}: far buckets hold several distances. With all 32 buckets for one direction the formula would separate them.`,
          near: `20 and 22 are in buckets ${a} and ${b}, 3 and 5 in ${c} and ${d}: near ones have a bucket each, far ones share.`,
          none: `3 and 5 are in buckets ${c} and ${d}: half of a direction's buckets hold one distance each.`,
        },
      };
    },
    parameters() {
      const { heads } = models.get("t5-base");
      const numbers = t5.buckets * Number(heads);
      return {
        answer: "one",
        because: {
          one: `One table of ${t5.buckets} buckets × ${heads} heads has ${count(numbers)} numbers, and serves all layers.`,
          layers: `Only the first layer has a table, of ${count(numbers)} numbers; the others use it too.`,
          pairs: `That would be a table of positions, as BERT has. T5 has a number for each bucket and head: ${count(numbers)}.`,
        },
      };
    },
    "exercise-last"(phasor) {
      const buckets = back(phasor, 200, t5);
      const first = buckets.indexOf(buckets[200]);
      return {
        answer: first,
        because: `Distance ${first - 1} is in bucket ${buckets[first - 1]}, and from ${first} on all are in bucket ${buckets[first]}.`,
      };
    },
    "exercise-causal"(phasor) {
      const buckets = back(phasor, 200, { ...t5, direction: "causal" });
      const shared = buckets.findIndex((bucket, n) => buckets[n + 1] === bucket);
      return {
        answer: shared - 1,
        because: `Distances 0 to ${shared - 1} each have a separate bucket; ${shared} and ${shared + 1} share bucket ${buckets[shared]}.`,
      };
    },
  },

  code: {
    "by-distance"(_, controls) {
      const { buckets, maxDistance, direction } = optionsOf(controls);
      return `import * as Plot from "@observablehq/plot";
import { load } from "phasor";
import { figures } from "phasor/plots";

const { t5Bias } = await load();
const { waves } = figures({ Plot });

const relative = Array.from({ length: ${2 * REACH + 1} }, (_, i) => i - ${REACH});
const options = { buckets: ${buckets}, maxDistance: ${maxDistance}, direction: "${direction}" };
const { data } = t5Bias.bucket(relative, options);

display(waves({ data, shape: [data.length, 1] }, { x: relative, labels: ["bucket"] }));
`;
    },
  },
});
