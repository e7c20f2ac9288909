/** @import { Core, WasmSource } from "./wasm.js" */
import { isURL } from "./check.js";
import { inFunction, nameFunctions, withName } from "./named.js";
import * as option from "./options.js";
import { suggestingBehind } from "./suggest.js";
import { isModule, start } from "./wasm.js";

/**
 * What functions of a core return, by their names.
 * @template {Record<string, (core: Core) => unknown>} Modules
 * @typedef {{readonly [Module in keyof Modules]: ReturnType<Modules[Module]>}} Loaded
 */

const LOAD = option.optionSet(() => ({
  /** The core: an address, a response, bytes or a module. Default: the one in the package. */
  wasm: option.value(/** @type {any} */ (undefined)),
  /** Whether to give what an earlier call has loaded. */
  shared: option.boolean(true),
}));

/** What has been started, by what it was made from: an address, or a compiled module; else by the modules. */
const started = new Map();

/**
 * Starts a core and the modules of an entry, or gives those that are there.
 *
 * @template {Record<string, (core: Core) => unknown>} Modules
 * @param {Modules} modules
 * @param {{wasm?: WasmSource | Promise<WasmSource>, shared?: boolean}} options  of the entry's `load`
 * @returns {Promise<Loaded<Modules>>}
 */
export async function loadModules(modules, options) {
  try {
    const { wasm, shared } = LOAD.read(options);
    const key = isURL(wasm) ? wasm.href : wasm === undefined ? modules : wasm;
    // Bytes may change, and a response is read once.
    const isKept = key === modules || typeof key === "string" || isModule(key);
    if (!shared || !isKept) return (await begin(modules, wasm)).loaded;
    const known = started.get(key);
    if (known && !(await known).core.dead) return (await known).loaded;
    const fresh = begin(modules, wasm);
    started.set(key, fresh);
    fresh.catch(() => started.delete(key));
    return (await fresh).loaded;
  } catch (error) {
    throw inFunction("load", error);
  }
}

/**
 * @template {Record<string, (core: Core) => unknown>} Modules
 * @param {Modules} modules @param {WasmSource | Promise<WasmSource>} [wasm]
 */
async function begin(modules, wasm) {
  const core = await start(wasm);
  const all = {};
  for (const name of Object.keys(modules).sort()) {
    /** @type {unknown} */
    let module; // made when it is first read: a program uses few of all
    const get = () => (module ??= named(name, modules[name](core)));
    Object.defineProperty(all, name, { enumerable: true, get });
  }
  return { core, loaded: suggestingBehind(/** @type {Loaded<Modules>} */ (all), "phasor") };
}

/** A module with names in its errors, as all programs of a page share it; some are functions. @param {string} name @param {any} module */
function named(name, module) {
  nameFunctions(name, module);
  return Object.freeze(typeof module === "function" ? withName(name, module) : module);
}
