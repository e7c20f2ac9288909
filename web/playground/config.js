/** @import { Side } from "./address.js" */
/** @import { Preset } from "./presets.js" */
import { byId, make } from "../app/dom.js";
import { asSentence, inWords, showError } from "../app/errors.js";
import { ofPreset } from "./address.js";
import { fromConfig } from "./presets.js";
import { schemes } from "./schemes/index.js";

/**
 * Connects the field for a config.json.
 * @param {(side: Side) => void} show
 */
export function pastedConfig(show) {
  const field = byId("layers-field");
  /** @type {Preset[]} */
  let presets = [];

  byId("read-config").addEventListener("click", () => {
    const note = byId("config-note");
    showError("config", "");
    field.hidden = true;
    note.replaceChildren();
    try {
      const read = fromConfig(/** @type {HTMLTextAreaElement} */ (byId("config")).value);
      presets = read.presets;
      const [{ title, scheme }] = presets;
      note.replaceChildren(
        ...read.warnings.map((warning) => make("p", {}, `Note: ${asSentence(warning)}`)),
        make("p", {}, `Shown: ${title}, ${schemes[scheme].title}.`),
      );
      field.hidden = presets.length < 2;
      const options = presets.map(({ title }, i) => make("option", { value: i }, title));
      byId("layers").replaceChildren(...options);
      show(ofPreset(presets[0]));
    } catch (error) {
      showError("config", inWords(/** @type {Error} */ (error).message));
    }
  });
  byId("layers").addEventListener("input", ({ target }) => {
    const { value } = /** @type {HTMLSelectElement} */ (target);
    show(ofPreset(presets[Number(value)]));
  });
}
