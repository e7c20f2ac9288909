/** @import { Tensor } from "phasor" */
/** @import { Reading } from "./readings.js" */
/** @import { Settings } from "./settings.js" */
/** @import { Shown } from "./arithmetic.js" */
/** @import { Page } from "../app/page.js" */
/** @import { Reader } from "./model.js" */
import { busy } from "../app/busy.js";
import { set, typed } from "../app/controls.js";
import { copy } from "../app/copy.js";
import { byId, make } from "../app/dom.js";
import { ControlError, withoutFunction } from "../app/errors.js";
import { page } from "../app/page.js";
import { remembered } from "../app/remembered.js";
import { arithmetic, formula } from "./arithmetic.js";
import { program } from "./code.js";
import { facts, pairOf } from "./facts.js";
import { explain } from "./parts.js";
import { readings, taking } from "./readings.js";
import { FIRST, shownFor } from "./settings.js";
import { drawStrip } from "./strip.js";
import { reach, tensorFigure } from "./tensor-figure.js";

/** @type {Partial<Record<Shown, ReturnType<typeof figure>>>} */
const figures = {
  vectors: figure("vectors", "the word vectors", "token"),
  positions: figure("positions", "the position vectors", "position"),
  segments: figure("segments", "the vector of the segment", "segment"),
  sum: figure("sum", "the sum", "token"),
  normalized: figure("normalized", "the normalized sum", "token"),
};
const names = /** @type {Shown[]} */ ([...Object.keys(figures), "projected"]);

/** Figures before the LayerNorm, which one color scale compares. */
const COMPARED = /** @type {Shown[]} */ (["vectors", "positions", "segments", "sum"]);

/** The columns of a vector that are drawn, where the reader has not asked for all. */
const COLUMNS = 48;

/** Milliseconds after which a wait is indicated. */
const PATIENCE = 300;

/** @param {Shown} id @param {string} title @param {string} rowTitle */
function figure(id, title, rowTitle) {
  const height = rowTitle === "segment" ? 22 : 154; // of 7 tokens
  const onselect = (/** @type {number} */ row, /** @type {number} */ column) =>
    select(id === "segments" ? marked.row : row, column);
  return tensorFigure(id, { title, rowTitle, height, onselect });
}

/** The figure of a step that few models have. */
function projectedFigure() {
  byId("projected-place").append(make("figure", { id: "projected" }));
  return figure("projected", "the result of the linear layer", "token");
}

/**
 * What the page shows.
 * @typedef {{settings: Settings, reading: Reading}} Story
 * @type {Story | undefined}
 */
let story;

/** The cell that is marked in every figure. */
let marked = { row: 1, column: 6 };

/** Starts the road: controls -> reading -> figures and sentences. */
export async function live() {
  await page({
    controlOf,
    begin(app) {
      const { phasor, cell } = app;
      const read = readings(phasor);
      let hasOpener = false;

      cell(
        ({ tokenizer }, { model }) => ({
          tokenizer,
          shown: shownFor(tokenizer, model !== undefined),
        }),
        ({ tokenizer, shown }) => {
          explain(tokenizer, shown);
          if (tokenizer !== "model" || hasOpener) return;
          hasOpener = true;
          void startOpener(app).catch(() => (hasOpener = false));
        },
      );
      cell(async (controls, { model }) => {
        const tokenizer = shownFor(controls.tokenizer, model !== undefined);
        const settings = /** @type {Settings} */ ({ ...controls, tokenizer });
        const slow = setTimeout(
          () => (byId("tokenizer-busy").textContent = "Loading \u2026"),
          PATIENCE,
        );
        try {
          checkNumbers(settings);
          const reading = await (tokenizer === "model"
            ? /** @type {Reader} */ (model).read(() => controls.text)
            : read[tokenizer](settings));
          return { settings, reading };
        } catch (error) {
          throw asControlError(/** @type {Error} */ (error));
        } finally {
          clearTimeout(slow);
          byId("tokenizer-busy").textContent = "";
        }
      }, show);
    },
  });
}

/** Connects the controls that open a model. @param {Page} page */
async function startOpener({ made, change }) {
  busy(1);
  try {
    const [{ opener }, { modelReader }] = await Promise.all([
      import("../app/models/opener.js"),
      import("./model.js"),
    ]);
    opener({
      /** @returns {Promise<Reader>} */
      open: (wish, options) => modelReader(wish, options),
      opened(next) {
        made.model?.close();
        change({ model: next });
        set("tokenizer", next ? "model" : FIRST);
      },
    });
  } finally {
    busy(-1);
  }
}

/**
 * The control that an option's errors are shown beside.
 * @param {string} name
 */
function controlOf(name) {
  const control = document.getElementById(name);
  if (!control || !document.getElementById(`${name}-wrong`)) return "text";
  return control.closest("[hidden]") ? "tokenizer" : name;
}

/** An error that names no control is one of the data, which the choice of a source asked for. @param {Error} error */
function asControlError(error) {
  if (error instanceof ControlError || error.name === "AbortError") return error;
  const message = withoutFunction(error.message);
  const name = controlOf(message.split(" ", 1)[0]);
  if (name === "text") return new ControlError("tokenizer", message, { cause: error });
  return new ControlError(name, `${message}.${kept(name)}`, { cause: error });
}

/** The page's own rules; the others are phasor's. @param {Settings} settings */
function checkNumbers(settings) {
  const needed = { minilm: [], model: [], words: ["base"], gpt2: ["base", "seed"] };
  for (const name of needed[settings.tokenizer]) {
    if (!Number.isNaN(settings[/** @type {"base"} */ (name)])) continue;
    const text = String(typed(name)).trim();
    const why = text === "" ? "Type a number." : `\u201c${text}\u201d is not a number.`;
    throw new ControlError(name, why + kept(name));
  }
}

