/** @import { Phasor } from "phasor" */
/** @import { Values } from "../../app/controls.js" */
/** @import { Scheme, Sources } from "./compare.js" */
/** @import { Sizes } from "../../app/schemes/schemes.js" */
/** @import { Recorded, TaskName } from "../../lab/setup.js" */
import { page } from "../../app/page.js";
import { brief, count } from "../../app/numbers.js";
import { bar, heatmap, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { FAMILIES, SCHEMES, costOf, familiesOf, schemeOf } from "../../app/schemes/schemes.js";
import { schemesTable } from "../../app/schemes/table.js";
import { minilm } from "../../app/text/minilm.js";
import { spreadOf, titleOf as rowTitle } from "../../lab/curves.js";
import { two } from "../../lab/spread.js";
import { measureOf, tasks } from "../../lab/setup.js";
import {
  COMPARED,
  ROUNDING,
  exchangedBy,
  movedBy,
  reversedBy,
  titleOf,
  weightsOf,
} from "./compare.js";
import "./extrapolates.css";

const WORDS = ["dog", "bites", "man"];

/** The most words in front of the sentence, and those of the question. */
const MOST = 120;
const ASKED = 100;

/** The names of schemes beside a picture. @type {Partial<Record<Scheme, string>>} */
const SHORT = { none: "none", learnedPositions: "learned" };

/** A model of GPT-2's size, and the text that it reads in the questions. */
const GPT2 = { dim: 768, heads: 12, trained: 1024, length: 4096 };

/** The question about a far token. */
const FAR = { length: 4096, back: 3000, heads: 8, width: 64 };

/** The question about a small device. */
const SMALL = { ...GPT2, trained: 512, length: 512 };
const BUDGET = 100_000;

/** The largest change of a weight under each scheme, when words come in front. */
const moved = remembered(
  /** @param {Phasor} phasor @param {Sources} sources @param {number} shift @param {number} seed */
  (phasor, sources, shift, seed) =>
    changes((scheme) => movedBy(phasor, sources, scheme, shift, seed)),
);

/** The largest change of a weight under each scheme, when the sentence is reversed. */
const reversed = remembered(
  /** @param {Phasor} phasor @param {Sources} sources @param {number} seed */
  (phasor, sources, seed) => changes((scheme) => reversedBy(phasor, sources, scheme, seed)),
);

/** The weight of one far token under each scheme, all contents being equal. */
const far = remembered(farWeights);

/** Which schemes a reader takes to keep the weights. @type {Record<string, readonly Scheme[]>} */
const KEPT_BY = {
  all: COMPARED,
  relative: ["rope", "alibi", "t5Bias"],
  scores: ["alibi", "t5Bias"],
  none: [],
};

/** Whose parameters, and whose operations, grow by each guess. @type {Record<string, readonly string[]>} */
const GROWN_BY = {
  learned: ["learnedPositions"],
  sums: ["learnedPositions", "sinusoidal"],
  learners: ["learnedPositions", "t5Bias", "shaw"],
  scores: ["alibi", "t5Bias", "shaw"],
  rope: ["rope"],
  all: SCHEMES.map(({ name }) => name),
  none: [],
};

page({
  subject: "mix",

  async prepare() {
    const model = await minilm();
    const pieces = await model.tokenize(WORDS.join(" "), { special: false });
    const [words, positions] = await Promise.all([
      model.words(pieces.map(({ id }) => id)),
      model.positions(MOST + WORDS.length),
    ]);
    return { sources: { words, positions } };
  },

  pictures: {
    shifted: (phasor, { shift, seed }, { sources, guess }) =>
      changed(
        moved(phasor, sources, shift, seed),
        `${count(shift)} words in front: the largest change of the nine weights`,
        guess.shift && KEPT_BY[guess.shift],
      ),

    weights(phasor, { shift, seed }, { sources }) {
      const rows = COMPARED.map((scheme) =>
        [0, shift].flatMap((from) =>
          Array.from(
            weightsOf(phasor, sources, scheme, from, seed)
              .reshape(WORDS.length, WORDS.length)
              .row(1).data,
            Number,
          ),
        ),
      );
      return heatmap(rows, {
        title: "How “bites” distributes its attention",
        rowTitle: "scheme",
        columnTitle: "word and its position",
        rowLabels: COMPARED.map((scheme) => SHORT[scheme] ?? titleOf(scheme)),
        columnLabels: [0, shift].flatMap((from) => WORDS.map((word, t) => `${word} ${from + t}`)),
        unit: "(weight)",
        colors: "blue",
        numbers: true,
        domain: [0, 1],
      });
    },

    reversed: (phasor, { seed }, { sources, guess }) =>
      changed(
        reversed(phasor, sources, seed),
        "“man bites dog”: the largest change of the nine weights",
        guess.reversed && ["none", guess.reversed],
      ),

    parameters: (_, controls, { guess }) =>
      bar(
        SCHEMES.map(({ name }) => costOf(name, sizesOf(controls)).parameters),
        {
          title: "Learned parameters of each scheme",
          // Short enough for a phone.
          labels: SCHEMES.map(({ name, title }) =>
            grows(title.replace("relative positions", "vectors"), name, guess.parameters),
          ),
          xTitle: "scheme",
          yTitle: "parameters",
          horizontal: true,
        },
      ),

    operations(_, controls, { guess }) {
      const sizes = sizesOf(controls);
      const lengths = lengthsUpTo(sizes.length);
      const named = (/** @type {string} */ title, /** @type {string} */ name) =>
        /** @type {const} */ ([grows(title, name, guess.operations), flopsOf(name)]);
      const lines = Object.fromEntries([
        ["attention itself", attentionCost],
        named("Shaw’s vectors", "shaw"),
        named("ALiBi", "alibi"),
        named("T5’s bias", "t5Bias"),
        named("RoPE", "rope"),
        named("learned table, sinusoids", "sinusoidal"),
      ]);
      return waves(
        lengths.map((length) => Object.values(lines).map((line) => line({ ...sizes, length }))),
        {
          title: "Operations for one more token, in one layer",
          labels: Object.keys(lines),
          x: lengths,
          xTitle: "length of the text T (tokens)",
          yTitle: "additions and multiplications",
          xScale: "log",
          yScale: "log",
        },
      );
    },

    families() {
      const counts = SCHEMES.map(({ name }) => familiesOf(name));
      const others = FAMILIES - counts.reduce((sum, each) => sum + each);
      return bar([...counts, others], {
        title: "Families of models by scheme",
        labels: [...SCHEMES.map(({ title }) => title), "others, or none"],
        xTitle: "scheme",
        yTitle: "families",
        horizontal: true,
      });
    },
  },

  facts: {
    length: (_, { length }) => count(length),
    "alibi-share": (_, controls) => share(flopsOf("alibi"), controls),
    "shaw-share": (_, controls) => share(flopsOf("shaw"), controls),
    "rope-share": (_, controls) => share(flopsOf("rope"), controls),
    families: () => count(FAMILIES),
    table: (phasor, controls) => schemesTable(phasor, sizesOf(controls)),
  },

  questions: {
    shift(phasor, { seed }, { sources }) {
      const by = moved(phasor, sources, ASKED, seed);
      const kept = COMPARED.filter((scheme) => by[scheme] < ROUNDING);
      const isKept = (/** @type {string} */ guess) =>
        KEPT_BY[guess].filter((scheme) => scheme !== "none").join() ===
        kept.filter((scheme) => scheme !== "none").join();
      const found = `The largest change is ${brief(by.learnedPositions)} with the learned table and ${brief(by.sinusoidal)} with sinusoids. With RoPE it is ${brief(by.rope)}, which is rounding.`;
      return {
        answer: Object.keys(KEPT_BY).find(isKept) ?? "none",
        because: {
          all: `The order is the same, but two of the schemes add different vectors to the words. ${found}`,
          relative: `${found} ALiBi and T5’s bias see only distances: ${brief(by.alibi)} and ${brief(by.t5Bias)}.`,
          scores: `RoPE rotates query and key by the same additional angle, so their dot product does not change. ${found}`,
          none: `The positions are new, the distances are not. ${found}`,
        },
      };
    },
    reversed(phasor, { seed }, { sources }) {
      const by = reversed(phasor, sources, seed);
      const blind = COMPARED.filter((scheme) => scheme !== "none" && by[scheme] < ROUNDING);
      const change = (/** @type {Scheme} */ scheme) =>
        `The largest change of a weight is ${brief(by[scheme])}`;
      return {
        answer: blind.length === 1 ? blind[0] : "",
        because: {
          learnedPositions: `The vectors of positions 0 and 2 differ, so the words at the two ends get different queries and keys. ${change("learnedPositions")}.`,
          sinusoidal: `The sines of positions 0 and 2 differ, and so do the sums. ${change("sinusoidal")}.`,
          rope: `Lengths stay, but the angle between query and key has a sign: forward is not backward. ${change("rope")}.`,
          alibi: `The distances of “dog bites man”, 1 and 2 steps, are those of its reverse. ${change("alibi")}.`,
          t5Bias: `Without a mask T5 has different buckets for words before and after. ${change("t5Bias")}.`,
        },
      };
    },
    parameters() {
      const grown = SCHEMES.filter(
        ({ name }) =>
          costOf(name, GPT2).parameters < costOf(name, { ...GPT2, trained: 2048 }).parameters,
      ).map(({ name }) => name);
      const of = (/** @type {string} */ name) => count(costOf(name, GPT2).parameters);
      const found = `At L = 1,024 the learned table has ${of("learnedPositions")} numbers, at 2,048 twice as many.`;
      return {
        answer:
          grown.join() === "learnedPositions" ? "learned" : grown.length === 0 ? "none" : "all",
        because: {
          learned: `${found} T5’s bias has ${of("t5Bias")} at any length: one for each bucket and head.`,
          sums: `Sinusoids have a vector for each position too, but a formula computes it: ${of("sinusoidal")} parameters. ${found}`,
          learners: `T5 and Shaw learn numbers for distances, and all far distances share them: ${of("t5Bias")} and ${of("shaw")} numbers at any length. ${found}`,
          all: `RoPE, ALiBi and sinusoids have ${of("rope")} parameters at any length. ${found}`,
        },
      };
    },
    operations() {
      const ten = { ...GPT2, length: 10 * GPT2.length };
      const grown = SCHEMES.filter(
        ({ name }) => costOf(name, ten).flops === 10 * costOf(name, GPT2).flops,
      ).map(({ on }) => on);
      const of = (/** @type {string} */ name, /** @type {Sizes} */ sizes) =>
        count(costOf(name, sizes).flops);
      const found = `From 4,096 tokens to 40,960, the operations of ALiBi go from ${of("alibi", GPT2)} to ${of("alibi", ten)}, those of RoPE from ${of("rope", GPT2)} to ${of("rope", ten)}.`;
      return {
        answer:
          grown.length === 0
            ? "none"
            : grown.every((on) => on.startsWith("scores"))
              ? "scores"
              : "all",
        because: {
          none: `The token has one position, but a score with each of the T tokens. ${found}`,
          scores: found,
          rope: `A rotated key is kept in the cache; only the new token is rotated. ${found}`,
          all: `What acts on the input, or on one query and one key, does not depend on T. ${found}`,
        },
      };
    },
    beyond(phasor) {
      const of = (/** @type {string} */ name) => schemeOf(name).beyond(phasor, GPT2);
      const names = COMPARED.filter((name) => name !== "none");
      const known = names.filter((name) => !of(name).isNew);
      const hint = (/** @type {string} */ name) => `${upper(of(name).words)}.`;
      return {
        answer: known.length === 1 ? known[0] : "",
        because: {
          learnedPositions: hint("learnedPositions"),
          sinusoidal: `The formula has no end, but its slow waves have not completed a period in training. ${hint("sinusoidal")}`,
          rope: `The distances are new, too: in training none was above 1,023. ${hint("rope")}`,
          alibi: `The slopes are the same, but the distances are larger. ${hint("alibi")}`,
          t5Bias: `${hint("t5Bias")} So do those of Shaw et al.: ${of("shaw").words}.`,
        },
      };
    },
    async extrapolates() {
      const { tasks: found } = await recordOfLab();
      const best = Object.entries(found).map(([name, { rows, lengths }]) =>
        bestOf(/** @type {TaskName} */ (name), rows, lengths.length - 1),
      );
      const wins = best.flatMap(({ schemes }) => schemes);
      const most = Math.max(...wins.map((one) => wins.filter((scheme) => scheme === one).length));
      return {
        answer: most === best.length ? "all" : most === best.length - 1 ? "three" : "few",
        because: `At ${found.back.lengths.at(-1)} tokens the best of the schemes as trained, without a reading for longer texts, are: ${best.map(({ words }) => words).join("; ")}. The number after ± is the standard deviation of the seeds: where it is as large as the lead, other seeds may give another order.`,
      };
    },
    "exercise-small"() {
      const of = (/** @type {string} */ name) => costOf(name, SMALL).parameters;
      const names = ["learnedPositions", "sinusoidal", "rope", "t5Bias"];
      const tooLarge = names.filter((name) => of(name) > BUDGET);
      const fits = (/** @type {string} */ name) =>
        `It needs ${count(of(name))} parameters, so it fits.`;
      return {
        answer: tooLarge.length === 1 ? tooLarge[0] : "",
        because: {
          learnedPositions: `512 × 768 = ${count(of("learnedPositions"))}. The other three fit. This number does not say which of them is better.`,
          sinusoidal: `A formula computes its vectors. ${fits("sinusoidal")}`,
          rope: `Its angles come from a formula. ${fits("rope")}`,
          t5Bias: `It learns one number for each bucket and head. ${fits("t5Bias")}`,
        },
      };
    },
    "exercise-packed"(phasor, { seed }, { sources }) {
      const by = moved(phasor, sources, ASKED, seed);
      const names = /** @type {const} */ (["rope", "alibi", "learnedPositions", "t5Bias"]);
      const changing = names.filter((name) => by[name] > ROUNDING);
      const stays = (/** @type {Scheme} */ name) =>
        `With 100 words in front, its weights change by ${brief(by[name])}: only distances count.`;
      return {
        answer: changing.length === 1 ? changing[0] : "",
        because: {
          rope: `The positions are larger, but the differences are not. ${stays("rope")}`,
          alibi: `Its penalties count steps between two words. ${stays("alibi")}`,
          learnedPositions: `At position 100 it adds different vectors than at 0: the weights change by up to ${brief(by.learnedPositions)}. With the others, it makes no difference whether positions restart.`,
          t5Bias: `The buckets belong to distances. ${stays("t5Bias")}`,
        },
      };
    },
    "exercise-far"(phasor) {
      const by = far(phasor);
      const least = /** @type {const} */ (["none", "rope", "alibi", "t5Bias"]).reduce((a, b) =>
        by[a] <= by[b] ? a : b,
      );
      const equal = `${brief(by.none)}, the same as every other token`;
      return {
        answer: least,
        because: {
          none: `Without positions all 4,096 tokens share the weight equally: it gets ${equal}.`,
          rope: `With equal numbers in all pairs it gets ${brief(by.rope)}. Other queries and keys may prefer far tokens.`,
          alibi: `It gets ${brief(by.alibi)}; without positions it would get ${brief(by.none)}. This need not be a disadvantage: in the head with the smallest slope, a score that is ${brief(by.lack)} higher makes up for it.`,
          t5Bias: `With a table of zeros it gets ${equal}. After training, all tokens that are ${count(by.last)} or more steps back still share one number.`,
        },
      };
    },
    "exercise-continue"(phasor, { seed }, { sources }) {
      const change = (/** @type {Scheme} */ scheme) =>
        exchangedBy(phasor, sources, "rope", scheme, seed);
      const names = /** @type {const} */ (["alibi", "none", "sinusoidal", "rope"]);
      const same = names.filter((scheme) => change(scheme) < ROUNDING);
      const by = (/** @type {Scheme} */ scheme) =>
        `In “dog bites man” a weight changes by ${brief(change(scheme))}.`;
      return {
        answer: same.length === 1 ? same[0] : "",
        because: {
          alibi: `It has no parameters, but the model has learned queries and keys for rotation. ${by("alibi")}`,
          none: `The order was in the rotation, not in the matrices. ${by("none")}`,
          sinusoidal: `The frequencies are the same, but sinusoids are added to the input and rotate nothing. ${by("sinusoidal")}`,
          rope: `Every other scheme of this list changes a weight by at least ${brief(Math.min(...names.filter((scheme) => scheme !== "rope").map(change)))} in “dog bites man”. Models have been moved to other schemes, but only with further training.`,
        },
      };
    },
    "exercise-reason"(phasor, { seed }, { sources }) {
      const { rope } = moved(phasor, sources, ASKED, seed);
      const [short, long] = [4096, 40_960].map((length) => costOf("rope", { ...GPT2, length }));
      const beyond = schemeOf("rope").beyond(phasor, { ...GPT2, trained: 4096, length: 8192 });
      const rises = risesAt(phasor);
      const isTrue = rope < ROUNDING && short.parameters === 0 && short.flops === long.flops;
      return {
        answer: isTrue ? "numbers" : "",
        because: {
          popular: `${count(familiesOf("rope"))} of ${count(FAMILIES)} families use it. That counts decisions. It does not measure accuracy.`,
          numbers: `A shift changes the weights by ${brief(rope)}, it has ${count(short.parameters)} parameters, and ${count(short.flops)} operations for a token at any length. ALiBi also depends on distances only and learns nothing. Only a measurement on your data can say which of the two predicts text better.`,
          longer: `Trained on 4,096 tokens and given 8,192: ${beyond.words}.`,
          near: `With the same numbers in query and key, the score at distance ${rises + 1} is higher than at ${rises}.`,
        },
      };
    },
  },
});

/** What the lab has recorded; it is loaded when a reader has answered. @returns {Promise<Recorded>} */
async function recordOfLab() {
  const answer = await fetch(new URL("../../lab/recorded.json", import.meta.url));
  if (!answer.ok) throw new Error(`recorded.json could not be loaded (${answer.status}).`);
  return answer.json();
}

/** The schemes with the best mean at a length, as trained. @param {TaskName} task @param {Recorded["tasks"][TaskName]["rows"]} rows @param {number} at */
function bestOf(task, rows, at) {
  const own = rows.filter(({ reading }) => reading === null);
  const spreads = own.map((row) => spreadOf(row, task)[at]);
  const means = spreads.map(({ mean }) => mean);
  const best = measureOf(task) === "loss" ? Math.min(...means) : Math.max(...means);
  const first = own.filter((_, i) => means[i] === best);
  const { deviation } = spreads[means.indexOf(best)];
  const names = first.map(rowTitle).join(" and ");
  return {
    schemes: first.map(({ scheme }) => scheme),
    words: `${tasks[task]}: ${names}, ${two(best)} ± ${two(deviation)}`,
  };
}

/** @param {(scheme: Scheme) => number} change @returns {Record<Scheme, number>} */
function changes(change) {
  return /** @type {Record<Scheme, number>} */ (
    Object.fromEntries(COMPARED.map((scheme) => [scheme, change(scheme)]))
  );
}

/**
 * @param {Record<Scheme, number>} by @param {string} title
 * @param {readonly Scheme[] | undefined} guessed  the schemes that, says the reader, change nothing
 */
function changed(by, title, guessed) {
  const label = (/** @type {Scheme} */ scheme) =>
    `${titleOf(scheme)}${guessed?.includes(scheme) ? " (your guess: 0)" : ""}`;
  return bar(Object.values(by), {
    title,
    labels: COMPARED.map(label),
    xTitle: "scheme",
    yTitle: "largest change of a weight",
    horizontal: true,
  });
}

/** A scheme's title, with what the reader expects of it. @param {string} title @param {string} name @param {string | undefined} guess */
function grows(title, name, guess) {
  return guess && GROWN_BY[guess].includes(name) ? `${title} (your guess: grows)` : title;
}

/** @param {Values} controls @returns {Sizes} */
function sizesOf({ dim, heads, trained, length }) {
  return { dim, heads, trained, length };
}

/** @param {string} name @returns {(sizes: Sizes) => number} */
const flopsOf = (name) => (sizes) => costOf(name, sizes).flops;

/** Products and sums of one query with T keys, and of T weights with the values. @param {Sizes} sizes */
const attentionCost = ({ dim, length }) => 4 * dim * length;

/** @param {(sizes: Sizes) => number} flops @param {Values} controls */
function share(flops, controls) {
  const sizes = sizesOf(controls);
  return `${brief((100 * flops(sizes)) / attentionCost(sizes))} %`;
}

/** Lengths from a 64th of the longest on, four for each doubling. @param {number} longest */
function lengthsUpTo(longest) {
  const all = Array.from({ length: 25 }, (_, i) => Math.round(longest * 2 ** ((i - 24) / 4)));
  return [...new Set(all)];
}

/**
 * The weight of a token far back in a text, the mean over the heads, where all queries and keys are equal.
 * @param {Phasor} phasor
 */
function farWeights({ alibi, attention, embedding, rope, t5Bias }) {
  const { length, back, heads, width } = FAR;
  const at = length - 1 - back;
  const mean = (/** @type {import("phasor").Tensor} */ scores) => {
    const { data, shape } = attention.softmax(scores);
    const [H] = shape;
    return Array.from({ length: H }, (_, h) => Number(data[h * length + at])).reduce(
      (sum, weight) => sum + weight / H,
      0,
    );
  };
  const ones = (/** @type {number} */ rows) => ({
    data: new Float32Array(rows * width).fill(1),
    shape: [1, rows, width],
  });
  const tables = { q: rope.table([length - 1], width), k: rope.table(length, width) };
  const zeros = embedding.zeros(32, heads).weights();
  const slopes = Array.from(alibi.slopes(heads).data, Number);
  const buckets = t5Bias.buckets(1, { keys: length, direction: "causal" });
  const last = Array.from(buckets.data).lastIndexOf(buckets.data[at]);
  return {
    none: mean(attention.scores(ones(1), ones(length))),
    rope: mean(attention.scores(ones(1), ones(length), { rope: tables })),
    alibi: mean(alibi.bias(heads, 1, { keys: length }).reshape(heads, length)),
    t5Bias: mean(
      t5Bias.bias(zeros, 1, { keys: length, direction: "causal" }).reshape(heads, length),
    ),
    /** What the score lacks in the head with the smallest slope. */
    lack: Math.min(...slopes) * back,
    /** The distance from which on all share a bucket. */
    last: length - 1 - last,
  };
}

/** The first distance after which RoPE's score of equal queries and keys rises. @param {Phasor} phasor */
function risesAt({ rope }) {
  const thetas = Array.from(rope.frequencies(FAR.width).frequencies.data, Number);
  const score = (/** @type {number} */ n) =>
    thetas.reduce((sum, theta) => sum + Math.cos(n * theta), 0);
  let distance = 0;
  while (score(distance + 1) <= score(distance)) ++distance;
  return distance;
}

/** @param {string} words */
const upper = (words) => words.charAt(0).toUpperCase() + words.slice(1);
