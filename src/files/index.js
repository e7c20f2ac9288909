/**
 * phasor/files: readers and writers of the files that hold embeddings. Plain JavaScript, without the
 * WebAssembly core; works in Node, browsers and workers.
 */
export { FileError, RemoteError } from "../api/errors.js";
export { Tensor } from "../api/tensor.js";
export { npy } from "./npy/npy.js";
export { hub } from "./remote/hub.js";
export { remote } from "./remote/remote.js";
export { safetensors } from "./safetensors/safetensors.js";
