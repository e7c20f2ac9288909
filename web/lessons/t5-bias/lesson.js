/** @import { Phasor } from "phasor" */
/** @import { Values } from "../../app/controls.js" */
import { models } from "phasor/models";
import { beside } from "../../app/columns.js";
import { set } from "../../app/controls.js";
import { byId } from "../../app/dom.js";
import { page } from "../../app/page.js";
import { count } from "../../app/numbers.js";
import { bar, bias, heatmap, waves } from "../../app/pictures.js";
import { valueAt } from "../../app/questions/verdict.js";
import { ruler } from "./ruler.js";

/** Distances that are drawn, each way: of the figure, and of the rulers. */
const REACH = 160;
const RULED = 144;

/** Heads of the drawn table. */
const HEADS = 4;

/** A distance of the training, and one beyond it. */
const [KNOWN, BEYOND] = [200, 1500];

/** Distances that are drawn on both sides of one that falls on a boundary. */
const AROUND = 8;

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

/** Keys that follow one another and share a bucket. @param {Phasor} phasor @param {ReturnType<typeof optionsOf>} options */
function runs({ t5Bias }, options) {
  const reach = options.maxDistance + 1; // farther ones share the last bucket
  const keys = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach);
  const buckets = t5Bias.bucket(keys, options).data;
  /** @type {import("./ruler.js").Run[]} */
  const all = [];
  for (const [i, to] of keys.entries()) {
    const last = all.at(-1);
    if (last?.bucket === buckets[i] && last.to !== 0) last.to = to;
    else all.push({ bucket: buckets[i], from: to, to });
  }
  all[0].from = -Infinity;
  all[all.length - 1].to = Infinity;
  return all;
}

/** The buckets of a decoder's setting around a distance, exactly and in float32. @param {Phasor} phasor @param {string} setting */
function rounded({ t5Bias }, setting) {
  const [buckets, maxDistance, middle] = setting.split(" ").map(Number);
  const distances = Array.from({ length: 2 * AROUND + 1 }, (_, i) => middle - AROUND + i);
  const [exact, torch] = /** @type {const} */ (["exact", "torch"]).map(
    (precision) =>
      t5Bias.bucket(
        distances.map((n) => -n),
        { buckets, maxDistance, direction: "causal", precision },
      ).data,
  );
  return { distances, exact, torch, middle };
}

/** Whether the settings are those of the questions. @param {Values} controls */
function isAsked(controls) {
  const { buckets, maxDistance, direction } = optionsOf(controls);
  return buckets === t5.buckets && maxDistance === t5.maxDistance && direction === t5.direction;
}

