// The playground: settings -> pictures -> the formula of a cell and the code. Each is made anew only
// where it has changed.

/** @import { Side, State } from "./address.js" */
/** @import { Preset } from "./presets.js" */
/** @import { Inspection, Picture } from "./schemes/scheme.js" */
import { load } from "phasor";
import { byId, make } from "../app/dom.js";
import { brief, shape } from "../app/numbers.js";
import { remembered } from "../app/remembered.js";
import { fromHash, plainly, preset, toHash } from "./address.js";
import { javascript } from "./code/javascript.js";
import { jupyter } from "./code/jupyter.js";
import { observable } from "./code/observable.js";
import { pytorch } from "./code/pytorch.js";
import { difference } from "./compare.js";
import { panel } from "./panel.js";
import { shown, value } from "./parts.js";
import { conventionPresets, fromConfig, modelPresets } from "./presets.js";
import { print, printed } from "./program.js";
import { schemes, VIEWS } from "./schemes/index.js";
import { cellsOf, stage } from "./stage.js";
import "./style.css";

const LANGUAGES = Object.freeze({
  javascript: "For Node after npm i phasor, and for pages with a bundler.",
  observable: "A cell for Observable’s notebooks and Framework, with the figure.",
  jupyter: "A cell for JupyterLite (Pyodide): the same numbers in a NumPy array.",
  pytorch: "PyTorch alone, in the steps of the original program, in float32.",
});

const root = document.documentElement;
root.dataset.settled = "false";

/** @type {Preset[]} */
let presets = modelPresets();
/** @type {State} */
let state = fromHash(location.hash, presets);

const panels = {
  one: panel(byId("one"), {
    prefix: "a-",
    label: "What is shown",
    onchange: (side) => change({ one: side }),
  }),
  other: panel(byId("other"), {
    prefix: "b-",
    label: "What it is compared with",
    onchange: (side) => change({ other: side }),
  }),
};
for (const each of Object.values(panels)) each.offer(presets);

/** Shows everything anew before the next frame, once; nothing until phasor is there. */
let schedule = () => {};

/** @param {Partial<State>} part */
function change(part) {
  const next = { ...state, ...part };
  const { views } = schemes[next.one.scheme];
  if (!views.some((view) => view === next.view)) next.view = views[0];
  const anew = next.one.scheme !== state.one.scheme || next.view !== state.view;
  state = anew ? { ...next, cell: null } : next;
  control();
  schedule();
}

// --- the controls ------------------------------------------------------------------------------------

/** Put the controls in the state. */
function control() {
  const { view, one, other } = state;
  showViews(one.scheme, view);
  panels.one.show(one, view);
  byId("other").hidden = other === null;
  /** @type {HTMLInputElement} */ (byId("compare")).checked = other !== null;
  if (other) panels.other.show(other, view);
}

const showViews = remembered((/** @type {string} */ scheme, /** @type {string} */ view) => {
  const choices = schemes[scheme].views.map((name) => {
    const radio = make("input", {
      type: "radio",
      name: "view",
      value: name,
      checked: name === view,
    });
    return make("label", {}, radio, VIEWS[name]);
  });
  const place = byId("view-choices");
  const had = place.contains(document.activeElement);
  place.replaceChildren(...choices);
  if (had) /** @type {HTMLElement} */ (place.querySelector(":checked")).focus();
});

byId("views").addEventListener("input", ({ target }) => {
  change({ view: /** @type {HTMLInputElement} */ (target).value });
});
byId("compare").addEventListener("input", ({ target }) => {
  const { checked } = /** @type {HTMLInputElement} */ (target);
  change({ other: checked ? copied(state.one) : null });
});
byId("reset").addEventListener("click", () => {
  const { one } = state;
  const named = presets.find(({ name }) => name !== "" && name === one.preset);
  change({ one: named ? preset(named) : plainly(one.scheme), other: null, cell: null });
});
byId("settings").addEventListener("submit", (event) => event.preventDefault()); // nothing is sent

/** @param {Side} side @returns {Side} */
function copied({ scheme, preset, settings }) {
  return { scheme, preset, settings: { ...settings } };
}

// --- a pasted configuration ----------------------------------------------------------------------------

/** @type {Preset[]} */
let pasted = [];

byId("read-config").addEventListener("click", () => {
  const config = /** @type {HTMLTextAreaElement} */ (byId("config"));
  const wrong = byId("config-wrong");
  const note = byId("config-note");
  const field = byId("layers-field");
  [wrong.textContent, field.hidden] = ["", true];
  note.replaceChildren();
  config.removeAttribute("aria-invalid");
  try {
    const { presets, warnings } = fromConfig(config.value);
    pasted = presets;
    const said = `Shown: ${presets[0].title}, ${schemes[presets[0].scheme].title}.`;
    note.replaceChildren(
      make("p", {}, said),
      ...warnings.map((warning) => make("p", {}, `Mind: ${warning}.`)),
    );
    field.hidden = presets.length < 2;
    byId("layers").replaceChildren(
      ...presets.map(({ title }, i) => make("option", { value: i }, title)),
    );
    change({ one: preset(presets[0]), cell: null });
  } catch (error) {
    wrong.textContent = `${/** @type {Error} */ (error).message}.`;
    config.setAttribute("aria-invalid", "true");
  }
});
byId("layers").addEventListener("input", ({ target }) => {
  change({ one: preset(pasted[Number(/** @type {HTMLSelectElement} */ (target).value)]) });
});

