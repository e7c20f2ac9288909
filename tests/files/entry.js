/** The entry under test. */
export {
  FileError,
  Tensor,
  gguf,
  npy,
  npz,
  safetensors,
  tokenizers,
  vocabulary,
} from "../../src/files/index.js";
