/** The entry under test. */
export {
  FileError,
  RemoteError,
  Tensor,
  gguf,
  hub,
  npy,
  npz,
  remote,
  safetensors,
  tokenizers,
  vocabulary,
} from "../../../src/files/index.js";
