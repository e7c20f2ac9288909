# Runs a reader's program on the page. What is returned are dictionaries for the page.
import json
import traceback

FILE = "<your program>"
function = None


def failure(error):
    """The words for an exception, and the reader's own line that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == FILE]
    words = error
    if isinstance(error, SyntaxError) and error.filename == FILE:
        lines, words = [error.lineno], error.msg
    name = type(error).__name__
    return {"failed": f"{name}: {words}" if str(words) else name, "line": lines[-1] if lines else 0}


def begin(code, name):
    """Runs the program; says what it has instead of the function, if so."""
    global function
    names = {"__name__": "__main__", "np": np}
    try:
        exec(compile(code, FILE, "exec"), names)
    except BaseException as error:
        return failure(error)
    function = names.get(name)
    if callable(function):
        return {}
    return {"missing": type(function).__name__ if name in names else "undefined"}


def call(parameters, given):
    try:
        return {"value": numbers(function(*arrays(json.loads(parameters), json.loads(given))))}
    except BaseException as error:
        return failure(error)
