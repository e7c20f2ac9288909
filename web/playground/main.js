// The playground: settings -> pictures -> the formula of a cell and the code.

/** @import { Side, State } from "./address.js" */
/** @import { Page } from "../app/page.js" */
/** @import { Picture } from "./schemes/scheme.js" */
import { copy } from "../app/copy.js";
import { byId, make } from "../app/dom.js";
import { ControlError, inWords, labelOf, withoutFunction } from "../app/errors.js";
import { brief, shape } from "../app/numbers.js";
import { loadPlots, page } from "../app/page.js";
import { remembered } from "../app/remembered.js";
import { urlState } from "../app/url-state.js";
import { fromHash, ofPreset, ofScheme, toHash, viewOf, viewsOf } from "./address.js";
import { showCode } from "./code/languages.js";
import { difference, inSizeOf } from "./compare.js";
import { pastedConfig } from "./config.js";
import { inspectionOf } from "./inspection.js";
import { panel } from "./panel.js";
import { conventionPresets, modelPresets } from "./presets.js";
import { print, printed } from "./program.js";
import { heightOf, isPhone } from "./room.js";
import { schemes, VIEWS } from "./schemes/index.js";
import { sheet } from "./sheet.js";
import { shortcuts } from "./shortcuts.js";
import { stage } from "./stage.js";
import { tooltip } from "./tooltip.js";
import "./style.css";

/**
 * @typedef {"one" | "other"} SideName
 * @typedef {(part: Partial<State>) => void} Change
 */

/** The prefix of the ids of each side's controls. */
const PREFIX = { one: "a-", other: "b-" };

const loading = loadPlots();

page({
  async begin(app) {
    const { phasor, made } = app;
    const plots = await loading;
    const presets = [...modelPresets(), ...conventionPresets(phasor)];
    const change = stateOf(app, presets);
    const stages = stagesOf(app, plots, change);
    addControls(app, presets, change);
    addPictures(app, stages);
    addDifference(app, stages);
    addInspection(app, stages, change);
    app.cell(
      (_, { one, view, language }) => ({ one, view, language }),
      ({ one, view, language }) => showCode(phasor, one, view, language),
    );
    connectButtons(made, presets, change);
  },
});

/**
 * The state of the page, which the URL holds: `made.one`, `made.other`, `made.view`, `made.cell`. Beside it are
 * `made.pointed`, the cell that the reader points at, and `made.room`, which changes with the size of the window.
 * @param {Page} app @param {Parameters<typeof fromHash>[1]} presets
 * @returns {Change} changes it
 */
function stateOf({ made, change }, presets) {
  const entries = () => new URLSearchParams(toHash(/** @type {State} */ (made), presets));
  const save = urlState({
    read: (settings) => change(fromHash(settings.toString(), presets)),
    entries,
  });
  const first = { language: "javascript", pointed: null, room: 0 };
  Object.assign(made, fromHash(location.hash, presets), first);
  return (part) => {
    const next = /** @type {State} */ ({ ...made, ...part });
    const views = viewsOf(next.one, next.other);
    const view = views.find((name) => name === next.view) ?? views[0];
    const isNew = next.one.scheme !== made.one.scheme || view !== made.view;
    change({ ...part, view, ...(isNew && { cell: null, pointed: null }) });
    save();
  };
}

/** @param {Page} app @param {Awaited<ReturnType<typeof loadPlots>>} plots @param {Change} change */
function stagesOf({ made, change: tell }, plots, change) {
  /** @param {string} id @param {string} name */
  const at = (id, name) => {
    const place = byId(id);
    return stage(place, plots, {
      name,
      height: (picture) => heightOf(place, picture, made.other ? 2 : 1),
      onpoint: (pointed) => tell({ pointed }),
      onpin: (cell) => change({ cell: String(cell) === String(made.cell) ? null : cell }),
    });
  };
  let { innerWidth: width, innerHeight: height } = window;
  addEventListener("resize", () => {
    // A phone hides and shows its bar of addresses: that is no reason to draw again.
    if (innerWidth === width && Math.abs(innerHeight - height) < 150) return;
    [width, height] = [innerWidth, innerHeight];
    tell({ room: made.room + 1 });
  });
  return {
    one: at("picture", "picture"),
    other: at("other-picture", "compared"),
    difference: at("difference-picture", "difference"),
  };
}

/**
 * The formulas: of the cell pointed at beside the pointer, and below the picture, where that of a pinned cell stays.
 * @param {Page} app @param {ReturnType<typeof stagesOf>} stages @param {Change} change
 */
function addInspection({ phasor, made, cell: add, change: tell }, stages, change) {
  const area = byId("stage");
  const hint = matchMedia("(hover: none)").matches
    ? "Tap a cell: its formula is pinned here."
    : "Point at a cell, or press Tab and the arrow keys. A click or Enter pins its formula.";
  const showTip = tooltip(byId("pointed"), area);
  let byKey = false;
  area.addEventListener("keydown", () => (byKey = true), { capture: true });
  area.addEventListener("pointermove", () => (byKey = false), { capture: true });
  byId("places").addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch" && made.pointed) tell({ pointed: null });
  });
  byId("unpin").addEventListener("click", () => {
    change({ cell: null });
    /** @type {HTMLElement | null} */ (area.querySelector(".phasor-picture"))?.focus();
  });
  add(
    (_, { one, other, view, cell, pointed, onePicture, otherPicture }) => {
      const sides = { one, other, onePicture, otherPicture };
      const of = (/** @type {number[] | null} */ at) => inspectionOf(phasor, sides, view, at);
      for (const each of Object.values(stages)) each.mark(pointed ?? cell);
      return () => {
        const [pinned, here] = [of(cell), of(pointed)];
        const isElsewhere = byKey && String(pointed) !== String(cell);
        const lines = pinned.length === 0 || isElsewhere ? [...pinned, ...here] : pinned;
        showTip(here.map((line) => line.cloneNode(true)));
        byId("inspection").replaceChildren(...(lines.length > 0 ? lines : [make("p", {}, hint)]));
        byId("inspection").classList.toggle("is-pinned", pinned.length > 0);
        byId("unpin").hidden = pinned.length === 0;
      };
    },
    (show) => show(),
  );
}

