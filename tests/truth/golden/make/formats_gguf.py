"""Files of .gguf."""

import gguf
import numpy as np
from formats_ggml import Ggml, quantization
from formats_safetensors import bfloat16

SOURCE = "gguf-py GGUFWriter, read back by GGUFReader"

SCALARS = {
    "x.u8": ("add_uint8", 200),
    "x.i8": ("add_int8", -7),
    "x.u16": ("add_uint16", 65000),
    "x.i16": ("add_int16", -300),
    "x.i32": ("add_int32", -70000),
    "x.u64": ("add_uint64", 1 << 40),
    "x.i64": ("add_int64", -(1 << 40)),
    "x.f64": ("add_float64", 0.1),
    "x.bool": ("add_bool", True),
    "x.str": ("add_string", "h\u00e9llo \u4e16\u754c"),
}


def make(topic, folder, random):
    """Returns the bytes of the first file."""

    def add(name, vocab, dim, dtype, note, alignment=None, extra=False):
        path = f"formats/{name}.gguf"
        writer = gguf.GGUFWriter(folder / path, "llama")
        kv = metadata(writer, vocab, dim, alignment, extra)
        tensors, outputs = {}, {}

        def tensor(tensor_name, values, tensor_dtype):
            outputs[f"expected/{tensor_name}"] = write(writer, tensor_name, values, tensor_dtype)
            tensors[tensor_name] = {
                "type": tensor_dtype,
                "type_id": int(quantization(tensor_dtype)),
                "ne": list(values.shape[::-1]),
                "shape": list(values.shape),
            }

        def normal(*shape):
            return random.standard_normal(shape)

        tensor("token_embd.weight", (normal(vocab, dim) * 0.1).astype(np.float32), dtype)
        tensor("output_norm.weight", (1 + 0.1 * normal(dim)).astype(np.float32), "F32")
        if extra:
            tensor("position_embd.weight", (normal(3, dim) * 0.1).astype(np.float32), "BF16")
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        assert {one.name for one in gguf.GGUFReader(folder / path).tensors} == set(tensors)
        topic.add(
            f"gguf.{name}",
            "gguf_read",
            {
                "path": path,
                "version": 3,
                "alignment": alignment or 32,
                "kv": kv,
                "tensors": tensors,
            },
            {},
            outputs,
            SOURCE,
            f"{note} ne is ggml's order (fastest first); shape is row-major.",
        )
        return (folder / path).read_bytes()

    first = add("tiny_f16", 10, 24, "F16", "f16 table, every scalar metadata type.", extra=True)
    add("tiny_q8_0", 12, 64, "Q8_0", "Q8_0 table.")
    add("tiny_q4_k", 8, 256, "Q4_K", "Q4_K table.")
    add("tiny_f32", 7, 12, "F32", "float32 table, alignment 64.", alignment=64)
    return first


def metadata(writer, vocab, dim, alignment, extra):
    tokens = ["<unk>", "<s>", "</s>", *(f"tok{i}" for i in range(vocab - 4)), "é词"]
    kv = {"general.architecture": "llama"}  # the writer adds it
    if alignment:
        writer.add_custom_alignment(alignment)
        kv["general.alignment"] = alignment
    for key, add, value in [
        ("general.name", writer.add_name, "tiny"),
        ("llama.context_length", writer.add_context_length, 64),
        ("llama.embedding_length", writer.add_embedding_length, dim),
        ("llama.vocab_size", writer.add_vocab_size, vocab),
        ("llama.rope.freq_base", writer.add_rope_freq_base, 10000.0),
        ("tokenizer.ggml.model", writer.add_tokenizer_model, "llama"),
        ("tokenizer.ggml.tokens", writer.add_token_list, tokens),
        ("tokenizer.ggml.scores", writer.add_token_scores, [-float(i) / 4 for i in range(vocab)]),
    ]:
        add(value)
        kv[key] = value
    if extra:
        for key, (method, value) in SCALARS.items():
            getattr(writer, method)(key, value)
            kv[key] = value
    return kv


def write(writer, name, values, dtype):
    """Adds a tensor. Returns its values as float32."""
    if dtype in ("F32", "F16"):
        stored = values.astype(np.float32 if dtype == "F32" else np.float16)
        writer.add_tensor(name, stored)
        return stored.astype(np.float32)
    if dtype == "BF16":
        raw, expected = bfloat16(values)
        stored = np.frombuffer(raw, np.uint8).reshape(len(values), -1)
    else:
        stored = Ggml().quantize(dtype, values)
        expected = gguf.quants.dequantize(stored, quantization(dtype))
    writer.add_tensor(name, stored, raw_dtype=quantization(dtype))
    return expected
