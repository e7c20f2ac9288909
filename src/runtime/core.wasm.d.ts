import type { WasmSource } from "./wasm.js";

/** What a bundler or host makes of phasor/core.wasm: its address, its bytes or a compiled module, for `load({ wasm })`. */
declare const wasm: WasmSource;
export default wasm;
