/** Connects to a worker: an object with the modules of its phasor, whose functions return promises. */
import { DisposedError } from "../runtime/errors.js";
import { beginLife, disposable } from "../runtime/lifetime.js";
import { withName } from "../runtime/named.js";
import { unpackError } from "../runtime/packed.js";
import { Tensor } from "../runtime/tensor.js";
import { packArguments, place, readSignal } from "./arguments.js";
import { Link } from "./link.js";
import { PCA } from "./serve.js";
import { unpack } from "./wire.js";

/** @import { Home } from "./home.js" */
/** @import { Place } from "./arguments.js" */
/** @import { Answer, End } from "./link.js" */
/** @import { Node } from "./wire.js" */

/** @typedef {(node: Node, walk: (node: Node) => unknown) => unknown} ReadRemote */

/**
 * @param {Home} home
 * @param {unknown} wasm  as `load` takes it
 * @param {Set<End>} together  ends the connections of one pool: when one of its workers fails, all end
 * @returns {Promise<any>} the modules
 */
export async function connect(home, wasm, together) {
  const link = new Link(home, wasm, together);
  const { kept } = link;
  // A worker of the program may be elsewhere, where memory cannot be shared; a page that is not isolated shares none.
  const shares = home.isOurs && globalThis.crossOriginIsolated !== false;

  /**
   * @param {Place} of @param {string} name  in the messages of errors
   * @param {string} [method]  without it the object itself is the function
   */
  const remoteFunction = (of, name, method) =>
    withName(name, async (/** @type {unknown[]} */ ...values) => {
      const asked = new Error();
      of.live();
      const { signal, others } = readSignal(values);
      const { given, outs, sentOuts, moved } = packArguments(others, link, shares);
      /** @param {Answer} answer */
      const read = (answer) => {
        if (answer.error) throw unpackError(answer.error, asked);
        const isWanted = !signal?.aborted;
        if (isWanted) outs.forEach((array, i) => answer.outs[i] && array.set(answer.outs[i]));
        const result = unpacked(answer.result, outs, remoteResult);
        if (!isWanted) result?.dispose?.();
        return result;
      };
      return link.ask({ on: of.id, method, given, outs: sentOuts }, moved, read, { of, signal });
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
    return link.ask({ on: id, method: "dispose", outs: [] }, [], () => {}).catch(() => {});
  };

  /** @param {Node} node @param {(node: Node) => unknown} walk */
  const remoteObject = ([, id, own, members], walk) => {
    const { live, dispose } = beginLife("an object in a worker", releasing(id));
    const here = { link, id, live };
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

  /** @param {Answer} answer */
  const readModules = ({ result }) => {
    const modules = unpacked(result, [], (node, walk) => {
      const { object } = remoteObject(node, walk);
      return node === result ? object : Object.freeze(object);
    });
    if (modules.pca) {
      const part = remoteFunction({ link, id: PCA, live() {} }, "pca", "part");
      Object.defineProperty(modules.pca, "part", { value: part });
    }
    return ending(modules, () => link.end(new DisposedError("phasor")));
  };
  try {
    return await link.start(readModules);
  } catch (error) {
    await link.end(error);
    throw error;
  }
}

/** Adds how an object ends, and freezes it. @param {object} object @param {() => Promise<void>} dispose */
export function ending(object, dispose) {
  if (Symbol.asyncDispose) Object.assign(object, { [Symbol.asyncDispose]: dispose });
  return disposable("", Object.assign(object, { dispose }));
}
