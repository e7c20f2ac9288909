// Bugs of position ids.

/** @import { Phasor } from "phasor" */
/** @import { Exhibit } from "./exhibits.js" */
import { count } from "../../app/numbers.js";

/** A short sentence, padded on its left to the length of a longer one. */
const PADDED = ["pad", "pad", "pad", "Alice", "and", "Bob"];
const MASK = PADDED.map((token) => (token === "pad" ? 0 : 1));

/** @param {Phasor} phasor @param {boolean} bug */
function paddedIds({ positionIds }, bug) {
  const ids = bug ? positionIds.range(PADDED.length) : positionIds.fromMask(MASK);
  return Array.from(ids.data, Number);
}

/** @type {Exhibit} */
export const padding = {
  judge(phasor) {
    const [first, right] = [true, false].map((bug) => {
      return paddedIds(phasor, bug)[PADDED.indexOf("Alice")];
    });
    return {
      answer: first,
      because: `forward() numbers all tokens from 0, including padding, and uses the mask only for attention: position ${count(first)}. Without padding, the sentence starts at ${count(right)}.`,
      near: [
        {
          value: right,
          because: "That is the position that generate() gives it, which uses the mask.",
        },
        {
          value: 1,
          because: "That is the position that generate() of transformers 4 gives to padding.",
        },
      ],
    };
  },
  value: (phasor, bug) => count(wrong(paddedIds(phasor, bug), paddedIds(phasor, false), MASK)),
  strip: (phasor, bug) => ({
    head: PADDED,
    rows: [
      { name: "mask", numbers: MASK.map(String) },
      {
        name: "position",
        numbers: paddedIds(phasor, bug).map(String),
        right: paddedIds(phasor, false).map(String),
      },
    ],
  }),
};

/** A sentence as RoBERTa’s tokenizer gives it, padded: the id of padding is 1. */
const TOKENS = ["<s>", "Hello", "world", "</s>", "<pad>", "<pad>"];
const IDS = [0, 31414, 232, 2, 1, 1];

/** @param {Phasor} phasor @param {boolean} bug */
function robertaIds({ positionIds }, bug) {
  const ids = bug ? positionIds.range(IDS.length) : positionIds.fromTokens(IDS, { paddingIdx: 1 });
  return Array.from(ids.data, Number);
}

/** @type {Exhibit} */
export const roberta = {
  judge(phasor) {
    const [first] = robertaIds(phasor, false);
    return {
      answer: first,
      because: `Row ${count(first)}: fairseq counts from the id of padding, which is 1, plus 1. Rows 0 and 1 belong to no token, and the table has 514 rows for 512 tokens.`,
      near: [
        { value: 0, because: "That is BERT’s rule." },
        { value: 1, because: "That is the row of padding, whose id is 1." },
      ],
    };
  },
  value: (phasor, bug) =>
    count(
      wrong(
        robertaIds(phasor, bug),
        robertaIds(phasor, false),
        IDS.map((id) => Number(id !== 1)),
      ),
    ),
  strip: (phasor, bug) => ({
    head: TOKENS,
    rows: [
      { name: "token id", numbers: IDS.map(String) },
      {
        name: "row",
        numbers: robertaIds(phasor, bug).map(String),
        right: robertaIds(phasor, false).map(String),
      },
    ],
  }),
};

/** The number of tokens with a wrong position. @param {number[]} ids @param {number[]} right @param {number[]} mask */
function wrong(ids, right, mask) {
  return ids.filter((id, t) => mask[t] === 1 && id !== right[t]).length;
}
