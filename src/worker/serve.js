/** Answers the requests of connect.js in the worker. */
import { isShared } from "../runtime/arrays.js";
import { packError } from "../runtime/packed.js";
import { thisWorker } from "../runtime/threads.js";
import { buffersOf } from "./arguments.js";
import { copyOf, pack, unpack } from "./wire.js";

/**
 * Serves a phasor to programs that pass this worker to `load({ worker })`. A custom worker, here for hosts without
 * SIMD, is this module:
 *
 *     import { load } from "phasor/scalar";
 *     import { serve } from "phasor/worker";
 *     serve(load);
 *
 * @param {typeof import("../index.js").load} load  of `phasor`, `phasor/external` or `phasor/scalar`
 * @param {Pick<EventTarget, "addEventListener">} [host]  the target of the messages: this worker or a port
 * @throws {TypeError} outside a worker, without a port
 * @see HTML, message channels, https://html.spec.whatwg.org/multipage/web-messaging.html
 * @example
 * const { port1, port2 } = new MessageChannel();
 * serve(load, port2); // in a worker, without the second argument
 * port1.close();
 * port2 instanceof MessagePort // true
 */
export function serve(load, host = ownHost()) {
  host.addEventListener("message", (event) => {
    const { data } = /** @type {MessageEvent} */ (event);
    if (data?.phasor) void answer(data.phasor, () => load({ wasm: data.wasm }));
  });
}

function ownHost() {
  const host = thisWorker();
  if (host) return host;
  throw new TypeError("serve: host must be a port where there is no worker; got undefined");
}

/**
 * A request: the call of a method, or of the object itself if it is a function.
 * @typedef {object} Question
 * @property {number} id  also that of the answer
 * @property {number} on
 * @property {string} [method]
 * @property {import("./wire.js").Node} given  the arguments
 * @property {ArrayBufferView[]} outs  the arrays among the arguments that the call fills
 */

/** The number of pca: those of other objects begin with 1. */
export const PCA = 0;

/** @param {MessagePort} port @param {() => Promise<object>} start */
async function answer(port, start) {
  /** The objects that the other thread can call. @type {Map<number, any>} */
  const kept = new Map();
  let last = 0;

  /** @param {number} id @param {unknown} value @param {ArrayBufferView[]} outs */
  const reply = (id, value, outs) => {
    const moved = buffersOf(outs);
    let owners = 0;
    const result = pack(value, {
      array(array) {
        if (outs.includes(array)) return ["out", outs.indexOf(array)];
        // An object continues to use its arrays, and shared memory is that of the caller.
        const sent = owners > 0 || isShared(array) ? copyOf(array) : array;
        moved.add(/** @type {ArrayBuffer} */ (sent.buffer));
        return ["array", sent];
      },
      remote(owner, members) {
        const parts = Object.values(owner);
        const isFunction = typeof owner === "function";
        if (!isFunction && !parts.some((part) => typeof part === "function")) return undefined;
        kept.set(++last, owner);
        /** @type {import("./wire.js").Node} */
        const node = ["remote", last, isFunction ? owner.name : undefined];
        ++owners;
        node.push(members());
        --owners;
        return node;
      },
    });
    const filled = outs.map((array) => (isShared(array) ? undefined : array));
    port.postMessage({ id, result, outs: filled }, [...moved]);
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
    if (Object(data) !== data) return; // a program may post anything
    try {
      reply(data.id, ask(data), data.outs);
    } catch (thrown) {
      port.postMessage({ id: data.id, error: packError(thrown) });
    }
  };

  try {
    const modules = await start();
    // Its `part` is for pool.js, and no member that a program sees.
    kept.set(PCA, /** @type {any} */ (modules).pca);
    reply(0, modules, []);
  } catch (thrown) {
    port.postMessage({ id: 0, error: packError(thrown) });
  }
}
