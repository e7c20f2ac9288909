"""phasor in Python: token embeddings and positional encodings.

    import phasor_embeddings

    ph = phasor_embeddings.load()
    cos, sin = ph.rope.table(8, 64, base=500000)

`check(cos, sin, config)` says whether the rotary numbers of a port are a model's, and if not, the likely slip;
`identify` and `xray` are the commands of these names. pytest has the fixture `phasor`.

In Pyodide (JupyterLite, PyScript) it is `ph = await phasor_embeddings.load()`, and `check`, `identify` and `xray` are
not there. `await` works everywhere.

In Jupyter, marimo, Colab and VS Code there is a widget of every scheme:

    from phasor_embeddings import Widget

    Widget(scheme="rope", options={"length": 64, "dim": 8})
"""

import difflib
import pathlib
import sys

from . import phasor as _phasor
from .phasor import Figure, Phasor, RangeError, Resident

__version__ = "0.0.0"  # the build writes the package's
__all__ = ["Figure", "Phasor", "RangeError", "Resident", "Widget", "check", "identify", "load", "numbers", "xray"]

_OF_WIDGET = ("Widget", "numbers")

if sys.platform == "emscripten":
    __all__ = [name for name in __all__ if name not in ("check", "identify", "xray")]

    async def load(url=str(pathlib.Path(__file__).parent / "index.js"), wasm=None):
        return await _phasor.load(url, wasm)

    load.__doc__ = _phasor.load.__doc__

else:
    from .engine import engine as _engine
    from .oracle import check, identify, xray

    def load():
        """Start phasor; every call of a process returns the same. It can be awaited, too, as in Pyodide.

        Returns
        -------
        Phasor, whose attributes are the modules: ph.embedding, ph.rope, ...; ph.models, ph.plots, ph.lab
        """
        return _engine().once(lambda modules: Phasor(dict(modules.phasor)))


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
    near = difflib.get_close_matches(name, __all__, 1, 0.7)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    raise AttributeError(f'phasor_embeddings has no "{name}"{hint}', name=name)


def __dir__():
    return sorted({*globals(), *__all__})
