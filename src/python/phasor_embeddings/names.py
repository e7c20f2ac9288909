"""The names of schemes and of their options, which the widget refuses at once where they are misspelled."""

import difflib
import functools
import importlib.resources
import json
from typing import Any, Iterable


def suggestion(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean "rope"?`, or nothing where no known name is close."""
    near = difflib.get_close_matches(name.replace("_", "").lower(), (each.lower() for each in known), 1, 0.6)
    found = [each for each in known if each.lower() in near]
    return f'; did you mean "{found[0]}"?' if found else ""


@functools.cache
def _known() -> "dict[str, list[str]]":
    text = importlib.resources.files(__package__).joinpath("names.json").read_text("utf-8")
    return dict(json.loads(text))


def refuse_unknown(scheme: Any, options: Any) -> None:
    """Raise for a scheme that does not exist, and for options that none has.

    Raises
    ------
    ValueError     for the scheme
    TypeError      for an option
    """
    known = _known()
    if isinstance(scheme, str) and scheme not in known["schemes"]:
        hint = suggestion(scheme, known["schemes"]) or f"; they are {', '.join(known['schemes'])}"
        raise ValueError(f'Widget: scheme must be one of its schemes; got "{scheme}"{hint}')
    for name in options if isinstance(options, dict) else ():
        if isinstance(name, str) and name not in known["options"]:
            hint = suggestion(name, known["options"])
            raise TypeError(f'Widget: options must be those of a scheme; got "{name}"{hint}')
