/**
 * phasor/files: readers and writers of the files that hold embeddings. Plain JavaScript, without the
 * WebAssembly core; works in Node, browsers and workers.
 */
export { FileError } from "../api/errors.js";
export { Tensor } from "../api/tensor.js";
export { gguf } from "./gguf/gguf.js";
export { npy } from "./npy/npy.js";
export { npz } from "./npz/npz.js";
export { safetensors } from "./safetensors/safetensors.js";
export { tokenizers } from "./vocabulary/tokenizers.js";
export { vocabulary } from "./vocabulary/vocabulary.js";
