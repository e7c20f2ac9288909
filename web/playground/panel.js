/** @import { Side } from "./address.js" */
/** @import { Preset } from "./presets.js" */
/** @import { Setting } from "./settings.js" */
import { make } from "../app/dom.js";
import { plainly, preset as ofPreset } from "./address.js";
import { FAMILIES, schemes } from "./schemes/index.js";
import { format, parse, rule } from "./settings.js";

/**
 * The controls of one side: its scheme, its model, and the settings that apply.
 *
 * @param {HTMLElement} place
 * @param {object} options
 * @param {string} options.prefix  of ids
 * @param {string} options.label  of the group, for screen readers
 * @param {(side: Side) => void} options.onchange
 */
export function panel(place, { prefix, label, onchange }) {
  /** @type {Side} */
  let side = plainly(Object.keys(schemes)[0]);
  /** @type {Preset[]} */
  let known = [];
  let drawn = ""; // the scheme whose fields stand

  const scheme = select(`${prefix}scheme`, "Scheme");
  for (const [family, members] of Object.entries(FAMILIES)) {
    scheme.control.append(
      make(
        "optgroup",
        { label: family },
        ...members.map(({ name, title }) => make("option", { value: name }, title)),
      ),
    );
  }
  const preset = select(`${prefix}preset`, "Model or convention");
  const fields = make("div", { class: "fields-of-side" });
  place.setAttribute("role", "group");
  place.setAttribute("aria-label", label);
  place.append(fields);

  scheme.control.addEventListener("input", () => change(plainly(scheme.control.value)));
  preset.control.addEventListener("input", () => {
    const found = known.find(({ name }) => name === preset.control.value);
    change(found ? ofPreset(found) : plainly(side.scheme));
  });

  /** @param {Side} next */
  function change(next) {
    side = next;
    onchange(side);
  }

  /** @param {Setting} setting @param {string} text  typed */
  function typed(setting, text) {
    const value = parse(setting, text);
    blame(
      setting.name,
      value === undefined
        ? `${setting.label} must be ${rule(setting)}; got ${JSON.stringify(text)}.`
        : "",
    );
    if (value === undefined) return;
    change({ ...side, settings: { ...side.settings, [setting.name]: value } });
  }

  /** @type {Map<string, ReturnType<typeof field>>} */
  let made = new Map();

  /** @param {string} name  of a setting @param {string} sentence  empty: nothing is wrong */
  function blame(name, sentence) {
    const of = made.get(name);
    if (!of || of.element.hidden) return false;
    of.blame(sentence);
    return true;
  }

  return {
    /** @param {readonly Preset[]} presets */
    offer(presets) {
      known = [...presets];
      const groups = grouped(known);
      const none = make("option", {}, "none");
      none.value = "";
      preset.control.replaceChildren(
        none,
        ...groups.map(([group, members]) =>
          make(
            "optgroup",
            { label: group },
            ...members.map(({ name, title }) => make("option", { value: name }, title)),
          ),
        ),
      );
      preset.control.value = side.preset;
    },

    /** @param {Side} next @param {string} view */
    show(next, view) {
      side = next;
      const { settings } = schemes[side.scheme];
      if (drawn !== side.scheme) {
        made = new Map(
          settings.map((setting) => [
            setting.name,
            field(setting, prefix + setting.name, (text) => typed(setting, text)),
          ]),
        );
        const all = [...made.values()].map(({ element }) => element);
        fields.replaceChildren(scheme.element, preset.element, ...all);
        drawn = side.scheme;
      }
      scheme.control.value = side.scheme;
      preset.control.value = side.preset;
      for (const setting of settings) {
        const of = made.get(setting.name);
        of?.show(side.settings[setting.name]);
        if (of) of.element.hidden = !setting.when(side.settings, view);
      }
    },

    blame,

    absolve() {
      for (const of of made.values()) of.blame("");
    },
  };
}

/** @param {readonly Preset[]} presets @returns {[group: string, members: Preset[]][]} */
function grouped(presets) {
  const groups = [...new Set(presets.map(({ group }) => group))];
  return groups.map((name) => [name, presets.filter(({ group }) => group === name)]);
}

