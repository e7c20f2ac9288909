"""JavaScript in CPython: V8 of the package mini-racer, by the names that Pyodide has for the same.

A call crosses as JSON, in which arrays are places; their bytes are copied as they are (src/python/engine.js).
"""

import atexit
import concurrent.futures
import ctypes
import importlib.resources
import json
import os
import threading
import time
from typing import Any

_FILES = importlib.resources.files(__package__)

#: How often a promise is asked for, in seconds. Nothing in the package waits for a network or a timer.
_PAUSE = 0.0002


class JsException(Exception):
    """An error of JavaScript's."""

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name, self.message = name, message


class JsProxy:
    """An object of JavaScript's, with what it had when it crossed."""

    def __init__(self, engine: "Engine", kind: str, entries: Any, number: "int | None") -> None:
        self.engine, self.kind, self.entries, self.number = engine, kind, entries, number

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        for each, value in self.entries:
            if each == name:
                return value
        raise AttributeError(name)

    def __iter__(self) -> Any:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __del__(self) -> None:
        if self.number is not None:
            self.engine.dropped.append(self.number)

    def to_py(self) -> Any:
        if self.kind == "Array":
            return [_plain(each) for each in self.entries]
        return {name: _plain(each) for name, each in self.entries}


class JsFunction(JsProxy):
    def __call__(self, *args: Any) -> Any:
        return self.engine.call(self.number, args)


class JsArray(JsProxy):
    """The numbers of an array, in memory of Python."""

    def to_py(self) -> Any:
        return self.entries


def _plain(value: Any) -> Any:
    return value.to_py() if isinstance(value, JsProxy) else value


#: Pyodide's module of this name has `jsnull`; here null is None.
ffi = None


class Object:
    """The one function of JavaScript's Object that is used."""

    fromEntries = dict


def to_js(value: Any) -> Any:
    """Return the value: it crosses with its call."""
    return value


def _open(proxy: Any) -> Any:
    return proxy.entries


def _again(proxy: Any) -> Any:
    """Return an object as it is now."""
    return proxy.engine.modules.again(proxy)


def _kind(proxy: Any) -> str:
    return str(proxy.kind)


def _doubles(data: Any) -> Any:
    """Return the value: engine.js makes doubles of it."""
    return data


