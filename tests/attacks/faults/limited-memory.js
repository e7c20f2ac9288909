/**
 * Memory in the hands of a test: what a core allocates is counted, and any allocation can be made to fail, of
 * the core or of JavaScript's arrays.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { setTimeout } from "node:timers/promises";
import { load } from "../../phasor.js";

/** @import { Phasor } from "phasor" */

/**
 * @typedef {object} Core
 * @property {Phasor} phasor
 * @property {() => number} pages  of WebAssembly memory
 * @property {() => number} live  bytes that are allocated
 * @property {(nth: number) => void} failAt  lets the nth allocation from now on fail and no other; 0 for none
 * @property {() => number} asked  allocations since `failAt`
 * @property {(bytes: number) => number} take  memory of the core that it does not have any more; 0 if there is none
 * @property {(at: number) => void} give
 */

/** A separate core, whose allocations can fail. @returns {Promise<Core>} */
export async function limitedMemory() {
  /** @type {Map<number, number>} */
  const sizes = new Map();
  let [count, failing] = [0, 0];
  /** @type {any} */
  let raw;
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {any[]} */ ...args) => {
      const started = await /** @type {any} */ (instantiate)(...args);
      raw = (started.instance ?? started).exports;
      const malloc = (/** @type {number} */ bytes) => {
        if (++count === failing) return 0;
        const at = raw.malloc(bytes) >>> 0;
        if (at !== 0) sizes.set(at, bytes);
        return at;
      };
      const free = (/** @type {number} */ at) => {
        if (at !== 0 && !sizes.delete(at >>> 0)) throw new Error(`${at} is freed twice`);
        raw.free(at);
      };
      return { exports: { ...raw, malloc, free } };
    }
  );
  const phasor = await load({ shared: false }).finally(() => {
    WebAssembly.instantiate = instantiate;
  });
  return {
    phasor,
    pages: () => raw.memory.buffer.byteLength / 65_536,
    live: () => [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0),
    failAt(nth) {
      [count, failing] = [0, nth];
    },
    asked: () => count,
    take: (bytes) => raw.malloc(bytes) >>> 0,
    give: (at) => raw.free(at),
  };
}

const KINDS = /** @type {const} */ ([
  ...["Float32Array", "Float64Array", "Int8Array", "Uint8Array", "Uint16Array"],
  ...["Int32Array", "Uint32Array", "BigInt64Array", "BigUint64Array"],
]);

/**
 * Runs something while JavaScript's nth typed array cannot be allocated.
 * @param {number} nth  0 for none
 * @param {() => unknown} work
 * @returns {Promise<{ count: number, error: any }>} the arrays that were asked for, and what was thrown
 */
export async function withoutArray(nth, work) {
  const all = /** @type {any} */ (globalThis);
  const own = KINDS.map((kind) => all[kind]);
  let count = 0;
  for (const kind of KINDS) {
    all[kind] = new Proxy(all[kind], {
      construct(target, args, self) {
        if (typeof args[0] === "number" && args[0] > 0 && ++count === nth) {
          throw new RangeError("Array buffer allocation failed");
        }
        return Reflect.construct(target, args, self === all[kind] ? target : self);
      },
    });
  }
  let error;
  try {
    await work();
  } catch (thrown) {
    error = thrown;
  } finally {
    KINDS.forEach((kind, i) => (all[kind] = own[i]));
  }
  return { count, error };
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/** Lets finalizers give back the memory of objects that nobody has any more. */
export async function collected() {
  for (let i = 0; i < 3; ++i) {
    collect();
    await setTimeout(1);
  }
}
