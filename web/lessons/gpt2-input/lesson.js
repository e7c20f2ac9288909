/** @import { Phasor } from "phasor" */
/** @import { Values } from "../../app/controls.js" */
/** @import { GptFile } from "./file.js" */
import { models } from "phasor/models";
import { byId, make } from "../../app/dom.js";
import { inWords } from "../../app/errors.js";
import { save } from "../../app/exports.js";
import { page } from "../../app/page.js";
import { brief, count, shape } from "../../app/numbers.js";
import { bar, bias, heatmap } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { begin } from "../../app/text/begin.js";
import { chips } from "../../app/text/chips.js";
import { loadGpt2, SIZE } from "../../app/text/gpt2.js";
import { build, leftOut, rowsBehind } from "./build.js";
import { NUMBER_BYTES, POSITIONS, WIDTH, offsetOf, openedFile, smallFile } from "./file.js";
import "./gpt2-input.css";
import { road } from "./road.js";

const SENTENCE = "dog bites man";

/** The most tokens of a text, and the most numbers of a vector that are drawn. */
const MOST = 8;
const SHOWN = 8;

/** Characters of the header that are shown. */
const HEADER = 500;

/** The range of the colors: three standard deviations of GPT-2's new tables. */
const REACH = 0.06;

/** The names of tensors in the first question, where the file has them. */
const OTHERS = { attention: "h.0.attn.c_attn.weight", norm: "h.0.ln_1.weight" };

/** The text that was read before, in the question about the cache, and the padding of the other question. */
const READ = "the dog bites";
const NEXT = " man";
const PADDING = 1;

const FILE_NAME = "model.safetensors";

/** GPT-2's own sizes. */
const REAL = models.get("gpt2");

const loaded = remembered(loadGpt2);

/** The file that the page makes. */
const made = remembered(
  /** @param {Phasor} phasor @param {number} seed */
  (phasor, seed) => openedFile(phasor, [new File([smallFile(phasor, seed)], FILE_NAME)]),
);

/** The file of the page or of the reader. @param {Phasor} phasor @param {Values} controls @param {Values} results @returns {Promise<GptFile>} */
async function fileOf(phasor, controls, results) {
  return results.opened ?? made(phasor, controls.seed);
}

/** The first tokens of the text, or of the page's own. */
const tokensOf = remembered(
  /** @param {Phasor} phasor @param {string} text */
  async (phasor, text) => {
    const { tokenize } = await loaded(phasor);
    const tokens = tokenize(text).slice(0, MOST);
    return tokens.length > 0 ? tokens : tokenize(SENTENCE);
  },
);

const builtOf = remembered(
  /** @param {Phasor} phasor @param {GptFile} file @param {string} text @param {number} past */
  async (phasor, file, text, past) => build(phasor, file, await tokensOf(phasor, text), past),
);

/** @param {Phasor} phasor @param {Values} controls @param {Values} results */
async function built(phasor, controls, results) {
  const { text, past } = controls;
  return builtOf(phasor, await fileOf(phasor, controls, results), text, past);
}

