// The runtime of every page with controls: controls -> cells -> figures, sentences and code.

/** @import { Phasor } from "phasor" */
/** @import { Figure } from "phasor/plots" */
/** @import { Values } from "./controls.js" */
/** @import { Shown } from "./playground-link.js" */
/** @import { Judgement } from "./questions/verdict.js" */
import { load } from "phasor";
import { act } from "./action.js";
import { busy } from "./busy.js";
import { cells, noting, whenThere } from "./cells.js";
import { endAt, follow, set } from "./controls.js";
import { errorReporter, showFailure } from "./errors.js";
import { exportsOf } from "./exports.js";
import { showAs } from "./lecture/lecture.js";
import { mode } from "./lecture/mode.js";
import { inColors } from "./meanings.js";
import { light } from "./hues.js";
import { moving } from "./motion.js";
import { questions } from "./questions/questions.js";
import { runnable } from "./runnable.js";
import { tie } from "./tied.js";
import { toPlayground } from "./to-playground.js";
import "./write/style.css";

/**
 * A figure of `phasor/plots` to draw: its kind, data and options, among them `means` (web/app/meanings.js); `tensor` is the
 * content of the `.npy` file if it is not the data.
 *
 * @typedef {object} Picture
 * @property {"heatmap" | "bias" | "waves" | "spectrum" | "scatter" | "clock" | "bar"} kind
 * @property {any} data
 * @property {Record<string, any>} [options]
 * @property {{ data: ArrayLike<number>, shape: readonly number[] }} [tensor]
 */

/**
 * A part of a page: computed from phasor, the values of the controls, and the results of `prepare`, `begin` and
 * the actions. `made.guess.NAME` is the reader's answer to a question, once it is judged: the value of an option, a
 * number, or the points of a drawn curve.
 *
 * @template Result
 * @typedef {(phasor: Phasor, controls: Values, made: Values) => Result} Part
 */

/**
 * @typedef {object} Definition
 * @property {(phasor: Phasor) => Promise<Values>} [prepare]  loads what all parts need: words, a table
 * @property {Record<string, (phasor: Phasor) => Promise<any>>} [later]  what is loaded once the page answers, by its name in
 *   `made`: parts that read it wait for it
 * @property {import("./meanings.js").Meaning} [subject]  what its figures are about. Default: positions
 * @property {Record<string, Part<Picture | Promise<Picture>>>} [pictures]  for each <x-figure>
 * @property {Record<string, Part<Shown>>} [playground]  the settings with which the playground shows a figure of the page
 * @property {Record<string, Part<string | Node | Promise<string | Node>>>} [facts]  for each <x-fact>, <x-value>
 * @property {Record<string, Part<Judgement | Promise<Judgement>>>} [questions]  for each <x-question>
 * @property {Record<string, Part<Program | Promise<Program>>>} [code]  for each <x-code>: the program
 *   that computes the picture
 * @property {readonly string[]} [data]  addresses of this site that the programs fetch
 * @property {Record<string, (phasor: Phasor, controls: Values, made: Values, signal: AbortSignal) => AsyncIterable<{ progress: number, note?: string, [more: string]: any }>>} [actions]
 *   for each <x-action>: long work in steps. `made[name]` is the last step, until a control changes
 *   that the action has read
 * @property {Record<string, (value: any, set: (control: string, to: string | number | boolean) => void) => void>} [point]
 *   for each figure: called when the reader marks a value in it
 * @property {Record<string, (controls: Values) => number>} [ends]  where sliders end that depend on other controls
 * @property {(page: Page) => void | Promise<void>} [begin]  called once, before the first computation:
 *   adds cells and other parts of the page
 * @property {(name: string) => string} [controlOf]  the control that shows the errors of an option
 */

/**
 * The argument of `begin`.
 *
 * @typedef {object} Page
 * @property {Phasor} phasor
 * @property {Values} controls  current values
 * @property {Values} made
 * @property {ReturnType<typeof cells>["add"]} cell  adds a computation that follows what it reads
 * @property {(values: Values) => void} change  sets values of `made`: cells that have read them are
 *   computed again, and results of long work and verdicts on questions that depend on them are removed
 */

