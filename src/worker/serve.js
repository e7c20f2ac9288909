/** In the worker: phasor behind a port. On the other side is connect.js. */
import { packError } from "./errors.js";
import { copyOf, pack, unpack } from "./wire.js";

/**
 * Let programs that give this worker to `load({ worker })` use a phasor in it. A worker of one's own,
 * here for hosts without SIMD, is this module:
 *
 *     import { load } from "phasor/scalar";
 *     import { serve } from "phasor/worker";
 *     serve(load);
 *
 * @param {typeof import("../index.js").load} load  of `phasor`, `phasor/external` or `phasor/scalar`
 * @param {Pick<EventTarget, "addEventListener">} [host]  where messages arrive: this worker, or a port
 * @throws {TypeError} outside a worker, without a port
 * @see No paper: how programs reach a worker
 * @example
 * const { port1, port2 } = new MessageChannel();
 * serve(load, port2); // in a worker, without the second argument
 * port1.close();
 * port2 instanceof MessagePort // true
 */
export function serve(load, host = thisWorker()) {
  host.addEventListener("message", (event) => {
    const { data } = /** @type {MessageEvent} */ (event);
    if (data?.phasor) void answer(data.phasor, () => load({ wasm: data.wasm }));
  });
}

/** In browsers, Deno and Bun; in Node. */
function thisWorker() {
  if (typeof postMessage === "function") return globalThis;
  const { process } = /** @type {any} */ (globalThis);
  const port = process?.getBuiltinModule?.("node:worker_threads").parentPort;
  if (!port) throw new TypeError("host must be a port where there is no worker; got undefined");
  return port;
}

/**
 * What is asked of the other side: an object's method, or the object itself if that is a function.
 * @typedef {object} Question
 * @property {number} id  that the answer has as well
 * @property {number} on
 * @property {string} [method]
 * @property {import("./wire.js").Node} given  the arguments
 * @property {ArrayBufferView[]} outs  of the arrays given, those that the caller waits to see filled
 */

/** @param {MessagePort} port @param {() => Promise<object>} start */
async function answer(port, start) {
  /** What the other side may ask. @type {Map<number, any>} */
  const kept = new Map();
  let last = 0;

  /** @param {number} id @param {unknown} value @param {ArrayBufferView[]} outs */
  const reply = (id, value, outs) => {
    const moved = new Set(outs.map(({ buffer }) => buffer));
    let owners = 0;
    const result = pack(value, {
      array(array) {
        if (outs.includes(array)) return ["out", outs.indexOf(array)];
        const sent = owners > 0 ? copyOf(array) : array; // what an owner has, it goes on using
        moved.add(sent.buffer);
        return ["array", sent];
      },
      remote(owner, members) {
        const parts = Object.values(owner);
        const isFunction = typeof owner === "function";
        if (!isFunction && !parts.some((part) => typeof part === "function")) return undefined;
        kept.set(++last, owner);
        /** @type {import("./wire.js").Node} */
        const node = ["remote", last, isFunction];
        ++owners;
        node.push(members());
        --owners;
        return node;
      },
    });
    port.postMessage({ id, result, outs }, [...moved]);
  };

  /** @param {Question} question */
  const ask = ({ on, method, given }) => {
    const owner = kept.get(on);
    if (method === "dispose") {
      kept.delete(on);
      return owner.dispose?.();
    }
    const values = unpack(given, {
      array: ([, array]) => array,
      tensor: (fields) => fields,
      remote: ([, id]) => kept.get(id),
    });
    return method === undefined ? owner(...values) : owner[method](...values);
  };

  port.onmessage = ({ data }) => {
    try {
      reply(data.id, ask(data), data.outs);
    } catch (thrown) {
      port.postMessage({ id: data.id, error: packError(thrown) });
    }
  };

  try {
    reply(0, await start(), []);
  } catch (thrown) {
    port.postMessage({ id: 0, error: packError(thrown) });
  }
}
