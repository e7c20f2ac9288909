"""What test_phasor.py asks of JavaScript, from Node: `evaluate` of a code, and modules under the names that it imports."""

import asyncio
import base64
import json
import os
import subprocess
import sys

import phasor_embeddings
import phasor_embeddings.phasor as phasor

entry = "V8"
phasor.load = lambda _: phasor_embeddings.load()  # a Phasor can be awaited
sys.modules["phasor"] = phasor

_node = subprocess.Popen([os.environ["PHASOR_NODE"], "--input-type=module", "--eval", os.environ["PHASOR_EVALUATE"]],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


class Given:
    """A value as Pyodide would give it."""

    def __init__(self, value):
        self.to_py = lambda: value


class Array:
    def __init__(self, shape, text):
        self.shape, self.data = Given(shape), Given(base64.b64decode(text))


def evaluate(code):
    _node.stdin.write(json.dumps(code) + "\n")
    _node.stdin.flush()
    found = json.loads(_node.stdout.readline())
    return found if isinstance(found, str) else Array(**found)


if __name__ == "__main__":
    sys.modules["javascript"] = sys.modules["__main__"]
    import test_phasor

    async def main():
        for name, _ in await test_phasor.start():
            if name != "test_entries":  # of Pyodide: where index.js is
                await test_phasor.run(name)
                print(name)

    asyncio.run(main())
