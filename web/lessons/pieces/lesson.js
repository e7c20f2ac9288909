/** @import { Phasor } from "phasor" */
/** @import { Token } from "../../app/text/tokens.js" */
/** @import { Word } from "./bpe.js" */
import { make } from "../../app/dom.js";
import { set } from "../../app/controls.js";
import { page } from "../../app/page.js";
import { count } from "../../app/numbers.js";
import { bar, waves } from "../../app/pictures.js";
import { remembered } from "../../app/remembered.js";
import { begin } from "../../app/text/begin.js";
import { chips } from "../../app/text/chips.js";
import { cut } from "../../app/text/cut.js";
import { loadGpt2, SIZE } from "../../app/text/gpt2.js";
import { minilm } from "../../app/text/minilm.js";
import { readList } from "../../app/text/words.js";
import { learn, merged, pairsOf } from "./bpe.js";
import source from "./bpe.js?raw";
import { alphabetOf, CORPUS, read, tokensIn } from "./corpus.js";
import "./pieces.css";

const DOG = "dog bites man";
const ENGLISH = "The dog bites the man.";
const RUSSIAN = "Собака кусает человека.";

/** The merges that the questions take. */
const SEVEN = 7;
const NEW = "bandits";
const FIVE = "dogs bite man dogs ran";

/** The most merges of a corpus, the pairs that are drawn, the tokens shown, and the letters of a word. */
const MOST = 20;
const PAIRS = 10;
const SHOWN = 48;
const LETTERS = 24;

/** GPT-2's width, to say what a table of a million words takes. */
const WIDTH = 768;

const corpusOf = remembered(read);
const learned = remembered((/** @type {readonly Word[]} */ words) => learn(words, MOST));
const given = { words: read(CORPUS), steps: learn(read(CORPUS), MOST) };
const gpt2Loaded = remembered(loadGpt2);

/** The corpus of the reader after some merges. @param {import("../../app/controls.js").Values} controls */
function now({ corpus, merges }) {
  const words = corpusOf(corpus);
  const steps = learned(words);
  const done = Math.min(merges, steps.length);
  return { words: done > 0 ? steps[done - 1].words : words, steps, done };
}

/** A word after each merge. @param {string} word @param {readonly { pair: readonly string[] }[]} steps */
function cuts(word, steps) {
  const cuts = [Array.from(word)];
  for (const { pair } of steps) cuts.push(merged(cuts[cuts.length - 1], pair));
  return cuts;
}

/** Words of two letters or more: those of one letter are not in GloVe's list. @param {string} text */
const longer = (text) => cut(text).filter((word) => word.length > 1);

/** @param {readonly string[]} list @param {string} text @param {number} size */
function unknown(list, text, size) {
  const known = new Set(list.slice(0, size));
  return longer(text).filter((word) => !known.has(word));
}

const tokensOf = remembered(
  /** @param {Phasor} phasor @param {string} sentence */
  async (phasor, sentence) => {
    const [gpt2, model] = await Promise.all([gpt2Loaded(phasor), minilm()]);
    const pieces = await model.tokenize(sentence, { special: false });
    return {
      gpt2: gpt2.tokenize(sentence),
      minilm: pieces.map(({ token, id }) => /** @type {Token} */ ({ label: token, id })),
    };
  },
);

