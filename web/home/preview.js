/** @import { Settings } from "./settings.js" */
/** @import { Token } from "../app/text/tokens.js" */
import { byId, make } from "../app/dom.js";
import { cut } from "../app/text/cut.js";
import { formula } from "./arithmetic.js";

/** Shows what needs nothing to be loaded. @param {Settings} settings */
export function preview(settings) {
  const shown = { ...settings, tokenizer: shownFor(settings.tokenizer, false) };
  explain(settings.tokenizer, shown.tokenizer);
  byId("formula").replaceChildren(...formula(shown));
  if (shown.tokenizer === "words") {
    const tokens = cut(settings.text).map((label) => ({ label, id: undefined }));
    showTokens(tokens, Infinity);
  }
}

/** The tokenizer to show: words while no model is open. @param {Settings["tokenizer"]} wanted @param {boolean} isOpen */
export function shownFor(wanted, isOpen) {
  return wanted === "model" && !isOpen ? "words" : wanted;
}

/** Paragraphs by the tokenizer that they belong to. */
const PARTS = Object.freeze({
  words: ["tokens-words", "vectors-words"],
  gpt2: ["tokens-gpt2", "vectors-gpt2", "vectors-fields"],
  model: ["tokens-model", "vectors-model", "sum-model"],
});

/** Shows the paragraphs of a tokenizer. @param {Settings["tokenizer"]} tokenizer @param {Settings["tokenizer"]} shown */
export function explain(tokenizer, shown) {
  byId("opening-place").hidden = tokenizer !== "model";
  for (const [name, parts] of Object.entries(PARTS)) {
    for (const part of parts) byId(part).hidden = name !== shown;
  }
}

/** @param {Token[]} tokens @param {number} length  L */
export function showTokens(tokens, length) {
  let row = 0;
  const items = tokens.map(({ label, id }) => {
    const isRow = id !== null && row++ < length;
    const what = id === null ? "not in the table" : isRow ? String(id ?? "…") : "beyond L";
    return make(
      "li",
      { class: isRow ? "" : "without" },
      make("span", { class: "token" }, label),
      make("span", { class: "id" }, what),
    );
  });
  byId("tokens").replaceChildren(...items);
}
