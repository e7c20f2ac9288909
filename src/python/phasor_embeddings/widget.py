"""The widget of phasor for anywidget: every scheme with sliders, and its numbers as NumPy arrays."""

import asyncio
import difflib
import importlib.resources
from typing import Any

import anywidget
import numpy as np
import traitlets


class Widget(anywidget.AnyWidget):
    """A scheme as a picture with sliders.

    scheme      what is drawn: "sinusoidal", "rope", "alibi", ...
    options     the arguments of the scheme's function, by their names in JavaScript
    data        the numbers of "data", "similarity" and "pca": nested lists, or what `numbers` returns
    figure      options of the picture: rowTitle, domain, labels, ...
    title       the picture's first line
    theme       "auto", "light" or "dark"
    controls    whether there are sliders, which change `options`
    selection   what is pointed at, both ways: row and column, or index
    value       a result: the picture's numbers as data, shape and dtype
    error       a result: the error message, or ""
    """

    _esm = importlib.resources.files(__package__).joinpath("widget.js").read_text("utf-8")
    scheme = traitlets.Unicode("sinusoidal").tag(sync=True)
    options = traitlets.Dict().tag(sync=True)
    data = traitlets.Any().tag(sync=True)
    figure = traitlets.Dict().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    theme = traitlets.Unicode("auto").tag(sync=True)
    controls = traitlets.Bool(True).tag(sync=True)
    selection = traitlets.Dict(None, allow_none=True).tag(sync=True)
    value = traitlets.Dict().tag(sync=True)
    error = traitlets.Unicode().tag(sync=True)

    # `result` counts its requests. The browser returns the count with the numbers, so that those of earlier
    # options are not taken for the answer.
    _request = traitlets.Int(0).tag(sync=True)
    _answer = traitlets.Int(0).tag(sync=True)

    #: How many calls of `result` wait.
    _waiting = 0

    def __init__(self, **traits: Any) -> None:
        known = [name for name in Widget.class_own_traits(sync=True) if not name.startswith("_")]
        for name in traits:
            if not self.has_trait(name):
                near = difflib.get_close_matches(name, known, 1, 0.7)
                hint = f'did you mean "{near[0]}"?' if near else f"its traits are {', '.join(sorted(known))}"
                raise TypeError(f'Widget has no trait "{name}"; {hint}')
        super().__init__(**traits)

    def numpy(self) -> "np.ndarray[Any, Any]":
        """Return the numbers of the last picture. A cell that has just changed the widget awaits `result`."""
        if self.error or not self.value:
            raise ValueError(self.error or "the widget has no numbers yet; use `await view.result()`")
        return np.frombuffer(self.value["data"], self.value["dtype"]).reshape(self.value["shape"])

    async def result(self, timeout: float = 20) -> "np.ndarray[Any, Any]":
        """Return the numbers of the present traits, once the browser has computed them.

        Parameters
        ----------
        timeout : seconds to wait

        Raises
        ------
        ValueError     for wrong options, in phasor's words
        TimeoutError   where no browser answers, as in nbconvert and papermill
        """
        loop = asyncio.get_running_loop()
        answered = asyncio.Event()

        def heard(change: Any) -> None:
            # ipykernel handles messages of widgets in another thread while a cell runs.
            loop.call_soon_threadsafe(answered.set)

        self.observe(heard, "_answer")
        Widget._waiting += 1
        try:
            self._request += 1
            asked = self._request
            async with asyncio.timeout(timeout):
                while self._answer < asked:
                    await answered.wait()
                    answered.clear()
        except TimeoutError:
            raise TimeoutError(
                f"the widget's numbers must come from a browser within {timeout} s; got no answer."
                " nbconvert and papermill run without one. JupyterLab answers a running cell with"
                " ipykernel 7 or newer; elsewhere use view.numpy() in a later cell."
            ) from None
        finally:
            Widget._waiting -= 1
            self.unobserve(heard, "_answer")
        return self.numpy()

    def _handle_msg(self, msg: Any) -> None:
        super()._handle_msg(msg)
        kernel: Any = getattr(self.comm, "kernel", None)
        if Widget._waiting > 0 and hasattr(kernel, "iopub_socket"):
            # ipykernel 7.4 handles a widget's message while a cell runs, but leaves out the status that the
            # browser waits for before it sends the next. A second one does nothing.
            status = {"execution_state": "idle"}
            kernel.session.send(kernel.iopub_socket, "status", status, parent=msg)


def numbers(array: Any) -> "dict[str, Any]":
    """Return an array as the traits `data` and `options` take it: its bytes, shape and dtype."""
    array = np.ascontiguousarray(array)
    return {"data": array.tobytes(), "shape": array.shape, "dtype": str(array.dtype)}
