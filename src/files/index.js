/**
 * phasor/files: readers and writers for files of embeddings. Plain JavaScript without the WebAssembly core, for Node,
 * browsers and workers.
 */
export { FileError, RemoteError } from "../runtime/errors.js";
export { Tensor } from "../runtime/tensor.js";
export { gguf } from "./gguf/gguf.js";
export { npy } from "./npy/npy.js";
export { npz } from "./npz/npz.js";
export { hub } from "./remote/hub.js";
export { remote } from "./remote/remote.js";
export { safetensors } from "./safetensors/safetensors.js";
export { tokenizers } from "./vocabulary/tokenizers.js";
export { vocabulary } from "./vocabulary/vocabulary.js";

/**
 * @typedef {import("./bytes.js").Source} Source
 * @typedef {import("./gguf/gguf.js").GgufFile} GgufFile
 * @typedef {import("./npz/npz.js").NpzFile} NpzFile
 * @typedef {import("./remote/settings.js").RemoteOptions} RemoteOptions
 * @typedef {import("./safetensors/safetensors.js").SafetensorsFile} SafetensorsFile
 * @typedef {import("./safetensors/sharded.js").ShardedFile} ShardedFile
 * @typedef {import("./tensors.js").Stored} Stored
 * @typedef {import("./tensors.js").StoredOptions} StoredOptions
 * @typedef {import("./tensors.js").TensorInfo} TensorInfo
 * @typedef {import("./vocabulary/tokenizers.js").TokenizerLike} TokenizerLike
 * @typedef {import("./vocabulary/vocabulary.js").Vocabulary} Vocabulary
 */
