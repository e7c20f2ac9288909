// A lesson: controls -> pictures, sentences and code.

/** @import { Phasor } from "phasor" */
/** @import { Figure } from "phasor/plots" */
/** @import { Cell } from "./cells.js" */
/** @import { Values } from "./controls.js" */
/** @import { Judgement } from "./questions.js" */
import { load } from "phasor";
import { act } from "./action.js";
import { cells, noting } from "./cells.js";
import { absolve, blame, follow, set } from "./controls.js";
import { make } from "./dom.js";
import { exportsOf } from "./exports.js";
import { questions } from "./questions.js";
import { runnable } from "./runnable.js";

/**
 * A figure of `phasor/plots` to be: its kind, its data and its options; `tensor` is what the `.npy`
 * file holds where that is not the data.
 *
 * @typedef {object} Picture
 * @property {"heatmap" | "bias" | "waves" | "spectrum" | "scatter" | "clock" | "bar"} kind
 * @property {any} data
 * @property {Record<string, any>} [options]
 * @property {{ data: ArrayLike<number>, shape: readonly number[] }} [tensor]
 */

/**
 * What every part of a lesson is given: phasor's rooms, what the controls hold, and what `prepare`
 * and the actions have made.
 *
 * @template Result
 * @typedef {(phasor: Phasor, controls: Values, made: Values) => Result} Part
 */

/**
 * @typedef {object} Lesson
 * @property {(phasor: Phasor) => Promise<Values>} [prepare]  what all parts need: words, a table
 * @property {Record<string, Part<Picture | Promise<Picture>>>} pictures  for each <x-figure>
 * @property {Record<string, Part<string | Node | Promise<string | Node>>>} [facts]  for each <x-fact>, <x-value>
 * @property {Record<string, Part<Judgement | Promise<Judgement>>>} questions  for each <x-question>
 * @property {(page: Page) => void} [begin]  once, when all is there: what no control says, such as a
 *   model that the reader opens
 * @property {Record<string, Part<Program | Promise<Program>>>} code  for each <x-code>: one that makes
 *   the picture
 * @property {readonly string[]} [data]  addresses of this site that the programs fetch
 * @property {Record<string, (phasor: Phasor, controls: Values, made: Values, signal: AbortSignal) => AsyncIterable<{ progress: number, note?: string, [more: string]: any }>>} [actions]
 *   for each <x-action>: long work, in steps; each step's yield is `made[name]` from then on. It is
 *   forgotten when a control that it read changes.
 * @property {Record<string, (value: any, set: (control: string, to: string | number | boolean) => void) => void>} [point]
 *   the reader points at something in a figure
 */

/**
 * What a lesson may do beside its controls.
 *
 * @typedef {object} Page
 * @property {Values} made
 * @property {(by: 1 | -1) => void} busy  the page rests when nothing is under way
 * @property {(values: Values) => void} change  put these into `made`: what has read them is made anew,
 *   and what long work has made of them forgotten
 */

/** @typedef {string | {code: string, elsewhere: string}} Program  `elsewhere`: why it does not run here */

/**
 * Bring a lesson's page to life.
 * @param {Lesson} lesson
 */
