/** @import { Phasor } from "phasor" */
/** @import { Side } from "../address.js" */
import { byId } from "../../app/dom.js";
import { schemes } from "../schemes/index.js";
import { javascript } from "./javascript.js";
import { jupyter } from "./jupyter.js";
import { observable } from "./observable.js";
import { pytorch } from "./pytorch.js";

const NOTES = Object.freeze({
  javascript: "For Node after npm i phasor, and for pages with a bundler.",
  observable: "A cell for Observable notebooks and Framework, with the figure.",
  jupyter: "A cell for JupyterLite (Pyodide): the same numbers in a NumPy array.",
  pytorch: "PyTorch alone: the steps of the original implementation in float32.",
});

const programs = { javascript, observable, jupyter };

/**
 * Shows the program of a picture.
 * @param {Phasor} phasor @param {Side} side @param {string} view @param {string} language
 */
export function showCode(phasor, { scheme: name, settings }, view, language) {
  const scheme = schemes[name];
  const text =
    language === "pytorch"
      ? pytorch(scheme, settings, view)
      : programs[/** @type {"javascript"} */ (language)](phasor, scheme, settings, view);
  byId("code-note").textContent = NOTES[/** @type {"javascript"} */ (language)];
  if (byId("code").textContent !== text) byId("code").textContent = text;
}
