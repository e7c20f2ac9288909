// A lesson: controls -> pictures, sentences and code. Each is made anew only when a control or a
// result that it read the last time has changed.

/** @import { Phasor } from "phasor" */
/** @import { Figure } from "phasor/plots" */
/** @import { Values } from "./controls.js" */
/** @import { Judgement } from "./questions.js" */
import { load } from "phasor";
import { absolve, blame, follow, set, values } from "./controls.js";
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
 * @property {Record<string, Part<string>>} code  for each <x-code>: a program that makes the picture
 * @property {readonly string[]} [data]  addresses of this site that the programs fetch
 * @property {Record<string, (phasor: Phasor, controls: Values, made: Values, signal: AbortSignal) => AsyncIterable<{ progress: number, note?: string, [more: string]: any }>>} [actions]
 *   for each <x-action>: long work, in steps; each step's yield is `made[name]` from then on. It is
 *   forgotten when a control that it read changes.
 * @property {Record<string, (value: any, set: (control: string, to: string | number | boolean) => void) => void>} [point]
 *   the reader points at something in a figure
 */

/** Milliseconds of work after which the page answers its reader before it goes on. */
const PATIENCE = 8;

/**
 * Bring a lesson's page to life.
 * @param {Lesson} lesson
 */
export async function lesson({
  prepare,
  pictures,
  facts = {},
  code,
  data = [],
  actions = {},
  point = {},
  ...rest
}) {
  const root = document.documentElement;
  /** @type {Cell[]} */
  const cells = [];
  let running = true; // until the first pictures stand
  let busy = 1; // the page's beginning, and every action
  const settle = () => {
    const settled = String(busy === 0 && !running && !cells.some(isStale));
    if (root.dataset.settled !== settled) root.dataset.settled = settled;
  };

  follow(() => {
    const now = values();
    const changed = Object.keys(now).filter((name) => !Object.is(now[name], controls[name]));
    Object.assign(controls, now);
    for (const stop of watchers) stop(changed);
    touch(changed);
  });
  const controls = values();
  /** @type {Values} */
  const made = {};
  /** @type {Set<(changed: string[]) => void>} */
  const watchers = new Set();

  /** Whatever read one of these is stale. @param {string[]} names  controls, or `made.x` */
  function touch(names) {
    for (const cell of cells) {
      if (!cell.uses || names.some((name) => cell.uses?.has(name))) cell.stale = true;
    }
    settle();
    if (!running) {
      running = true;
      requestAnimationFrame(work);
    }
  }

  /** Make what is stale anew, the page's order, a little at a time. */
  async function work() {
    let since = performance.now();
    for (let cell = cells.find(isStale); cell; cell = cells.find(isStale)) {
      cell.stale = false;
      await cell.run();
      if (performance.now() - since > PATIENCE) {
        await pause();
        since = performance.now();
      }
    }
    running = false;
    accuse(cells);
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
     * A part of the lesson that is made anew when what it read has changed.
     * @template Result
     * @param {Part<Result | Promise<Result>>} part
     * @param {(result: Result) => void} put  on the page
     * @param {HTMLElement | null} place  where an error is told that no control has caused
     */
    const cell = (part, put, place) => {
      /** @type {Cell} */
      const made_ = {
        stale: true,
        uses: undefined,
        error: undefined,
        place,
        async run() {
          /** @type {Set<string>} */
          const uses = new Set();
          try {
            const given = part(phasor, noting(controls, uses, ""), noting(made, uses, "made."));
            const result = given instanceof Promise ? await given : given;
            made_.error = undefined;
            put(result);
          } catch (error) {
            made_.error = /** @type {Error} */ (error);
          }
          made_.uses = uses;
        },
      };
      cells.push(made_);
    };

    for (const place of /** @type {NodeListOf<HTMLElement>} */ (
      document.querySelectorAll("[data-figure]")
    )) {
      const name = place.dataset.figure ?? "";
      cell(promised(pictures, name), painter(place, name, plots, point[name]), place);
    }
    for (const name of namesOf("fact")) {
      const places = document.querySelectorAll(`[data-fact="${name}"]`);
      cell(
        promised(facts, name),
        (told) => {
          for (const place of places)
            place.replaceChildren(typeof told === "string" ? told : told.cloneNode(true));
        },
        null,
      );
    }
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (
      document.querySelectorAll("[data-code]")
    )) {
      const editor = runnable(place, {
        code: "",
        label: place.getAttribute("aria-label") ?? "",
        data,
      });
      cell(promised(code, place.dataset.code ?? ""), (text) => editor.show(text), place);
    }
    questions(
      Object.fromEntries(
        Object.entries(rest.questions).map(([name, judge]) => [
          name,
          () => judge(phasor, controls, made),
        ]),
      ),
    );
    for (const place of /** @type {NodeListOf<HTMLElement>} */ (
      document.querySelectorAll("[data-action]")
    )) {
      const name = place.dataset.action ?? "";
      const begin = promised(actions, name);
      act(place, {
        begin: (signal, uses) => begin(phasor, noting({ ...controls }, uses, ""), made, signal),
        /** @param {Values | undefined} result */
        publish(result) {
          made[name] = result;
          touch([`made.${name}`]);
        },
        watchers,
        /** @param {number} by */
        count(by) {
          busy += by;
          settle();
        },
      });
    }
    await work();
    performance.mark("interactive");
  } catch (error) {
    const sentence = `This page could not be brought to life: ${/** @type {Error} */ (error).message}`;
    document.querySelector("main")?.prepend(make("p", { class: "wrong", role: "alert" }, sentence));
    throw error;
  } finally {
    busy -= 1;
    settle();
  }
  if (cells.some(isStale)) touch([]);
}

