# Compares what your functions return with phasor's exact values. NumPy is all that it needs.
import json

# Differences up to this part of the larger of the right number and 1 are rounding.
WITHIN = 1e-5


def near(a, b):
    with np.errstate(invalid="ignore"):
        close = np.abs(a - b) <= WITHIN * np.maximum(1, np.abs(b))
    return (a == b) | (np.isfinite(b) & close)


def alike(a, b):
    return a.shape == b.shape and bool(np.all(near(a, b)))


def array_of(value):
    return np.array([float(x) for x in value["data"]]).reshape(value["shape"])


def size(shape):
    return "a number" if len(shape) == 0 else f"an array of shape {list(shape)}"


def call_text(name, task, given):
    texts = [json.dumps(argument) for argument in given]
    short = [text if len(text) <= 24 else task["parameters"][i] for i, text in enumerate(texts)]
    return f"{name}({', '.join(short)})"


def two(a, b):
    """Two numbers with as many digits as show their difference."""
    for digits in range(5, 13):
        texts = [np.format_float_positional(x, digits, trim="-") for x in (a, b)]
        if texts[0] != texts[1]:
            break
    return texts


def odd(value):
    """The kind that `numbers` gives instead of a number; empty if there is none."""
    if isinstance(value, list):
        kinds = [kind for kind in map(odd, value) if kind]
        return f"an array with {kinds[0].removeprefix('an array with ')}" if kinds else ""
    return value["kind"] if isinstance(value, dict) else ""


def fault(name, task, returned):
    """What is wrong with the results, and the mistake that explains them; empty if nothing is."""
    found = []
    for given, want, value in zip(task["inputs"], task["expected"], returned):
        must = f"{call_text(name, task, given)} must return {size(want['shape'])}; got"
        if value is None:
            return f"{must} None. Is a return missing?"
        value = numbers(value)
        kind = odd(value)
        if kind:
            return f"{must} {kind}."
        try:
            found.append(np.asarray(value, dtype=float))
        except ValueError:
            return f"{must} rows of different lengths."
    wanted = [array_of(value) for value in task["expected"]]
    misses = [i for i, (a, b) in enumerate(zip(found, wanted)) if not alike(a, b)]
    if not misses:
        return ""
    a, b = found[misses[0]], wanted[misses[0]]
    call = call_text(name, task, task["inputs"][misses[0]])
    if a.shape != b.shape:
        words = f"{call} must return {size(b.shape)}; got {size(a.shape)}."
    else:
        at = tuple(np.argwhere(~near(a, b))[0])
        where = "".join(f", {axis} {index}" for axis, index in zip(task["axes"], at))
        yours, right = two(a[at], b[at])
        words = f"Not yet. {call}{where}: yours {yours}, right {right}."
    for mistake in task["mistakes"]:
        if all(alike(x, array_of(y)) for x, y in zip(found, mistake["returned"])):
            return f"{words}\nLikely: {mistake['says']}"
    return words


def called(function, task, given):
    try:
        return function(*arrays(task["parameters"], given))
    except Exception as error:
        where = call_text(function.__name__, task, given)
        raise AssertionError(f"{type(error).__name__}: {error}, in {where}") from error


def check(function):
    name = function.__name__
    task = TASKS[name]
    words = fault(name, task, [called(function, task, given) for given in task["inputs"]])
    assert not words, words
    print(f"Right: {len(task['inputs'])} calls of {name}, all as phasor computes them.")