page({
  subject: "mix",

  prepare: async () => ({ opened: undefined }),

  begin({ phasor, controls, change }) {
    const wrong = byId("own-wrong");
    const own = /** @type {HTMLInputElement} */ (byId("own"));
    own.addEventListener("change", async () => {
      const files = [...(own.files ?? [])];
      wrong.textContent = "";
      try {
        change({ opened: files.length > 0 ? await openedFile(phasor, files) : undefined });
      } catch (error) {
        wrong.textContent = inWords(/** @type {Error} */ (error).message);
      }
    });
    byId("save").addEventListener("click", () =>
      save(new Blob([smallFile(phasor, controls.seed)]), FILE_NAME),
    );
  },

  pictures: {
    async words(phasor, controls, results) {
      const { labels, words } = await built(phasor, controls, results);
      return heatmap(firstOf(words), {
        ...vectorsOf(labels),
        title: `The rows of the tokens${partOf(words)}`,
      });
    },

    async rows(phasor, { text, padding, past }) {
      const tokens = await tokensOf(phasor, text);
      const { plain, masked, forgotten } = rowsBehind(phasor, tokens.length, padding, past);
      return heatmap([plain, masked, forgotten], {
        title: "The row of the position table for each token",
        rowTitle: "call",
        columnTitle: "token",
        rowLabels: ["direct call", "generate()", "no cache"],
        columnLabels: tokens.map(({ label }) => label),
        colors: "blue",
        numbers: true,
      });
    },

    async parts(phasor, controls, results) {
      const { labels, words, places } = await built(phasor, controls, results);
      const parts = [words, places].map(firstOf);
      return bias(
        { data: Float32Array.from(parts.flat(2)), shape: [2, labels.length, parts[0][0].length] },
        {
          title: `The two rows of each token${partOf(words)}`,
          headLabels: ["rows of wte", "rows of wpe"],
          rowTitle: "token",
          columnTitle: "dimension",
          domain: [-REACH, REACH],
        },
      );
    },

    async input(phasor, controls, results) {
      const { labels, sum } = await built(phasor, controls, results);
      return heatmap(firstOf(sum), {
        ...vectorsOf(labels),
        title: `The input of the first block${partOf(sum)}`,
      });
    },

    async "left-out"(phasor, controls, results) {
      const off = leftOut(phasor, await built(phasor, controls, results));
      const { guess } = results;
      const label = (/** @type {string} */ name, /** @type {string} */ title) =>
        guess["left-out"] === name ? `${title} (your guess)` : title;
      return bar([off.nothing, off.without, off.scale, off.norm], {
        title: "Largest difference from GPT-2’s input",
        labels: [
          label("nothing", "the plain sum"),
          label("without", "words alone"),
          label("scale", "words × √D"),
          label("norm", "LayerNorm of the sum"),
        ],
        xTitle: "input",
        yTitle: "largest difference",
        horizontal: true,
      });
    },
  },

  facts: {
    "real-dim": () => count(Number(REAL.dim)),
    "last-id": () => count(SIZE - 1),
    "number-bytes": () => String(NUMBER_BYTES),
    async opened(phasor, controls, results) {
      const { blob, dim, rows } = await fileOf(phasor, controls, results);
      const whose = results.opened ? `Your file ${blob.name}` : "The file of this page";
      return `${whose} has ${count(blob.size)} bytes: ${count(SIZE)} tokens and ${count(rows)} positions, D = ${count(dim)}.`;
    },
    ...Object.fromEntries(
      ["words", "positions", "attention", "norm"].map((role) => [
        `shape-${role}`,
        async (
          /** @type {Phasor} */ phasor,
          /** @type {Values} */ controls,
          /** @type {Values} */ results,
        ) => shapeOf(await fileOf(phasor, controls, results), role),
      ]),
    ),
    async header(phasor, controls, results) {
      const { text, dataAt, first } = await fileOf(phasor, controls, results);
      const bytes = Array.from(first, (byte) => byte.toString(16).padStart(2, "0")).join(" ");
      const shown = begin(text, HEADER);
      return make(
        "pre",
        {},
        make("b", {}, `${bytes} = ${count(dataAt - first.length)}`),
        `\n${shown}${shown === text ? "" : " …"}`,
      );
    },
    async tensors(phasor, controls, results) {
      return tensorsTable(await fileOf(phasor, controls, results), results.guess.which);
    },
    ids: async (phasor, { text }) => chips(await tokensOf(phasor, text)),
    async begin(phasor, controls, results) {
      const file = await fileOf(phasor, controls, results);
      return count(offsetOf(file, file.names.words, 0));
    },
    "first-token": async (phasor, { text }) => (await tokensOf(phasor, text))[0].label,
    "first-id": async (phasor, { text }) => count(Number((await tokensOf(phasor, text))[0].id)),
    dim: async (phasor, controls, results) => count((await fileOf(phasor, controls, results)).dim),
    async "second-token"(phasor, controls, results) {
      const { labels } = await built(phasor, controls, results);
      return labels[secondOf(labels)];
    },
    async shape(phasor, controls, results) {
      const { wanted } = await built(phasor, controls, results);
      return shape(wanted.shape);
    },
    async check(phasor, controls, results) {
      const { sum, wanted, apart } = await built(phasor, controls, results);
      return `phasor’s open() and embed() compute the same input with separate code. The largest difference among ${count(sum.length)} × ${count(wanted.shape[1])} numbers is ${brief(apart)}.`;
    },
    async printed(phasor, controls, results) {
      const { ids, sum } = await built(phasor, controls, results);
      return `[${ids.join(", ")}]\n[${sum.map(([x]) => inPython(x)).join(", ")}]`;
    },
    async road(phasor, controls, results) {
      return road(await built(phasor, controls, results), SHOWN);
    },
  },

  questions: {
    async which(phasor, controls, results) {
      const file = await fileOf(phasor, controls, results);
      const { rows, dim } = file;
      const of = (/** @type {string} */ role) => shapeOf(file, role);
      return {
        answer: "positions",
        because: {
          words: `${of("words")} has as many rows as vocab_size: one vector for each token.`,
          positions: `${of("positions")} has ${count(rows)} rows, one for each position, of ${count(dim)} numbers.`,
          attention: `${of("attention")} computes queries, keys and values from one vector of ${count(dim)} numbers. It has no row for a position.`,
          norm: `${of("norm")} is a single vector: one factor of a LayerNorm for each of the ${count(dim)} numbers.`,
        },
      };
    },
    async space(phasor) {
      const { tokenize } = await loaded(phasor);
      const [first, inside] = ["dog", "the dog"].map((text) => tokenize(text).at(-1)?.id);
      const { length } = tokenize("the dog");
      const found = `“dog” has the id ${count(Number(first))}, “␣dog” the id ${count(Number(inside))}.`;
      return {
        answer: length > 2 ? "split" : first === inside ? "same" : "different",
        because: {
          same: `The tokenizer works on bytes, not on words, and a space is a byte. ${found}`,
          different: found,
          split: `“the dog” has ${length} tokens: the space is part of the second. ${found}`,
        },
      };
    },
    async "exercise-offset"(phasor, controls, results) {
      const file = await fileOf(phasor, controls, results);
      const [{ id, label }] = await tokensOf(phasor, controls.text);
      const row = Number(id);
      const [begin, answer] = [0, row].map((each) => offsetOf(file, file.names.words, each));
      const size = file.dim * NUMBER_BYTES;
      return {
        answer,
        because: `${count(row)} rows of ${count(file.dim)} × ${NUMBER_BYTES} bytes come before “${label}”, and ${count(begin)} bytes before the tensor: ${count(row)} × ${count(size)} + ${count(begin)} = ${count(answer)}.`,
        near: [
          { value: answer - begin, because: "That is counted from the start of the tensor." },
          {
            value: begin + row * file.dim,
            because: "That counts numbers. How many bytes does each take?",
          },
          {
            value: begin + row * NUMBER_BYTES,
            because: "That is one number for each token. A row has D of them.",
          },
          {
            value: answer + size,
            because: "That is where the row ends. Row 0 is at the start of the tensor.",
          },
          {
            value: answer - size,
            because:
              "That is one row too early. Ids count from 0, so the number of rows before a row is its id.",
          },
          {
            value: answer + file.dataAt,
            because: "That is counted from the start of the file.",
          },
        ],
      };
    },
    async past(phasor) {
      const { tokenize } = await loaded(phasor);
      const past = tokenize(READ).length;
      const { masked } = rowsBehind(phasor, tokenize(NEXT).length, 0, past);
      const found = `Rows 0 to ${past - 1} belong to the ${past} tokens that were read, so this one has row ${masked[0]}.`;
      return {
        answer: String(masked[0]),
        because: {
          0: `The program must tell the model how many tokens it has read. ${found}`,
          3: found,
          4: `Positions count from 0, so the fourth token is at position 3. ${found}`,
        },
      };
    },
    async padding(phasor) {
      const tokens = await tokensOf(phasor, SENTENCE);
      const { plain, masked } = rowsBehind(phasor, tokens.length, PADDING, 0);
      const found = `The direct call adds row ${plain[0]}, generate() row ${masked[0]}.`;
      return {
        answer: `${plain[0]} ${masked[0]}`,
        because: {
          "0 0": `A direct call ignores the mask and counts padding. ${found}`,
          "1 0": found,
          "1 1": `generate() uses the mask and does not count padding. ${found}`,
          "0 1": `It is the other way round: only generate() uses the mask. ${found}`,
        },
      };
    },
    async "exercise-sum"(phasor, controls, results) {
      const { labels, words, places, sum } = await built(phasor, controls, results);
      const t = secondOf(labels);
      const [a, b, answer] = [words, places, sum].map((rows) => rows[t][0]);
      const within = 6e-5;
      return {
        answer,
        within,
        because: `${decimals(a, 6)} + ${decimals(b, 6)} is ${decimals(answer, 4)} with four decimals.`,
        near: [
          { value: a, within, because: "That is the word’s number alone." },
          { value: b, within, because: "That is the position’s number alone." },
          { value: a - b, within, because: "That is the difference. GPT-2 adds." },
          { value: sum[0][0], within, because: "That is the first token’s number." },
        ].filter(({ value }) => Math.abs(value - answer) > 2 * within),
      };
    },
    async "left-out"(phasor, controls, results) {
      const off = leftOut(phasor, await built(phasor, controls, results));
      const names = /** @type {const} */ (["nothing", "scale", "norm", "without"]);
      const by = (/** @type {typeof names[number]} */ name) =>
        `Then the numbers would be up to ${brief(off[name])} away from what phasor’s open() computes.`;
      return {
        answer: names.find((name) => off[name] === 0) ?? "",
        because: {
          nothing: `The plain sum differs from GPT-2’s input by ${brief(off.nothing)}.`,
          scale: `That is the original transformer. ${by("scale")}`,
          norm: `That is BERT. GPT-2 has its first LayerNorm inside block 0, and the plain sum bypasses it. ${by("norm")}`,
          without: `LLaMA’s blocks rotate queries and keys. GPT-2’s blocks add no positions. ${by("without")}`,
        },
      };
    },
    async segments(phasor, controls, results) {
      const file = await fileOf(phasor, controls, results);
      const two = await tokensOf(phasor, "dog bites man. man bites dog.");
      const ids = two.map(({ id }) => Number(id));
      const stages = await file.model.embed(ids, { intermediates: true });
      const { positions } = await build(phasor, file, two, 0);
      const steps = Object.keys(stages).filter((name) => name !== "output");
      const found = `The steps of its input are ${steps.join(", ")}.`;
      return {
        answer:
          "segments" in stages
            ? "vector"
            : positions.at(-1) === two.length - 1
              ? "none"
              : "restart",
        because: {
          vector: `That is BERT. No tensor of the file has two rows. ${found}`,
          restart: `Positions continue: the last of these ${count(two.length)} tokens has row ${count(two.length - 1)}. ${found}`,
          none: `${found} From tokens such as the period, the blocks must learn where a sentence ends.`,
        },
      };
    },
    "exercise-bytes"() {
      const [rows, dim] = [Number(REAL.positions.rows), Number(REAL.dim)];
      const answer = rows * dim * NUMBER_BYTES;
      return {
        answer,
        because: `${count(rows)} × ${count(dim)} × ${NUMBER_BYTES} = ${count(answer)} bytes.`,
        near: [
          {
            value: rows * dim,
            because: "That is how many numbers it has. How many bytes does each take?",
          },
          { value: 8 * answer, because: "That is the number of bits." },
          { value: 2 * rows * dim, because: "That is for numbers of 16 bits." },
          {
            value: POSITIONS * WIDTH * NUMBER_BYTES,
            because: "That is this page’s file, with D = 8.",
          },
        ],
      };
    },
    "exercise-batch"() {
      const [B, T, D] = [4, 10, Number(REAL.dim)];
      return {
        answer: B * T * D,
        because: `[${B}, ${T}, ${count(D)}] has ${count(B * T * D)} numbers. The position vectors are added to them.`,
        near: [
          {
            value: 2 * B * T * D,
            because: "The position vectors are added, so they do not make the input larger.",
          },
          { value: T * D, because: "That is one text. The batch has four." },
          { value: B * T, because: "That is the number of ids. Each has a vector." },
        ],
      };
    },
  },

  code: {
    lookup: lookupProgram,
    input: inputProgram,
  },
});