/** @param {string} id @param {string} label */
function select(id, label) {
  const control = make("select", { id, name: id });
  const element = make("div", { class: "field wide" }, make("label", { for: id }, label), control);
  return { control, element };
}

/**
 * The control of a setting.
 * @param {Setting} setting @param {string} id @param {(text: string) => void} typed
 */
function field(setting, id, typed) {
  const { name, label, kind, note = "", options = [] } = setting;
  const wrong = make("p", { class: "wrong", id: `${id}-wrong`, "aria-live": "polite" });
  const described = { "aria-describedby": `${id}-wrong${note ? ` ${id}-note` : ""}` };
  /** @type {(HTMLInputElement | HTMLSelectElement)[]} */
  let controls;
  /** @type {HTMLElement} */
  let element;
  const notes = note ? [make("p", { class: "note", id: `${id}-note` }, note)] : [];

  if (kind === "toggle") {
    const box = make("input", { type: "checkbox", id, name: id, ...described });
    box.addEventListener("input", () => typed(String(box.checked)));
    controls = [box];
    element = make(
      "div",
      { class: "field", "data-setting": name },
      make("label", { class: "choice" }, box, make("span", {}, label)),
      ...notes,
      wrong,
    );
  } else {
    /** @type {HTMLElement} */
    let body;
    if (kind === "choice") {
      const choices = make("select", { id, name: id, ...described });
      choices.append(...options.map(({ value, label }) => make("option", { value }, label)));
      choices.addEventListener("input", () => typed(choices.value));
      controls = [choices];
      body = choices;
    } else {
      const inputmode = kind === "whole" ? "numeric" : kind === "number" ? "decimal" : "text";
      const input = make("input", { id, name: id, inputmode, class: "typed", ...described });
      input.addEventListener("input", () => typed(input.value));
      controls = [input];
      body = input;
      if (kind === "whole") {
        const { least = 0, step = 1 } = setting;
        const range = make("input", {
          type: "range",
          min: least,
          step,
          "aria-label": `${label}, slider`,
        });
        range.addEventListener("input", () => typed(range.value));
        controls.push(range);
        body = make("div", { class: "dial" }, range, input);
      }
    }
    element = make(
      "div",
      { class: isWide(setting) ? "field wide" : "field", "data-setting": name },
      make("label", { for: id }, label),
      body,
      ...notes,
      wrong,
    );
  }

  return {
    element,

    /** @param {any} value */
    show(value) {
      const text = format(setting, value);
      for (const control of controls) {
        if (control.type === "checkbox") {
          /** @type {HTMLInputElement} */ (control).checked = value;
        } else if (control.type === "range") {
          /** @type {HTMLInputElement} */ (control).max = String(reach(setting, value));
          control.value = text;
        } else if (parseOf(setting, control.value) !== text) {
          control.value = text; // what is being typed keeps its own form
        }
      }
    },

    /** @param {string} sentence */
    blame(sentence) {
      if (wrong.textContent !== sentence) wrong.textContent = sentence;
      for (const control of controls) {
        if (sentence) control.setAttribute("aria-invalid", "true");
        else control.removeAttribute("aria-invalid");
      }
    },
  };
}

/** Whether a control needs the whole width. @param {Setting} setting */
function isWide({ kind, options = [] }) {
  if (kind === "choice") return options.some(({ label }) => label.length > 14);
  return kind === "whole" || kind === "list";
}

/** A typed value in its usual form. @param {Setting} setting @param {string} text */
function parseOf(setting, text) {
  const value = parse(setting, text);
  return value === undefined ? undefined : format(setting, value);
}

/** How far a slider goes: some way beyond what is usual, at most to the end. @param {Setting} setting @param {number} value */
function reach({ initial, most = 0, step = 1 }, value) {
  const usual = Math.max(64, 4 * Number(initial), value);
  return Math.min(most, Math.ceil(usual / step) * step);
}
