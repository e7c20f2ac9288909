/**
 * Sliders, selects and checkboxes for the options of a scheme.
 */
import { maker } from "../plots/dom.js";

/**
 * @typedef {object} Control
 * @property {string} label
 * @property {number | string | boolean} start  a boolean makes a checkbox
 * @property {readonly (number | string)[]} values  numbers make a slider, other values a select
 *
 * @typedef {{element: HTMLElement, show(value: unknown): void}} Field
 */

/**
 * Creates the fields of controls.
 *
 * @param {Document} document
 * @param {(name: string, value: number | string | boolean) => void} changed  called when the reader sets a value
 */
export function fields(document, changed) {
  const make = maker(document);
  const element = make("div", { class: "phasor-controls", role: "group", "aria-label": "Options" });
  /** @type {Record<string, Control>} */
  let made = {};
  /** @type {Record<string, Field>} */
  let held = {};

  return {
    element,

    /** @param {Record<string, Control>} controls @param {Record<string, unknown>} values */
    show(controls, values) {
      if (controls !== made) {
        made = controls;
        held = Object.fromEntries(
          Object.entries(controls).map(([name, control]) => {
            return [name, makerOf(control)(make, control, (value) => changed(name, value))];
          }),
        );
        element.replaceChildren(...Object.values(held).map(({ element }) => element));
      }
      element.hidden = element.childElementCount === 0;
      for (const [name, field] of Object.entries(held)) field.show(values[name]);
    },
  };
}

/**
 * @typedef {ReturnType<typeof maker>} Make
 * @typedef {(make: Make, control: Control, set: (value: any) => void) => Field} MakeField
 */

/** @type {MakeField} */
function slider(make, { label, values }, set) {
  const last = String(values.length - 1);
  const input = make("input", { type: "range", min: "0", max: last, "aria-label": label });
  const output = make("output");
  input.addEventListener("input", () => set(values[input.valueAsNumber]));
  return {
    element: make("label", {}, make("span", {}, label), output, input),
    show(value) {
      const words = typeof value === "number" ? value.toLocaleString("en") : String(value);
      const beyond = values.findIndex((each) => Number(each) >= Number(value));
      input.value = beyond < 0 ? last : String(beyond);
      input.setAttribute("aria-valuetext", words);
      output.textContent = words;
    },
  };
}

/** @type {MakeField} */
function choice(make, { label, values }, set) {
  const options = values.map((value) => make("option", {}, String(value)));
  const select = make("select", {}, ...options);
  select.addEventListener("input", () => set(values[select.selectedIndex]));
  return {
    element: make("label", {}, make("span", {}, label), select),
    show(value) {
      select.value = String(value);
    },
  };
}

/** @type {MakeField} */
function checkbox(make, { label }, set) {
  const input = make("input", { type: "checkbox" });
  input.addEventListener("input", () => set(input.checked));
  return {
    element: make("label", {}, make("span", {}, label), input),
    show(value) {
      input.checked = Boolean(value);
    },
  };
}

/** @param {Control} control @returns {MakeField} */
function makerOf({ start, values }) {
  if (typeof start === "boolean") return checkbox;
  return values.every((value) => typeof value === "number") ? slider : choice;
}
