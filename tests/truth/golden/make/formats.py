"""Files of .npy, .npz, .safetensors and .gguf, valid and malformed; half precision; ggml's blocks.

All of them draw from one generator, so their order is part of the values.
"""

import formats_ggml
import formats_gguf
import formats_half
import formats_malformed
import formats_numpy
import formats_safetensors
from store import generator


def make(topic, folder):
    for name in ("formats", "bad"):
        (folder / name).mkdir(exist_ok=True)
    random = generator("formats")
    formats_numpy.make(topic, folder, random)
    matrix = formats_safetensors.make(topic, folder, random)
    formats_half.make(topic, random)
    formats_ggml.make(topic, random)
    gguf = formats_gguf.make(topic, folder, random)
    formats_malformed.make(topic, folder, matrix, gguf)
