"""
Reads the cases of its input, a line of JSON each, with Python's own readers. Whatever phasor accepts, the
reference accepts too, with the same names, types, shapes and bytes. Prints what differs, how many cases
each reader compared, and which readers are missing.
"""

import hashlib
import io
import json
import sys
import tempfile
import warnings
import zipfile

warnings.simplefilter("ignore")

try:
    import numpy
except ImportError:
    numpy = None
try:
    import safetensors
except ImportError:
    safetensors = None
try:
    import gguf
except Exception:  # its own dependencies may be missing
    gguf = None


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


class Object(dict):
    """A JSON object that knows whether a key repeats. Where nothing is read, keys may repeat."""

    def __init__(self, pairs):
        super().__init__(pairs)
        self.repeats = len(self) < len(pairs)


def read_objects(data, *keys):
    """The object at a path of keys. None on the way has a key twice."""
    found = json.loads(data.decode("utf-8"), object_pairs_hook=Object)
    for key in (*keys, None):
        if isinstance(found, Object) and found.repeats:
            raise ValueError("a repeated key")
        if key is not None:
            found = found[key]
    return found


SAFE = {
    "F32": "float32", "F16": "float16", "BF16": "bfloat16", "F64": "float64", "I64": "int64",
    "I32": "int32", "I16": "int16", "I8": "int8", "U8": "uint8", "BOOL": "bool", "U16": "uint16",
    "U32": "uint32", "U64": "uint64", "C64": "complex64", "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2", "F8_E8M0": "float8_e8m0fnu", "F4": "float4_e2m1fn",
    "F6_E2M3": "float6_e2m3fn", "F6_E3M2": "float6_e3m2fn", "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2FNUZ": "float8_e5m2fnuz",
}


def read_safetensors(data):
    found = {}
    for name, tensor in safetensors.deserialize(data):
        dtype = SAFE.get(tensor["dtype"], tensor["dtype"])
        found[name] = [dtype, list(tensor["shape"]), digest(bytes(tensor["data"]))]
    return found


def read_gguf(data):
    with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
        file.write(data)
        file.flush()
        reader = gguf.GGUFReader(file.name)
        return {
            tensor.name: [None, [int(n) for n in reversed(tensor.shape)], digest(tensor.data.tobytes())]
            for tensor in reader.tensors
        }


def npy_of(data):
    array = numpy.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    little = numpy.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return [array.dtype.name, list(array.shape), digest(little.tobytes())]


def read_npy(data):
    return {"": npy_of(data)}


def read_npz(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        return {name[:-4]: npy_of(archive.read(name)) for name in names}


def read_json(data):
    return read_objects(data, "weight_map")


def read_tokenizer(data):
    vocab = read_objects(data, "model").get("vocab")  # its keys may repeat: the last counts
    if isinstance(vocab, list):
        return {token: id for id, (token, _) in enumerate(vocab)}
    return vocab


def read_lines(data):
    lines = data.decode("utf-8").split("\n")
    lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    return lines[:-1] if lines[-1] == "" else lines


# The reader, the module that it needs, and the keys of both results that are compared.
READERS = {
    "safetensors": (read_safetensors, safetensors, "safetensors"),
    "gguf": (read_gguf, gguf, "gguf"),
    "npy": (read_npy, numpy, "numpy"),
    "npz": (read_npz, numpy, "numpy"),
    "json": (read_json, json, "json"),
    "tokenizer": (read_tokenizer, json, "json"),
    "lines": (read_lines, json, "json"),
}


# Types of which gguf 0.19 has another size, or none.
NOT_IN_GGUF = {"Q8_1", "Q2_0"}

# What Python's reader refuses although the bytes are the same either way.
STRICTER = (
    "File name in directory",  # the flag for UTF-8 differs between a member's two headers
    "zip file version",  # the version that is needed is above 6.3
)


def is_beyond(case):
    """Whether the reference cannot read this case."""
    tensors = case["got"].get("tensors", [])
    return case["kind"] == "gguf" and any(t["dtype"] in NOT_IN_GGUF for t in tensors)


def same(kind, ours, theirs):
    """What differs between both results, or None."""
    if kind == "json":
        ours = dict(ours["entries"])
    elif kind == "tokenizer":
        tokens = ours["tokens"]
        wrong = [token for token, id in theirs.items() if tokens[id] != token]
        return f"{wrong[:3]} are other tokens" if wrong else None
    elif kind == "lines":
        ours = ours["tokens"]
        if len(ours) > len(theirs) and ours[-1] == "":
            ours = ours[:-1]  # a last line of "\r" alone may count or not
    else:
        tensors = [{"name": "", **ours}] if kind == "npy" else ours["tensors"]
        ours = {t["name"]: [t["dtype"], t["shape"], t["digest"]] for t in tensors}
        for name, tensor in theirs.items():
            if tensor[0] is None and name in ours:
                tensor[0] = ours[name][0]
    return None if ours == theirs else f"{str(ours)[:300]} is {str(theirs)[:300]} in Python"


def main():
    found, compared, skipped = [], {}, {}
    for line in sys.stdin:
        if not line.strip():
            continue
        case = json.loads(line)
        kind = case["kind"]
        read, module, name = READERS[kind]
        if module is None:
            skipped[kind] = f"Python has no module {name}"
            continue
        if case["isAccepted"] and is_beyond(case):
            continue
        compared[kind] = compared.get(kind, 0) + 1
        if not case["isAccepted"]:
            continue
        try:
            broken = same(kind, case["got"], read(bytes.fromhex(case["hex"])))
        except Exception as error:
            broken = f"{type(error).__name__}: {str(error)[:300]}"
        if broken and not any(text in broken for text in STRICTER):
            failure = {"target": case["target"], "index": case["index"], "hex": case["hex"]}
            found.append({**failure, "broken": f"Python's reader differs: {broken}"})
    print(json.dumps({"found": found, "compared": compared, "skipped": skipped}))


main()