export async function lesson({
  prepare,
  begin,
  pictures,
  facts = {},
  questions: judges,
  code,
  data = [],
  actions = {},
  point = {},
}) {
  const root = document.documentElement;
  const controls = follow(changed);
  /** @type {Values} */
  const made = {};
  /** Long work that may have read what changes. @type {((changed: readonly string[]) => void)[]} */
  const watchers = [];
  const sheet = cells(controls, made, (all) => {
    accuse(all);
    settle();
  });
  let busy = 1; // the page's beginning, and every action

  function settle() {
    const settled = String(busy === 0 && sheet.settled);
    if (root.dataset.settled !== settled) root.dataset.settled = settled;
  }

  /** @param {number} by */
  function count(by) {
    busy += by;
    settle();
  }

  /** @param {readonly string[]} names  of controls, or `made.x` that no action has made */
  function changed(names) {
    for (const watch of watchers) watch(names);
    touch(names);
  }

  /** @param {readonly string[]} names  of controls, or `made.x` */
  function touch(names) {
    sheet.touch(names);
    settle();
  }

  try {
    const [phasor, { figures }, Plot] = await Promise.all([
      load(),
      import("phasor/plots"),
      import("@observablehq/plot"),
    ]);
    const plots = figures({ Plot });
    Object.assign(made, await prepare?.(phasor));

    /**
     * @template Result
     * @param {Part<Result | Promise<Result>>} part
     * @param {(result: Result) => void} put @param {HTMLElement | null} place
     */
    const add = (part, put, place) =>
      sheet.add((controls, made) => part(phasor, controls, made), put, place);

    for (const place of placesOf("figure")) {
      const name = nameOf(place, "figure");
      add(promised(pictures, name), painter(place, name, plots, point[name]), place);
    }
    for (const name of new Set(placesOf("fact").map((place) => nameOf(place, "fact")))) {
      const places = document.querySelectorAll(`[data-fact="${name}"]`);
      add(promised(facts, name), (told) => tell(places, told), null);
    }
    for (const place of placesOf("code")) {
      const editor = runnable(place, { code: "", label: place.ariaLabel ?? "", data });
      const show = (/** @type {Program} */ program) =>
        typeof program === "string"
          ? editor.show(program)
          : editor.show(program.code, program.elsewhere);
      add(promised(code, nameOf(place, "code")), show, place);
    }
    for (const { dataset } of placesOf("question")) promised(judges, dataset.question ?? "");
    const forget = questions((name) => judges[name](phasor, controls, made));
    for (const place of placesOf("action")) {
      const name = nameOf(place, "action");
      const work = promised(actions, name);
      const watch = act(place, {
        begin: (signal, uses) =>
          work(phasor, noting({ ...controls }, uses), noting(made, uses, "made."), signal),
        publish(result) {
          made[name] = result;
          touch([`made.${name}`]);
        },
        count,
      });
      watchers.push(watch);
    }
    begin?.({
      made,
      busy: count,
      change(values) {
        Object.assign(made, values);
        forget();
        changed(Object.keys(values).map((name) => `made.${name}`));
      },
    });
    await sheet.begin();
    performance.mark("interactive");
  } catch (error) {
    const sentence = `This page could not be brought to life: ${/** @type {Error} */ (error).message}`;
    document.querySelector("main")?.prepend(make("p", { class: "wrong", role: "alert" }, sentence));
    throw error;
  } finally {
    count(-1);
  }
}

/** The page's places of a kind: its `data-…` elements. @param {string} kind @returns {HTMLElement[]} */
function placesOf(kind) {
  return [...document.querySelectorAll(`[data-${kind}]`)].map(
    (place) => /** @type {HTMLElement} */ (place),
  );
}

/** @param {HTMLElement} place @param {string} kind */
function nameOf(place, kind) {
  return place.dataset[kind] ?? "";
}

/** @param {Iterable<Element>} places @param {string | Node} told */
function tell(places, told) {
  for (const place of places) {
    place.replaceChildren(typeof told === "string" ? told : told.cloneNode(true));
  }
}

/** @template Of @param {Record<string, Of>} parts @param {string} name @returns {Of} */
function promised(parts, name) {
  if (!Object.hasOwn(parts, name))
    throw new Error(`the lesson must make ${name}, which its page has`);
  return parts[name];
}

/** Every error in words: beside the control that it names, else where the picture would be. @param {readonly Cell[]} cells */
function accuse(cells) {
  absolve();
  for (const { error, place } of cells) {
    const old = place?.querySelector(":scope > .wrong");
    const [word] = error?.message.split(" ", 1) ?? [""];
    if (error && !blame(word, `${error.message}.`)) {
      const sentence = old ?? make("p", { class: "wrong", role: "status" });
      sentence.textContent = `${error.message}.`;
      place?.prepend(sentence);
    } else {
      old?.remove();
    }
    place?.classList.toggle("outdated", error !== undefined);
  }
}

/**
 * Puts pictures in a place: the first as a new figure with its exports, the next in the same figure.
 *
 * @param {HTMLElement} place @param {string} name
 * @param {ReturnType<typeof import("phasor/plots").figures>} plots
 * @param {((value: any, set: typeof import("./controls.js").set) => void) | undefined} point
 */
function painter(place, name, plots, point) {
  /** @type {Figure | undefined} */
  let figure;
  /** @type {Picture | undefined} */
  let shown;
  return (/** @type {Picture} */ picture) => {
    const { kind, data, options = {} } = picture;
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
    made.append(exportsOf(made, { name, tensor }));
    place.replaceChildren(made);
  };
}

/** Plain numbers as an array with a shape. @param {any} data */
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