page({
  subject: "token",

  prepare: async () => ({ list: await readList() }),

  begin({ controls }) {
    const button = /** @type {HTMLButtonElement} */ (document.getElementById("merge"));
    button.addEventListener("click", () => set("merges", Math.min(MOST, controls.merges + 1)));
  },

  pictures: {
    units: (_, { text, listed }, { list }) =>
      bar([Array.from(text).length, longer(text).length, unknown(list, text, listed).length], {
        title: "The text in letters and in words",
        labels: ["characters", "words", "words not in the list"],
        xTitle: "unit",
        yTitle: "tokens",
        horizontal: true,
      }),

    pairs(_, controls, { guess }) {
      const { words, done } = now(controls);
      const pairs = pairsOf(words).slice(0, PAIRS);
      const shown = pairs.length > 0 ? pairs : [{ pair: ["no", "pair"], count: 0 }];
      return bar(
        shown.map(({ count }) => count),
        {
          title: `The most frequent pairs after ${done} merge${done === 1 ? "" : "s"}`,
          labels: shown.map(({ pair }) => pair.join(" ")),
          groups: shown.map(({ pair }, i) =>
            i === 0
              ? "merged next"
              : pair.join(" ") === guess.first
                ? "your prediction"
                : "other pairs",
          ),
          means: { "merged next": "token", "other pairs": "quiet" },
          xTitle: "pair",
          yTitle: "count",
          horizontal: true,
        },
      );
    },

    growth(_, { corpus }, { guess }) {
      const words = corpusOf(corpus);
      const steps = learned(words);
      const letters = alphabetOf(words).length;
      const drawn = corpus === CORPUS ? guess.shrink : undefined;
      return waves(
        [words, ...steps.map((step) => step.words)].map((after, i) => [
          tokensIn(after),
          letters + i,
          ...(drawn ? [drawn[i]?.[1] ?? NaN] : []),
        ]),
        {
          title: "The corpus gets shorter, the vocabulary longer",
          labels: [
            "tokens in the corpus",
            "tokens in the vocabulary",
            ...(drawn ? ["your prediction"] : []),
          ],
          xTitle: "merges",
          yTitle: "tokens",
          points: true,
        },
      );
    },

    cut(_, { corpus, word, first }, { guess }) {
      const steps = learned(corpusOf(corpus)).slice(0, first);
      const letters = begin(cut(word).join(""), LETTERS) || NEW;
      const all = cuts(letters, steps);
      const guessed = word === NEW && guess.unseen ? [guess.unseen] : [];
      return bar(
        [...all.map(({ length }) => length), ...guessed.map((each) => each.split(" ").length)],
        {
          title: `“${letters}”, merge by merge`,
          labels: [
            ...all.map((pieces, i) => `${i}: ${pieces.join(" ")}`),
            ...guessed.map((each) => `yours: ${each}`),
          ],
          xTitle: "merge",
          yTitle: "tokens",
          horizontal: true,
        },
      );
    },

    async real(phasor, { sentence }) {
      const { gpt2, minilm } = await tokensOf(phasor, sentence);
      return bar([Array.from(sentence).length, gpt2.length, minilm.length], {
        title: "The sentence as characters, and as tokens",
        labels: ["characters", "GPT-2", "MiniLM"],
        xTitle: "unit",
        yTitle: "tokens",
        horizontal: true,
      });
    },
  },

  facts: {
    letters: () => count(DOG.length),
    "letter-pairs": () => count(DOG.length ** 2),
    "word-pairs": () => count(DOG.split(" ").length ** 2),
    listed: (_, __, { list }) => count(list.length),
    unknown(_, { text, listed }, { list }) {
      const missing = [...new Set(unknown(list, text, listed))];
      if (missing.length === 0) return `All words are among the first ${count(listed)}.`;
      const named = missing.slice(0, 8).map((word) => `“${begin(word, LETTERS)}”`);
      return `Not among the first ${count(listed)}: ${named.join(", ")}${missing.length > 8 ? " and others" : ""}.`;
    },
    width: () => count(WIDTH),
    million: () => count((1e6 * WIDTH * 4) / 1e6),

    words(_, controls) {
      const { words, steps, done } = now(controls);
      const last = done > 0 ? steps[done - 1].pair.join("") : "";
      const items = words.map(({ pieces, count }) =>
        make(
          "li",
          {},
          ...pieces.map(pieceOf(last)),
          make("span", { class: "times" }, `× ${count}`),
        ),
      );
      return fragment(items);
    },
    merged(_, controls) {
      const { steps, words, done } = now(controls);
      const length = `The corpus has ${count(tokensIn(words))} tokens.`;
      if (done === 0) return `No merge yet. ${length} The vocabulary:`;
      const { pair, count: times } = steps[done - 1];
      const end = done === steps.length && done < MOST ? " Every word is one token." : "";
      return `Merge ${done}: ${pair.join(" + ")}, which occurred ${count(times)} times. ${length}${end} The vocabulary:`;
    },
    vocabulary(_, controls) {
      const { steps, done } = now(controls);
      const pieces = [
        ...alphabetOf(corpusOf(controls.corpus)),
        ...steps.slice(0, done).map(({ pair }) => pair.join("")),
      ];
      const last = done > 0 ? pieces[pieces.length - 1] : "";
      return fragment(pieces.map((piece) => make("li", {}, pieceOf(last)(piece))));
    },

    before: () => count(tokensIn(given.words)),
    after: () => count(given.words.reduce((sum, word) => sum + word.count, 0)),
    seven: () =>
      given.steps
        .slice(0, SEVEN)
        .map(({ pair }) => pair.join("\u00a0+\u00a0"))
        .join(", "),
    english: async (phasor) => count((await gpt2Loaded(phasor)).tokenize(ENGLISH).length),
    russian: () => count(RUSSIAN.length),
    latin: () => count(ENGLISH.length),
    gpt2: async (phasor, { sentence }) =>
      chips((await tokensOf(phasor, sentence)).gpt2.slice(0, SHOWN)),
    minilm: async (phasor, { sentence }) =>
      chips((await tokensOf(phasor, sentence)).minilm.slice(0, SHOWN)),
    "gpt2-size": () => count(SIZE),
  },

  questions: {
    known(_, __, { list }) {
      const words = DOG.split(" ");
      const there = words.filter((word) => list.includes(word));
      const rank = (/** @type {string} */ word) => count(list.indexOf(word) + 1);
      const found = `“man” is number ${rank("man")}, “dog” number ${rank("dog")}; “bites” is missing, although “bite” is number ${rank("bite")}.`;
      return {
        answer: String(there.length),
        because: {
          3: `A word list treats every form of a word as a separate entry, and “bites” is rarer than it seems: ${found}`,
          2: found,
          1: `Both nouns are frequent: ${found}`,
        },
      };
    },

    first() {
      const pairs = pairsOf(given.words);
      const times = (/** @type {string} */ pair) =>
        pairs.find((each) => each.pair.join(" ") === pair)?.count ?? 0;
      const holders = (/** @type {string} */ pair) =>
        given.words.filter(({ pieces }) => pieces.join(" ").includes(pair)).length;
      return {
        answer: pairs[0].pair.join(" "),
        because: {
          "b i": `It is in ${holders("b i")} different words, but each word counts as often as it occurs: ${times("b i")} times in all.`,
          "n g": `Both letters are frequent, but rarely next to each other: ${times("n g")} times. BPE counts pairs, not letters.`,
          "a n": `It occurs 6 times in man and 3 times in ran, ${times("a n")} in all.`,
          "d o": `Close: 5 times in dog and 3 times in dogs make ${times("d o")}.`,
        },
      };
    },

    shrink() {
      const lengths = [given.words, ...given.steps.map(({ words }) => words)].map(tokensIn);
      const last = lengths[lengths.length - 1];
      return {
        curve: Array.from({ length: 17 }, (_, i) => [i, lengths[i] ?? last]),
        within: 8,
        because: `A merge saves one token for each occurrence of its pair. The first merge saves ${lengths[0] - lengths[1]}, the last of ${lengths.length - 1} only ${lengths[lengths.length - 2] - last}. So the curve falls steeply and then flattens.`,
      };
    },

    unseen() {
      const cut = cuts(NEW, given.steps.slice(0, SEVEN)).at(-1) ?? [];
      const it = pairsOf(given.words).find(({ pair }) => pair.join("") === "it");
      return {
        answer: cut.join(" "),
        because: {
          "band it s": `BPE knows neither words nor endings. None of the seven merges produces “band”, so ${count(cut.length)} tokens remain.`,
          "b an d it s": `“i t” occurred ${it?.count} times, as often as “b i”. But once “bi” was one piece, i was no longer a neighbor of t.`,
          "b an d i t s": `Only one of the seven merges applies, “a n”, so ${count(cut.length)} tokens remain. “i t” was as frequent as “b i”, but it is not among the merges: once “bi” was one piece, i was no longer a neighbor of t.`,
          "b a n d i t s":
            "A merge applies wherever its pair occurs, even in the middle of a word: “bandits” contains “a n”.",
        },
      };
    },

    async languages(phasor) {
      const { tokenize } = await gpt2Loaded(phasor);
      const [one, other] = [ENGLISH, RUSSIAN].map((text) => tokenize(text).length);
      const letters = Math.abs(other - RUSSIAN.length) < 0.2 * RUSSIAN.length;
      const found = `It needs ${other} tokens, the English sentence ${one}.`;
      return {
        answer: letters ? "letters" : other > 1.5 * one ? "double" : "same",
        because: {
          same: `Tokens reflect which letters occurred together in the training text, not what the text means. ${found}`,
          double: `Bytes explain only part of it. An English token holds several letters, because their pairs were frequent in training. ${found}`,
          letters: `Few pairs of Cyrillic letters were frequent enough to be merged. ${found} So the same text is shorter, and cheaper to process, in English.`,
        },
      };
    },

    "exercise-merges"() {
      const answer = SIZE - 256 - 1;
      return {
        answer,
        because: `${count(SIZE)} − 256 − 1 = ${count(answer)}.`,
        near: [
          { value: SIZE - 256, because: "One of these is the special token." },
          {
            value: SIZE - 1,
            because: "The 256 bytes are in the vocabulary before the first merge.",
          },
        ],
      };
    },

    "exercise-dogs"() {
      const cut = FIVE.split(" ").map(
        (word) => cuts(word, given.steps.slice(0, SEVEN)).at(-1) ?? [],
      );
      const answer = cut.flat().length;
      return {
        answer,
        because: `They are cut into ${cut.map((pieces) => pieces.join(" · ")).join(", ")}: ${answer} tokens.`,
        near: [
          { value: 5, because: "Not every word is one token yet: look for the s of dogs." },
          {
            value: FIVE.replaceAll(" ", "").length,
            because: "That is the number of letters, before any merge.",
          },
          {
            value: new Set(cut.flat()).size,
            because:
              "That is the number of distinct tokens. Count a token each time that it occurs.",
          },
        ],
      };
    },
  },

  code: {
    merges: (_, { corpus, merges }) => `${source.replaceAll("export ", "")}
const words = ${JSON.stringify(corpusOf(corpus), null, 1).replace(/\n +/g, " ")};
for (const { pair, count } of learn(words, ${Math.max(1, merges)})) display(\`\${pair.join(" + ")}: \${count}\`);
`,
  },
});

/** A piece of a word; the one that was merged last is marked. @param {string} last */
function pieceOf(last) {
  return (/** @type {string} */ piece) =>
    make("span", { class: piece === last ? "piece new" : "piece" }, piece);
}

/** @param {readonly Node[]} nodes */
function fragment(nodes) {
  const all = document.createDocumentFragment();
  all.append(...nodes);
  return all;
}
