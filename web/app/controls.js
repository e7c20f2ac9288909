/**
 * The controls of a page: every named input, select and textarea of a `form[data-controls]`. The page's
 * HTML declares them: kind, range, choices, default.
 *
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control
 * @typedef {string | number | boolean} Value  of a control; NaN for a number control without a number
 * @typedef {Record<string, any>} Values  by the controls' names
 */
import { readNumber } from "./read-number.js";
import { urlSettings, urlState } from "./url-state.js";

/** @returns {Control[]} in the page's order; of a group of radio buttons the first */
function all() {
  const forms = /** @type {NodeListOf<HTMLFormElement>} */ (
    document.querySelectorAll("form[data-controls]")
  );
  const named = [...forms].flatMap((form) => /** @type {Control[]} */ ([...form.elements]));
  /** @type {Map<string, Control>} */
  const byName = new Map();
  for (const each of named) if (each.name && !byName.has(each.name)) byName.set(each.name, each);
  return [...byName.values()];
}

/** @param {string} name @returns {Control | undefined} */
function control(name) {
  return all().find((each) => each.name === name);
}

/** The buttons of a radio button's group. @param {Control} each */
function group(each) {
  const named = each.form?.elements.namedItem(each.name);
  return /** @type {RadioNodeList & Iterable<HTMLInputElement>} */ (/** @type {unknown} */ (named));
}

/** A control's value as text. @param {Control} each */
function textOf(each) {
  if (each.type === "radio") return group(each).value;
  return each.type === "checkbox"
    ? String(/** @type {HTMLInputElement} */ (each).checked)
    : each.value;
}

/** @param {Control} each @returns {Value} */
function value(each) {
  if (each.type === "checkbox") return textOf(each) === "true";
  return isNumber(each) ? number(each.value) : textOf(each);
}

/** @param {Control} each */
function isNumber(each) {
  return each.type === "range" || "number" in each.dataset;
}

/** Reads a typed number; NaN for text with other words, and for empty text. @param {string} text */
export function number(text) {
  if (text.trim() === "") return NaN;
  const plain = Number(text);
  if (!Number.isNaN(plain)) return plain;
  return /[a-z]{2}/i.test(text) ? NaN : readNumber(text);
}

/** The text of a control, as typed. @param {string} name */
export function typed(name) {
  const each = control(name);
  return each ? textOf(each) : "";
}

/** The values of all controls. @returns {Values} */
export function values() {
  return Object.fromEntries(all().map((each) => [each.name, value(each)]));
}

/** Sets a control as a reader would. @param {string} name @param {Value} to */
export function set(name, to) {
  const each = control(name);
  if (!each) throw new Error(`the page must have a control named ${name}`);
  put(each, String(to));
  each.dispatchEvent(new Event("input", { bubbles: true }));
}

/** @param {Control} each @param {string} text */
function put(each, text) {
  if (each.type === "checkbox") /** @type {HTMLInputElement} */ (each).checked = text === "true";
  else if (each.type === "radio") group(each).value = text;
  else each.value = text;
  showNumber(each);
}

/** Shows the number of a slider next to it. @param {Control} each */
function showNumber(each) {
  if (each.type !== "range") return;
  const unit = each.dataset.unit ? ` ${each.dataset.unit}` : "";
  for (const output of document.querySelectorAll(`output[for="${each.id}"]`)) {
    output.textContent = `${each.value.replace("-", "\u2212")}${unit}`;
  }
}

// --- the URL ---------------------------------------------------------------------------------------

/** A control's default. @param {Control} each */
function initial(each) {
  if (each instanceof HTMLSelectElement) {
    return (
      [...each.options].find((option) => option.defaultSelected)?.value ?? each.options[0].value
    );
  }
  if (each.type === "checkbox")
    return String(/** @type {HTMLInputElement} */ (each).defaultChecked);
  if (each.type === "radio") return [...group(each)].find((one) => one.defaultChecked)?.value ?? "";
  return each.defaultValue;
}

/** The text if the control accepts it, else undefined. @param {Control} each @param {string} text */
function allowed(each, text) {
  const isOne = (/** @type {Iterable<{value: string}>} */ choices) =>
    [...choices].some(({ value }) => value === text) ? text : undefined;
  if (each instanceof HTMLSelectElement) return isOne(each.options);
  if (each.type === "radio") return isOne(group(each));
  if (each.type === "checkbox") return text === "true" || text === "false" ? text : undefined;
  const { pattern } = /** @type {HTMLInputElement} */ (each);
  if (pattern && !new RegExp(`^(?:${pattern})$`, "v").test(text)) return undefined;
  if (!isNumber(each)) return text.slice(0, each.maxLength > 0 ? each.maxLength : 2000);
  const { min = "", max = "" } = each.type === "range" ? /** @type {any} */ (each) : each.dataset;
  const x = number(text);
  const inside = (min === "" || x >= Number(min)) && (max === "" || x <= Number(max));
  return Number.isFinite(x) && inside ? text : undefined;
}

