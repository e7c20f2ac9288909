/** The entry under test. */
export {
  FileError,
  RemoteError,
  Tensor,
  hub,
  npy,
  remote,
  safetensors,
} from "../../src/files/index.js";
