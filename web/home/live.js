/** @import { Settings } from "./settings.js" */
/** @import { Stages } from "./stages.js" */
/** @import { Story } from "./story.js" */
/** @import { Vocabulary } from "../app/text/tokens.js" */
/** @import { Reader } from "./model.js" */
import { load } from "phasor";
import { byId } from "../app/dom.js";
import { vocabularies } from "../app/text/vocabularies.js";
import { arithmetic, formula } from "./arithmetic.js";
import { program } from "./code.js";
import { blame, culprit, cutInto, onchange, read, show, typed } from "./controls.js";
import { facts } from "./facts.js";
import { explain, showTokens, shownFor } from "./preview.js";
import { fromHash, LONGEST, toHash } from "./settings.js";
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

/** What is on the page. @type {Story | undefined} */
let story;

/** The cell that is marked in every picture. */
let marked = { row: 1, column: 6 };

/**
 * From now on the page shows whatever its controls say: controls -> story -> pictures and words. Each
 * is made anew only where it has changed.
 */
export async function live() {
  const phasor = await load();
  const tell = storyteller(phasor);
  const vocabularyOf = vocabularies(phasor, schedule, fail);

  /** Why there is no vocabulary, or no rows. @param {Error} error */
  function fail({ message }) {
    byId("tokenizer-busy").textContent = "";
    blame("tokenizer", message);
    document.documentElement.dataset.settled = "true";
  }

  /** The model that is open. @type {Reader | undefined} */
  let model;
  let opening = 0; // models on their way, or what opens them
  let hasOpener = false; // or it is on its way

  /** Bring to life what opens models, when it is first asked for. */
  async function startOpener() {
    hasOpener = true;
    ++opening;
    try {
      const [{ opener }, { modelReader }] = await Promise.all([
        import("../app/models/opener.js"),
        import("./model.js"),
      ]);
      opener({
        /** @returns {Promise<Reader>} */
        open: (wish, options) =>
          modelReader(phasor, wish, { ...options, loaded: schedule, failed: fail }),
        busy(by) {
          opening += by;
          schedule();
        },
        opened(next) {
          model?.close();
          model = next;
          cutInto(next ? "model" : "words");
        },
      });
    } catch (error) {
      hasOpener = false;
      return fail(/** @type {Error} */ (error));
    } finally {
      --opening;
    }
    schedule();
  }

  let scheduled = false;
  /** Show everything anew before the next frame, once. */
  function schedule() {
    if (scheduled) return;
    scheduled = true;
    document.documentElement.dataset.settled = "false";
    requestAnimationFrame(() => {
      scheduled = false;
      const settings = read();
      if (settings.tokenizer === "model" && !hasOpener) void startOpener();
      const tokenizer = shownFor(settings.tokenizer, model !== undefined);
      explain(settings, tokenizer);
      keep(settings);
      const vocabulary =
        tokenizer === "model" ? model?.vocabularyOf(settings.text) : vocabularyOf(tokenizer);
      byId("tokenizer-busy").textContent = vocabulary ? "" : "Loading …";
      if (vocabulary) retell(vocabulary, { ...settings, tokenizer });
      document.documentElement.dataset.settled = String(vocabulary !== undefined && opening === 0);
    });
  }

  /** @param {Vocabulary} vocabulary @param {Settings} settings */
  function retell(vocabulary, settings) {
    try {
      checkNumbers(settings);
      turn(tell(vocabulary, settings));
      blame();
    } catch (error) {
      const { message } = /** @type {Error} */ (error);
      const name = culprit(error);
      const kept = story && name !== "text" ? ` The page still shows ${story.settings[name]}.` : "";
      blame(name, `${message}.${kept}`);
    }
  }

  onchange(schedule);
  window.addEventListener("hashchange", () => {
    show(fromHash(location.hash));
    schedule();
  });
  schedule();
}

/** The page's own rules; the others are phasor's. @param {Settings} settings */
function checkNumbers(settings) {
  const { length } = settings;
  for (const name of /** @type {const} */ (["seed", "length", "base"])) {
    if (name === "seed" && settings.tokenizer !== "gpt2") continue; // nothing is drawn
    if (Number.isNaN(settings[name])) {
      throw new TypeError(`${name} must be a number; got ${typed(name)}`);
    }
  }
  if (!Number.isInteger(length) || length < 1 || length > LONGEST) {
    throw new RangeError(`length must be a whole number from 1 to ${LONGEST}; got ${length}`);
  }
}

// --- the words and pictures ----------------------------------------------------------------------

/** Put another story on the page. @param {Story} next */
function turn(next) {
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
  // A sentence that got shorter takes the mark along; one that stayed may have it beyond its end.
  const last = ids === before?.ids ? L : ids.length;
  select(Math.min(marked.row, Math.max(0, last - 1)), Math.min(marked.column, D - 1));
}

/** Mark a cell in every picture, with its arithmetic. @param {number} row @param {number} column */
function select(row, column) {
  if (!story) return;
  marked = { row, column };
  const words = arithmetic(story, row, column);
  for (const name of stageNames) {
    figures[name].select(row, column);
    figures[name].say(...words[name]);
  }
}

// --- the address and the clipboard ---------------------------------------------------------------

/** @type {ReturnType<typeof setTimeout> | undefined} */
let keeping;

/** Keep the settings in the address, once they rest. @param {Settings} settings */
function keep(settings) {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    const hash = toHash(settings);
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }, 300);
}

byId("copy").addEventListener("click", async () => {
  const told = byId("copied");
  try {
    await navigator.clipboard.writeText(byId("code-lines").textContent ?? "");
    told.textContent = "Copied.";
  } catch {
    getSelection()?.selectAllChildren(byId("code-lines"));
    told.textContent = "The browser did not allow it. The code is selected: copy it by key.";
  }
  setTimeout(() => (told.textContent = ""), 4000);
});
