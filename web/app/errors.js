// Errors on a page: next to the control that they name, or in the place of the failed computation.

/** @import { Cell } from "./cells.js" */
import { make } from "./dom.js";

/** An error of a known control, whatever its first word is. */
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

/** @param {string} text */
export function asSentence(text) {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/**
 * Shows the errors of cells and removes those that are gone. An error's control is the one that its
 * message begins with: `dim must be even; got 7`.
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
      const text = error ? asSentence(error.message) : "";
      const name = error && controlNameOf(error, controlOf);
      const isBeside = name !== undefined && showError(name, text);
      if (isBeside) now.set(name, text);
      if (place) showInPlace(place, isBeside ? "" : text);
    }
    for (const name of shown) if (!now.has(name)) showError(name, "");
    shown = new Set(now.keys());
  };
}

/** @param {Error} error @param {(name: string) => string} controlOf */
function controlNameOf(error, controlOf) {
  if (error instanceof ControlError) return error.control;
  return controlOf(error.message.split(" ", 1)[0]);
}

/** @param {HTMLElement} place @param {string} text */
function showInPlace(place, text) {
  const old = place.querySelector(":scope > .wrong");
  if (text === "") return old?.remove();
  const element = old ?? make("p", { class: "wrong", role: "status" });
  element.textContent = text;
  place.prepend(element);
}
