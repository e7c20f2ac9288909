// Errors on a page: next to the control that they name, or in the place of the failed computation.

/** @import { Cell } from "./cells.js" */
import { make } from "./dom.js";
import { count } from "./numbers.js";

/** An error of a known control, whatever its first word is. Its message is shown as it is. */
export class ControlError extends Error {
  /** @param {string} control  its name @param {string} message @param {ErrorOptions} [options] */
  constructor(control, message, options) {
    super(message, options);
    this.control = control;
  }
}

/**
 * Shows an error next to a control.
 * @param {string} name  of the control @param {string} text  "" removes the error
 * @returns {boolean} whether the page shows such a control
 */
export function showError(name, text) {
  const place = document.getElementById(`${name}-wrong`);
  if (!place || place.closest("[hidden]")) return false;
  if (place.textContent !== text) place.textContent = text;
  const controls = `:is(input, select, textarea)[aria-describedby~="${name}-wrong"]`;
  for (const control of document.querySelectorAll(controls)) {
    if (text) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
  }
  return true;
}

/** Reports that the page cannot be used. @param {unknown} error */
export function showFailure(error) {
  const text = `This page failed to load: ${/** @type {Error} */ (error).message}`;
  document.querySelector("main")?.prepend(make("p", { class: "wrong", role: "alert" }, text));
}

const NO_ANSWER = "There is no answer from the network. Check the connection, then try again.";

/** What messages about files and the network mean to a reader who opened one. @type {[RegExp, string][]} */
const MEANINGS = [
  [/; got (an? (?:Git LFS pointer|HTML page|gzip file)[^]*?)\.?$/, "This is $1."],
  [/; got an empty file\.?$/, "This file is empty."],
  [
    /^source must have weights as [^]*\(others may hold programs\); got ("(?:[^"\\]|\\.)*")\.?$/,
    "This page reads .safetensors, .gguf, .npz and .npy files. $1 may hold a program, so it is not read.",
  ],
  [
    /^source must have weights as [^]*; got ("(?:[^"\\]|\\.)*")\.?$/,
    "$1 holds no weights. This page reads .safetensors, .gguf, .npz and .npy files: choose the weights too.",
  ],
  [
    /^(file must begin with 8 bytes of header length|header length must be from 2 to|header must begin with)/,
    "This is not a safetensors file: it does not begin as one does.",
  ],
  [
    /^file must begin with the letters GGUF/,
    "This is not a GGUF file: it does not begin as one does.",
  ],
  [/^file must begin with 0x93, NUMPY/, "This is not a .npy file: it does not begin as one does."],
  [
    /^file must end with the end record of a ZIP archive/,
    "This is not a .npz file, or a part of it is missing: it does not end as one does.",
  ],
  [/^config must be JSON; got something else ([^]*?)\.?$/, "The text is not JSON. Look $1."],
  [/^config must be JSON; got ([^]*?)\.?$/, "The text is not JSON: $1."],
  [
    /^config must be the text of a config\.json; got nothing/,
    "Paste the text of a config.json first.",
  ],
  [
    /^x must contain finite numbers; got (NaN|-?Infinity)[^]*/,
    "There is no map of these: one of their numbers is $1.",
  ],
  [
    /^x must have a row of (?:finite )?numbers; got/,
    "No row of this table has finite numbers alone.",
  ],
  [/Failed to fetch|NetworkError when attempting|^Load failed/, NO_ANSWER],
];

/**
 * A message of phasor without the function: the reader called none.
 * @param {string} message  `rope.table: dim must be even; got 7`
 */
export const withoutFunction = (message) =>
  message.replace(/^[\w.]+: (?=[^]+ must )(?=[^]+; got )/, "");

/** `ARGUMENT must RULE; got VALUE`, the form of phasor's errors, and the values of a field without a number. */
const FORM = /^(\S+) must ([^]+); got ([^]*?)\.?$/;
const EMPTY = ["NaN", "undefined", '""'];

/**
 * A message of phasor in the words of a page: `rope.table: base must be a number > 0; got NaN` is
 * "Base: type a number above 0."
 * @param {string} given @param {string} [label]  of the control; default: the name in the message
 */
export function inWords(given, label) {
  const message = withoutFunction(given);
  const [form, meaning] = MEANINGS.find(([form]) => form.test(message)) ?? [];
  const [, name, rule, got] = FORM.exec(message) ?? [];
  if (form && meaning) return meaning.replace("$1", () => form.exec(message)?.[1] ?? "");
  if (name === undefined) return asSentence(message);
  const plain = rule
    .replace(/finite number/, "number")
    .replace(/ > /, " above ")
    .replace(/(?<![.\d])\d{5,}(?![.\d])/g, (digits) => count(Number(digits)));
  if (label && EMPTY.includes(got) && /^be (an? |\d)/.test(plain))
    return `${label}: type ${plain.slice(3)}.`;
  return `${label ?? name} must ${plain}; got ${got}.`;
}

/** @param {string} text */
export function asSentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/**
 * Shows the errors of cells and removes those that are gone. An error's control is the one that its
 * message names: `dim` in `rope.table: dim must be even; got 7`.
 *
 * @param {(name: string) => string} [controlOf]  the control of an option, where the names differ
 */
export function errorReporter(controlOf = (name) => name) {
  /** @type {Set<string>} */
  let shown = new Set();

  return (/** @type {readonly Cell[]} */ cells) => {
    /** @type {Map<string, string>} */
    const now = new Map();
    for (const { error, place } of cells) {
      place?.classList.toggle("outdated", error !== undefined);
      const name = error && controlNameOf(error, controlOf);
      const text = error ? textOf(error, name) : "";
      const isBeside = name !== undefined && showError(name, text);
      if (isBeside) now.set(name, text);
      if (place) showInPlace(place, isBeside ? "" : text);
    }
    for (const name of shown) if (!now.has(name)) showError(name, "");
    shown = new Set(now.keys());
  };
}

/** @param {Error} error @param {string} [name]  of its control */
function textOf(error, name) {
  return error instanceof ControlError
    ? asSentence(error.message)
    : inWords(error.message, name && labelOf(name));
}

/** The label of the control that shows its errors at `NAME-wrong`. @param {string} name */
export function labelOf(name) {
  const control = document.querySelector(`[aria-describedby~="${CSS.escape(name)}-wrong"]`);
  const label = /** @type {HTMLInputElement | null} */ (control)?.labels?.[0];
  return label?.textContent.trim().replace(/\s+/g, " ") || undefined;
}

/** @param {Error} error @param {(name: string) => string} controlOf */
function controlNameOf(error, controlOf) {
  if (error instanceof ControlError) return error.control;
  return controlOf(withoutFunction(error.message).split(" ", 1)[0]);
}

/** @param {HTMLElement} place @param {string} text */
function showInPlace(place, text) {
  const old = place.querySelector(":scope > .wrong");
  if (text === "") return old?.remove();
  const element = old ?? make("p", { class: "wrong", role: "status" });
  element.textContent = text;
  place.prepend(element);
}
