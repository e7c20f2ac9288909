// The language in which the reader writes, of all cells, kept by this browser.

const KEY = "phasor.language";

/** @typedef {"JavaScript" | "Python"} Language */

/** @type {readonly Language[]} */
export const LANGUAGES = ["JavaScript", "Python"];

/** @type {Set<() => void>} */
const listeners = new Set();

/** @type {Language} */
let now = kept();

function kept() {
  try {
    return localStorage.getItem(KEY) === "Python" ? "Python" : "JavaScript";
  } catch {
    return "JavaScript"; // no storage
  }
}

/** @returns {Language} */
export const language = () => now;

/** @param {Language} language */
export function choose(language) {
  now = language;
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // without storage the page works as well; it forgets
  }
  for (const listener of listeners) listener();
}

/** @param {() => void} listener */
export const onLanguage = (listener) => void listeners.add(listener);
