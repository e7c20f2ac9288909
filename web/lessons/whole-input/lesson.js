/** @import { Phasor, Tensor } from "phasor" */
/** @import { Input } from "./inputs.js" */
import { models } from "phasor/models";
import { page } from "../../app/page.js";
import { brief, count, shape } from "../../app/numbers.js";
import { bar, heatmap, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import {
  FIRST_ID,
  GPT2_POSITIONS_STD,
  inputs,
  sizesOf,
  STD,
  swappedInput,
  wordsRead,
} from "./inputs.js";

/** Columns of a wide table that are drawn: as colors, and with their numbers. */
const SHOWN = 24;
const NUMBERED = 6;

/** The colors end at three standard deviations: of new tables, and of the output of LayerNorm. */
const REACH = 0.06;
const NORMALIZED_REACH = 3;

/** Steps of training that are averaged. */
const STEPS = 400;

/** A position at which two words are compared, and the factors tried. */
const AT = 3;
const FACTORS = Array.from({ length: 41 }, (_, i) => 2 ** ((i - 8) / 4)); // 1/4 .. 256

/** The names of the stages. @type {Record<string, string>} */
const NAMES = {
  words: "words",
  segments: "segments",
  positions: "positions",
  sum: "their sum",
  normalized: "LayerNorm",
  output: "output",
};

const inputsOf = remembered(inputs);

/** BERT's sums, its tables multiplied by a factor. */
const sumsOf = remembered(
  /** @param {Phasor} phasor @param {string} sentence @param {string} next @param {number} seed @param {number} factor */
  (phasor, sentence, next, seed, factor) => inputs(phasor, sentence, next, seed, factor).bert,
);

/** The parts of BERT's sum, in their order. */
const PARTS = /** @type {const} */ (["words", "segments", "positions"]);

/**
 * How far each part of a word's sum moves in BERT when the second sentence comes first.
 * @param {Phasor} phasor @param {string} sentence @param {string} next @param {number} seed @param {number} index  of the word in the first sentence
 */
function movedParts(phasor, sentence, next, seed, index) {
  const before = inputs(phasor, sentence, next, seed).bert;
  const after = swappedInput(phasor, sentence, next, seed);
  const words = before.tokens.indexOf("[SEP]") - 1;
  const from = 1 + index; // [CLS] is the first token
  const to = from + (after.tokens.length === words + 2 ? 0 : after.tokens.indexOf("[SEP]"));
  return {
    token: before.tokens[from],
    apart: PARTS.map((part) =>
      phasor.similarity.pair(before.stages[part].row(from), after.stages[part].row(to), {
        metric: "euclidean",
      }),
    ),
  };
}

/** The running mean of one number under dropout. */
const averages = remembered(
  /** @param {Phasor} phasor @param {number} x @param {number} p @param {number} from  the first step */
  ({ dropout }, x, p, from) => {
    let sum = 0;
    return Array.from({ length: STEPS }, (_, i) => {
      sum += Number(dropout.apply([x], { p, seed: from + i }).data[0]);
      return sum / (i + 1);
    });
  },
);

page({
  subject: "mix",

  ends: { token: ({ sentence, next }) => wordsRead(sentence, next) },

  pictures: {
    gpt2: (phasor, { sentence, next, seed }) =>
      stagesOf(inputsOf(phasor, sentence, next, seed).gpt2, "GPT-2"),
    bert(phasor, { sentence, next, seed }) {
      const { tokens, ids, stages } = inputsOf(phasor, sentence, next, seed).bert;
      const { words, segments, positions, sum } = stages;
      return stagesOf({ tokens, ids, stages: { words, segments, positions, sum } }, "BERT");
    },
    "bert-output"(phasor, { sentence, next, seed }) {
      const { tokens, stages } = inputsOf(phasor, sentence, next, seed).bert;
      return heatmap(firstColumns(stages.output), {
        title: `BERT after LayerNorm: the first ${SHOWN} columns`,
        rowTitle: "token",
        columnTitle: "dimension",
        rowLabels: tokens,
        domain: [-NORMALIZED_REACH, NORMALIZED_REACH],
      });
    },
    llama: (phasor, { sentence, next, seed }) =>
      stagesOf(inputsOf(phasor, sentence, next, seed).llama, "LLaMA"),

    swapped(phasor, { sentence, next, seed, token }, { guess }) {
      const { token: word, apart } = movedParts(phasor, sentence, next, seed, token - 1);
      const guessed = { positions: [2], segments: [1], both: [1, 2], all: [0, 1, 2] }[
        String(guess.segments)
      ];
      return bar(apart, {
        title: `How far each part of “${word}” moves when the second sentence comes first`,
        labels: PARTS.map((part) => NAMES[part]),
        xTitle: "part",
        yTitle: "distance",
        ...(guessed && {
          groups: PARTS.map((_, i) => (guessed.includes(i) ? "you: it changes" : "you: it stays")),
        }),
      });
    },

    cosine(phasor, { dim, spread }) {
      return waves(
        FACTORS.map((factor) => [cosineAt(phasor, dim, spread, factor)]),
        {
          title: `Two different words at position ${AT}: the cosine of their sums`,
          labels: ["cosine"],
          x: FACTORS,
          xScale: "log",
          xTitle: "factor of the words",
          yTitle: "cosine",
          yDomain: [-0.2, 1],
          rules: [{ x: Math.sqrt(dim), label: "√D" }],
        },
      );
    },

    spreads(phasor, { sentence, next, seed, factor, eps }) {
      const { tokens, stages } = sumsOf(phasor, sentence, next, seed, factor);
      const normalized = phasor.normalize.layerNorm(stages.sum, { eps: Number(eps) });
      const [before, after] = [stages.sum, normalized].map((rows) => Array.from(rows, spreadOf));
      return bar(
        tokens.flatMap((_, t) => [before[t], after[t]]),
        {
          title: "The standard deviation of each vector",
          labels: tokens.flatMap((token) => [token, token]),
          groups: tokens.flatMap(() => ["before", "after LayerNorm"]),
          means: ["mix", "quiet"],
          xTitle: "token",
          yTitle: "standard deviation",
          horizontal: true,
        },
      );
    },

    dropped(phasor, { sentence, next, seed, p, step }) {
      const { tokens, stages } = inputsOf(phasor, sentence, next, seed).gpt2;
      const kept = phasor.dropout.apply(stages.sum, { p, seed: step });
      return heatmap(firstColumns(kept), {
        title: `GPT-2’s sums in training step ${step}, the first ${SHOWN} columns`,
        rowTitle: "token",
        columnTitle: "dimension",
        rowLabels: tokens,
        domain: [-REACH, REACH],
      });
    },

    average(phasor, { sentence, next, seed, p, step }) {
      const { stages } = inputsOf(phasor, sentence, next, seed).gpt2;
      const x = Number(stages.sum.at(0, 0));
      return waves(
        averages(phasor, x, p, step).map((mean) => [mean]),
        {
          title: "The mean of one number over more and more steps",
          labels: ["mean"],
          x: Array.from({ length: STEPS }, (_, i) => i + 1),
          xTitle: "steps",
          yTitle: "value",
          rules: [{ y: x, label: "without dropout" }],
        },
      );
    },
  },

  facts: {
    "gpt2-steps": (phasor, { sentence, next, seed }) =>
      steps(inputsOf(phasor, sentence, next, seed).gpt2),
    "bert-steps": (phasor, { sentence, next, seed }) =>
      steps(inputsOf(phasor, sentence, next, seed).bert),
    "llama-steps": (phasor, { sentence, next, seed }) =>
      steps(inputsOf(phasor, sentence, next, seed).llama),
    "first-id": () => count(FIRST_ID),
    root: (_, { dim }) => brief(Math.sqrt(dim)),
    "cosine-one": (phasor, { dim, spread }) => brief(cosineAt(phasor, dim, spread, 1)),
    "cosine-root": (phasor, { dim, spread }) =>
      brief(cosineAt(phasor, dim, spread, Math.sqrt(dim))),
    means(phasor, { sentence, next, seed, factor, eps }) {
      const { sum } = sumsOf(phasor, sentence, next, seed, factor).stages;
      const normalized = phasor.normalize.layerNorm(sum, { eps: Number(eps) });
      const [before, after] = [sum, normalized].map((rows) =>
        Math.max(...Array.from(rows, (row) => Math.abs(meanOf(row)))),
      );
      return `The means of the vectors are within ${brief(before)} of 0 before, and within ${brief(after)} after.`;
    },
    share(phasor, { sentence, next, seed, p, step }) {
      const { sum } = inputsOf(phasor, sentence, next, seed).gpt2.stages;
      const mask = phasor.dropout.mask([...sum.shape], { p, seed: step });
      const dropped = Array.from(mask.data, Number).filter((kept) => kept === 0).length;
      return `Of ${count(mask.size)} numbers this step drops ${count(dropped)}: ${brief((100 * dropped) / mask.size)} %.`;
    },
  },

  questions: {
    twice(phasor) {
      const all = inputs(phasor, "the dog bites the man", "", 1);
      const same = Object.entries(all)
        .filter(([, input]) => twiceTheSame(input))
        .map(([name]) => name);
      const apart = phasor.similarity.pair(...rowsOf(all.gpt2), { metric: "euclidean" });
      const found = `In LLaMA the two vectors are equal in every bit. In GPT-2 they are ${brief(apart)} apart.`;
      return {
        answer: same.length === 0 ? "none" : same[0],
        because: {
          gpt2: `GPT-2 adds the vectors of positions 0 and 3 to them, and then they are ${brief(apart)} apart.`,
          bert: `Both occurrences have the same segment vector, but BERT adds those of positions 1 and 4 too. ${found}`,
          llama: `${found} LLaMA adds no position.`,
          none: `A model does not have to add positions to its input. LLaMA rotates queries and keys later. ${found}`,
        },
      };
    },
    segments(phasor) {
      const [words, segments, positions] = movedParts(
        phasor,
        "the dog bites the man",
        "it ran",
        1,
        1,
      ).apart.map((apart) => apart > 0);
      const found =
        "“dog” moves from token 2 in segment 0 to token 5 in segment 1, but the word is the same";
      return {
        answer: words
          ? "all"
          : segments && positions
            ? "both"
            : segments
              ? "segments"
              : "positions",
        because: {
          positions: `It also belongs to the second sentence now. ${found}.`,
          segments: `Positions continue through both sentences and include [CLS] and [SEP]. ${found}.`,
          both: `${found}.`,
          all: `The word vector depends on the word alone. ${found}.`,
        },
      };
    },
    buffers({ rope, sinusoidal, tokenTypeIds }) {
      const [gpt2, bert] = [sizesOf("gpt2"), sizesOf("bert-base-uncased")];
      const { size } = sinusoidal.table(512, 512);
      const pairs = rope.frequencies(128).frequencies.size;
      const segments = new Set(tokenTypeIds.ids([3, 2]).data).size;
      return {
        sorted: {
          wte: "parameter",
          wpe: "parameter",
          position_ids: "buffer",
          sinusoids: "buffer",
          inv_freq: "buffer",
          segments: "parameter",
          gain: "parameter",
          mask: "neither",
        },
        because: {
          wte: `Training adjusts all ${count(gpt2.vocabulary * gpt2.dim)} numbers.`,
          wpe: `Positions are learned like words: ${count(gpt2.positions * gpt2.dim)} numbers.`,
          position_ids: `They say which of the ${count(bert.positions)} rows to look up. A trained 1 could become 1.02, which is not a row.`,
          sinusoids: `A formula gives all ${count(size)} numbers for 512 positions and D = 512, and they never change. PyTorch programs keep the table so that it is not computed again; the authors’ own code, tensor2tensor, computes it anew each time.`,
          inv_freq: `The base determines the ${count(pairs)} numbers of a head of width 128. If they were trained, they would no longer follow the formula.`,
          segments: `It has only ${segments} vectors of ${count(bert.dim)} numbers, but they are learned.`,
          gain: `It starts at 1, and training changes it: ${count(bert.dim)} numbers, and as many for the bias b.`,
          mask: "Each training step draws a new one and discards it.",
        },
      };
    },
    drowned(phasor) {
      const [without, scaled] = [1, Math.sqrt(512)].map((factor) =>
        cosineAt(phasor, 512, "root", factor),
      );
      const position = Number(phasor.statistics.norms(phasor.sinusoidal.table([AT], 512)).data[0]);
      const found = `The cosine is ${brief(without)}. With the factor √512 it is ${brief(scaled)}.`;
      return {
        answer: without > 0.9 ? "one" : without > 0.15 ? "third" : "zero",
        because: {
          zero: `The words are different, but both sums contain the same position vector. Its norm is ${brief(position)}, that of a word about 1. ${found}`,
          third: `What counts is the square of the norms: about 1 for a word, and ${brief(position ** 2)} for the position. ${found}`,
          one: `${found} The norm of the position is ${brief(position)}, that of a word about 1.`,
        },
      };
    },
    tenfold(phasor) {
      const [once, tenfold] = [1, 10].map(
        (factor) => inputs(phasor, "the dog bites the man", "", 1, factor).bert.stages.output,
      );
      const apart = Math.max(
        ...Array.from(once.data, (x, i) => Math.abs(Number(x) - Number(tenfold.data[i]))),
      );
      const ratio = spreadOf(tenfold.row(0)) / spreadOf(once.row(0));
      const found = `The largest change of a number is ${brief(apart)}.`;
      return {
        answer: apart < 1e-3 ? "same" : ratio > 5 ? "ten" : "root",
        because: {
          ten: `The sum becomes 10 times as large, but LayerNorm divides it by its standard deviation, which does, too. ${found}`,
          root: `The variance grows by the square of the factor, but LayerNorm takes its root. ${found}`,
          same: `${found} Mean and standard deviation grow with the vector, and LayerNorm removes both.`,
        },
      };
    },
    kept({ dropout }) {
      const { data } = dropout.apply(Array(100).fill(1), { p: 0.1, seed: 1 });
      const kept = Math.max(...Array.from(data, Number));
      const found = `A 1 that is kept becomes ${brief(kept)} = 1 / 0.9.`;
      return {
        answer: kept > 1 ? "larger" : kept < 1 ? "smaller" : "same",
        because: {
          same: `Then the mean over many steps is 0.9 of the value at inference. ${found}`,
          larger: `${found} It is kept in 9 of 10 steps, so its mean is 1, as at inference.`,
          smaller: `That makes the mean even smaller: 0.9 × 0.9 of the value. ${found}`,
        },
      };
    },
    "exercise-gemma"({ inputEmbeddings }) {
      const words = { data: new Float32Array(1152).fill(1), shape: [1, 1152] };
      const { tokens, positions } = models.get("gemma-3-1b");
      const scale = Number(inputEmbeddings({ tokens, positions }, { words }, [0]).at(0, 0));
      return {
        answer: scale,
        within: 1e-6,
        because: `√1152 = ${Math.sqrt(1152).toFixed(4)}, and the nearest bfloat16 is ${scale}.`,
        near: [
          {
            value: Math.sqrt(1152),
            within: 0.06,
            because: "That is √1152. Round it to a multiple of 0.25.",
          },
          {
            value: scale - 0.25,
            because: "That is a neighbor. Which multiple is nearest to √1152?",
          },
          { value: 1152, because: "That is D. The factor is its square root." },
        ],
      };
    },
    "exercise-norm"({ normalize }) {
      const last = Number(normalize.layerNorm([[2, 4, 6]], { eps: 0 }).at(0, 2));
      return {
        answer: last,
        within: 0.006,
        because: `The mean is 4 and the variance (4 + 0 + 4) / 3, so the last number is 2 / √(8/3) = ${last.toFixed(4)}.`,
        near: [
          { value: 2, because: "That is the difference from the mean. Divide it by σ." },
          {
            value: 1,
            because: "You divided the variance by n − 1. LayerNorm divides it by n.",
          },
          { value: 0.75, because: "You divided by the variance. Divide by its square root." },
          { value: -last, within: 0.006, because: "That is the first number." },
        ],
      };
    },
    "exercise-segments"(phasor) {
      const [words, segments] = [128000, 2].map((rows) => {
        const table = phasor.embedding.create(rows, 8192, {
          std: STD,
          seed: 1,
          storage: "on-demand",
        });
        const size = table.vocabulary * table.dim;
        table.dispose();
        return size;
      });
      return {
        answer: words + segments,
        because: `128,000 × 8,192 = ${count(words)} and 2 × 8,192 = ${count(segments)}, in all ${count(words + segments)}.`,
        near: [
          { value: words, because: "That is the word table alone." },
          { value: words + 2, because: "Each segment has a vector of D numbers." },
          { value: 2 * words, because: "The segments have a separate table, with 2 vectors." },
        ],
      };
    },
  },

  code: {
    steps(phasor, { sentence, next, seed }) {
      return program(inputsOf(phasor, sentence, next, seed), seed);
    },
  },
});

/** Two tokens of an input, one step below the other: a word that occurs twice, or the first two. @param {Input} input @param {string} model */
function stagesOf({ tokens, stages }, model) {
  const names = Object.keys(stages);
  const two = twoOf(tokens);
  const labelOf = (/** @type {string} */ name, /** @type {number} */ t) => {
    if (name === "words") return `${t}: ${tokens[t]}`;
    return { segments: "+ segment", positions: `+ pos. ${t}`, sum: "= sum" }[name] ?? name;
  };
  return heatmap(
    two.flatMap((t) =>
      names.map((name) => Array.from(stages[name].row(t).data.slice(0, NUMBERED), Number)),
    ),
    {
      title: `${model}: the first ${NUMBERED} numbers of tokens ${two.join(" and ")}, step by step`,
      rowTitle: "token and step",
      columnTitle: "dimension",
      rowLabels: two.flatMap((t) => names.map((name) => labelOf(name, t))),
      domain: [-REACH, REACH],
      numbers: true,
    },
  );
}

/** What models add to a text. */
const ADDED = ["[CLS]", "[SEP]", "<s>"];

/** The first two tokens of the same word; of different words if none occurs twice. @param {string[]} tokens */
function twoOf(tokens) {
  const words = tokens.flatMap((token, t) => (ADDED.includes(token) ? [] : [t]));
  const again = words.find((t) => words.some((s) => s < t && tokens[s] === tokens[t]));
  if (again === undefined) return words.slice(0, 2);
  return [words.find((t) => tokens[t] === tokens[again]) ?? 0, again];
}

/** @param {Tensor} rows @returns {number[][]} */
function firstColumns(rows) {
  return Array.from(rows, ({ data }) => Array.from(data.slice(0, SHOWN), Number));
}

/** Tokens, and the shape at each step. @param {Input} input */
function steps({ tokens, stages }) {
  const { words, segments, positions, sum, normalized, output } = stages;
  const looked = [
    ["words", words],
    ["segments", segments],
    ["positions", positions],
  ].filter(([, rows]) => rows);
  const made = [
    ["sum", sum],
    ["LayerNorm", normalized],
    ["output", output],
  ].filter(([, rows]) => rows);
  const described = (/** @type {any[]} */ [name, rows]) => `${name}\u00a0${shape(rows.shape)}`;
  const arrows = [looked.map(described).join(" + "), ...made.map(described)].join(" → ");
  return `${tokens.join(" ")}: ids ${shape([tokens.length])} → ${arrows}.`;
}

/**
 * The cosine of two words' sums with the sinusoids of one position.
 * @param {Phasor} phasor @param {number} dim @param {string} spread  of the words; `root`: 1/sqrt(D)
 * @param {number} factor  of the words
 */
function cosineAt({ embedding, similarity, sinusoidal }, dim, spread, factor) {
  const std = spread === "root" ? 1 / Math.sqrt(dim) : Number(spread);
  const table = embedding.create(2, dim, { std, seed: 1 });
  const add = sinusoidal.table([AT, AT], dim);
  const [one, other] = table.lookup([0, 1], { scale: factor, add });
  table.dispose();
  return similarity.pair(one, other);
}

/** @param {Tensor} row */
function meanOf({ data }) {
  return Array.from(data, Number).reduce((sum, x) => sum + x, 0) / data.length;
}

/** The standard deviation of a row's numbers. @param {Tensor} row */
function spreadOf(row) {
  const mean = meanOf(row);
  const squares = Array.from(row.data, (x) => (Number(x) - mean) ** 2);
  return Math.sqrt(squares.reduce((sum, x) => sum + x, 0) / squares.length);
}

/** The rows of a word that occurs twice. @param {Input} input @returns {[Tensor, Tensor]} */
function rowsOf({ tokens, stages }) {
  const first = tokens.indexOf("the");
  return [stages.output.row(first), stages.output.row(tokens.indexOf("the", first + 1))];
}

/** Whether the two rows have equal bits. @param {Input} input */
function twiceTheSame(input) {
  const [one, other] = rowsOf(input);
  return one.data.every((x, d) => Object.is(x, other.data[d]));
}

/** @param {ReturnType<typeof inputs>} all @param {number} seed */
function program({ gpt2, bert, llama }, seed) {
  const sizes = {
    gpt2: sizesOf("gpt2"),
    bert: sizesOf("bert-base-uncased"),
    llama: sizesOf("llama-2-7b"),
  };
  const separators = bert.tokens.flatMap((token, t) => (token === "[SEP]" ? [t] : []));
  const segments = bert.ids.map((_, t) => (t > separators[0] ? 1 : 0));
  const list = (/** @type {number[]} */ numbers) => `[${numbers.join(", ")}]`;
  return `import { load } from "phasor";
import { models } from "phasor/models";
import { figures } from "phasor/plots";

const { embedding, inputEmbeddings } = await load();
const { heatmap } = figures();

// Only the rows that are looked up are drawn.
const table = (rows, dim, std, seed) =>
  embedding.create(rows, dim, { std, seed, storage: "on-demand" });

const gpt2 = inputEmbeddings(
  models.get("gpt2"),
  {
    words: table(${sizes.gpt2.vocabulary}, ${sizes.gpt2.dim}, ${STD}, ${seed}),
    positions: table(${sizes.gpt2.positions}, ${sizes.gpt2.dim}, ${GPT2_POSITIONS_STD}, ${seed + 100}),
  },
  ${list(gpt2.ids)},
  { intermediates: true },
);

const bert = inputEmbeddings(
  models.get("bert-base-uncased"),
  {
    words: table(${sizes.bert.vocabulary}, ${sizes.bert.dim}, ${STD}, ${seed + 200}),
    positions: table(${sizes.bert.positions}, ${sizes.bert.dim}, ${STD}, ${seed + 300}),
    segments: table(${sizes.bert.segments}, ${sizes.bert.dim}, ${STD}, ${seed + 400}),
  },
  ${list(bert.ids)},
  { intermediates: true, segments: ${list(segments)} },
);

const llama = inputEmbeddings(
  models.get("llama-2-7b"),
  { words: table(${sizes.llama.vocabulary}, ${sizes.llama.dim}, ${STD}, ${seed + 500}) },
  ${list(llama.ids)},
  { intermediates: true },
);

for (const [model, steps] of Object.entries({ gpt2, bert, llama })) {
  for (const [name, { shape }] of Object.entries(steps)) display(\`\${model} \${name}: [\${shape}]\`);
}
const titles = { rowTitle: "token", columnTitle: "dimension" };
display(heatmap(bert.output, { title: "What enters BERT", ...titles }));
`;
}
