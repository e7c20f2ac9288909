"""Calls that JavaScript wrote down, in CPython: the same bits."""

import base64
import json
import re
import sys

import numpy as np
import phasor_embeddings
from phasor_embeddings.phasor import DOCUMENTATION, _snake

DTYPES = {"Float32Array": "f4", "Float64Array": "f8", "Int8Array": "i1", "Uint8Array": "u1", "Uint16Array": "u2",
          "Int32Array": "i4", "Uint32Array": "u4", "BigInt64Array": "i8"}
BITS = ("bfloat16", "float16")

ph = phasor_embeddings.load()
objects = {}


def value(told):
    """What was given, as a caller in Python has it."""
    if isinstance(told, list):
        return [value(each) for each in told]
    if not isinstance(told, dict):
        return told
    kind = told["$"]
    if kind in ("number", "bigint"):
        return float(told["text"]) if kind == "number" else int(told["text"])
    if kind == "of":
        return objects[told["call"]]
    if kind == "dict":
        return {key: value(each) for key, each in told["entries"]}
    array = np.frombuffer(base64.b64decode(told["text"]), DTYPES[told["kind"]])
    if "shape" not in told:
        return array
    return {"data": array, "shape": told["shape"], "dtype": told["dtype"]} if told["dtype"] in BITS else array.reshape(told["shape"])


def same(ours, told, where):
    """Compares a result with JavaScript's; returns how many numbers there were."""
    if isinstance(told, list):
        assert len(ours) == len(told), where
        return sum(same(a, b, f"{where}[{i}]") for i, (a, b) in enumerate(zip(ours, told)))
    if not isinstance(told, dict):
        assert ours == told and isinstance(ours, bool) == isinstance(told, bool), (where, ours, told)
        return 1
    kind = told["$"]
    if kind in ("number", "bigint"):
        assert str(value(told)) == str(ours), (where, ours, told)
        return 1
    if kind == "dict":
        fields = [(_snake(key), each) for key, each in told["entries"]]
        return sum(same(ours[key] if isinstance(ours, dict) else getattr(ours, key), each, f"{where}.{key}") for key, each in fields)
    assert ours.tobytes() == base64.b64decode(told["text"]), where
    if "shape" in told:
        assert list(ours.shape) == told["shape"], (where, ours.shape)
    return ours.size


def called(path, of):
    *_, name = path.split(".")
    if of is not None:
        return getattr(objects[of], _snake(name))
    found = ph
    for each in path.split("."):
        found = getattr(found, _snake(each))
    return found


numbers = functions = 0
for at, call in enumerate(json.load(sys.stdin)):
    path = re.sub(r"\w+", lambda name: _snake(name[0]), call["path"])
    function = called(call["path"], call.get("of"))
    parameters, options, _ = DOCUMENTATION[path]
    args, given = [value(each) for each in call["args"]], {}
    if len(args) > len(parameters):
        given = {_snake(name): each for name, each in (args.pop() or {}).items()}
        assert set(given) <= set(options), (path, set(given) - set(options))
    result = function(*args, **given)
    if isinstance(result, phasor_embeddings.Resident):
        objects[at] = result
    numbers += same(result, call["result"], path)
    functions += 1
print(functions, numbers)
