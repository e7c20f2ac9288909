import alibi from "./alibi/about.js";
import attention from "./attention/about.js";
import counting from "./counting/about.js";
import gpt2Input from "./gpt2-input/about.js";
import learned from "./learned/about.js";
import longerContext from "./longer-context/about.js";
import lookup from "./lookup/about.js";
import numbers from "./numbers/about.js";
import order from "./order/about.js";
import pieces from "./pieces/about.js";
import rope from "./rope/about.js";
import sinusoidal from "./sinusoidal/about.js";
import t5Bias from "./t5-bias/about.js";
import trainShort from "./train-short/about.js";
import trainedTable from "./trained-table/about.js";
import training from "./training/about.js";
import whichOne from "./which-one/about.js";
import wholeInput from "./whole-input/about.js";

/**
 * What is known of a lesson besides its page.
 *
 * @typedef {object} About
 * @property {string} title
 * @property {string} question  that it answers
 * @property {Group} group
 * @property {number} minutes  for reading, predicting and the exercises
 * @property {true} [advanced]  may be left out
 * @property {readonly string[]} before  the lessons that it builds on, by their folders
 * @property {readonly string[]} able  what a reader can do afterwards; each a sentence
 * @property {readonly string[]} recap  what to remember; each a sentence
 * @property {readonly { text: string, href: string }[]} further  reading
 * @property {readonly string[]} [otherSenses]  terms of the glossary that it uses in another sense, and does not link
 */

/** @typedef {keyof typeof groups} Group */

/** The parts of the course, in their order. */
export const groups = {
  words: "Words become vectors",
  positions: "Order becomes numbers",
  models: "What real models do",
};

/** @type {Record<string, About>} */
const abouts = {
  pieces,
  lookup,
  "trained-table": trainedTable,
  training,
  attention,
  order,
  counting,
  sinusoidal,
  learned,
  rope,
  alibi,
  "t5-bias": t5Bias,
  "which-one": whichOne,
  "whole-input": wholeInput,
  "gpt2-input": gpt2Input,
  "longer-context": longerContext,
  "train-short": trainShort,
  numbers,
};

/**
 * The lessons, in their order; `name` is the folder.
 * @type {readonly (About & { name: string })[]}
 */
export const lessons = Object.entries(abouts).map(([name, about]) => ({ name, ...about }));
