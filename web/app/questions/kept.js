// The reader's answers, kept in this browser between visits.

import { mode } from "../lecture/mode.js";
import { root } from "../root.js";

/**
 * What is kept about a question.
 *
 * @typedef {object} Kept
 * @property {string} answer  as given last; "" if the reader let the page show what waited
 * @property {number} tries  how many answers were judged
 * @property {number} wrong  how many of these in a row were wrong, with the settings as they are
 * @property {boolean} right  whether the last one was
 * @property {boolean} first  whether the first one was
 * @property {boolean} shown  whether the reader let the page show what waited
 * @property {Record<string, string | number | boolean>} settings  of the controls that the judge has read
 * @property {string} time  of the last one, in ISO 8601
 *
 * @typedef {{ of: number, answers: Record<string, Kept> }} PageKept  `of`: the number of questions on the page
 * @typedef {Record<string, PageKept>} Store  by the address of the page below the root of the site
 *
 * @typedef {object} Progress
 * @property {number} of  the number of questions
 * @property {number} answered
 * @property {number} right  how many have been answered right
 * @property {number} first  how many of these on the first try
 */

/** The key in the browser's storage. A change of the stored format changes its number. */
const KEY = "phasor-answers-1";

/** What is kept if the browser refuses to store, or if a lecturer shows the page. @type {Store} */
let here = {};

const isKept = mode === "read";

/** @returns {Store} */
function read() {
  if (!isKept) return here;
  try {
    const store = JSON.parse(localStorage.getItem(KEY) ?? "{}");
    return isStore(store) ? store : {};
  } catch {
    return here; // the browser refuses to store, or the text is no JSON
  }
}

/** @param {unknown} store @returns {store is Store} */
function isStore(store) {
  const isObject = (/** @type {unknown} */ each) => typeof each === "object" && each !== null;
  return (
    isObject(store) &&
    Object.values(/** @type {object} */ (store)).every(
      (page) => isObject(page?.answers) && Object.values(page.answers).every(isObject),
    )
  );
}

/** @param {Store} store */
function write(store) {
  here = store;
  if (!isKept) return;
  try {
    localStorage.setItem(KEY, JSON.stringify(store));
  } catch {
    // the answers last as long as the page
  }
}

/** The address of this page below the root: "lessons/rope/". */
export function thisPage() {
  const { pathname } = new URL(root);
  return location.pathname.replace(/index\.html$/, "").slice(pathname.length);
}

/** @param {string} [page] @returns {PageKept} */
export function keptOf(page = thisPage()) {
  const kept = read()[page];
  return { of: kept?.of ?? 0, answers: { ...kept?.answers } };
}

/** Keeps an answer of this page. @param {string} question @param {Kept} kept @param {number} of  the number of questions */
export function keep(question, kept, of) {
  const store = read();
  const page = thisPage();
  write({ ...store, [page]: { of, answers: { ...store[page]?.answers, [question]: kept } } });
}

/** Forgets the answers of this page. */
export function forget() {
  const { [thisPage()]: _, ...others } = read();
  write(others);
}

/** How far the reader is, by page: `progress()["lessons/rope/"].answered`. @returns {Record<string, Progress>} */
export function progress() {
  return Object.fromEntries(
    Object.entries(read()).map(([page, { of, answers }]) => [page, counted(of, answers)]),
  );
}

/** @param {number} of @param {Record<string, Kept>} answers @returns {Progress} */
export function counted(of, answers) {
  const answered = Object.values(answers).filter(({ tries }) => tries > 0);
  return {
    of,
    answered: answered.length,
    right: answered.filter(({ right, first }) => right || first).length,
    first: answered.filter(({ first }) => first).length,
  };
}

/** How many of the answers given last, one after another, were right on the first try. @param {Record<string, Kept>} answers */
export function streakOf(answers) {
  const given = Object.values(answers)
    .filter(({ tries }) => tries > 0)
    .sort((a, b) => b.time.localeCompare(a.time));
  const wrong = given.findIndex(({ right, first }) => !(right && first));
  return wrong < 0 ? given.length : wrong;
}

/**
 * All answers as plain data, for a file: in the order in which they were given.
 * @returns {{ page: string, question: string, answer: string, tries: number, right: boolean, first: boolean, settings: Kept["settings"], time: string }[]}
 */
export function answersOf() {
  return Object.entries(read())
    .flatMap(([page, { answers }]) =>
      Object.entries(answers)
        .filter(([, { tries }]) => tries > 0)
        .map(([question, { answer, tries, right, first, settings, time }]) => ({
          page,
          question,
          answer,
          tries,
          right,
          first,
          settings,
          time,
        })),
    )
    .sort((a, b) => a.time.localeCompare(b.time));
}
