/** @import { Settings } from "./settings.js" */
/** @import { Token } from "../text/tokens.js" */
import { byId, make } from "../site/dom.js";
import { cut } from "../text/cut.js";
import { formula } from "./arithmetic.js";

/** What can be shown before anything is loaded. @param {Settings} settings */
export function preview(settings) {
  explain(settings);
  byId("formula").replaceChildren(...formula(settings));
  if (settings.tokenizer === "words") {
    const tokens = cut(settings.text).map((label) => ({ label, id: undefined }));
    showTokens(tokens, Infinity);
  }
}

/** The paragraphs that belong to the tokenizer. @param {Settings} settings */
export function explain({ tokenizer }) {
  for (const part of ["tokens-words", "vectors-words"]) byId(part).hidden = tokenizer !== "words";
  for (const part of ["tokens-gpt2", "vectors-gpt2", "vectors-fields"]) {
    byId(part).hidden = tokenizer !== "gpt2";
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