/** @typedef {string | {code: string, elsewhere: string}} Program  `elsewhere`: why it does not run here */

/**
 * Starts a page.
 * @param {Definition} definition
 */
export async function page(definition) {
  const { prepare, begin, pictures = {}, questions: judges = {}, actions = {} } = definition;
  const { later = {} } = definition;
  busy(1);
  try {
    const runtime = start(definition);
    const { made, sheet, changed } = runtime;
    const phasor = await load();
    Object.assign(made, await prepare?.(phasor));
    const coming = Object.entries(later).map(([name, read]) =>
      comes(made, name, () => read(phasor)),
    );

    /** @type {Add} */
    const add = (part, put, place) =>
      sheet.add((controls, made) => part(phasor, controls, made), put, place);
    addFacts(definition, add);
    addCode(definition, add);
    const asked = addQuestions(judges, phasor, runtime);
    addActions(actions, phasor, runtime, asked.touch);
    await begin?.({
      phasor,
      controls: runtime.controls,
      made,
      cell: sheet.add,
      change(values) {
        Object.assign(made, values);
        asked.forget();
        changed(Object.keys(values).map((name) => `made.${name}`));
      },
    });
    const hasPictures = Object.keys(pictures).length > 0;
    const loading = hasPictures ? loadPlots() : undefined; // last: questions are answered without figures
    loading?.catch(() => {}); // reported where it is awaited
    await sheet.begin();
    if (coming.length > 0) {
      await new Promise((next) => setTimeout(next)); // promises of the first answers come before
      answers();
    }
    for (const start of coming) start();
    await asked.restore();
    answers();
    if (loading) {
      addPictures(definition, await loading, add);
      await sheet.settled();
    }
    if (mode === "read") tie();
    light();
    await showAs({ usesOf: sheet.usesOf, judge: asked.judge });
    if (mode === "read" && placesOf("task").length > 0)
      (await import("./write/index.js")).connect(phasor);
  } catch (error) {
    showFailure(error);
    throw error;
  } finally {
    busy(-1);
  }
}

/** Marks the moment from which the page answers. */
function answers() {
  if (performance.getEntriesByName("interactive").length === 0) performance.mark("interactive");
}

/**
 * Lets a value of `made` come later: until then who reads it throws a promise of it, or why it cannot come. Another value may
 * be set before.
 *
 * @param {Values} made @param {string} name @param {() => Promise<unknown>} read
 * @returns {() => void} begins to read it
 */
function comes(made, name, read) {
  /** @type {() => void} */
  let done = () => {};
  /** @type {unknown} */
  let thrown = new Promise((/** @type {(value?: unknown) => void} */ resolve) => (done = resolve));
  let isSet = false;
  /** @param {unknown} value */
  function set(value) {
    isSet = true;
    Object.defineProperty(made, name, { value, writable: true, enumerable: true });
    done();
  }
  const get = () => {
    throw thrown;
  };
  Object.defineProperty(made, name, { get, set, configurable: true, enumerable: true });
  const put = (/** @type {unknown} */ value) => isSet || set(value);
  const fail = (/** @type {unknown} */ error) => {
    thrown = error;
    done(); // who waits reads it again, and throws the error
  };
  return () => void read().then(put, fail);
}

/**
 * Long work that begins once what comes later is there. Other work begins in the call: its page may read that it has.
 * @template Step
 * @param {Promise<unknown>} coming @param {() => AsyncIterable<Step>} run
 */
async function* after(coming, run) {
  await coming;
  yield* run();
}

/** @typedef {ReturnType<typeof start>} Runtime */

/** @param {Definition} definition */
function start({ controlOf, ends = {} }) {
  /** @type {Values} */
  const made = { guess: {} };
  /** Actions, which may have read what changes. @type {((changed: readonly string[]) => void)[]} */
  const watchers = [];
  endAt(ends);
  const controls = follow(changed);
  const sheet = cells(controls, made, errorReporter(controlOf));

  /** @param {readonly string[]} names  of controls, or `made.x` that no action has made */
  function changed(names) {
    for (const watch of watchers) watch(names);
    sheet.touch(names);
  }
  return { made, controls, sheet, watchers, changed };
}

