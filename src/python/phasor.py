"""phasor in Python: token embeddings and positional encodings in every host of Pyodide.

    import numpy as np
    import phasor

    ph = await phasor.load()
    cos, sin = ph.rope.table(8, 64, base=500000)

The functions are those of the JavaScript package, with names in snake_case and options as keyword
arguments. `dir(ph)` lists the modules, `help(ph.rope)` describes a module and `help(ph.rope.table)` a
function.

Arrays    Arguments are objects with Python's buffer protocol (NumPy arrays, array.array, memoryview)
          or nested lists; they are copied once. Results are NumPy arrays, copied once, or memoryviews
          of the same shape where NumPy is not installed. bfloat16 is returned as the bits in uint16.
Results   Several results are a named tuple: `cos, sin = ...`, `result.cos` or `**result`.
Memory    Objects that keep memory, such as `ph.embedding.create(...)`, have `dispose()` and work in a
          `with` statement. Other results need no release.
Errors    TypeError for a wrong type; ValueError, which is also an IndexError, for a wrong value;
          MemoryError; RuntimeError. The messages are those of JavaScript: "FUNCTION: ARGUMENT must RULE; got VALUE".
Training  `for step in model.train(task): ...` makes the steps of a decoder of `ph.lab` as the loop asks for them.
Figures   `ph.plots.heatmap(x)` returns text, SVG or (as_="png") a data: address, which a notebook shows
          as a picture. heatmap, bias, clock and scatter need no other library.
"""

import array
import base64
import collections
import difflib
import functools
import inspect
import keyword
import re
import struct
import sys
import types
import warnings

if sys.platform == "emscripten":
    from js import Object
    from pyodide import ffi
    from pyodide.code import run_js
    from pyodide.ffi import JsException, JsProxy, to_js

    def _again(proxy):
        return proxy

    _dynamic_import = run_js("(url) => import(url)")

    #: The properties of an object; functions are bound to it.
    _open = run_js(
        """(x) => Object.entries(x).map(([name, value]) =>
             [name, typeof value === "function" ? Object.assign(value.bind(x), value) : value])"""
    )

    _kind = run_js("(x) => Object.prototype.toString.call(x).slice(8, -1)")

    _doubles = run_js(
        """(data) => {
             const numbers = Float64Array.from(data, Number);
             return numbers.every((x) => Math.abs(x) <= Number.MAX_SAFE_INTEGER) ? numbers : data;
           }"""
    )
else:  # V8, in the wheel
    from .engine import JsException, JsProxy, Object, _again, _doubles, _kind, _open, ffi, to_js

__version__ = "0.0.0"  # the build writes the package's

URL = f"https://cdn.jsdelivr.net/npm/phasor@{__version__}/dist/index.js"

#: Parameters, options and text of each function, by its path. The build writes them below.
DOCUMENTATION = {}


async def load(url=URL, wasm=None):
    """Start phasor.

    Parameters
    ----------
    url : the address of index.js, or a file such as "phasor/index.js" next to the notebook.
        models.js, plots.js, lab.js and lab-parts.js must be in the same folder.
    wasm : the address of another compiled core than that of the package

    Returns
    -------
    Phasor, whose attributes are the modules: ph.embedding, ph.rope, ...; ph.models, ph.plots, ph.lab
    """
    index = await _import(url)
    if not hasattr(index, "load"):
        raise ImportError(f"phasor must be at {url}; got a module without load")
    try:
        started = await index.load(_javascript({} if wasm is None else {"wasm": wasm}))
    except JsException as error:
        raise _translated(error, "load") from None
    modules = dict(_open(started))
    for name in _BESIDE:
        beside = re.sub(r"index\.js$", f"{name}.js", re.sub(r"\+esm$", f"dist/{name}.js", url))
        if beside == url:
            continue
        try:
            module = await _import(beside)
        except ImportError:
            continue  # Phasor reports it when the attribute is used
        if name == "lab":
            modules[name] = (await module.load()).lab
        else:
            modules[name] = module.models if name == "models" else module.figures()
    return Phasor(modules)


