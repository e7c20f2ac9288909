/** The entry under test. */
export { FileError, Tensor, npy, safetensors } from "../../src/files/index.js";