class Engine:
    """V8 with the package. Calls of several threads follow each other."""

    def __init__(self) -> None:
        try:
            from py_mini_racer import MiniRacer, init_mini_racer
        except ImportError as error:
            raise ImportError(
                f"phasor_embeddings needs mini-racer (V8): pip install mini-racer; got {error}"
            ) from None
        # V8 protects its memory by keys of the processor. The thread that starts V8 has access, and so have threads
        # that begin later. The main thread ends V8 at exit, so V8 must not be started in the thread below.
        init_mini_racer(ignore_duplicate_init=True)
        # Where an event loop runs, as in a notebook, V8 would answer to that thread alone.
        with concurrent.futures.ThreadPoolExecutor(1) as apart:
            racer: Any = apart.submit(MiniRacer).result()
        self.racer = racer
        atexit.register(self._end)  # later, its thread no longer runs, and V8 would wait for ever
        if hasattr(os, "register_at_fork"):  # where there is no such thread, V8 must not end at all
            os.register_at_fork(after_in_child=lambda: ctypes.pythonapi.Py_IncRef(ctypes.py_object(self)))
        self.process = os.getpid()
        self.lock = threading.RLock()
        self.dropped: list[int] = []
        self.interrupted = False
        self.made: Any = None
        racer.eval(_FILES.joinpath("engine.js").read_text("utf-8"))
        wire = {name: racer.eval(f"phasor.{name}") for name in ("room", "take", "clear", "settled", "start", "call")}
        self._room, self._take, self._clear, self._settled, start, self._call = wire.values()
        self._small: Any = racer.eval("phasor.small")
        wasm = _FILES.joinpath("engine.wasm").read_bytes()
        self._room(len(wasm))[:] = wasm
        self.modules = self._answer(start())

    def _end(self) -> None:
        if os.getpid() == self.process:
            self.racer.close()

    def refuse_fork(self) -> None:
        """Raise in a forked process, which has V8's memory without its threads: a call would wait for ever."""
        if os.getpid() != self.process:
            raise RuntimeError(
                "phasor_embeddings must not be loaded before a fork that uses it;"
                ' load it in the new process alone, or start processes by "spawn"'
            )

    def once(self, make: Any) -> Any:
        """Return what a function makes of the modules; the first call alone makes it."""
        with self.lock:
            if self.made is None:
                self.made = make(self.modules)
            return self.made

    def call(self, number: Any, args: Any) -> Any:
        """Call a function that is held under a number."""
        self.refuse_fork()
        with self.lock:
            if self.interrupted:  # the call that Ctrl-C left must end before its memory is used
                self._clear()
                self.interrupted = False
            arrays: list[memoryview] = []
            places = [0]
            values = [_sent(value, arrays, places) for value in args]
            self._write(arrays, places)
            dropped = self.dropped[:]
            del self.dropped[: len(dropped)]
            try:
                return self._answer(self._call(json.dumps([number, values, dropped])))
            except KeyboardInterrupt:
                self.interrupted = True
                raise

    def _write(self, arrays: list[memoryview], places: list[int]) -> None:
        total = places[-1]
        buffer = self._small if total <= len(self._small) else self._room(total)
        for array, at in zip(arrays, places):
            buffer[at : at + array.nbytes] = array

    def _answer(self, text: Any) -> Any:
        while text == "":
            text = self._settled()
            if text == "":
                time.sleep(_PAUSE)
        answer = json.loads(text)
        if "error" in answer:
            raise JsException(*answer["error"])
        return self._read(answer["result"])

    def _read(self, value: Any) -> Any:
        if isinstance(value, list):
            return JsProxy(self, "Array", [self._read(each) for each in value], None)
        if not isinstance(value, dict):
            return value
        tag, *rest = value["$"]
        if tag == "number":
            return float(rest[0])
        if tag == "bigint":
            return int(rest[0])
        if tag == "array":
            return JsArray(self, "TypedArray", self._array(*rest), None)
        entries = [(name, self._read(each)) for name, each in rest[0]]
        return (JsFunction if tag == "function" else JsProxy)(self, tag, entries, rest[1])

    def _array(self, form: str, length: int, at: int) -> Any:
        size = _SIZES[form] * length
        bytes_ = self._small[at : at + size] if at >= 0 else self._take(-at - 1)
        copy: Any = memoryview(bytearray(bytes_))  # the only one, in memory of Python
        return copy.cast(form)


_SIZES = {"f": 4, "d": 8, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8}


def _sent(value: Any, arrays: list[memoryview], places: list[int]) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return value if abs(value) < 2**53 else {"$": ["bigint", str(value)]}
    if isinstance(value, float):
        return value if value - value == 0 else {"$": ["number", _WORDS[str(value)]]}
    if isinstance(value, JsProxy):
        return {"$": ["held", value.number]}
    if isinstance(value, list):
        return [_sent(each, arrays, places) for each in value]
    if isinstance(value, dict):
        return {"$": ["dict", [[name, _sent(each, arrays, places)] for name, each in value.items()]]}
    at = places[-1]
    arrays.append(value.cast("B"))
    places.append(at + -(-value.nbytes // 8) * 8)
    # JavaScript has one int32: C's long has 4 or 8 bytes.
    form = {"l": "iq", "L": "IQ"}.get(value.format, value.format * 2)[value.itemsize == 8]
    return {"$": ["array", at, len(value), form]}


_WORDS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


_started: "Engine | None" = None
_starting = threading.Lock()


def engine() -> Engine:
    """Return the engine of this process, started at the first call."""
    global _started
    with _starting:
        if _started is None:
            _started = Engine()
        _started.refuse_fork()
        return _started
