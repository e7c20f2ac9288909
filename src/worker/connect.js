/** Connects to a worker: an object with the modules of its phasor, whose functions return promises. */
import { CoreError, DisposedError } from "../runtime/errors.js";
import { beginLife, disposable } from "../runtime/lifetime.js";
import { withName } from "../runtime/named.js";
import { unpackError } from "../runtime/packed.js";
import { Tensor } from "../runtime/tensor.js";
import { listen } from "../runtime/threads.js";
import { packArguments, place } from "./arguments.js";
import { PCA } from "./serve.js";
import { unpack } from "./wire.js";

/** @import { Home } from "./home.js" */
/** @import { Place } from "./arguments.js" */
/** @import { Node } from "./wire.js" */

/**
 * A request that the worker has not answered yet.
 * @typedef {object} Call
 * @property {(answer: any) => void} answer
 * @property {(reason: unknown) => void} reject
 * @property {Place} [of]  the object of the request, kept until the answer
 */

/**
 * @typedef {object} Answer
 * @property {any} [error]
 * @property {Node} result
 * @property {any[]} outs  what the worker filled; undefined for what lies in shared memory
 */
/** @typedef {(node: Node, walk: (node: Node) => unknown) => unknown} ReadRemote */

/** Ends a connection; the reason rejects pending and later calls. @typedef {(reason: unknown) => Promise<void>} End */

/** How long a worker whose port has closed may take to say why. ms */
const GRACE = 100;

/**
 * @param {Home} home
 * @param {unknown} wasm  as `load` takes it
 * @param {Set<End>} together  ends the connections of one pool: when one of its workers fails, all end
 * @returns {Promise<any>} the modules
 */