#: The modules with files beside index.js.
_BESIDE = ("models", "plots", "lab")


class Phasor:
    """The modules of phasor as attributes."""

    def __init__(self, modules):
        self.__dict__.update((_snake(name), _module(_snake(name), js)) for name, js in modules.items())

    def __await__(self):  # V8 has loaded it before load() returns
        yield from ()
        return self

    def __getattr__(self, name):
        beside = "; models, plots and lab need models.js, plots.js, lab.js and lab-parts.js next to index.js"
        hint = beside if name in _BESIDE else None
        raise _unknown("phasor", "module", name, vars(self), hint)

    def __repr__(self):
        return f"phasor {__version__}: {', '.join(vars(self))}"


class _Module(types.ModuleType):
    def __getattr__(self, name):
        raise _unknown(self.__name__.partition(".")[2], "function", name, vars(self).get("__all__", []))


class Resident:
    """An object that keeps memory until `dispose()` or the end of its `with` statement."""

    def __init__(self, js, path):
        self._js, self._path = js, path
        self.__doc__ = DOCUMENTATION.get(path, ([], [], self.__doc__))[2]
        for name, value in _open(js):
            if not _OMITTED.search(f"{path}.{name}"):
                setattr(self, _snake(name), _python(value, f"{path}.{_snake(name)}", self))

    def __getattr__(self, name):
        known = [each for each in self.__dict__ if not each.startswith("_")]
        raise _unknown(self.__dict__.get("_path", "it"), "attribute", name, known)

    def _read(self):
        for name, value in _open(_again(self._js)):
            if not callable(value):
                setattr(self, _snake(name), _python(value, f"{self._path}.{_snake(name)}"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.dispose()

    def __repr__(self):
        facts = (f"{name}={value}" for name, value in vars(self).items() if type(value) is int)
        return f"<{' '.join([self._path, *facts])}>"


class Steps:
    """The steps of a training: each is made when a loop asks for it. A loop that ends early can be followed by another."""

    def __init__(self, js, path):
        self._js, self._path, self._begun = js, path, False

    def __iter__(self):
        return self

    def __next__(self):
        self._begun = True
        try:
            step = self._js.next()
        except JsException as error:
            raise _translated(error, self._path) from None
        if step.done:
            raise StopIteration
        return _python(step.value, self._path)

    def __del__(self):
        if not self._begun:
            warnings.warn(f"{self._path}: no step was made; use it in a for loop", RuntimeWarning, stacklevel=2)


class Figure(str):
    """A picture as text: SVG, or a data: address of a PNG. Notebooks show the picture."""

    def _repr_mimebundle_(self, include=None, exclude=None):
        if self.startswith("data:image/png"):
            return {"image/png": self.partition(",")[2]}
        return {"image/svg+xml": str(self)}

    def __repr__(self):
        return f"<phasor.Figure of {len(self)} characters>"


class RangeError(ValueError, IndexError):
    """A value, length, shape or index that is out of range. JavaScript has one class for both."""


_ERRORS = {
    "TypeError": TypeError,
    "DisposedError": TypeError,
    "RangeError": RangeError,
    "OutOfMemoryError": MemoryError,
}


def _unknown(what, kind, name, known, hint=None):
    """Creates the error of a name that does not exist, with the nearest one that does."""
    said = _near(name, known) or f"; its {kind}s are {', '.join(known) or 'none'}"
    made = AttributeError(f'{what} has no {kind} "{name}"{said if hint is None else hint}')
    made.name = name  # or Python adds another suggestion
    return made


def _near(name, known):
    near = difflib.get_close_matches(name, known, 1, 0.7)
    return f'; did you mean "{near[0]}"?' if near else ""


def _translated(error, path):
    """Creates Python's error of one of JavaScript, whose message names the function as Python writes it."""
    message = re.sub(r"^[\w.]+: (?=.+ must .+; got )", lambda _: f"{path}: ", error.message, flags=re.DOTALL)
    return _ERRORS.get(error.name, RuntimeError)(message)


async def _import(url):
    address = url
    if not re.match(r"[a-z][a-z0-9+.-]*:", url):  # a file of Python's file system
        try:
            address = _address(url)
        except OSError as error:
            raise ImportError(f"phasor must be at {url}; got {error}") from None
    try:
        return await _dynamic_import(address)
    except JsException as error:
        raise ImportError(f"phasor must be at {url}; got {error.message}") from None


def _address(path):
    """Returns the address of a file, and within it those of the files that it imports from its folder."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    folder = path.rpartition("/")[0] or "."
    text = re.sub(r'from"\./([\w-]+\.js)"', lambda found: f'from"{_address(f"{folder}/{found[1]}")}"', text)
    return f"data:text/javascript;base64,{base64.b64encode(text.encode()).decode()}"


def _module(name, js):
    """Converts a module, so that help() and dir() work, or a function with functions as attributes."""
    paths = {key: f"{name}.{_snake(key)}" for key, _ in _open(js)}
    kept = [(key, value) for key, value in _open(js) if not _OMITTED.search(paths[key])]
    members = {_snake(key): _member(value, paths[key]) for key, value in kept}
    if callable(js):
        function = _function(js, name)
        function.__dict__.update(members)
        return function
    module = _Module(f"phasor.{name}", DOCUMENTATION.get(name, ([], [], ""))[2])
    module.__dict__.update(members, __all__=list(members))
    return module


#: What takes functions of the caller's, which V8 cannot call.
_OMITTED = re.compile(r"^lab\.(experiment|tasks\.\w+\(\)\.(fill|held))$")


def _member(value, path):
    """Converts a member of a module: presets are dicts with the JavaScript names, which options take."""
    is_list = _kind(value).endswith("Array")
    if callable(value) or (not is_list and any(callable(each) for _, each in _open(value))):
        return _module(path, value)
    return value.to_py()


def _function(js, path, owner=None):
    parameters, options, text = DOCUMENTATION.get(path, (None, [], ""))
    signature = _signature(parameters, options)
    draws = path.startswith("plots.")
    changes = path.endswith("().change")  # what it takes are options, by place

    def function(*args, **given):
        if parameters is not None:
            given = {_snake(name): value for name, value in given.items()}
            for name in given:
                if name not in signature.parameters:
                    rule = f"have only {', '.join(options)}" if options else "be empty"
                    raise TypeError(f'{path}: options must {rule}; got "{name}"{_near(name, options)}')
            bound = signature.bind(*args, **given)
            args, given = bound.args, bound.kwargs
        if draws:
            given = {"as_": "svg", **given}
        args = [_javascript(value, names=changes) for value in args]
        if given:
            missing = len(parameters or args) - len(args)
            args += [None] * missing + [_javascript(given, names=True)]
        try:
            result = js(*args)
        except JsException as error:
            raise _translated(error, path) from None
        if changes:
            owner._read()
        return Figure(result) if draws else _python(result, f"{path}()")

    function.__name__ = path.rpartition(".")[2]
    function.__qualname__ = path
    function.__doc__ = text
    function.__signature__ = signature
    return function


def _signature(parameters, options):
    """Creates a signature; a function without an entry takes any arguments."""
    Parameter = inspect.Parameter
    if parameters is None:
        kinds = {"args": Parameter.VAR_POSITIONAL, "options": Parameter.VAR_KEYWORD}
        return inspect.Signature([Parameter(name, kind) for name, kind in kinds.items()])
    both = []
    for name in parameters:
        default = None if name.endswith("=") else Parameter.empty
        both.append(Parameter(name.rstrip("="), Parameter.POSITIONAL_OR_KEYWORD, default=default))
    for name in options:
        both.append(Parameter(name, Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(both)


def _python(value, path, owner=None):
    """Converts a value from JavaScript. `owner`: the object that it is a method of."""
    if value is getattr(ffi, "jsnull", None):
        return None
    if not isinstance(value, JsProxy):
        return value
    kind = _kind(value)
    if kind == "Array":
        return [_python(each, path) for each in value]
    if kind.endswith("Array"):
        return _array(value, [len(value)])
    if kind == "Generator":
        return Steps(value, path.removesuffix("()"))
    if callable(value):
        return _function(value, path, owner)
    entries = dict(_open(value))
    if {"data", "shape", "dtype"} <= entries.keys():
        return _array(entries["data"], entries["shape"].to_py(), entries["dtype"])
    if any(callable(each) for each in entries.values()):
        return Resident(value, path)
    fields = {_snake(name): _python(each, path) for name, each in entries.items()}
    if not all(name.isidentifier() for name in fields):
        return fields
    return _record(tuple(fields))(**fields)


def _array(data, shape, dtype=None):
    view = data.to_py()  # the only copy, in memory of Python
    try:
        import numpy
    except ImportError:  # Pyodide installs NumPy when a cell imports it
        return view.cast("B").cast(view.format, shape) if 0 not in shape else view
    array = numpy.asarray(view)
    return (array.view(numpy.float16) if dtype == "float16" else array).reshape(shape)


@functools.cache
def _record(names):
    """Creates a named tuple that `**` unpacks as well."""

    class Record(collections.namedtuple("Record", names)):
        __slots__ = ()

        def keys(self):
            return self._fields

        __reduce__ = lambda self: (_restored, (self._fields, tuple(self)))  # its class is made anew

        def __getitem__(self, key):
            return getattr(self, key) if isinstance(key, str) else super().__getitem__(key)

    return Record


def _restored(names, values):
    return _record(names)(*values)


#: memoryview formats with a JavaScript array, except bool and 8-byte integers.
_FORMATS = "efdbBhHiIlL"


def _javascript(value, names=False):
    """Converts a value for JavaScript. `names`: the keys are names of options."""
    if value is None or isinstance(value, (bool, int, float, str, JsProxy)):
        return value  # None becomes undefined, the default
    if isinstance(value, Resident):
        return value._js
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        value, names = value._asdict(), True
    if isinstance(value, dict):
        pairs = [[_camel(key) if names else key, _javascript(each, names)] for key, each in value.items()]
        return Object.fromEntries(to_js(pairs))
    if isinstance(value, (list, tuple, range)):
        return to_js([_javascript(each, names) for each in value])
    try:
        view = memoryview(value)
    except TypeError:
        raise TypeError(
            f"an argument must be a number, text, an array, a list or a dict; got {type(value).__name__}"
        ) from None
    return _typed_array(view)


def _typed_array(view):
    if view.format not in [*_FORMATS, "?", "q", "Q"]:
        raise TypeError(
            "an array must hold float32, float64, whole numbers or bool in this machine's byte order;"
            f' got format "{view.format}"'
        )
    if view.ndim == 0:
        return struct.unpack("e", view.tobytes())[0] if view.format == "e" else view[()]
    shape, kind = view.shape, view.format
    if kind == "e":  # as float32, which holds float16 exactly
        kind, view = "f", memoryview(array.array("f", struct.unpack(f"{view.nbytes // 2}e", view.tobytes())))
    if 0 in shape:
        view = memoryview(bytes()).cast(kind)
    else:
        view = (view if view.c_contiguous else memoryview(view.tobytes())).cast("B")
    view = view.cast("B").cast("B" if kind == "?" else kind)
    data = to_js(view)  # the only copy
    if kind in "qQ":  # BigInt is allowed for ids only; doubles where they are exact
        data = _doubles(data)
    if len(shape) == 1:
        return data
    return Object.fromEntries(to_js([["data", data], ["shape", list(shape)]]))


def _snake(name):
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    return words + "_" * keyword.iskeyword(words)


def _camel(name):
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name.rstrip("_"))