page({
  begin({ phasor, cell }) {
    const show = ruler(byId("ruler"), RULED, (key) => set("key", key));
    cell(
      (controls) => {
        const options = optionsOf(controls);
        const [encoder, decoder] = /** @type {const} */ (["bidirectional", "causal"]).map(
          (direction) => runs(phasor, { ...options, direction }),
        );
        return { encoder, decoder, key: controls.key, buckets: options.buckets };
      },
      ({ encoder, decoder, key, buckets }) =>
        show(
          [
            {
              name: `Encoder: ${count(Math.floor(buckets / 2))} buckets each way`,
              runs: encoder,
              back: false,
            },
            { name: `Decoder: ${count(buckets)} buckets back`, runs: decoder, back: true },
          ],
          key,
        ),
    );
  },

  pictures: {
    "by-distance"({ t5Bias }, controls, { guess }) {
      const relative = Array.from({ length: 2 * REACH + 1 }, (_, i) => i - REACH);
      const { data } = t5Bias.bucket(relative, optionsOf(controls));
      const drawn = isAsked(controls) ? guess.staircase : undefined;
      const guessed = (/** @type {number} */ key) =>
        key <= 0 && key >= -t5.maxDistance ? valueAt(drawn, -key) : NaN;
      return waves(beside([data, ...(drawn ? [relative.map(guessed)] : [])]), {
        title: "The bucket of every distance",
        x: relative,
        labels: ["bucket", ...(drawn ? ["your drawing"] : [])],
        xTitle: "position of the key minus that of the query (tokens)",
        yTitle: "bucket",
        rules: [{ x: 0, label: "the query" }],
      });
    },

    matrix: ({ t5Bias }, controls) =>
      heatmap(t5Bias.buckets(controls.length, optionsOf(controls)), {
        title: "The bucket of each query and key",
        rowTitle: "query (tokens)",
        columnTitle: "key (tokens)",
        colors: "blue",
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

    shared(phasor, { key, ...controls }) {
      const options = optionsOf(controls);
      const buckets = back(phasor, 2000, options);
      const shares = [...widths(buckets)].slice(0, -1);
      const distance = Math.abs(key);
      const from = buckets.indexOf(buckets[distance]);
      const which = options.direction === "causal" ? "decoder" : "encoder";
      return bar(
        shares.map(([, width]) => width),
        {
          title:
            buckets[distance] === buckets[2000]
              ? `Distance ${count(distance)} is in the ${which}’s last bucket, like all from ${count(from)} on`
              : `Distances in each bucket of the ${which}; marked: that of ${count(distance)}`,
          labels: shares.map(([bucket]) => String(bucket)),
          groups: shares.map(([bucket]) =>
            bucket === buckets[distance] ? "this distance" : "others",
          ),
          means: { "this distance": "position", others: "quiet" },
          xTitle: "bucket (all but the last)",
          yTitle: "distances in it",
        },
      );
    },

    "far-buckets"(phasor, { far, ...controls }) {
      const options = optionsOf(controls);
      const lines = /** @type {const} */ (["bidirectional", "causal"]).map((direction) =>
        back(phasor, far, { ...options, direction }).slice(1),
      );
      return waves(beside(lines), {
        title: `The bucket of distances up to ${count(far)}`,
        x: lines[0].map((_, i) => i + 1),
        labels: ["encoder", "decoder"],
        xTitle: "distance (tokens)",
        xScale: "log",
        yTitle: "bucket",
        rules: [KNOWN, BEYOND].filter((x) => x <= far).map((x) => ({ x, label: count(x) })),
      });
    },

    rounding(phasor, { setting }, { guess }) {
      const { distances, exact, torch, middle } = rounded(phasor, setting);
      const y = setting === "36 392 84" && guess.halfway ? Number(guess.halfway) : undefined;
      return waves(beside([exact, torch]), {
        title: "The bucket of each distance",
        x: distances,
        labels: ["exact", "float32"],
        xTitle: "distance (tokens)",
        yTitle: "bucket",
        points: true,
        rules: [
          { x: middle, label: String(middle) },
          ...(y === undefined ? [] : [{ y, label: "your guess" }]),
        ],
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
    each: (phasor, controls) =>
      count(
        new Set(back(phasor, 2000, { ...optionsOf(controls), direction: "bidirectional" })).size,
      ),
  },

  questions: {
    staircase(phasor) {
      const buckets = back(phasor, t5.maxDistance, t5);
      const [m, last] = [buckets.findIndex((bucket, n) => bucket !== n), buckets.at(-1)];
      const ends = [8, 14].map((bucket) => buckets.filter((each) => each === bucket).length);
      return {
        curve: buckets.map((bucket, n) => [n, bucket]),
        within: 1.3,
        because: `It rises by one for each distance up to ${m - 1}, then more and more slowly: bucket 8 holds ${ends[0]} distances, bucket 14 holds ${ends[1]}. The last one, ${last}, begins at ${buckets.indexOf(Number(last))}, before M.`,
      };
    },
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
    parameters(phasor) {
      const { heads } = models.get("t5-base");
      const length = 512;
      const table = { data: Float32Array.from({ length: t5.buckets }, (_, i) => i + 1) };
      const { data } = phasor.t5Bias.bias({ ...table, shape: [t5.buckets, 1] }, length);
      const different = new Set(data).size;
      const most = t5.buckets * Number(heads);
      const found = `One head of 512 tokens has ${count(data.length)} pairs, and ${count(different)} different numbers among them`;
      const isBuckets = different <= t5.buckets;
      const reasons = {
        buckets: `${found}: the table has ${t5.buckets} buckets × ${heads} heads = ${count(most)} numbers. Bucket 16 would be a key after the query at distance 0, so no pair is in it.`,
        distances: `Distances that share a bucket share its number. ${found}.`,
        pairs: `Pairs at the same distance are in one bucket, wherever they are. ${found}.`,
      };
      return {
        answer: isBuckets ? "buckets" : different < 2 * length ? "distances" : "pairs",
        because: reasons,
      };
    },
    beyond(phasor) {
      const buckets = back(phasor, BEYOND, t5);
      const [known, far] = [buckets[KNOWN], buckets[BEYOND]];
      const found = `Distance ${count(KNOWN)} is in bucket ${known}, and ${count(BEYOND)} in bucket ${far}`;
      return {
        answer: known === far ? "same" : "line",
        because: {
          error: `A table of positions ends, but every distance has a bucket. ${found}.`,
          same: `${found}: the last bucket holds all far distances.`,
          line: `That is ALiBi’s rule: a penalty for each step. T5 learns a number for each bucket, and there is a last one. ${found}.`,
        },
      };
    },
    halfway(phasor) {
      const { exact, torch } = rounded(phasor, "36 392 84");
      const [right, found] = [exact[AROUND], torch[AROUND]];
      const said = `In exact arithmetic it is ${right}, in float32 ${found}`;
      return {
        answer: String(found),
        because: {
          26: `${said}: the last digit of the quotient is lost, and what is left of 9 is rounded down to 8.`,
          27: `The seventh digit decides here: a hair below 9 is rounded down to 8. ${said}.`,
          28: `A hair above 9 would still be rounded down to 9, which is bucket 27. ${said}.`,
        },
      };
    },
    "exercise-last"(phasor) {
      const buckets = back(phasor, 200, t5);
      const first = buckets.indexOf(buckets[200]);
      return {
        answer: first,
        because: `Distance ${first - 1} is in bucket ${buckets[first - 1]}, and from ${first} on all are in bucket ${buckets[first]}.`,
        near: [
          {
            value: 8 * 16 ** (7 / 8),
            within: 0.5,
            because: "A distance is a whole number: which is the first that is large enough?",
          },
          {
            value: back(phasor, 200, { ...t5, direction: "causal" }).indexOf(31),
            because:
              "That is the decoder’s distance. An encoder has 16 buckets for each direction.",
          },
          { value: 128, because: "That is M. The last bucket begins before it." },
        ],
      };
    },
    "exercise-causal"(phasor) {
      const buckets = back(phasor, 200, { ...t5, direction: "causal" });
      const shared = buckets.findIndex((bucket, n) => buckets[n + 1] === bucket);
      return {
        answer: shared - 1,
        because: `Distances 0 to ${shared - 1} each have a separate bucket; ${shared} and ${shared + 1} share bucket ${buckets[shared]}.`,
        near: [
          { value: shared, because: "That is how many distances there are, with 0." },
          {
            value: 7,
            because:
              "That is the encoder’s distance. It has half as many buckets for each direction.",
          },
        ],
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
