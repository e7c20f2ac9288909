# Calls a reader's function with NumPy's arrays, and gives its results as plain numbers.
import numpy as np

# How much of a result is read: numbers in a row, and rows within rows.
LONGEST = 10_000
DEEPEST = 5


def arrays(parameters, given):
    """The arguments of a call: lists as arrays, of whole numbers where they are ids."""
    return [
        np.array(x, dtype=int if name == "ids" else float) if isinstance(x, list) else x
        for name, x in zip(parameters, given)
    ]


def numbers(value, depth=0):
    """A result as numbers in lists, of arrays and tensors, too; anything else by its kind."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (int, float)):
        return float(value)
    if not isinstance(value, (list, tuple)):
        return {"kind": "None" if value is None else type(value).__name__}
    if depth == DEEPEST or len(value) > LONGEST:
        return {"kind": "an array that is too large"}
    return [numbers(each, depth + 1) for each in value]
