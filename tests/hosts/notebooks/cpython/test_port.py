"""A port's tests, as the guide shows them: `phasor` is the wheel's fixture."""

import pytest


def test_right(phasor):
    cos, sin = phasor.rope.table(64, 128, **phasor.models.rope("llama-3.1-8b").options)
    phasor.check(cos, sin, "llama-3.1-8b")


def test_forgotten(phasor):
    cos, sin = phasor.rope.table(64, 128, base=500000)
    phasor.check(cos, sin, "llama-3.1-8b")


def test_wrong_name(phasor):
    with pytest.raises(ValueError, match="did you mean"):
        phasor.check([[1.0, 1.0]], [[0.0, 0.0]], "llama-3.1-8c")
