"""The widget of phasor for anywidget: every scheme with sliders, and its numbers as NumPy arrays."""

import asyncio
import base64
import hashlib
import importlib.resources
import json
import math
import shutil
import subprocess
import sys
from typing import Any

import anywidget
import numpy as np
import traitlets

from .names import refuse_unknown, suggestion

#: How long `result` waits for a browser where Node could compute the same. Seconds.
_PATIENCE = 3

#: The front-end module, and the name under which a page keeps it.
_SCRIPT = importlib.resources.files(__package__).joinpath("widget.js").read_bytes()
_NAME = "phasor-widget-" + hashlib.sha256(_SCRIPT).hexdigest()[:16]

#: What a notebook stores of the front-end module: it asks the kernel for the rest, once for a page.
_LOADER = """
const NAME = "$NAME";
const PATIENCE = 15000;
const asked = (globalThis[Symbol.for(NAME)] ??= {});

function load(model) {
  asked.module ??= new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error("no answer")), PATIENCE);
    const read = (content, buffers) => {
      if (content?.name !== NAME) return;
      model.off("msg:custom", read);
      clearTimeout(late);
      const { buffer, byteOffset, byteLength } = buffers[0];
      const bytes = new Uint8Array(buffer ?? buffers[0], byteOffset ?? 0, byteLength);
      const url = URL.createObjectURL(new Blob([bytes], { type: "text/javascript" }));
      import(url).then(resolve, reject).finally(() => URL.revokeObjectURL(url));
    };
    model.on("msg:custom", read);
    model.send({ name: NAME });
  });
  asked.module.catch(() => delete asked.module);
  return asked.module;
}

export default () => {
  let made;
  const widgetOf = (model) => (made ??= load(model).then(({ default: create }) => create()));
  return {
    initialize({ model }) {
      let end;
      let ended = false;
      widgetOf(model).then((widget) => {
        if (!ended) end = widget.initialize({ model });
      }, () => (made = undefined));
      return () => ((ended = true), end?.());
    },
    async render({ model, el }) {
      try {
        return await (await widgetOf(model)).render({ model, el });
      } catch {
        el.textContent = "This picture needs its kernel: run the cell that made it.";
      }
    },
  };
};
""".replace("$NAME", _NAME)

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


#: The traits that a picture is made of.
_INPUTS = ("scheme", "options", "data", "figure", "title", "theme")


def _crossing(value: Any) -> Any:
    """Return a value that crosses to V8: bytes as memory, tuples as lists."""
    if isinstance(value, dict):
        return {name: _crossing(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_crossing(each) for each in value]
    return memoryview(value) if isinstance(value, (bytes, bytearray)) else value


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

    _esm = _LOADER
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
        self.on_msg(self._asked)

    def _asked(self, _: Any, content: Any, __: Any) -> None:
        """Send the front-end module to a page that asks for it."""
        if isinstance(content, dict) and content.get("name") == _NAME:
            self.send({"name": _NAME}, [_SCRIPT])

    def _drawn(self) -> "dict[str, Any] | None":
        """Return the numbers and the picture of the present traits, or None where the kernel has no V8.

        Raises
        ------
        ValueError     for wrong options, in phasor's words
        """
        if sys.platform == "emscripten":
            return None
        from .engine import JsException, engine

        try:
            compute = engine().modules.widget
        except (ImportError, RuntimeError):  # no V8, or a process that was forked
            return None
        state = {name: _crossing(_sent(getattr(self, name))) for name in _INPUTS}
        try:
            return dict(compute(state).to_py())
        except JsException as error:
            raise ValueError(error.message) from None

    def _filled(self) -> bool:
        """Set the results by the kernel, if it can compute them, and say so."""
        try:
            drawn = self._drawn()
        except ValueError as error:
            self.error = str(error)
            return True
        if drawn is not None:
            self.value = {"data": bytes(drawn["data"]), "shape": drawn["shape"], "dtype": drawn["dtype"]}
            self.error = ""
        return drawn is not None

    def _repr_mimebundle_(self, **given: Any) -> Any:
        """Return what a notebook stores: the view, and a picture for hosts without widgets."""
        made = super()._repr_mimebundle_(**given)
        data = made[0] if isinstance(made, tuple) else made
        if data is not None:
            data["text/plain"] = f"Widget(scheme={self.scheme!r}, options={self.options!r})"
            try:
                drawn = self._drawn()
            except ValueError:
                drawn = None  # the view says what is wrong
            if drawn is not None:
                data["image/svg+xml"] = drawn["svg"]
        return made

    def numpy(self) -> "np.ndarray[Any, Any]":
        """Return the numbers of the present traits; where the page computes them, those of the last picture.

        There a cell that has just changed the widget awaits `result`.
        """
        self._filled()
        if self.error or not self.value:
            raise ValueError(self.error or "the widget has no numbers yet; use `await view.result()`")
        flat = np.frombuffer(self.value["data"], self.value["dtype"])
        shaped: "np.ndarray[Any, Any]" = flat.reshape(self.value["shape"])
        return shaped

    async def result(self, timeout: float = 20) -> "np.ndarray[Any, Any]":
        """Return the numbers of the present traits.

        The kernel computes them; in a browser's kernel, and where mini-racer is missing, the page does. Where no
        page answers, Node computes the same if there is a command `node`.

        Parameters
        ----------
        timeout : seconds to wait

        Raises
        ------
        ValueError     for wrong options, in phasor's words
        TimeoutError   where no browser answers, and there is no Node
        """
        if self._filled():
            return self.numpy()
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
        state = {name: _sent(getattr(self, name)) for name in _INPUTS}
        given = {"module": _base64(_SCRIPT), "state": {**state, "value": {}, "error": ""}}
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
