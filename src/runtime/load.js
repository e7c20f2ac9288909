/** @import { Core, WasmSource } from "./wasm.js" */
import * as check from "./check.js";
import { suggesting } from "./suggest.js";
import { start } from "./wasm.js";

/**
 * What functions of a core return, by their names.
 * @template {Record<string, (core: Core) => unknown>} Modules
 * @typedef {{readonly [Module in keyof Modules]: ReturnType<Modules[Module]>}} Loaded
 */

/**
 * Starts a core and the modules of an entry.
 *
 * @template {Record<string, (core: Core) => unknown>} Modules
 * @param {Modules} modules
 * @param {{wasm?: WasmSource | Promise<WasmSource>}} options  of the entry's `load`
 * @returns {Promise<Loaded<Modules>>}
 */
export async function loadModules(modules, options) {
  const { wasm } = check.options(options, { wasm: undefined }, "load");
  const core = await start(wasm);
  const names = Object.keys(modules).sort();
  const started = Object.fromEntries(names.map((name) => [name, modules[name](core)]));
  return suggesting(/** @type {Loaded<Modules>} */ (started), "phasor");
}
