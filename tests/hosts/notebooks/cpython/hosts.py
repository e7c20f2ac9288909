"""CPython's own ways: awaiting, threads, forks, Ctrl-C, other arrays, and the sentences of errors."""

import array
import asyncio
import os
import signal
import sys
import threading
import time

import numpy as np
import phasor_embeddings

ph = phasor_embeddings.load()


def refused(kind, sentence, call, *args, **options):
    try:
        call(*args, **options)
    except kind as error:
        assert str(error).startswith(sentence), error
    else:
        raise AssertionError(sentence)


async def notebook():
    assert await phasor_embeddings.load() is ph
    assert ph.alibi.slopes(2)[0] == 0.0625  # while the loop of a notebook runs


asyncio.run(notebook())


def work():
    for _ in range(20):
        assert ph.alibi.slopes(8)[0] == 0.5
        assert ph.sinusoidal.table(200, 128).sum() == expected


expected = ph.sinusoidal.table(200, 128).sum()
threads = [threading.Thread(target=work) for _ in range(4)]
for each in threads:
    each.start()
for each in threads:
    each.join()

if hasattr(os, "fork"):
    child = os.fork()
    if child == 0:
        refused(RuntimeError, "phasor_embeddings must not be loaded before a fork", ph.alibi.slopes, 8)
        refused(RuntimeError, "phasor_embeddings must not be loaded before a fork", phasor_embeddings.load)
        sys.exit(7)  # and it ends
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def stop(*_):
    raise KeyboardInterrupt


if hasattr(signal, "setitimer"):
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    began = time.monotonic()
    try:
        for _ in range(1000):
            ph.sinusoidal.table(20000, 512)
    except KeyboardInterrupt:
        pass
    else:
        raise AssertionError("it must be interrupted")
assert ph.sinusoidal.table(200, 128).sum() == expected  # what was interrupted does not answer

large = np.arange(3 * 70000, dtype=np.float32).reshape(3, 70000)  # more bytes than cross with a call
assert np.array_equal(ph.normalize.l2(large)[1:2], ph.normalize.l2(large[1:2]))
assert ph.embedding.one_hot(array.array("l", [2, 0]), 3).tolist() == [[0, 0, 1], [1, 0, 0]]
refused(ValueError, "rope.table: base must be a number from 1 on; got NaN", ph.rope.table, 4, 4, base=float("nan"))

llama = ph.models.rope("llama-3.1-8b")
cos, sin = ph.rope.table(64, 128, **llama.options)
assert phasor_embeddings.check(cos, sin, "llama-3.1-8b")
half = phasor_embeddings.check(cos.astype(np.float16), sin.astype(np.float16), "llama-3.1-8b")
assert half.fits and half.data["rounding"] == "float16", half
config = dict(model_type="llama", hidden_size=256, num_attention_heads=4, num_hidden_layers=2, vocab_size=100,
              max_position_embeddings=64, rope_theta=10000.0)
q = np.random.default_rng(0).normal(size=(2, 16, 64)).astype(np.float32)
rotated = ph.rope.apply(q, ph.rope.table(16, 64), layout="interleaved")
wrong = phasor_embeddings.check(q=q, rotated=rotated, config=config)
assert not wrong and "likely slip: the other layout" in str(wrong), wrong
assert "base 500000" in phasor_embeddings.identify(cos=cos, sin=sin)["sentence"]
assert phasor_embeddings.xray("llama-3.1-8b", 60000)["sentence"].startswith("At 60,000 tokens no pair")
refused(TypeError, "check: arrays must be either cos and sin, or q and rotated", phasor_embeddings.check, cos)
refused(TypeError, "check: config must be given", phasor_embeddings.check, cos, sin)
refused(TypeError, 'identify: arrays must have only cos, ', phasor_embeddings.identify, cosine=cos)
refused(TypeError, "cos must hold numbers; got <U1", phasor_embeddings.check, ["a"], ["b"], config)
for name, sentence in {"chek": 'phasor_embeddings has no "chek"; did you mean "check"?'}.items():
    refused(AttributeError, sentence, getattr, phasor_embeddings, name)
print("all")