// --- controls --------------------------------------------------------------------------------------

/** @param {Page} app @param {Parameters<typeof fromHash>[1]} presets @param {Change} change */
function addControls({ made, cell }, presets, change) {
  const panels = {
    one: panel(byId("one"), {
      prefix: PREFIX.one,
      label: "Scheme and settings",
      presets,
      onchange: (one, isNew) => change({ one, ...(isNew && fitting(one)) }),
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
      show(viewsOf(one, other).join(), view);
      panels.one.show(one, view);
      byId("other").hidden = other === null;
      /** @type {HTMLInputElement} */ (byId("compare")).checked = other !== null;
      if (other) panels.other.show(other, viewOf(other, view));
      const names = [one, ...(other ? [other] : [])].map((side) => titleOf(side, presets));
      byId("sheet-of").textContent = names.join(" and ");
      byId("reset").textContent = other
        ? "Reset the settings of both"
        : `Reset the settings of ${names[0]}`;
    },
  );
  cell(
    (_, { one, other }) => ({
      ...schemes[one.scheme],
      other: other && schemes[other.scheme].title,
    }),
    ({ title, words, source, lesson, other }) => {
      byId("scheme-title").textContent =
        !other || other === title ? title : `${title} and ${other}`;
      const [text, link] = byId("scheme-words").children;
      text.textContent = words;
      link.textContent = source.paper;
      link.setAttribute("href", source.url);
      byId("lesson").hidden = lesson === undefined;
      if (lesson) byId("lesson").setAttribute("href", `../lessons/${lesson}/`);
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

/** The view that shows best what chosen settings do, if there is one. @param {Side} side @returns {Partial<State>} */
function fitting({ scheme, settings }) {
  const view = schemes[scheme].best?.(settings);
  return view ? { view } : {};
}

/** @param {Side} side @param {Parameters<typeof fromHash>[1]} presets */
function titleOf({ scheme, preset }, presets) {
  return presets.find(({ name }) => name !== "" && name === preset)?.title ?? schemes[scheme].title;
}

/** @param {string} views  separated by commas @param {string} view */
function showViews(views, view) {
  const choices = views.split(",").map((name) => {
    const checked = name === view;
    const radio = make("input", { type: "radio", name: "view", value: name, checked });
    return make("label", {}, radio, VIEWS[/** @type {keyof typeof VIEWS} */ (name)]);
  });
  const place = byId("view-choices");
  const hadFocus = place.contains(document.activeElement);
  place.replaceChildren(...choices);
  const chosen = /** @type {HTMLElement} */ (place.querySelector(":checked"));
  const { left, right } = /** @type {HTMLElement} */ (chosen.parentElement).getBoundingClientRect();
  const outer = place.getBoundingClientRect();
  if (right > outer.right) place.scrollLeft += left - outer.left; // on a phone they are in one line
  if (hadFocus) chosen.focus();
}

/** @param {Page["made"]} made @param {Parameters<typeof fromHash>[1]} presets @param {Change} change */
function connectButtons(made, presets, change) {
  byId("settings").addEventListener("submit", (event) => event.preventDefault()); // nothing is sent
  const fresh = (/** @type {Side} */ { scheme, preset }) => {
    const found = presets.find(({ name }) => name !== "" && name === preset);
    return found ? ofPreset(found) : ofScheme(scheme);
  };
  byId("same-sizes").addEventListener("click", () => {
    const { one, other } = /** @type {State} */ (made);
    if (other) change({ other: inSizeOf(other, one) ?? other });
    byId("difference-words").focus(); // the button goes
  });
  byId("reset").addEventListener("click", () =>
    change({ one: fresh(made.one), other: made.other && fresh(made.other) }),
  );
  sheet(byId("sheet"), byId("settings"), () => {
    if (isPhone()) byId("places").scrollIntoView();
  });
  shortcuts(byId("stage"), {
    view: (index) => {
      const view = viewsOf(made.one, made.other)[index];
      if (view) change({ view });
    },
    compare: () => byId("compare").click(),
    reset: () => byId("reset").click(),
    unpin: () => change({ cell: null }),
  });
  pastedConfig((one) => change({ one, cell: null, ...fitting(one) }));
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
        void made.room; // draws again
        places[name].hidden = side === null;
        if (!side) return undefined;
        try {
          const picture = compute(side, viewOf(side, made.view));
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
function addDifference({ made, cell }, stages) {
  const differenceOf = remembered(difference);
  cell(
    (_, { onePicture, otherPicture, oneFails, otherFails }) =>
      onePicture && otherPicture && !oneFails && !otherFails
        ? differenceOf(onePicture, otherPicture)
        : undefined,
    (found) => {
      byId("difference").hidden = !found;
      const { picture, largest = 0, at = [], why } = found ?? {};
      const { one, other } = /** @type {State} */ (made);
      byId("same-sizes").hidden = !why || !other || !inSizeOf(other, one);
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
  const [word] = withoutFunction(error.message)
    .replace(/^[a-z]+\./, "")
    .split(/[ .[]/, 1);
  const control = prefix + (names[word] ?? word);
  return new ControlError(control, inWords(error.message, labelOf(control)), { cause: error });
}
