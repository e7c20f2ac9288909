import { load, optionsOf } from "phasor";

export const phasor = await load();
const modules = /** @type {Record<string, any>} */ (phasor);

/** @param {string} path  a function of phasor: "alibi.bias" */
export function declared(path) {
  const [module, method] = path.split(".");
  return optionsOf(method ? modules[module][method] : modules[module]);
}
