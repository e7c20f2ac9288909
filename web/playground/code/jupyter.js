/** @import { Phasor } from "phasor" */
/** @import { Scheme } from "../schemes/scheme.js" */
/** @import { Values } from "../settings.js" */
import { quote } from "../program.js";
import { heading } from "./javascript.js";

/** The address of the package for notebooks. */
const URL = "https://cdn.jsdelivr.net/npm/phasor/dist/index.js";

/**
 * The numbers of a picture as a cell of JupyterLite (Pyodide): the same program, with a NumPy array as its result.
 * @param {Phasor} phasor @param {Scheme} scheme @param {Values} settings @param {string} view
 * @param {string} [url]  of the package
 */
export function jupyter(phasor, scheme, settings, view, url = URL) {
  const { modules, text, data } = scheme.program(phasor, settings, view);
  return [
    `# ${heading(scheme, view)}, in JupyterLite`,
    `import numpy as np`,
    `from pyodide.code import run_js`,
    ``,
    `phasor = await run_js("(u) => import(u)")(${quote(url)})`,
    `make = run_js(r"""({ load, Tensor }) => load().then(({ ${modules.join(", ")} }) => {`,
    ...text.map((line) => `  ${line.replaceAll("\n", "\n  ")}`),
    `  if (${data} instanceof Tensor) return ${data};`,
    `  const shape = [${data}.length, ${data}[0].length].filter(Boolean);`,
    `  return { data: Float32Array.from(${data}.flat()), shape };`,
    `})""")`,
    `made = await make(phasor)`,
    `${data} = np.asarray(made.data.to_py()).reshape(made.shape.to_py())`,
    `print(${data}.shape, ${data})`,
    ``,
  ].join("\n");
}
