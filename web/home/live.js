/** @import { Settings } from "./settings.js" */
/** @import { Stages } from "./stages.js" */
/** @import { Story } from "./story.js" */
/** @import { Vocabulary } from "../app/text/tokens.js" */
/** @import { Page } from "../app/page.js" */
/** @import { Reader } from "./model.js" */
import { busy } from "../app/busy.js";
import { set, typed } from "../app/controls.js";
import { copy } from "../app/copy.js";
import { byId } from "../app/dom.js";
import { ControlError } from "../app/errors.js";
import { page } from "../app/page.js";
import { vocabularies } from "../app/text/vocabularies.js";
import { arithmetic, formula } from "./arithmetic.js";
import { program } from "./code.js";
import { facts } from "./facts.js";
import { explain, showTokens, shownFor } from "./preview.js";
import { MAX_LENGTH } from "./settings.js";
import { storyteller } from "./story.js";
import { reach, tensorFigure } from "./tensor-figure.js";

const figures = {
  vectors: figure("vectors", "the rows of the table", "token"),
  scaled: figure("scaled", "the rows times the square root of D", "token"),
  positions: figure("positions", "the position table", "position"),
  sum: figure("sum", "the sum", "token"),
};
const stageNames = /** @type {(keyof Stages)[]} */ (Object.keys(figures));

/** @param {string} id @param {string} title @param {string} rowTitle */
function figure(id, title, rowTitle) {
  const height = rowTitle === "position" ? 384 : 110; // of 64 positions, of 5 tokens
  return tensorFigure(id, { title, rowTitle, height, onselect: select });
}

/** What the page shows. @type {Story | undefined} */
let story;

/** The cell that is marked in every figure. */
let marked = { row: 1, column: 6 };

/**
 * Starts the page: controls -> story -> figures and sentences.
 * @param {() => void} begun  called when the preview is no longer needed
 */
export async function live(begun) {
  await page({
    controlOf,
    begin(app) {
      const { phasor, cell } = app;
      const tell = storyteller(phasor);
      const load = vocabularies(phasor);
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
        byId("tokenizer-busy").textContent = "Loading \u2026";
        try {
          const vocabulary = await (tokenizer === "model"
            ? model.vocabularyOf(() => controls.text)
            : load(tokenizer));
          const settings = /** @type {Settings} */ ({ ...controls, tokenizer });
          return next(tell, vocabulary, settings);
        } catch (error) {
          void { ...controls }; // any change tries again
          throw asTokenizerError(/** @type {Error} */ (error));
        } finally {
          byId("tokenizer-busy").textContent = "";
        }
      }, show);
      begun();
    },
  });
}

/** Connects the controls that open a model. @param {Page} page */
async function startOpener({ phasor, made, change }) {
  busy(1);
  try {
    const [{ opener }, { modelReader }] = await Promise.all([
      import("../app/models/opener.js"),
      import("./model.js"),
    ]);
    opener({
      /** @returns {Promise<Reader>} */
      open: (wish, options) => modelReader(phasor, wish, options),
      opened(next) {
        made.model?.close();
        change({ model: next });
        set("tokenizer", next ? "model" : "words");
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

/** An error of a vocabulary is shown beside the choice of the tokenizer. @param {Error} error */
function asTokenizerError(error) {
  if (error instanceof ControlError || error.name === "AbortError") return error;
  return new ControlError("tokenizer", error.message, { cause: error });
}

/**
 * @param {ReturnType<typeof storyteller>} tell @param {Vocabulary} vocabulary @param {Settings} settings
 * @throws {ControlError}
 */
function next(tell, vocabulary, settings) {
  try {
    checkNumbers(settings);
    return tell(vocabulary, settings);
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    const name = controlOf(message.split(" ", 1)[0]);
    const value = story?.settings[/** @type {keyof Settings} */ (name)];
    const kept = story && name !== "text" ? ` The page still shows ${value}.` : "";
    throw new ControlError(name, `${message}.${kept}`, { cause: error });
  }
}

/** The page's own rules; the others are phasor's. @param {Settings} settings */
function checkNumbers(settings) {
  const { length } = settings;
  for (const name of /** @type {const} */ (["seed", "length", "base"])) {
    if (name === "seed" && settings.tokenizer !== "gpt2") continue; // it has no effect
    if (Number.isNaN(settings[name])) {
      throw new TypeError(`${name} must be a number; got ${JSON.stringify(typed(name))}`);
    }
  }
  if (!Number.isInteger(length) || length < 1 || length > MAX_LENGTH) {
    throw new RangeError(`length must be a whole number from 1 to ${MAX_LENGTH}; got ${length}`);
  }
}

// --- sentences and figures -------------------------------------------------------------------------

/** @param {Story} next */
function show(next) {
  const before = story;
  story = next;
  const { settings, tokens, ids, labels, stages } = story;
  const [L, D] = stages.positions.shape;

  if (tokens !== before?.tokens || L !== before.settings.length) showTokens(tokens, L);
  for (const [id, text] of Object.entries(facts(story))) byId(id).textContent = text;
  byId("formula").replaceChildren(...formula(settings));
  byId("code-lines").textContent = program(settings, ids, story.model);

  const reaches = stageNames.map((name) => reach(stages[name]));
  const widest = Math.max(...reaches);
  for (const [i, name] of stageNames.entries()) {
    const limit = settings.shared ? widest : reaches[i];
    const view = name === "positions" ? { framed: ids.length } : { rowLabels: labels };
    figures[name].show(stages[name], { limit, ...view });
  }
  // The marked cell stays within a sentence that got shorter.
  const last = ids === before?.ids ? L : ids.length;
  select(Math.min(marked.row, Math.max(0, last - 1)), Math.min(marked.column, D - 1));
}

/** Marks a cell in every figure and shows its arithmetic. @param {number} row @param {number} column */
function select(row, column) {
  if (!story) return;
  marked = { row, column };
  const words = arithmetic(story, row, column);
  for (const name of stageNames) {
    figures[name].select(row, column);
    figures[name].say(...words[name]);
  }
}

byId("copy").addEventListener("click", () =>
  copy(byId("code-lines").textContent ?? "", byId("copied"), () =>
    getSelection()?.selectAllChildren(byId("code-lines")),
  ),
);
