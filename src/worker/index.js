/** phasor in a worker: the entry phasor/worker. */
/** @import { WasmSource } from "../runtime/wasm.js" */
import * as check from "../runtime/check.js";
import { bytesOfResponse } from "../runtime/errors.js";
import { copied } from "../runtime/input.js";
import { inFunction } from "../runtime/named.js";
import { connect } from "./connect.js";
import { isWorker, open } from "./home.js";
import { pool } from "./pool.js";

export { CoreError, DisposedError, LoadError, OutOfMemoryError } from "../runtime/errors.js";
export { Tensor } from "../runtime/tensor.js";
export { transfer } from "./arguments.js";
export { serve } from "./serve.js";

/**
 * @template Of
 * @typedef {import("./remote.js").Remote<Of>} Remote
 */
/** @typedef {import("./remote.js").RemotePhasor} RemotePhasor */

/** A bound for mistakes: more workers than any machine has cores for. */
const MOST_WORKERS = 256;

/**
 * Starts phasor in a worker, or in several. The modules are the same; their functions return promises.
 *
 * Arguments are copied when a function is called, or moved (`transfer`). Results are moved, never copied; an array
 * passed as `out` is filled when the promise is fulfilled. Arrays in shared memory (`SharedArrayBuffer`, which Node has
 * and a page that is cross-origin isolated) are neither copied nor moved where `load` starts the worker: it reads them,
 * and fills such an `out`, in place. What the program changes there before the promise is fulfilled has an effect, and
 * `out` is then partly filled. Results without `out` are in ordinary memory. An object in WebAssembly memory, such as a table of
 * `embedding.create`, stays in the worker and is represented by an object with the same methods. Errors have the
 * classes that this entry exports.
 *
 * Every function that takes options takes `signal` among them, an AbortSignal: when it is aborted, the promise is rejected with the
 * signal's reason. A computation cannot be stopped in its middle, so a worker that has no other call and no object of the program is
 * replaced by a fresh one at once; otherwise it finishes, and nobody gets the result. Several workers stop at the next step of a `pca`.
 *
 * Several workers share `similarity.matrix`, `nearest` over arrays, `attention.scaledDotProduct`, `attention.scores`
 * and a `sinusoidal.table` or `rope.table` that is written to `out`, where these are large: from 2^22 multiplications
 * on, 2^23 in `nearest`, and 2^18 numbers of a table. `nearest.index` of an array of 2^22 numbers or more gives each
 * worker a part of the rows: all search it, and nothing is copied but the queries. `pca` of an array of 2^21 numbers or
 * more gives each a part of the rows, too, where it finds few components of wide rows by block Lanczos; should that not
 * settle, as for white noise, the first worker gets all rows. The results are the same, bit for bit. All other
 * functions, and all other objects, are in the first worker. `alibi.bias` and tables without `out` are not split,
 * because to copy the parts takes about as long as to compute them, or longer. Each worker has memory for its part.
 *
 * @param {object} [options]
 * @param {string | URL | Worker} [options.worker]  the address of `phasor/worker-thread` if it is not next to this
 *   module, or a worker that calls `serve`. Such a worker continues after `dispose`; dispose of its phasor before you
 *   terminate it, because browsers do not report the end of a worker
 * @param {WasmSource | Promise<WasmSource>} [options.wasm]  as for `load` of `phasor`
 * @param {string} [options.name]  the name of the worker in developer tools; default `phasor`
 * @param {number} [options.workers]  how many workers compute large calls together, from 1 to 256; default 1.
 *   Each takes a core; `navigator.hardwareConcurrency` says how many the machine has
 * @returns {Promise<RemotePhasor>} with new workers for every call, unless one is passed
 * @throws {TypeError | RangeError} if an option has the wrong type or is out of range
 * @throws {LoadError} if the worker or its core cannot be started
 * @see HTML, web workers, https://html.spec.whatwg.org/multipage/workers.html
 * @example
 * const { sinusoidal, dispose } = await load();
 * const table = await sinusoidal.table(2, 4);
 * table.at(1, 0) // 0.8414709568023682
 * await dispose();
 */
export async function load(options = {}) {
  try {
    const given = check.options(options, {
      worker: undefined,
      wasm: undefined,
      name: "phasor",
      workers: 1,
    });
    const count = check.integer(given.workers, "workers", 1, MOST_WORKERS);
    if (count > 1 && isWorker(given.worker)) {
      const rule = "1 with a Worker; give its address to start several";
      throw new RangeError(`workers must be ${rule}; got ${count}`);
    }
    if (typeof given.name !== "string") {
      throw new TypeError(`name must be a string; got ${check.describe(given.name)}`);
    }
    const wasm = await sendable(await copied(given.wasm));
    /** @type {Set<(reason: unknown) => Promise<void>>} */
    const together = new Set();
    const starting = Array.from({ length: count }, async (_, i) => {
      const name = i === 0 ? given.name : `${given.name} ${i + 1}`;
      return connect(open(given.worker, name), wasm, together);
    });
    try {
      return pool(await Promise.all(starting));
    } catch (error) {
      await Promise.all(Array.from(together, (end) => end(error)));
      throw error;
    }
  } catch (error) {
    throw inFunction("load", error);
  }
}

/** What a message can carry of a source for the core. @param {any} wasm */
async function sendable(wasm) {
  const { location } = globalThis;
  if (typeof wasm === "string" && location)
    return URL.canParse(wasm, location.href) ? new URL(wasm, location.href).href : wasm;
  if (check.isURL(wasm)) return wasm.href;
  return check.isResponse(wasm) ? bytesOfResponse(wasm) : wasm;
}
