/** @import { Settings } from "./settings.js" */
import { byId } from "../app/dom.js";

/** Paragraphs and fields by the sources that they belong to. */
const PARTS = Object.freeze({
  minilm: ["tokens-minilm", "vectors-minilm", "positions-minilm"],
  words: ["tokens-words", "vectors-words", "scale-field", "positions-waves"],
  gpt2: ["tokens-gpt2", "vectors-gpt2", "vectors-fields", "scale-field", "positions-waves"],
  model: ["tokens-model", "vectors-model", "positions-model"],
});

/** Shows the paragraphs of a source. @param {Settings["tokenizer"]} chosen @param {Settings["tokenizer"]} shown */
export function explain(chosen, shown) {
  byId("opening-place").hidden = chosen !== "model";
  for (const part of Object.values(PARTS).flat()) byId(part).hidden = !PARTS[shown].includes(part);
}
