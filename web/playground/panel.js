/** @import { Side } from "./address.js" */
/** @import { Preset } from "./presets.js" */
/** @import { Setting } from "./settings.js" */
import { make } from "../app/dom.js";
import { inWords, showError } from "../app/errors.js";
import { ofPreset, ofScheme } from "./address.js";
import { FAMILIES, schemes } from "./schemes/index.js";
import { format, parse, rule } from "./settings.js";

/**
 * The controls of one side: its scheme, its model, and the settings that apply.
 *
 * @param {HTMLElement} place
 * @param {object} options
 * @param {string} options.prefix  of the controls' ids
 * @param {string} options.label  of the group, for screen readers
 * @param {readonly Preset[]} options.presets
 * @param {(side: Side, isNew: boolean) => void} options.onchange  `isNew`: a model or a scheme was chosen
 */
export function panel(place, { prefix, label, presets, onchange }) {
  /** @type {Side} */
  let side;
  /** The controls of the settings of `shown`. @type {Map<string, Field>} */
  let fields = new Map();
  let shown = "";

  const families = Object.entries(FAMILIES).map(([family, members]) => ({ family, members }));
  const scheme = select(
    `${prefix}scheme`,
    "Scheme",
    families.map(({ family, members }) => optionGroup(family, members)),
  );
  const preset = select(`${prefix}preset`, "Model or convention", [
    Object.assign(make("option", {}, "none"), { value: "" }),
    ...grouped(presets).map(([group, members]) => optionGroup(group, members)),
  ]);
  const found = finder(prefix, presets, (preset) => onchange(ofPreset(preset), true));
  preset.element.append(found);
  const body = make("div", { class: "fields-of-side" });
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", label);
  place.append(body);

  scheme.control.addEventListener("input", () => onchange(ofScheme(scheme.control.value), true));
  preset.control.addEventListener("input", () => {
    const found = presets.find(({ name }) => name === preset.control.value);
    onchange(found ? ofPreset(found) : ofScheme(side.scheme), true);
  });

  /** @param {Setting} setting @param {string} text  typed */
  function change(setting, text) {
    const value = parse(setting, text);
    const wrong =
      value === undefined ? inWords(`it must be ${rule(setting)}; got NaN`, setting.label) : "";
    showError(prefix + setting.name, wrong);
    if (wrong) fields.get(setting.name)?.element.scrollIntoView({ block: "nearest" });
    if (value === undefined) return;
    onchange({ ...side, settings: { ...side.settings, [setting.name]: value } }, false);
  }

  return {
    /** @param {Side} next @param {string} view */
    show(next, view) {
      side = next;
      const { settings } = schemes[side.scheme];
      if (shown !== side.scheme) {
        const made = settings.map((setting) => {
          const id = prefix + setting.name;
          return new Field(setting, id, (text) => change(setting, text));
        });
        fields = new Map(made.map((field) => [field.setting.name, field]));
        body.replaceChildren(preset.element, scheme.element, ...made.map(({ element }) => element));
        shown = side.scheme;
      }
      scheme.control.value = side.scheme;
      preset.control.value = side.preset;
      for (const [name, field] of fields) {
        field.show(side.settings[name]);
        field.element.hidden = !field.setting.when(side.settings, view);
      }
    },
  };
}

/** @param {readonly Preset[]} presets @returns {[group: string, members: Preset[]][]} */
function grouped(presets) {
  const groups = [...new Set(presets.map(({ group }) => group))];
  return groups.map((name) => [name, presets.filter(({ group }) => group === name)]);
}

/**
 * A field that finds a preset by a part of its title.
 * @param {string} prefix @param {readonly Preset[]} presets @param {(preset: Preset) => void} choose
 */
function finder(prefix, presets, choose) {
  const id = `${prefix}find`;
  const label = `Find one of ${presets.length}`;
  const input = make("input", {
    type: "search",
    id,
    list: `${id}-list`,
    placeholder: label,
    "aria-label": label,
    "aria-describedby": `${id}-note`,
    autocomplete: "off",
    spellcheck: "false",
    maxlength: 100,
  });
  const titles = presets.map(({ title }) => make("option", { value: title }));
  const note = make("p", { class: "note", id: `${id}-note`, role: "status" });
  const read = (/** @type {boolean} */ isDone) => {
    const text = input.value.trim().toLowerCase();
    const having = presets.filter(({ title }) => title.toLowerCase().includes(text));
    const [only] = having.filter(({ title }) => title.toLowerCase() === text);
    const chosen = only ?? (isDone ? having[0] : undefined);
    note.textContent = text === "" || chosen ? "" : `${having.length || "None"} found`;
    if (text === "" || !chosen) return;
    input.value = "";
    choose(chosen);
  };
  input.addEventListener("input", () => read(false));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    read(true);
  });
  return make(
    "div",
    { class: "finder" },
    input,
    make("datalist", { id: `${id}-list` }, ...titles),
    note,
  );
}

