"""Runs the tests of a kit as pytest does, and prints what became of each as JSON.

    python run.py    in the folder of a kit, with adapter.py
"""

import inspect
import json
import sys
from unittest import SkipTest


def outcomes(kit):
    found = {}
    for name, test in list(vars(kit).items()):
        if not name.startswith("test_"):
            continue
        arguments = list(inspect.signature(test).parameters)
        for case in kit.CASES[arguments[0]] if arguments else [None]:
            try:
                test(*([case] if arguments else []))
                outcome = "passed"
            except SkipTest as skipped:
                outcome = f"skipped: {skipped}"
            except Exception as error:
                outcome = f"{type(error).__name__}: {error}"
            found[f"{name} {case or ''}".strip()] = outcome
    return found


if __name__ == "__main__":
    sys.path.insert(0, ".")
    import test_positions

    found = outcomes(test_positions)
    test_positions.teardown_module()
    print(json.dumps({**found, "markdown": test_positions.LINES}))