// --- the pictures ----------------------------------------------------------------------------------------

control();
describe();
try {
  const [phasor, { figures }, Plot] = await Promise.all([
    load(),
    import("phasor/plots"),
    import("@observablehq/plot"),
  ]);
  const plots = figures({ Plot });
  presets = [...presets, ...conventionPresets(phasor)];
  for (const each of Object.values(panels)) each.offer(presets);
  state = fromHash(location.hash, presets);
  control();

  const places = { one: byId("picture"), other: byId("other-picture") };
  const onpoint = (/** @type {number[] | null} */ cell) => point(cell);
  const stages = {
    one: stage(places.one, plots, { name: "picture", onpoint }),
    other: stage(places.other, plots, { name: "compared", onpoint }),
    difference: stage(byId("difference-picture"), plots, { name: "difference", onpoint }),
  };
  /** What is on the page. @type {{one?: Picture, other?: Picture}} */
  const on = {};
  const pictures = { one: pictureOf(), other: pictureOf() };
  const differenceOf = remembered(difference);

  /** Pictures of a side, computed anew only when the program of one has changed. */
  function pictureOf() {
    let made = "";
    /** @type {Picture} */
    let picture;
    return (/** @type {Side} */ { scheme, settings }, /** @type {string} */ view) => {
      const { lines, options, given } = schemes[scheme].plan(settings, view);
      const wanted = [scheme, view, ...printed(lines), print(options), print(given)].join("\n");
      if (wanted !== made) picture = schemes[scheme].compute(phasor, settings, view);
      made = wanted; // only now: a refusal is not remembered
      return picture;
    };
  }

  /** @param {"one" | "other"} name @returns {boolean} whether it is drawn */
  function draw(name) {
    const side = state[name];
    panels[name].absolve();
    places[name].classList.remove("outdated");
    if (!side) return false;
    try {
      const picture = pictures[name](side, state.view);
      stages[name].show(state.other ? named[name](picture) : picture);
      on[name] = picture;
      return true;
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      const [word] = message.replace(/^[a-z]+\./, "").split(/[ .[]/, 1);
      if (!panels[name].blame(alias(word), `${message}.`)) tell(name, message);
      places[name].classList.add("outdated");
      return false;
    }
  }

  /** Pictures that say in their titles which of two they are. @param {string} which */
  const titled = (which) =>
    remembered((/** @type {Picture} */ picture) => {
      const options = { ...picture.options, title: `${which}: ${picture.options.title}` };
      return { ...picture, options };
    });
  const named = { one: titled("The first"), other: titled("The second") };

  /** @param {"one" | "other"} name @param {string} message */
  function tell(name, message) {
    const which = name === "one" ? "" : "The second: ";
    byId("wrong").textContent = `${which}${message}.`;
  }

  function drawAll() {
    byId("wrong").textContent = "";
    describe();
    const drawn = draw("one");
    places.other.hidden = state.other === null;
    if (!state.other) stages.other.clear();
    const both = draw("other") && drawn;
    byId("difference").hidden = !both;
    if (both) compare();
    else stages.difference.clear();
    inspect();
    showCode();
    keep();
    root.dataset.settled = "true";
    if (performance.getEntriesByName("interactive").length === 0) performance.mark("interactive");
  }

  function compare() {
    const {
      picture,
      largest = 0,
      at,
      why,
    } = differenceOf(/** @type {Picture} */ (on.one), /** @type {Picture} */ (on.other));
    byId("difference-picture").hidden = !picture || largest === 0;
    byId("difference-words").textContent =
      why ??
      (largest === 0
        ? "They are the same, to the last bit."
        : `The largest difference is ${brief(largest)}, at ${shape(at ?? [])}.`);
    if (picture && largest > 0) stages.difference.show(picture);
    else stages.difference.clear();
  }

  /** @param {number[] | null} cell */
  function point(cell) {
    state = { ...state, cell };
    inspect();
    keep();
  }

  /** The formula of what is pointed at, and its mark in every picture. */
  function inspect() {
    const { cell, one, other, view } = state;
    for (const each of Object.values(stages)) each.mark(cell);
    const lines = told(one, on.one, view, "");
    const others = other ? told(other, on.other, view, "the second: ") : [];
    if (lines.length + others.length > 0) {
      byId("inspection").replaceChildren(...lines, ...others, ...between());
    } else {
      const words =
        "Point at the picture, or go into it by the Tab key and move by the arrow keys.";
      byId("inspection").replaceChildren(make("p", {}, words));
    }
  }

  /** The difference at what is pointed at, with its numbers. */
  function between() {
    const { one, other } = on;
    if (!state.other || !one || !other) return [];
    const { picture } = differenceOf(one, other);
    if (!picture) return [];
    return cellsOf(one, state.cell).flatMap((cell) => {
      const [a, b] = [one, other].map(({ data }) => Number(data.at(...cell)));
      const made = Number(picture.data.at(...cell));
      const second = b < 0 ? ["(", value(b), ")"] : [value(b)];
      const parts = [value(a), " \u2212 ", ...second, " = "].map(elementOf);
      return [
        make("p", { class: "where" }, "the first minus the second"),
        make(
          "p",
          { class: "formula-of-cell" },
          ...parts,
          make("data", { value: made }, sevenDigits(made)),
        ),
      ];
    });
  }

  /** @param {Side} side @param {Picture | undefined} picture @param {string} view @param {string} before */
  function told(side, picture, view, before) {
    if (!picture) return [];
    return cellsOf(picture, state.cell).flatMap((cell) => {
      const { where, parts } = schemes[side.scheme].inspect(
        phasor,
        side.settings,
        view,
        cell,
        picture,
      );
      return [
        make("p", { class: "where" }, before + where),
        make("p", { class: "formula-of-cell" }, ...parts.map(elementOf)),
      ];
    });
  }

  const programs = { javascript, observable, jupyter };
  function showCode() {
    const chosen = /** @type {HTMLInputElement} */ (
      document.querySelector('[name="language"]:checked')
    );
    const language = /** @type {keyof typeof LANGUAGES} */ (chosen.value);
    const { one, view } = state;
    const scheme = schemes[one.scheme];
    const text =
      language === "pytorch"
        ? pytorch(scheme, one.settings, view)
        : programs[language](phasor, scheme, one.settings, view);
    byId("code-note").textContent = LANGUAGES[language];
    if (byId("code").textContent !== text) byId("code").textContent = text;
  }
  byId("languages").addEventListener("input", showCode);

  let scheduled = false;
  schedule = () => {
    if (scheduled) return;
    scheduled = true;
    root.dataset.settled = "false";
    requestAnimationFrame(() => {
      scheduled = false;
      drawAll();
    });
  };
  addEventListener("hashchange", () => {
    if (location.hash !== "" && !location.hash.includes("=")) return; // a link within the page
    state = fromHash(location.hash, presets);
    control();
    schedule();
  });
  drawAll();
} catch (error) {
  byId("wrong").textContent =
    `The playground could not begin: ${/** @type {Error} */ (error).message}.`;
  root.dataset.settled = "true";
  throw error;
}

/** The setting that an option of phasor's is called here. @param {string} word */
function alias(word) {
  const names = /** @type {Record<string, string>} */ ({
    alpha: "factor",
    maxLength: "originalLength",
  });
  return names[word] ?? word;
}

/** What the scheme is, in words. */
function describe() {
  const { title, words, source } = schemes[state.one.scheme];
  byId("scheme-title").textContent = title;
  const [said, link] = byId("scheme-words").children;
  said.textContent = words;
  link.textContent = source.paper;
  link.setAttribute("href", source.url);
}

/** A difference. @param {number} x */
function sevenDigits(x) {
  return String(Number(x.toPrecision(7))).replaceAll("-", "\u2212");
}

/** @param {Inspection["parts"][number]} part */
function elementOf(part) {
  if (typeof part === "string") return part;
  if ("power" in part) return make("sup", {}, part.power);
  return make("data", { value: part.value }, shown(part.value));
}

// --- the address and the clipboard -----------------------------------------------------------------------

/** @type {ReturnType<typeof setTimeout> | undefined} */
let keeping;

/** Keep the state in the address, once it rests. */
function keep() {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    const hash = toHash(state, presets);
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }, 300);
}

byId("copy").addEventListener("click", () =>
  copy(byId("code").textContent ?? "", byId("copied"), () =>
    getSelection()?.selectAllChildren(byId("code")),
  ),
);
byId("link").addEventListener("click", () => {
  const hash = toHash(state, presets);
  copy(`${location.href.split("#")[0]}${hash && `#${hash}`}`, byId("link-note"));
});

/** @param {string} text @param {HTMLElement} note @param {() => void} [select]  for copying by key */
async function copy(text, note, select) {
  try {
    await navigator.clipboard.writeText(text);
    note.textContent = "Copied.";
  } catch {
    select?.();
    note.textContent = select
      ? "The browser did not allow it. The code is selected: copy it by key."
      : "The browser did not allow it: copy the address.";
  }
  setTimeout(() => (note.textContent = ""), 4000);
}
