/** @import { Settings } from "./settings.js" */
import { byId, make } from "../app/dom.js";
import { DIMS, number } from "./settings.js";

const form = /** @type {HTMLFormElement} */ (byId("settings"));
control("dim").append(...DIMS.map((dim) => make("option", { value: dim }, String(dim))));

// There is nothing to send: Enter in a field must not leave the page.
form.addEventListener("submit", (event) => event.preventDefault());

/**
 * The control of a setting. A group of radio buttons and a select have a value too.
 * @param {keyof Settings} name
 */
function control(name) {
  return /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
}

/** The name of the model to open: the opener has a form of its own. */
const model = /** @type {HTMLInputElement} */ (byId("model"));

/** @returns {Settings} as the controls stand */
export function read() {
  const tokenizer = /** @type {Settings["tokenizer"]} */ (control("tokenizer").value);
  return {
    text: control("text").value,
    tokenizer,
    model: tokenizer === "model" ? model.value : "",
    dim: number(control("dim").value),
    seed: number(control("seed").value),
    shared: control("shared").checked,
    length: number(control("length").value),
    base: number(control("base").value),
    layout: /** @type {Settings["layout"]} */ (control("layout").value),
    precision: /** @type {Settings["precision"]} */ (control("precision").value),
  };
}

/**
 * What stands in a control, for a message.
 * @param {keyof Settings} name
 */
export function typed(name) {
  return JSON.stringify(control(name).value);
}

/** Put the controls in a state. @param {Settings} settings */
export function show({ shared, model: name, ...settings }) {
  control("shared").checked = shared;
  model.value = name;
  if (model.validity.patternMismatch) model.value = ""; // an address may say anything
  for (const [name, value] of Object.entries(settings)) {
    control(/** @type {keyof Settings} */ (name)).value = String(value);
  }
}

/** Cut into something else, as a reader would ask for it. @param {Settings["tokenizer"]} tokenizer */
export function cutInto(tokenizer) {
  control("tokenizer").value = tokenizer;
  form.dispatchEvent(new Event("input", { bubbles: true }));
}

/** @param {() => void} listener  called whenever a control has changed */
export function onchange(listener) {
  // Controls outside the form element belong to it all the same; their events rise elsewhere.
  document.addEventListener("input", listener);
}

/**
 * Say what is wrong beside the control that caused it, and nowhere else.
 * @param {string} [name]  of the setting; none clears all
 * @param {string} [sentence]
 */
export function blame(name = "", sentence = "") {
  for (const place of document.querySelectorAll("p.wrong[id]:not(.opener *)")) {
    const of = place.id.replace("-wrong", "");
    const text = of === name ? sentence : "";
    if (place.textContent !== text) place.textContent = text;
    const input = document.getElementById(of);
    if (text) input?.setAttribute("aria-invalid", "true");
    else input?.removeAttribute("aria-invalid");
  }
}

/**
 * The setting that an error of phasor's is about: its sentence begins with the argument's name. What
 * cannot be set now is the tokenizer's.
 * @param {unknown} error
 * @returns {keyof Settings}
 */
export function culprit(error) {
  const [word] = error instanceof Error ? error.message.split(" ", 1) : [];
  if (!word || !form.elements.namedItem(word)) return "text";
  const isHidden = document.getElementById(word)?.closest("[hidden]");
  return /** @type {keyof Settings} */ (isHidden ? "tokenizer" : word);
}