/** @param {readonly number[][]} rows */
const firstOf = (rows) => rows.map((row) => row.slice(0, SHOWN));

/** @param {readonly number[][]} rows */
const partOf = ([row]) =>
  row.length > SHOWN ? `, the first ${SHOWN} of ${count(row.length)}` : "";

/** @param {readonly string[]} labels */
function vectorsOf(labels) {
  return {
    rowTitle: "token",
    columnTitle: "dimension",
    rowLabels: labels,
    domain: /** @type {const} */ ([-REACH, REACH]),
  };
}

/** The token that the exercise asks for. @param {readonly string[]} labels */
const secondOf = (labels) => Math.min(1, labels.length - 1);

/** @param {number} x @param {number} digits */
const decimals = (x, digits) => x.toFixed(digits).replace("-", "−");

/** @param {GptFile} file @param {string} role */
function shapeOf({ entries, names, dim }, role) {
  const name = { ...names, ...OTHERS }[/** @type {"words"} */ (role)];
  const made = { attention: [dim, 3 * dim], norm: [dim] };
  const sizes = entries[name]?.shape ?? made[/** @type {"norm"} */ (role)];
  return shape(sizes);
}

/** The most tensors that are listed. */
const LISTED = 12;

/**
 * The tensors as the header has them; of many, those of the input and some more.
 * @param {GptFile} file @param {string | undefined} guess  of the tensor of positions
 */
