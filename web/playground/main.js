// The playground: settings -> pictures -> the formula of a cell and the code.

/** @import { Side, State } from "./address.js" */
/** @import { Page } from "../app/page.js" */
/** @import { Picture } from "./schemes/scheme.js" */
import { copy } from "../app/copy.js";
import { byId, make } from "../app/dom.js";
import { ControlError } from "../app/errors.js";
import { brief, shape } from "../app/numbers.js";
import { loadPlots, page } from "../app/page.js";
import { remembered } from "../app/remembered.js";
import { urlState } from "../app/url-state.js";
import { fromHash, ofPreset, ofScheme, toHash } from "./address.js";
import { showCode } from "./code/languages.js";
import { difference } from "./compare.js";
import { pastedConfig } from "./config.js";
import { showInspection } from "./inspection.js";
import { panel } from "./panel.js";
import { conventionPresets, modelPresets } from "./presets.js";
import { print, printed } from "./program.js";
import { schemes, VIEWS } from "./schemes/index.js";
import { stage } from "./stage.js";
import "./style.css";

/** @typedef {"one" | "other"} SideName */

/** The prefix of the ids of each side's controls. */
const PREFIX = { one: "a-", other: "b-" };

const loading = loadPlots();

page({
  async begin(app) {
    const { phasor, made } = app;
    const plots = await loading;
    const presets = [...modelPresets(), ...conventionPresets(phasor)];
    const change = stateOf(app, presets);
    const stages = stagesOf(plots, (cell) => change({ cell }));
    addControls(app, presets, change);
    addPictures(app, stages);
    addDifference(app, stages);
    app.cell(
      (_, { one, other, view, cell, onePicture, otherPicture }) => {
        const sides = { one, other, onePicture, otherPicture };
        for (const each of Object.values(stages)) each.mark(cell);
        return () => showInspection(byId("inspection"), phasor, sides, view, cell);
      },
      (show) => show(),
    );
    app.cell(
      (_, { one, view, language }) => ({ one, view, language }),
      ({ one, view, language }) => showCode(phasor, one, view, language),
    );
    connectButtons(made, presets, change);
  },
});

/**
 * The state of the page, which the URL holds: `made.one`, `made.other`, `made.view`, `made.cell`.
 * @param {Page} app @param {Parameters<typeof fromHash>[1]} presets
 * @returns {(part: Partial<State>) => void} changes it
 */
function stateOf({ made, change }, presets) {
  const entries = () => new URLSearchParams(toHash(/** @type {State} */ (made), presets));
  const save = urlState({
    read: (settings) => change(fromHash(settings.toString(), presets)),
    entries,
  });
  Object.assign(made, fromHash(location.hash, presets), { language: "javascript" });
  return (part) => {
    const next = /** @type {State} */ ({ ...made, ...part });
    const { views } = schemes[next.one.scheme];
    const view = views.find((name) => name === next.view) ?? views[0];
    const isNew = next.one.scheme !== made.one.scheme || view !== made.view;
    change({ ...part, view, ...(isNew && { cell: null }) });
    save();
  };
}

/** @param {Awaited<ReturnType<typeof loadPlots>>} plots @param {(cell: number[] | null) => void} onpoint */
function stagesOf(plots, onpoint) {
  return {
    one: stage(byId("picture"), plots, { name: "picture", onpoint }),
    other: stage(byId("other-picture"), plots, { name: "compared", onpoint }),
    difference: stage(byId("difference-picture"), plots, { name: "difference", onpoint }),
  };
}

// --- controls --------------------------------------------------------------------------------------

/** @param {Page} app @param {Parameters<typeof fromHash>[1]} presets @param {(part: Partial<State>) => void} change */
function addControls({ made, cell }, presets, change) {
  const panels = {
    one: panel(byId("one"), {
      prefix: PREFIX.one,
      label: "Scheme and settings",
      presets,
      onchange: (one) => change({ one }),
    }),
    other: panel(byId("other"), {
      prefix: PREFIX.other,
      label: "Second scheme and settings",
      presets,
      onchange: (other) => change({ other }),
    }),
  };
  const show = remembered(showViews);
  cell(
    (_, { one, other, view }) => ({ one, other, view }),
    ({ one, other, view }) => {
      show(one.scheme, view);
      panels.one.show(one, view);
      byId("other").hidden = other === null;
      /** @type {HTMLInputElement} */ (byId("compare")).checked = other !== null;
      if (other) panels.other.show(other, view);
    },
  );
  cell(
    (_, { one }) => schemes[one.scheme],
    ({ title, words, source }) => {
      byId("scheme-title").textContent = title;
      const [text, link] = byId("scheme-words").children;
      text.textContent = words;
      link.textContent = source.paper;
      link.setAttribute("href", source.url);
    },
  );
  byId("views").addEventListener("input", ({ target }) => {
    change({ view: /** @type {HTMLInputElement} */ (target).value });
  });
  byId("compare").addEventListener("input", ({ target }) => {
    const { checked } = /** @type {HTMLInputElement} */ (target);
    change({ other: checked ? { ...made.one, settings: { ...made.one.settings } } : null });
  });
}

