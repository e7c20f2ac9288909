import assert from "node:assert/strict";
import { load } from "../phasor.js";

/**
 * A core whose memory can be read: the size of its largest WebAssembly.Memory, in bytes.
 */
export async function watched() {
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
    const modules = await load({ shared: false });
    assert.equal(memories.length, 1, "the core has one memory");
    return { ...modules, bytes: () => memories[0].buffer.byteLength };
  } finally {
    WebAssembly.instantiate = instantiate;
  }
}
