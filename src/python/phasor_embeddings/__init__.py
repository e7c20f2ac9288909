"""phasor in Python: token embeddings and positional encodings.

In Pyodide (JupyterLite, PyScript) the whole package, from the files beside this one:

    import phasor_embeddings as phasor

    ph = await phasor.load()
    cos, sin = ph.rope.table(8, 64, base=500000)

In Jupyter, marimo, Colab and VS Code the widget, whose numbers JupyterLab lets a cell await:

    from phasor_embeddings import Widget

    view = Widget(scheme="rope", options={"length": 64, "dim": 8})
    table = await view.result()
"""

import difflib
import pathlib
import sys

__version__ = "0.0.0"  # the build writes the package's
__all__ = ["Figure", "Phasor", "RangeError", "Resident", "Widget", "load", "numbers"]

_FOLDER = pathlib.Path(__file__).parent
_OF_WIDGET = ("Widget", "numbers")

if sys.platform == "emscripten":
    from . import phasor as _phasor
    from .phasor import Figure, Phasor, RangeError, Resident

    async def load(url=str(_FOLDER / "index.js"), wasm=None):
        return await _phasor.load(url, wasm)

    load.__doc__ = _phasor.load.__doc__

else:

    def load(url=None, wasm=None):
        """Start phasor, in Pyodide. Elsewhere there is no JavaScript to call, so it raises ImportError."""
        raise ImportError(
            "phasor_embeddings.load needs Pyodide (JupyterLite, PyScript); got CPython, which has the Widget:"
            " from phasor_embeddings import Widget"
        )


def __getattr__(name):
    if name in _OF_WIDGET:
        try:
            from . import widget
        except ModuleNotFoundError as error:
            if error.name not in ("anywidget", "numpy", "traitlets"):
                raise
            raise ImportError(
                f"phasor_embeddings.{name} needs {error.name}: pip install 'phasor-embeddings[widget]'"
            ) from None
        return getattr(widget, name)
    if name in __all__:
        raise ImportError(f"phasor_embeddings.{name} needs Pyodide (JupyterLite, PyScript); got CPython")
    near = difflib.get_close_matches(name, __all__, 1, 0.7)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    raise AttributeError(f'phasor_embeddings has no "{name}"{hint}', name=name)


def __dir__():
    return sorted({*globals(), *__all__})
