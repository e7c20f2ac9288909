"""The widget of phasor for anywidget: every scheme with sliders, and its numbers as NumPy arrays."""

import asyncio
import base64
import importlib.resources
import json
import math
import shutil
import subprocess
from typing import Any

import anywidget
import numpy as np
import traitlets

from .names import refuse_unknown, suggestion

#: How long `result` waits for a browser where Node could compute the same. Seconds.
_PATIENCE = 3

#: Runs the widget in Node: its traits come by stdin, what it saves first goes to stdout.
_IN_NODE = """
let text = "";
for await (const part of process.stdin) text += part;
const bytes = (code) => new DataView(Uint8Array.from(Buffer.from(code, "base64")).buffer);
const { module, state } = JSON.parse(text, (_, value) => (value?.base64 ? bytes(value.base64) : value));
const { default: widget } = await import(`data:text/javascript;base64,${module}`);
const model = {
  get: (name) => state[name],
  set: (name, value) => void (state[name] = value),
  on() {},
  off() {},
  save_changes() {
    const { error, value: { data, shape, dtype } } = state;
    const code = data && Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
    process.stdout.write(JSON.stringify({ error, code, shape, dtype }));
  },
};
widget().initialize({ model });
"""


def _sent(value: Any, _: Any = None) -> Any:
    """Return a value that JSON holds: lists with NaN or infinities, which it lacks, as `numbers` does."""
    if isinstance(value, dict):
        return {name: _sent(each) for name, each in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)  # one number alone: the widget refuses it in words
    if not isinstance(value, (list, tuple)):
        return value
    try:
        json.dumps(value, allow_nan=False)
        return value
    except TypeError:
        return value
    except ValueError:
        try:
            return numbers(np.asarray(value, dtype=np.float64))
        except (TypeError, ValueError):
            return [_sent(each) for each in value]


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
    options = traitlets.Dict().tag(sync=True, to_json=_sent)
    data = traitlets.Any().tag(sync=True, to_json=_sent)
    figure = traitlets.Dict().tag(sync=True, to_json=_sent)
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
                hint = suggestion(name, known) or f"; its traits are {', '.join(sorted(known))}"
                raise TypeError(f'Widget has no trait "{name}"{hint}')
        refuse_unknown(traits.get("scheme"), traits.get("options"))
        super().__init__(**traits)

    def numpy(self) -> "np.ndarray[Any, Any]":
        """Return the numbers of the last picture. A cell that has just changed the widget awaits `result`."""
        if self.error or not self.value:
            raise ValueError(self.error or "the widget has no numbers yet; use `await view.result()`")
        flat = np.frombuffer(self.value["data"], self.value["dtype"])
        shaped: "np.ndarray[Any, Any]" = flat.reshape(self.value["shape"])
        return shaped

    async def result(self, timeout: float = 20) -> "np.ndarray[Any, Any]":
        """Return the numbers of the present traits, once the browser has computed them.

        Where no browser answers, as in nbconvert, Node computes the same if there is a command
        `node`.

        Parameters
        ----------
        timeout : seconds to wait

        Raises
        ------
        ValueError     for wrong options, in phasor's words
        TimeoutError   where no browser answers, and there is no Node
        """
        loop = asyncio.get_running_loop()
        answered = asyncio.Event()

        def heard(change: Any) -> None:
            # ipykernel handles messages of widgets in another thread while a cell runs.
            loop.call_soon_threadsafe(answered.set)

        async def until(asked: int) -> None:
            while self._answer < asked:
                await answered.wait()
                answered.clear()

        self.observe(heard, "_answer")
        Widget._waiting += 1
        try:
            self._request += 1
            asked = self._request
            node = shutil.which("node")
            await asyncio.wait_for(until(asked), min(timeout, _PATIENCE) if node else timeout)
        except asyncio.TimeoutError:
            if node is None:
                raise TimeoutError(
                    f"the widget's numbers must come from a browser within {timeout} s; got no answer."
                    " nbconvert and papermill run without one: there, install Node. JupyterLab answers a"
                    " running cell with ipykernel 7.4 or newer; elsewhere use view.numpy() in a later cell."
                ) from None
            await asyncio.to_thread(self._compute, node, timeout)
        finally:
            Widget._waiting -= 1
            self.unobserve(heard, "_answer")
        return self.numpy()

    def _compute(self, node: str, timeout: float) -> None:
        """Set the results as the browser does."""
        names = ("scheme", "options", "data", "figure", "title", "theme")
        state = {name: _sent(getattr(self, name)) for name in names}
        given = {"module": _base64(self._esm.encode()), "state": {**state, "value": {}, "error": ""}}
        text = json.dumps(given, default=lambda data: {"base64": _base64(data)})
        command = [node, "--input-type=module", "--eval", _IN_NODE]
        made = subprocess.run(command, input=text, capture_output=True, text=True, timeout=max(timeout, 20))
        if made.returncode != 0 or not made.stdout:
            raise RuntimeError(f"Node must compute the widget's numbers; got {made.stderr.strip()}")
        result = json.loads(made.stdout)
        if not result["error"]:
            data = base64.b64decode(result["code"])
            self.value = {"data": data, "shape": result["shape"], "dtype": result["dtype"]}
        self.error = result["error"]

    def _handle_msg(self, msg: Any) -> None:
        super()._handle_msg(msg)
        kernel: Any = getattr(self.comm, "kernel", None)
        if Widget._waiting > 0 and hasattr(kernel, "iopub_socket"):
            # ipykernel 7.4 handles a widget's message while a cell runs, but leaves out the status that the
            # browser waits for before it sends the next. A second one does nothing.
            status = {"execution_state": "idle"}
            kernel.session.send(kernel.iopub_socket, "status", status, parent=msg)


def _base64(data: Any) -> str:
    return base64.b64encode(data).decode()


def numbers(array: Any) -> "dict[str, Any]":
    """Return an array as the traits `data` and `options` take it: its bytes, shape and dtype."""
    array = np.ascontiguousarray(array)
    return {"data": array.tobytes(), "shape": array.shape, "dtype": str(array.dtype)}