/** What the page shows instead of a wrong number. @param {string} name */
function kept(name) {
  return story ? ` The page still shows ${story.settings[/** @type {"base"} */ (name)]}.` : "";
}

// --- sentences and figures -------------------------------------------------------------------------

/** The steps as the page names them. @param {Reading} reading @returns {Record<Shown, Tensor | undefined>} */
function shownOf({ stages }) {
  const { words, scaled, positions, segments, sum, normalized, projected } = stages;
  const one = segments && segments.shape[0] > 0 ? segments.slice(0, 1) : undefined;
  return { vectors: scaled ?? words, positions, segments: one, sum, normalized, projected };
}

/** @param {Story} next */
function show(next) {
  story = next;
  const { settings, reading } = next;
  const taken = taking(reading.tokens);
  showTokens(reading.tokens);
  for (const [id, text] of Object.entries(facts(reading))) byId(id).textContent = text;
  byId("formula").replaceChildren(...formula(settings));
  byId("equation").replaceChildren(...equation(reading));
  byId("code-lines").textContent = program(settings, reading);

  const steps = shownOf(reading);
  const compared = COMPARED.flatMap((name) => steps[name] ?? []);
  const widest = Math.max(...compared.map(reach));
  const rowLabels = taken.map(({ label }) => label);
  for (const name of names) {
    const tensor = steps[name];
    byId(`${name}-step`).hidden = !tensor;
    if (!tensor) continue;
    const limit = settings.shared && COMPARED.includes(name) ? widest : reach(tensor);
    const isByToken = name !== "positions" && name !== "segments";
    const drawn = (figures[name] ??= projectedFigure());
    const columns = settings.all ? Infinity : COLUMNS;
    drawn.show(tensor, { limit, columns, rowLabels: isByToken ? rowLabels : undefined });
  }
  showTwins();
  const [T, D] = reading.stages.output.shape;
  select(Math.min(marked.row, Math.max(0, T - 1)), Math.min(marked.column, D - 1));
}

/** The tokens with their ids and positions. */
const showTokens = remembered((/** @type {Reading["tokens"]} */ tokens) => {
  let position = 0;
  const items = tokens.map(({ label, id, own, out }) =>
    make(
      "li",
      { class: out ? "without out" : own ? "" : "without" },
      make("span", { class: "token", dir: "auto" }, label),
      make("span", { class: "id" }, id === null ? "no id" : String(id)),
      make("span", { class: "at" }, out ?? `position ${position++}`),
    ),
  );
  byId("tokens").replaceChildren(...items);
});

/** What the steps compute, in the colors of what they are of. @param {Reading} reading */
function equation({ stages: { scaled, positions, segments, sum, normalized, projected } }) {
  const colored = (/** @type {string} */ of, /** @type {string} */ text) =>
    make("span", { "data-of": of }, text);
  const addends = [
    colored("token", scaled ? "words × √D" : "words"),
    ...(segments ? [colored("segment", "segment")] : []),
    ...(positions ? [colored("position", "positions")] : []),
  ].flatMap((part, i) => (i > 0 ? [" + ", part] : [part]));
  const inner = normalized && sum ? ["LayerNorm(", ...addends, ")"] : addends;
  const whole = projected ? ["linear(", ...inner, ")"] : inner;
  return [colored("mix", "input"), " = ", ...whole];
}

/** Two equal tokens as they enter the first layer, and their difference. */
function showTwins() {
  const { tokens, stages } = /** @type {Story} */ (story).reading;
  const pair = pairOf(tokens);
  const { sum } = stages;
  byId("twins").hidden = !pair || !sum;
  if (!pair || !sum) return;
  const [a, b] = [pair.first, pair.second].map(
    (row) => /** @type {Float32Array} */ (sum.row(row).data),
  );
  const limit = nearly(a, b);
  const strips = { first: a, second: b, difference: a.map((x, d) => x - b[d]) };
  for (const [name, values] of Object.entries(strips)) {
    const canvas = /** @type {HTMLCanvasElement} */ (byId(`twins-${name}`));
    const color = name === "difference" ? "--position" : "--mix";
    drawStrip(canvas, values, color, limit);
  }
  byId("twins-first-label").textContent = `position ${pair.first}`;
  byId("twins-second-label").textContent = `position ${pair.second}`;
}

/** The size that few numbers of two vectors exceed. @param {Float32Array} a @param {Float32Array} b */
function nearly(a, b) {
  const sizes = Float32Array.from([...a, ...b], Math.abs).sort();
  return sizes[Math.floor(0.96 * sizes.length)] || 1;
}

new ResizeObserver(() => requestAnimationFrame(() => story && showTwins())).observe(byId("twins"));
const redraw = () => story && showTwins();
for (const query of ["(prefers-color-scheme: dark)", "print"]) {
  matchMedia(query).addEventListener("change", redraw);
}
new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });

/** Marks a cell in every figure and shows its arithmetic. @param {number} row @param {number} column */
function select(row, column) {
  if (!story) return;
  const { settings, reading } = story;
  marked = { row, column };
  const words = arithmetic(reading, taking(reading.tokens), settings, row, column);
  for (const name of names) {
    figures[name]?.select(name === "segments" ? 0 : row, column);
    figures[name]?.say(...(words[name] ?? ["There is no token."]));
  }
}

byId("copy").addEventListener("click", () =>
  copy(byId("code-lines").textContent ?? "", byId("copied"), () =>
    getSelection()?.selectAllChildren(byId("code-lines")),
  ),
);