export async function connect({ worker, isOurs, refusal }, wasm, together) {
  const { port1: port, port2 } = new MessageChannel();
  /** @type {Map<number, Call>} */
  const calls = new Map();
  /** The numbers of the objects that the worker keeps for this thread. @type {Set<number>} */
  const kept = new Set();
  // A worker of the program may be elsewhere, where memory cannot be shared; a page that is not isolated shares none.
  const shares = isOurs && globalThis.crossOriginIsolated !== false;
  let last = 0;
  let isStarted = false;
  /** @type {{reason: unknown} | undefined} */
  let over;

  /** @type {End} */
  const end = async (reason) => {
    if (over) return;
    over = { reason };
    together.delete(end);
    for (const { reject } of calls.values()) reject(reason);
    calls.clear();
    port.close();
    if (isOurs) await worker.terminate();
  };
  together.add(end);

  /** @param {string} [why] @param {unknown} [cause] */
  const stop = (why = "it was ended", cause) => {
    const reason = isStarted
      ? new CoreError(`the worker stopped: ${why}; call load() for a fresh one`, { cause })
      : refusal(why, cause);
    if (!over) for (const each of together) void each(reason);
  };

  /** Runs after each request and answer: Node waits for answers, but not for an idle worker. */
  const settle = () => {
    if (over) return; // an answer that was under way; Node must wait for the end of the worker
    const hold = calls.size > 0 ? "ref" : "unref";
    for (const each of isOurs ? [port, worker] : [port]) /** @type {any} */ (each)[hold]?.();
    if (isStarted && calls.size + kept.size === 0) void end(new DisposedError("phasor"));
  };

  /**
   * @template Value
   * @param {MessagePort | Worker} to
   * @param {object} question @param {Iterable<Transferable>} moved
   * @param {(answer: Answer) => Value} read @param {Place} [of]
   * @returns {Promise<Value>}
   */
  const ask = (to, question, moved, read, of) =>
    new Promise((resolve, reject) => {
      if (over) throw over.reason;
      const id = last++;
      try {
        to.postMessage({ id, ...question }, [...moved]);
      } catch (cause) {
        const { message } = /** @type {Error} */ (cause);
        throw new TypeError(`arguments must be cloneable; got ${message}`, { cause });
      }
      /** @param {Answer} given */
      const answer = (given) => {
        try {
          resolve(read(given));
        } catch (error) {
          reject(error);
        }
      };
      calls.set(id, { answer, reject, of });
      settle();
    });

  /**
   * @param {Place} of @param {string} name  in the messages of errors
   * @param {string} [method]  without it the object itself is the function
   */
  const remoteFunction = (of, name, method) =>
    withName(name, async (/** @type {unknown[]} */ ...values) => {
      const asked = new Error();
      of.live();
      const { given, outs, sentOuts, moved } = packArguments(values, port, shares);
      /** @param {Answer} answer */
      const read = (answer) => {
        if (answer.error) throw unpackError(answer.error, asked);
        outs.forEach((array, i) => answer.outs[i] && array.set(answer.outs[i]));
        return unpacked(answer.result, outs, remoteResult);
      };
      return ask(port, { on: of.id, method, given, outs: sentOuts }, moved, read, of);
    });

  /** @param {Node} node @param {ArrayBufferView[]} outs @param {ReadRemote} remote */
  const unpacked = (node, outs, remote) =>
    unpack(node, {
      array: ([kind, held]) => (kind === "out" ? outs[held] : held),
      tensor: ({ data, shape, dtype }) => new Tensor(data, shape, dtype),
      remote,
    });

  /** Returns a function that releases an object, for `beginLife`. @param {number} id */
  const releasing = (id) => () => {
    kept.delete(id);
    // A worker that has ended has no memory to release.
    return ask(port, { on: id, method: "dispose", outs: [] }, [], () => {}).catch(() => {});
  };

  /** @param {Node} node @param {(node: Node) => unknown} walk */
  const remoteObject = ([, id, own, members], walk) => {
    const { live, dispose } = beginLife("an object in a worker", releasing(id));
    const here = { port, id, live };
    kept.add(id);
    /** @type {any} */
    const object = own === undefined ? {} : remoteFunction(here, own);
    place(object, here);
    for (const [name, member] of members) {
      const called = member?.[0] === "method" && member[1];
      object[name] = called ? remoteFunction(here, called, name) : walk(member);
    }
    return { object, dispose };
  };

  /** @type {ReadRemote} */
  const remoteResult = (node, walk) => {
    const { object, dispose } = remoteObject(node, walk);
    return ending(object, async () => void (await dispose()));
  };

  port.onmessage = ({ data }) => {
    const call = calls.get(data?.id); // a worker of the program may post anything
    calls.delete(data?.id);
    call?.answer(data);
    settle();
  };
  port.onmessageerror = () => stop("its answer could not be read");
  // The port of a worker that fails may close before the worker's error comes, which says why.
  port.addEventListener("close", () => {
    if (!over) setTimeout(stop, GRACE);
  });
  // A worker that the program created may report unrelated errors and continue.
  listen(worker, "error", (event) => {
    const why = event.message || "it could not be read, or failed at once";
    if (isOurs || !isStarted) stop(why, event instanceof Error ? event : event.error);
  });
  listen(worker, "exit", () => stop());

  /** @param {Answer} answer */
  const readModules = ({ error, result }) => {
    if (error) throw unpackError(error);
    isStarted = true;
    const modules = unpacked(result, [], (node, walk) => {
      const { object } = remoteObject(node, walk);
      return node === result ? object : Object.freeze(object);
    });
    if (modules.pca) {
      const part = remoteFunction({ port, id: PCA, live() {} }, "pca", "part");
      Object.defineProperty(modules.pca, "part", { value: part });
    }
    return ending(modules, () => end(new DisposedError("phasor")));
  };
  try {
    return await ask(worker, { phasor: port2, wasm }, [port2], readModules);
  } catch (error) {
    await end(error);
    throw error;
  }
}

/** Adds how an object ends, and freezes it. @param {object} object @param {() => Promise<void>} dispose */
export function ending(object, dispose) {
  if (Symbol.asyncDispose) Object.assign(object, { [Symbol.asyncDispose]: dispose });
  return disposable("", Object.assign(object, { dispose }));
}