/** @param {string} label @param {readonly {name: string, title: string}[]} members */
function optionGroup(label, members) {
  const options = members.map(({ name, title }) => make("option", { value: name }, title));
  return make("optgroup", { label }, ...options);
}

/** @param {string} id @param {string} label @param {Node[]} children */
function select(id, label, children) {
  const control = make("select", { id, name: id }, ...children);
  const element = make("div", { class: "field wide" }, make("label", { for: id }, label), control);
  return { control, element };
}

/** The controls of a setting, with its note and its error. */
class Field {
  /** @param {Setting} setting @param {string} id @param {(text: string) => void} change */
  constructor(setting, id, change) {
    this.setting = setting;
    this.id = id;
    const { name, label, kind, note = "" } = setting;
    const described = { "aria-describedby": `${id}-wrong${note ? ` ${id}-note` : ""}` };
    this.controls =
      kind === "toggle"
        ? [make("input", { type: "checkbox", id, name: id, ...described })]
        : kind === "choice"
          ? [choices(setting, id, described)]
          : typedNumber(setting, id, described);
    for (const control of this.controls) {
      control.addEventListener("input", () => change(textOf(control)));
    }
    this.element = make(
      "div",
      { class: isWide(setting) ? "field wide" : "field", "data-setting": name },
      ...labeled(this.controls, id, kind, label),
      ...(note ? [make("p", { class: "note", id: `${id}-note` }, note)] : []),
      make("p", { class: "wrong", id: `${id}-wrong`, "aria-live": "polite" }),
    );
  }

  /** @param {any} value */
  show(value) {
    const text = format(this.setting, value);
    for (const control of this.controls) {
      if (control.type === "checkbox") {
        /** @type {HTMLInputElement} */ (control).checked = value;
      } else if (control.type === "range") {
        /** @type {HTMLInputElement} */ (control).max = String(sliderMax(this.setting, value));
        control.value = text;
      } else if (normalized(this.setting, control.value) !== text) {
        control.value = text; // otherwise the typed text stays
        showError(this.id, "");
      }
    }
  }
}

/** @param {HTMLInputElement | HTMLSelectElement} control */
function textOf(control) {
  return control.type === "checkbox"
    ? String(/** @type {HTMLInputElement} */ (control).checked)
    : control.value;
}

/** @param {Setting} setting @param {string} id @param {Record<string, string>} described */
function choices({ options = [] }, id, described) {
  const all = options.map(({ value, label }) => make("option", { value }, label));
  return make("select", { id, name: id, ...described }, ...all);
}

/** A field for numbers; for a whole number a slider before it. @param {Setting} setting @param {string} id @param {Record<string, string>} described */
function typedNumber({ kind, label, least = 0, step = 1 }, id, described) {
  const inputmode = kind === "whole" ? "numeric" : kind === "number" ? "decimal" : "text";
  const input = make("input", { id, name: id, inputmode, class: "typed", ...described });
  if (kind !== "whole") return [input];
  const slider = { type: "range", min: least, step, "aria-label": `${label}, slider` };
  return [make("input", slider), input];
}

/** @param {(HTMLInputElement | HTMLSelectElement)[]} controls @param {string} id @param {Setting["kind"]} kind @param {string} label */
function labeled(controls, id, kind, label) {
  if (kind === "toggle") {
    return [make("label", { class: "choice" }, ...controls, make("span", {}, label))];
  }
  const body = controls.length > 1 ? make("div", { class: "dial" }, ...controls) : controls[0];
  return [make("label", { for: id }, label), body];
}

/** Whether a control needs the whole width. @param {Setting} setting */
function isWide({ kind, options = [] }) {
  if (kind === "choice") return options.some(({ label }) => label.length > 14);
  return kind === "whole" || kind === "list";
}

/** A typed value in its normal form. @param {Setting} setting @param {string} text */
function normalized(setting, text) {
  const value = parse(setting, text);
  return value === undefined ? undefined : format(setting, value);
}

/** The maximum of a slider: above the usual values, but at most the maximum of the setting. @param {Setting} setting @param {number} value */
function sliderMax({ initial, most = 0, step = 1 }, value) {
  const usual = Math.max(64, 4 * Number(initial), value);
  return Math.min(most, Math.ceil(usual / step) * step);
}