/**
 * @typedef {object} Cell
 * @property {boolean} stale
 * @property {Set<string> | undefined} uses  names of what it read the last time
 * @property {Error | undefined} error  of the last time
 * @property {HTMLElement | null} place
 * @property {() => Promise<void>} run
 */

/** Let the browser do what waits: what the reader does comes first. */
function pause() {
  const { scheduler } = /** @type {any} */ (globalThis);
  return scheduler?.yield?.() ?? new Promise((next) => setTimeout(next));
}

/** @param {Cell} cell */
const isStale = (cell) => cell.stale;

/** Values that note which of them are read. @param {Values} of @param {Set<string>} uses @param {string} prefix */
function noting(of, uses, prefix) {
  return new Proxy(of, {
    get(target, name) {
      uses.add(`${prefix}${String(name)}`);
      return Reflect.get(target, name);
    },
  });
}

/** The names that `data-…` elements of the page have, each once. @param {string} kind */
function namesOf(kind) {
  const places = /** @type {NodeListOf<HTMLElement>} */ (
    document.querySelectorAll(`[data-${kind}]`)
  );
  return new Set([...places].map(({ dataset }) => dataset[kind] ?? ""));
}

/** @template Of @param {Record<string, Of>} parts @param {string} name @returns {Of} */
function promised(parts, name) {
  if (!Object.hasOwn(parts, name))
    throw new Error(`the lesson must make ${name}, which its page has`);
  return parts[name];
}

/** Every error in words: beside the control that it names, else where the picture would be. @param {Cell[]} cells */
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

/**
 * A button that begins long work, another that stops it, and its progress.
 *
 * @param {HTMLElement} place
 * @param {object} options
 * @param {(signal: AbortSignal, uses: Set<string>) => AsyncIterable<{progress: number, note?: string}>} options.begin
 * @param {(result: Values | undefined) => void} options.publish
 * @param {Set<(changed: string[]) => void>} options.watchers
 * @param {(by: number) => void} options.count
 */
function act(place, { begin, publish, watchers, count }) {
  const [start, stop] = /** @type {HTMLButtonElement[]} */ ([...place.querySelectorAll("button")]);
  const progress = /** @type {HTMLProgressElement} */ (place.querySelector("progress"));
  const note = /** @type {HTMLElement} */ (place.querySelector(".note"));
  /** @type {AbortController | undefined} */
  let abort;
  /** @type {Set<string>} */
  let uses = new Set();
  start.disabled = false;
  stop.addEventListener("click", () => abort?.abort());
  watchers.add((changed) => {
    if (!changed.some((name) => uses.has(name))) return;
    abort?.abort();
    uses = new Set();
    note.textContent = "";
    publish(undefined);
  });

  start.addEventListener("click", async () => {
    const own = (abort = new AbortController());
    uses = new Set();
    [start.disabled, stop.hidden, progress.hidden] = [true, false, false];
    note.textContent = "";
    count(1);
    try {
      for await (const step of begin(own.signal, uses)) {
        if (own.signal.aborted) break;
        progress.value = step.progress;
        if (step.note) note.textContent = step.note;
        publish(step);
        await new Promise(requestAnimationFrame);
      }
      if (own.signal.aborted) note.textContent = "Stopped.";
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      note.textContent = name === "AbortError" ? "Stopped." : `${message}.`;
    }
    [start.disabled, stop.hidden, progress.hidden] = [false, true, true];
    count(-1);
  });
}
