/** phasor in a worker: the entry phasor/worker. */
/** @import { WasmSource } from "../runtime/wasm.js" */
import * as check from "../runtime/check.js";
import { connect } from "./connect.js";
import { open } from "./home.js";

export { CoreError, DisposedError, LoadError, OutOfMemoryError } from "../runtime/errors.js";
export { Tensor } from "../runtime/tensor.js";
export { transfer } from "./arguments.js";
export { serve } from "./serve.js";

/**
 * @template Of
 * @typedef {import("./remote.js").Remote<Of>} Remote
 */
/** @typedef {import("./remote.js").RemotePhasor} RemotePhasor */

/**
 * Starts phasor in a worker. The modules are the same; their functions return promises.
 *
 * Arguments are copied when a function is called, or moved (`transfer`). Results are moved, never copied; an array
 * passed as `out` is filled when the promise is fulfilled. An object in WebAssembly memory, such as a table of
 * `embedding.create`, stays in the worker and is represented by an object with the same methods. Errors have the
 * classes that this entry exports.
 *
 * @param {object} [options]
 * @param {string | URL | Worker} [options.worker]  the address of `phasor/worker-thread` if it is not next to this
 *   module, or a worker that calls `serve`. Such a worker continues after `dispose`; dispose of its phasor before you
 *   terminate it, because browsers do not report the end of a worker
 * @param {WasmSource | Promise<WasmSource>} [options.wasm]  as for `load` of `phasor`
 * @param {string} [options.name]  the name of the worker in developer tools; default `phasor`
 * @returns {Promise<RemotePhasor>} with a new worker for every call, unless one is passed
 * @throws {LoadError} if the worker or its core cannot be started
 * @see HTML, web workers, https://html.spec.whatwg.org/multipage/workers.html
 * @example
 * const { sinusoidal, dispose } = await load();
 * const table = await sinusoidal.table(2, 4);
 * table.at(1, 0) // 0.8414709568023682
 * await dispose();
 */
export async function load(options = {}) {
  const given = check.options(
    options,
    { worker: undefined, wasm: undefined, name: "phasor" },
    "load",
  );
  if (typeof given.name !== "string") {
    throw new TypeError(`name must be a string; got ${check.describe(given.name)}`);
  }
  const wasm = await sendable(await given.wasm);
  return connect(open(given.worker, given.name), wasm);
}

/** What a message can carry of a source for the core. @param {any} wasm */
async function sendable(wasm) {
  const { location } = globalThis;
  if (typeof wasm === "string" && location)
    return URL.canParse(wasm, location.href) ? new URL(wasm, location.href).href : wasm;
  if (wasm instanceof URL) return wasm.href;
  const isResponse = typeof Response === "function" && wasm instanceof Response;
  return isResponse && wasm.ok ? wasm.arrayBuffer() : wasm;
}