/** Sets every control to its value in the URL, or to its default. @param {URLSearchParams} [settings] */
function restore(settings = urlSettings()) {
  for (const each of all()) {
    const text = settings.get(each.name);
    if (each.dataset.most) /** @type {HTMLInputElement} */ (each).max = each.dataset.most;
    put(each, (text === null ? undefined : allowed(each, text)) ?? initial(each));
  }
  moveEnds();
}

/** The settings that differ from their defaults, of those that a control accepts from the URL. @returns {[string, string][]} */
function entries() {
  return all()
    .filter((each) => textOf(each) !== initial(each) && allowed(each, textOf(each)) !== undefined)
    .map((each) => [each.name, textOf(each)]);
}

// --- ends of sliders -------------------------------------------------------------------------------

/** Where sliders end that depend on other controls. @type {Map<string, (controls: Values) => number>} */
const ends = new Map();

/**
 * Ends sliders where the values of other controls say, at most at their own last value.
 * @param {Record<string, (controls: Values) => number>} lasts  by the sliders' names
 */
export function endAt(lasts) {
  for (const [name, last] of Object.entries(lasts)) ends.set(name, last);
}

/** Moves these ends, and with them the sliders that are beyond. */
function moveEnds() {
  for (const [name, lastOf] of ends) {
    const slider = /** @type {HTMLInputElement} */ (control(name));
    const most = Number((slider.dataset.most ??= slider.max));
    const last = lastOf(values());
    slider.max = String(last < most ? last : most);
    showNumber(slider);
  }
}

// --- changes ---------------------------------------------------------------------------------------

/** @typedef {(names: readonly string[]) => void} Listener  called with the names of the controls that changed */

/** The values at the last change. @type {Values | undefined} */
let held;
/** @type {Set<Listener>} */
const listeners = new Set();

/**
 * Sets the controls to the values of the URL, and calls the listener after every change.
 *
 * @param {Listener} changed
 * @returns {Values} the current values, which follow every change
 */
export function follow(changed) {
  listeners.add(changed);
  held ??= start();
  return held;
}

function start() {
  if (all().length === 0) return {};
  restore();
  playButtons();
  const current = values();

  function compare() {
    const now = values();
    const names = Object.keys(now).filter((name) => !Object.is(now[name], current[name]));
    Object.assign(current, now);
    for (const changed of listeners) changed(names);
  }

  const save = urlState({
    read(settings) {
      restore(settings);
      compare();
    },
    entries,
  });
  for (const form of document.querySelectorAll("form[data-controls]")) {
    form.addEventListener("submit", (event) => event.preventDefault()); // nothing is sent
  }
  // A control may be outside of its form element: `<input form="settings">`.
  document.addEventListener("input", ({ target }) => {
    const each = /** @type {Control} */ (target);
    if (!each.name || !each.form?.hasAttribute("data-controls")) return;
    showNumber(each);
    moveEnds();
    save();
    compare();
  });
  return current;
}

// --- play ------------------------------------------------------------------------------------------

/** Milliseconds of a whole play, and between two of its steps at least and at most. */
const PLAY = 5000;
const STEP = { least: 90, most: 400 };

/** The sliders that play, with the milliseconds between two of their steps. @type {Map<string, number>} */
const playing = new Map();

/** Milliseconds between two steps of a slider that plays; 0 for other controls. @param {string} name */
export const paceOf = (name) => playing.get(name) ?? 0;

/** Buttons that move a slider to its end, step by step; from its start if it is at the end. */
function playButtons() {
  for (const button of document.querySelectorAll("button[data-play]")) {
    const name = /** @type {HTMLElement} */ (button).dataset.play ?? "";
    const slider = /** @type {HTMLInputElement} */ (control(name));
    /** @type {ReturnType<typeof setInterval> | undefined} */
    let running;

    const stop = () => {
      clearInterval(running);
      running = undefined;
      playing.delete(name);
      button.textContent = "Play";
    };
    const advance = () => {
      const [step, max] = [Number(slider.step), Number(slider.max)];
      set(name, Math.min(max, Number(slider.value) + step));
      if (Number(slider.value) >= max) stop();
    };
    button.addEventListener("click", () => {
      if (running !== undefined) return stop();
      if (Number(slider.value) >= Number(slider.max)) set(name, slider.min);
      const steps = (Number(slider.max) - Number(slider.min)) / Number(slider.step);
      const pace = Math.min(STEP.most, Math.max(STEP.least, PLAY / steps));
      playing.set(name, pace);
      running = setInterval(advance, pace);
      button.textContent = "Pause";
    });
    slider.addEventListener("pointerdown", stop);
  }
}
