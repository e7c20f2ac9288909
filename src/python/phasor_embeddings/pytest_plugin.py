"""The fixture `phasor` of pytest, for tests of ports."""

from typing import Any

import pytest

import phasor_embeddings


class Checked:
    """The modules of phasor, and `check`, which fails in words."""

    def __init__(self) -> None:
        self.modules: Any = phasor_embeddings.load()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.modules, name)

    def check(self, *args: Any, **options: Any) -> None:
        """Fail unless the numbers are the model's. Takes what `phasor_embeddings.check` takes."""
        __tracebackhide__ = True
        verdict = phasor_embeddings.check(*args, **options)
        if not verdict:
            pytest.fail(str(verdict), pytrace=False)


@pytest.fixture(scope="session")
def phasor() -> Checked:
    """phasor's modules: `phasor.rope.table(...)`, and `phasor.check(cos, sin, config)`."""
    return Checked()
