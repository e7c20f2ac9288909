"""What a port's numbers are: `check` compares them with a model, `identify` needs none, `xray` reads a configuration."""

import json
import os
import pathlib
from typing import Any

from . import phasor as _phasor
from .engine import JsException, engine


class Verdict:
    """What `check` says. It is true if the numbers are the model's; its text names the likely slip.

    fits    whether the numbers are the model's
    data    all that was measured, as `phasor check --json` prints it
    """

    def __init__(self, fits: bool, words: str, data: "dict[str, Any]") -> None:
        self.fits, self.words, self.data = fits, words, data

    def __bool__(self) -> bool:
        return self.fits

    def __str__(self) -> str:
        return self.words

    __repr__ = __str__


def check(
    cos: Any = None,
    sin: Any = None,
    config: Any = None,
    *,
    q: Any = None,
    rotated: Any = None,
    heads_after: bool = False,
    layer: "int | None" = None,
    first: int = 0,
    length: "int | None" = None,
) -> Verdict:
    """Compare the rotary numbers of a port with those of a model.

    Parameters
    ----------
    cos, sin    [..., T, columns], of positions that follow each other; or
    q, rotated  vectors before and after their rotation, [..., T, columns]
    config      of the model: a config.json as a dict, its text or its path; a configuration of transformers;
                or a name of `ph.models.names`
    heads_after whether vectors are [..., T, H, columns]
    layer       of which layer, in models whose layers differ
    first       the first position
    length      of the sequence, for dynamic and longrope scaling. Default: the last position + 1
    """
    pairs = {"cos": (cos, sin), "q": (q, rotated)}
    given = [name for name, pair in pairs.items() if all(each is not None for each in pair)]
    if len(given) != 1 or sum(each is not None for pair in pairs.values() for each in pair) != 2:
        raise TypeError("check: arrays must be either cos and sin, or q and rotated")
    if config is None:
        raise TypeError("check: config must be given: a config.json or a model's name; got None")
    one, two = pairs[given[0]]
    names = ("cos", "sin") if given[0] == "cos" else ("q", "q_rotated")
    arrays = {name: _array(each, name) for name, each in zip(names, (one, two))}
    options = {"headsAfter": heads_after, "layer": layer, "first": first, "length": length}
    said = _call("check", arrays, _configuration(config), options)
    return Verdict(**said.to_py())


def identify(*, positions: Any = None, heads_after: "bool | None" = None, **arrays: Any) -> "dict[str, Any]":
    """Say what arrays are, without a model.

    Parameters
    ----------
    arrays  cos and sin; q and rotated; bias; table; position_ids and mask; or weights, reference and heads
    """
    made = {
        _phasor._camel(name): each if isinstance(each, int) else _array(each, name)
        for name, each in arrays.items()
    }
    options = {"positions": positions, "headsAfter": heads_after}
    kept = {name: each for name, each in options.items() if each is not None}
    return dict(_call("identify", made, _phasor._javascript(kept)).to_py())


def xray(config: Any, length: "int | None" = None) -> "dict[str, Any]":
    """Say what a context length is to a model; "sentence" says all of it in words.

    Parameters
    ----------
    config  as `check` takes it
    length  tokens. Default: that of the configuration
    """
    kept = {} if length is None else {"length": length}
    return dict(_call("xray", _configuration(config), kept).to_py())


def _call(name: str, *args: Any) -> Any:
    try:
        return getattr(engine().modules, name)(*args)
    except JsException as error:
        raise _phasor._translated(error, name) from None


def _array(value: Any, name: str) -> "dict[str, Any]":
    """Convert an array, also one of PyTorch or of 16 bits, to numbers that JavaScript has."""
    try:
        import numpy as np
    except ImportError:
        raise ImportError("phasor_embeddings needs numpy: pip install numpy") from None
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        value = value.float() if value.is_floating_point() else value
    array = np.asarray(value)
    if array.dtype == np.float16:
        array = array.astype(np.float32)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"{name} must hold numbers; got {array.dtype}")
    flat = _phasor._javascript(np.ascontiguousarray(array).reshape(-1))
    return {"data": flat, "shape": list(array.shape)}


def _configuration(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        value = value.to_dict()
    if isinstance(value, os.PathLike) or (isinstance(value, str) and value.endswith(".json")):
        return pathlib.Path(value).read_text("utf-8")
    return value if isinstance(value, str) else json.dumps(value, default=str)