/** @param {string} scheme @param {string} view */
function showViews(scheme, view) {
  const choices = schemes[scheme].views.map((name) => {
    const checked = name === view;
    const radio = make("input", { type: "radio", name: "view", value: name, checked });
    return make("label", {}, radio, VIEWS[name]);
  });
  const place = byId("view-choices");
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...choices);
  if (hadFocus) /** @type {HTMLElement} */ (place.querySelector(":checked")).focus();
}

/** @param {Page["made"]} made @param {Parameters<typeof fromHash>[1]} presets @param {(part: Partial<State>) => void} change */
function connectButtons(made, presets, change) {
  byId("settings").addEventListener("submit", (event) => event.preventDefault()); // nothing is sent
  byId("reset").addEventListener("click", () => {
    const { one } = made;
    const preset = presets.find(({ name }) => name !== "" && name === one.preset);
    change({ one: preset ? ofPreset(preset) : ofScheme(one.scheme), other: null, cell: null });
  });
  pastedConfig((one) => change({ one, cell: null }));
  byId("languages").addEventListener("input", ({ target }) => {
    change(/** @type {{}} */ ({ language: /** @type {HTMLInputElement} */ (target).value }));
  });
  byId("copy").addEventListener("click", () =>
    copy(byId("code").textContent ?? "", byId("copied"), () =>
      getSelection()?.selectAllChildren(byId("code")),
    ),
  );
  byId("link").addEventListener("click", () => {
    const hash = toHash(/** @type {State} */ (made), presets);
    copy(`${location.href.split("#")[0]}${hash && `#${hash}`}`, byId("link-note"));
  });
}

// --- pictures --------------------------------------------------------------------------------------

/** `made.onePicture` and `made.otherPicture`. @param {Page} app @param {ReturnType<typeof stagesOf>} stages */
function addPictures({ phasor, cell, change }, stages) {
  const places = { one: byId("picture"), other: byId("other-picture") };
  const titles = { one: titled("First"), other: titled("Second") };
  for (const name of /** @type {SideName[]} */ (["one", "other"])) {
    const compute = pictures(phasor);
    cell(
      (_, made) => {
        const side = made[name];
        places[name].hidden = side === null;
        if (!side) return undefined;
        try {
          const picture = compute(side, made.view);
          return { picture, shown: made.other ? titles[name](picture) : picture };
        } catch (error) {
          change({ [`${name}Fails`]: true });
          throw asControlError(PREFIX[name], /** @type {Error} */ (error));
        }
      },
      (result) => {
        if (result) stages[name].show(result.shown);
        else stages[name].clear();
        change({ [`${name}Picture`]: result?.picture, [`${name}Fails`]: false });
      },
      places[name],
    );
  }
}

/** Pictures of a side, computed again only when their program changes. @param {Page["phasor"]} phasor */
function pictures(phasor) {
  let made = "";
  /** @type {Picture} */
  let picture;
  return (/** @type {Side} */ { scheme, settings }, /** @type {string} */ view) => {
    const { lines, options, given } = schemes[scheme].plan(settings, view);
    const program = [scheme, view, ...printed(lines), print(options), print(given)].join("\n");
    if (program !== made) picture = schemes[scheme].compute(phasor, settings, view);
    made = program; // not before: after an error it is computed again
    return picture;
  };
}

/** Pictures whose titles say which of the two they are. @param {string} which */
function titled(which) {
  return remembered((/** @type {Picture} */ picture) => {
    const options = { ...picture.options, title: `${which}: ${picture.options.title}` };
    return { ...picture, options };
  });
}

/** @param {Page} app @param {ReturnType<typeof stagesOf>} stages */
function addDifference({ cell }, stages) {
  const differenceOf = remembered(difference);
  cell(
    (_, { onePicture, otherPicture, oneFails, otherFails }) =>
      onePicture && otherPicture && !oneFails && !otherFails
        ? differenceOf(onePicture, otherPicture)
        : undefined,
    (found) => {
      byId("difference").hidden = !found;
      const { picture, largest = 0, at = [], why } = found ?? {};
      const isShown = picture !== undefined && largest > 0;
      byId("difference-picture").hidden = !isShown;
      byId("difference-words").textContent =
        why ??
        (largest === 0
          ? "They are bitwise equal."
          : `The largest difference is ${brief(largest)}, at ${shape(at)}.`);
      if (isShown) stages.difference.show(picture);
      else stages.difference.clear();
    },
  );
}

/** An error beside the control of the option that its message names. @param {string} prefix @param {Error} error */
function asControlError(prefix, error) {
  const names = /** @type {Record<string, string>} */ ({
    alpha: "factor",
    maxLength: "originalLength",
  });
  const [word] = error.message.replace(/^[a-z]+\./, "").split(/[ .[]/, 1);
  return new ControlError(prefix + (names[word] ?? word), error.message, { cause: error });
}
