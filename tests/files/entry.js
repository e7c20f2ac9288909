/** The entry under test. */
export { FileError, Tensor, gguf, npy, npz, safetensors } from "../../src/files/index.js";
