import assert from "node:assert/strict";
import { load } from "../phasor.js";

/**
 * The modules of a fresh core whose memory can be read: the size of its WebAssembly.Memory, in bytes.
 * @template Modules
 * @param {(options: {shared: false}) => Promise<Modules>} begin  `load` of an entry
 */
export async function watchedBy(begin) {
  /** @type {WebAssembly.Memory[]} */
  const memories = [];
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {any[]} */ ...args) => {
      const started = await /** @type {any} */ (instantiate)(...args);
      const { exports } = started.instance ?? started;
      memories.push(
        .../** @type {any[]} */ (Object.values(exports)).filter(
          (value) => value instanceof WebAssembly.Memory,
        ),
      );
      return started;
    }
  );
  try {
    const modules = await begin({ shared: false });
    assert.equal(memories.length, 1, "the core has one memory");
    return { ...modules, bytes: () => memories[0].buffer.byteLength };
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}

/** As `watchedBy`, of phasor. */
export const watched = () => watchedBy(load);