/** Figures of `phasor/plots` with Observable Plot, which move when they change. */
export async function loadPlots() {
  const [{ figures }, Plot] = await Promise.all([
    import("phasor/plots"),
    import("@observablehq/plot"),
  ]);
  const plots = figures({ Plot });
  const kinds = Object.entries(plots).map(([kind, draw]) => [
    kind,
    (/** @type {any} */ data, /** @type {any} */ options) =>
      moving(/** @type {(data: any, options: any) => Figure} */ (draw)(data, options)),
  ]);
  return /** @type {typeof plots} */ (Object.fromEntries(kinds));
}

/**
 * @typedef {<Result>(part: Part<Result | Promise<Result>>, put: (result: Result) => void, place: HTMLElement | null) => void} Add
 */

/** @param {Definition} definition @param {Awaited<ReturnType<typeof loadPlots>>} plots @param {Add} add */
function addPictures({ subject, pictures = {}, playground = {}, point = {} }, plots, add) {
  for (const place of placesOf("figure")) {
    const name = nameOf(place, "figure");
    add(promised(pictures, name), painter(place, name, plots, point[name], subject), place);
    if (Object.hasOwn(playground, name)) add(playground[name], toPlayground(place), null);
  }
}

/** @param {Definition} definition @param {Add} add */
function addFacts({ facts }, add) {
  if (!facts) return;
  for (const name of new Set(placesOf("fact").map((place) => nameOf(place, "fact")))) {
    const places = document.querySelectorAll(`[data-fact="${name}"]`);
    add(promised(facts, name), (content) => fill(places, content), null);
  }
}

/** @param {Definition} definition @param {Add} add */
function addCode({ code = {}, data = [] }, add) {
  for (const place of placesOf("code")) {
    const editor = runnable(place, { code: "", label: place.ariaLabel ?? "", data });
    const show = (/** @type {Program} */ program) =>
      typeof program === "string"
        ? editor.show(program)
        : editor.show(program.code, program.elsewhere);
    add(promised(code, nameOf(place, "code")), show, place);
  }
}

/** @param {NonNullable<Definition["questions"]>} judges @param {Phasor} phasor @param {Runtime} runtime */
function addQuestions(judges, phasor, { made, controls, sheet, watchers }) {
  for (const place of placesOf("question")) promised(judges, nameOf(place, "question"));
  if (mode === "embed" || mode === "key")
    for (const place of placesOf("waits")) place.removeAttribute("data-waits");
  const judge = (/** @type {string} */ name, /** @type {Set<string>} */ uses) =>
    whenThere(() => judges[name](phasor, noting(controls, uses), noting(made, uses, "made.")));
  const asked = questions({
    controls,
    judge,
    shownBy: (name) =>
      placesOf("waits")
        .filter(({ dataset }) => dataset.waits === name)
        .flatMap((place) => [...sheet.usesOf(place)]),
    guessed(name, guess) {
      made.guess = { ...made.guess, [name]: guess };
      sheet.touch(["made.guess"]);
    },
  });
  watchers.push(asked.touch);
  return { ...asked, judge: async (/** @type {string} */ name) => judge(name, new Set()) };
}

/**
 * @param {NonNullable<Definition["actions"]>} actions @param {Phasor} phasor @param {Runtime} runtime
 * @param {(names: readonly string[]) => void} touch  called with what an action has made
 */
function addActions(actions, phasor, { made, controls, sheet, watchers }, touch) {
  for (const place of placesOf("action")) {
    const name = nameOf(place, "action");
    const work = promised(actions, name);
    const watch = act(place, {
      begin(signal, uses) {
        const run = () =>
          work(phasor, noting({ ...controls }, uses), noting(made, uses, "made."), signal);
        const coming = whenThere(() => void { ...made });
        return coming ? after(coming, run) : run();
      },
      publish(result) {
        made[name] = result;
        sheet.touch([`made.${name}`]);
        touch([`made.${name}`]);
      },
    });
    watchers.push(watch);
  }
}