function tensorsTable({ entries, names }, guess) {
  const guessed = { ...names, ...OTHERS }[/** @type {"words"} */ (guess)];
  const first = [names.words, names.positions];
  const rest = Object.keys(entries).filter((name) => !first.includes(name));
  const all = [...first, ...rest];
  const row = (/** @type {string} */ name) => {
    const { dtype, shape: sizes, data_offsets: bytes } = entries[name];
    const mark = make("small", {}, " your guess");
    const kind = name === names.words ? "words" : name === names.positions ? "positions" : "";
    return make(
      "tr",
      {},
      make("th", { scope: "row", class: kind }, name, ...(name === guessed ? [mark] : [])),
      ...[dtype, shape(sizes), ...bytes.map(count)].map((cell) => make("td", {}, cell)),
    );
  };
  const head = ["tensor", "dtype", "shape", "begins at byte", "ends at byte"];
  const more = all.length - LISTED;
  return make(
    "table",
    {},
    make("thead", {}, make("tr", {}, ...head.map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...all.slice(0, LISTED).map(row)),
    ...(more > 0 ? [make("caption", {}, `${count(more)} more are not listed.`)] : []),
  );
}

/** A float32 as Python prints it. @param {number} x */
function inPython(x) {
  if (x === 0 || Math.abs(x) >= 1e-4) return String(x);
  return x.toExponential().replace(/e-(\d)$/, "e-0$1");
}

/** @param {Phasor} phasor @param {Values} controls */
async function lookupProgram(phasor, { text, seed }) {
  const ids = (await tokensOf(phasor, text)).map(({ id }) => Number(id));
  return `import { load } from "phasor";
import { safetensors } from "phasor/files";

const { embedding } = await load();
const wte = embedding.create(${SIZE}, ${WIDTH}, { std: 0.02, seed: ${seed} }).weights();
const file = new Blob([safetensors.write({ "wte.weight": wte })]);

// By hand: the length of the header, the header, and the bytes of a row.
const length = new DataView(await file.slice(0, 8).arrayBuffer()).getBigUint64(0, true);
const header = JSON.parse(await file.slice(8, 8 + Number(length)).text());
const { shape, data_offsets } = header["wte.weight"];
const rowBytes = shape[1] * 4;

for (const id of [${ids.join(", ")}]) {
  const at = 8 + Number(length) + data_offsets[0] + id * rowBytes;
  display(new Float32Array(await file.slice(at, at + rowBytes).arrayBuffer()));
}

// By phasor.
const opened = await safetensors.read(file);
display(await opened.rows("wte.weight", [${ids.join(", ")}]));
`;
}

/** @param {Phasor} phasor @param {Values} controls */
async function inputProgram(phasor, { text, seed, past }) {
  const ids = (await tokensOf(phasor, text)).map(({ id }) => Number(id));
  return `import { load } from "phasor";
import { safetensors } from "phasor/files";
import { open } from "phasor/open";

const phasor = await load();
const random = (rows, std, seed) =>
  phasor.embedding.create(rows, ${WIDTH}, { std, seed }).weights();
const wte = random(${SIZE}, 0.02, ${seed});
const wpe = random(${POSITIONS}, 0.01, ${seed + 100});
const weights = safetensors.write({ "wte.weight": wte, "wpe.weight": wpe });
const config = { model_type: "gpt2", vocab_size: ${SIZE}, n_embd: ${WIDTH}, n_positions: ${POSITIONS}, n_layer: 1, n_head: 1 };

const ids = [${ids.join(", ")}];
const past = ${past};
const byHand = ids.map((id, t) =>
  Array.from(wte.row(id).data, (x, d) => Math.fround(x + wpe.at(past + t, d))),
);

const model = await open({ "model.safetensors": weights }, { phasor, config });
const input = await model.embed(ids, { past });
display(input);

const apart = byHand.flat().map((x, i) => Math.abs(x - input.data[i]));
display(\`largest difference: \${Math.max(...apart)}\`);
`;
}
