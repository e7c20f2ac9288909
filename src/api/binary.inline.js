/** The core within this very file: deflated, so that it costs no more than a file beside it. */
import deflated from "phasor-core/deflated";

/** @returns {Promise<ArrayBuffer>} the bytes of core.wasm */
export function binary() {
  const bytes = Uint8Array.from(atob(deflated), (letter) => letter.charCodeAt(0));
  const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(inflated).arrayBuffer();
}
