/**
 * The controls of a page: every named input, select and textarea in a `form[data-controls]`. The
 * page's HTML is their schema: kinds, bounds, options and what they start with stand there and
 * nowhere else.
 *
 * @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control
 * @typedef {string | number | boolean} Value  of a control; NaN where a number is asked and none typed
 * @typedef {Record<string, any>} Values  by the controls' names
 */

/** @returns {Control[]} in the page's order */
function all() {
  const named = document.querySelectorAll("form[data-controls] [name]");
  return /** @type {Control[]} */ ([...named]);
}

/** @param {string} name @returns {Control | undefined} */
function control(name) {
  return all().find((each) => each.name === name);
}

/** @param {Control} each @returns {Value} */
function value(each) {
  if (each.type === "checkbox") return /** @type {HTMLInputElement} */ (each).checked;
  return isNumber(each) ? number(each.value) : each.value;
}

/** @param {Control} each */
function isNumber(each) {
  return each.type === "range" || "number" in each.dataset;
}

/** A number as typed; NaN for what is none, an empty text too. @param {string} text */
export function number(text) {
  return text.trim() === "" ? NaN : Number(text.replace("\u2212", "-"));
}

/** What every control holds. @returns {Values} */
export function values() {
  return Object.fromEntries(all().map((each) => [each.name, value(each)]));
}

/** Put a control in a state, as a reader would. @param {string} name @param {Value} to */
export function set(name, to) {
  const each = control(name);
  if (!each) throw new Error(`the page must have a control named ${name}`);
  put(each, String(to));
  each.dispatchEvent(new Event("input", { bubbles: true }));
}

/** @param {Control} each @param {string} text */
function put(each, text) {
  if (each.type === "checkbox") /** @type {HTMLInputElement} */ (each).checked = text === "true";
  else each.value = text;
  tell(each);
}

/** Show a slider's number beside it. @param {Control} each */
function tell(each) {
  if (each.type !== "range") return;
  const unit = each.dataset.unit ? ` ${each.dataset.unit}` : "";
  for (const output of document.querySelectorAll(`output[for="${each.id}"]`)) {
    output.textContent = `${each.value.replace("-", "\u2212")}${unit}`;
  }
}

// --- the address -----------------------------------------------------------------------------------

/** What a control starts with. @param {Control} each */
function initial(each) {
  if (each instanceof HTMLSelectElement) {
    return (
      [...each.options].find((option) => option.defaultSelected)?.value ?? each.options[0].value
    );
  }
  if (each.type === "checkbox")
    return String(/** @type {HTMLInputElement} */ (each).defaultChecked);
  return each.defaultValue;
}

/** What the address may put in a control; undefined for anything else. @param {Control} each @param {string} text */
function allowed(each, text) {
  if (each instanceof HTMLSelectElement) {
    return [...each.options].some((option) => option.value === text) ? text : undefined;
  }
  if (each.type === "checkbox") return text === "true" || text === "false" ? text : undefined;
  const { pattern } = /** @type {HTMLInputElement} */ (each);
  if (pattern && !new RegExp(`^(?:${pattern})$`, "v").test(text)) return undefined;
  if (!isNumber(each)) return text.slice(0, each.maxLength > 0 ? each.maxLength : 2000);
  const { min = "", max = "" } = each.type === "range" ? /** @type {any} */ (each) : each.dataset;
  const x = number(text);
  const inside = (min === "" || x >= Number(min)) && (max === "" || x <= Number(max));
  return Number.isFinite(x) && inside ? text : undefined;
}

/** Put the controls where the address says; what it does not say, or wrongly, starts as it does. */
export function restore() {
  const given = new URLSearchParams(location.hash.replace(/^#/, ""));
  for (const each of all()) {
    const text = given.get(each.name);
    put(each, (text === null ? undefined : allowed(each, text)) ?? initial(each));
  }
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let keeping;

/** Keep in the address what differs from the start, once the controls rest. */
function keep() {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    const changed = all()
      .map((each) => [each.name, each.type === "checkbox" ? String(value(each)) : each.value])
      .filter(([name, text]) => text !== initial(/** @type {Control} */ (control(name))));
    const hash = new URLSearchParams(changed).toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }, 300);
}

/**
 * Let the page follow its controls and its address.
 *
 * @param {(names: readonly string[]) => void} changed  hears which controls hold something else
 * @returns {Values} what they hold, always as it is now
 */
export function follow(changed) {
  restore();
  const held = values();

  function compare() {
    const now = values();
    const names = Object.keys(now).filter((name) => !Object.is(now[name], held[name]));
    Object.assign(held, now);
    changed(names);
  }

  for (const form of document.querySelectorAll("form[data-controls]")) {
    form.addEventListener("submit", (event) => event.preventDefault()); // there is nothing to send
    form.addEventListener("input", ({ target }) => {
      if (!(target instanceof HTMLElement) || !("name" in target)) return;
      tell(/** @type {Control} */ (target));
      keep();
      compare();
    });
  }
  addEventListener("hashchange", () => {
    if (document.getElementById(location.hash.slice(1))) return keep(); // a link within the page
    restore();
    compare();
  });
  playButtons();
  return held;
}

// --- errors ----------------------------------------------------------------------------------------

/**
 * Say beside a control what is wrong with it.
 * @param {string} name @param {string} sentence  empty: nothing is
 * @returns {boolean} whether there is such a control
 */
export function blame(name, sentence) {
  const each = control(name);
  const place = document.getElementById(`${name}-wrong`);
  if (!each || !place) return false;
  if (place.textContent !== sentence) place.textContent = sentence;
  if (sentence) each.setAttribute("aria-invalid", "true");
  else each.removeAttribute("aria-invalid");
  return true;
}

/** Take back what was said beside every control. */
export function absolve() {
  for (const each of all()) blame(each.name, "");
}

// --- play ------------------------------------------------------------------------------------------

/** Milliseconds between two steps of a slider that runs by itself. */
const STEP = 90;

/** The buttons that let a slider run by itself, from its place to its end, or again from its start. */
function playButtons() {
  for (const button of document.querySelectorAll("button[data-play]")) {
    const name = /** @type {HTMLElement} */ (button).dataset.play ?? "";
    const slider = /** @type {HTMLInputElement} */ (control(name));
    /** @type {ReturnType<typeof setInterval> | undefined} */
    let running;

    const stop = () => {
      clearInterval(running);
      running = undefined;
      button.textContent = "Play";
      button.setAttribute("aria-pressed", "false");
    };
    const advance = () => {
      const [step, most] = [Number(slider.step), Number(slider.max)];
      set(name, Math.min(most, Number(slider.value) + step));
      if (Number(slider.value) >= most) stop();
    };
    button.addEventListener("click", () => {
      if (running !== undefined) return stop();
      if (Number(slider.value) >= Number(slider.max)) set(name, slider.min);
      running = setInterval(advance, STEP);
      button.textContent = "Pause";
      button.setAttribute("aria-pressed", "true");
    });
    slider.addEventListener("pointerdown", stop);
  }
}