/** The elements of the page with `data-KIND`. @param {string} kind @returns {HTMLElement[]} */
function placesOf(kind) {
  return [...document.querySelectorAll(`[data-${kind}]`)].map(
    (place) => /** @type {HTMLElement} */ (place),
  );
}

/** @param {HTMLElement} place @param {string} kind */
function nameOf(place, kind) {
  return place.dataset[kind] ?? "";
}

/** @param {Iterable<Element>} places @param {string | Node} content */
function fill(places, content) {
  for (const place of places) {
    place.replaceChildren(typeof content === "string" ? content : content.cloneNode(true));
  }
}

/** @template Of @param {Record<string, Of>} parts @param {string} name @returns {Of} */
function promised(parts, name) {
  if (!Object.hasOwn(parts, name)) throw new Error(`the page's script must define ${name}`);
  return parts[name];
}

/**
 * Draws pictures in a place: the first in a new figure with its exports, later ones of its kind in the
 * same figure.
 *
 * @param {HTMLElement} place @param {string} name
 * @param {ReturnType<typeof import("phasor/plots").figures>} plots
 * @param {((value: any, set: typeof import("./controls.js").set) => void) | undefined} point
 * @param {import("./meanings.js").Meaning} [subject]
 */
function painter(place, name, plots, point, subject = "position") {
  /** @type {Figure | undefined} */
  let figure;
  /** @type {Picture | undefined} */
  let shown;
  const optionsOf = (/** @type {Picture} */ picture) =>
    fitting(place, picture, inColors(picture, subject));
  place.addEventListener("fit", () => shown && figure?.update(shown.data, optionsOf(shown)));
  return (/** @type {Picture} */ picture) => {
    const { kind, data } = picture;
    const options = optionsOf(picture);
    if (figure && shown?.kind === kind) {
      shown = picture;
      figure.update(data, options);
      return;
    }
    shown = picture;
    const make = /** @type {(data: any, options: any) => Figure} */ (plots[kind]);
    const made = make(data, options);
    figure = made;
    made.addEventListener("input", (event) => {
      if (event.target === made && made.value !== null) point?.(made.value, set);
    });
    const tensor = () => shown?.tensor ?? arrayOf(shown?.data);
    made.append(exportsOf(made, { name, tensor, isEmbeddable: true }));
    place.replaceChildren(made);
  };
}

/**
 * Options with the height that a figure may have where that is bounded: web/app/lecture/. Hands are in the rows that make them
 * largest there; of a square matrix the place says so.
 * @param {HTMLElement} place @param {Picture} picture @param {Record<string, any>} options
 */
function fitting({ dataset, clientWidth }, { kind, data }, options) {
  const [rows, columns] = data?.shape ?? [data?.length, data?.[0]?.length];
  dataset.square = kind === "heatmap" && rows === columns ? "yes" : "";
  dataset.least = String(
    kind === "bar" && options.horizontal
      ? 90 + 15 * rows
      : Math.min(160, kind === "heatmap" ? 22 * rows : 160),
  );
  if (!dataset.height) return options;
  const height = Number(dataset.height);
  if (kind === "bias") {
    const heads = options.heads?.length ?? Math.min(rows, 8);
    const lines = Math.ceil(heads / Math.max(1, Math.floor((clientWidth + 16) / 148))); // as it draws them
    return { ...options, height: height / lines - 30 * (lines - 1) };
  }
  if (kind !== "clock" || !rows) return { ...options, height };
  const side = (/** @type {number} */ lines) =>
    Math.min(clientWidth / Math.ceil(rows / lines), height / lines);
  const lines = [1, 2, 3, 4].reduce((best, n) => (side(n) > side(best) ? n : best));
  return { ...options, height, columns: Math.ceil(rows / lines) };
}

/** Plain numbers as a tensor. @param {any} data */
function arrayOf(data) {
  if (data?.shape) return data;
  const rows = Array.from(data);
  if (typeof rows[0] === "number") return { data: Float64Array.from(rows), shape: [rows.length] };
  const flat = rows.flatMap((row) => Array.from(row));
  return {
    data: Float64Array.from(flat),
    shape: [rows.length, flat.length / Math.max(1, rows.length)],
  };
}
