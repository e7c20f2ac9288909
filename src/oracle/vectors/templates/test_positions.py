"""Whether a port has the positions of its model. MADE BY PHASOR

Write adapter.py beside this file, with those of these functions that the port has:

    rotate(x, positions, layer)      queries or keys x [B, H, T, D], positions [T], or [3, T] of pictures
    position_ids(mask)               mask [B, T], 1 for tokens
    position_ids_3d(types, images, videos)   types [1, T]: 0 text, 1 picture, 2 video; grids [n, 3] in tokens
    embed(ids, weights)              the input of the first layer, of the tables in weights
    bias(queries, keys)              of ALiBi, [H, queries, keys]; the last query sees the last key
    buckets(queries, keys, causal)   of T5, [queries, keys]

Then: pip install numpy pytest safetensors; pytest test_positions.py
If all pass, positions.svg beside this file is a badge for a README, and the line of Markdown is printed.
"""

from functools import wraps
from pathlib import Path
from unittest import SkipTest

import adapter
import numpy as np
from safetensors.numpy import load_file

HERE = Path(__file__).parent
LOOSER = 1  # times the tolerance of float32; 2**13 for float16, 2**16 for bfloat16


def load(name):
    return load_file(HERE / name) if (HERE / name).exists() else {}


def groups(arrays, key):
    return [name[: -len(key) - 1] for name in arrays if name.endswith("/" + key)]


ROTARY, IDS, BIAS, ROWS, SLIPS = (
    load(name + ".safetensors") for name in ("rotary", "ids", "bias", "embedding", "slips")
)
CASES = {"rotation": groups(ROTARY, "q"), "bias": groups(BIAS, "tolerance")}


# What a badge counts: all cases that the model has, and what became of those that ran.
TOTAL = sum(map(len, CASES.values())) + bool(ROWS)
TOTAL += ("ids/mask" in IDS) + ("picture/position_ids" in IDS)
COUNTS = {"passed": 0, "failed": 0, "not in adapter.py": 0}
LINES = []


def counted(test):
    @wraps(test)
    def run(*case, **named):
        COUNTS["failed"] += 1
        try:
            test(*case, **named)
            COUNTS["passed"] += 1
        except SkipTest:
            COUNTS["failed"] -= 1
            raise
        COUNTS["failed"] -= 1

    return run


def teardown_module():
    """Writes the badge, or removes that of another run."""
    passed, failed, others = COUNTS.values()
    badge = HERE / "positions.svg"
    badge.unlink(missing_ok=True)
    if failed or not passed or passed + others < TOTAL:
        return  # a part of the tests proves nothing of the others
    looser = "" if LOOSER == 1 else f", tolerance x {LOOSER}"
    words = f"checked with phasor PHASOR VERSION: {passed} of {TOTAL}{looser}"
    width = 76 + 7 * len(words)
    badge.write_text(
        f"""<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img">
<title>positions {words}</title><desc>MADE BY PHASOR pytest test_positions.py</desc>
<rect width="{width}" height="20" rx="3" fill="#2a6b3c"/><rect width="68" height="20" rx="3" fill="#444"/>
<g fill="#fff" font-family="Verdana,sans-serif" font-size="11"><text x="6" y="14" textLength="56">positions</text>
<text x="72" y="14" textLength="{width - 78}">{words}</text></g></svg>
"""
    )
    link = '(test_positions.py "pytest test_positions.py")'
    LINES.append(f"[![positions {words}](positions.svg)]{link}")


class Summary:
    def pytest_terminal_summary(self, terminalreporter):
        for line in LINES:
            terminalreporter.write_line(line)


def pytest_generate_tests(metafunc):
    if not metafunc.config.pluginmanager.has_plugin("phasor"):
        metafunc.config.pluginmanager.register(Summary(), "phasor")
    for name in set(CASES) & set(metafunc.fixturenames):
        metafunc.parametrize(name, CASES[name])


def group(arrays, name):
    return {key[len(name) + 1 :]: x for key, x in arrays.items() if key.startswith(name + "/")}


def port(function, is_there=True):
    """The adapter's function. What the port or the model does not have is skipped."""
    if is_there and not hasattr(adapter, function):
        COUNTS["not in adapter.py"] += 1
    if not is_there or not hasattr(adapter, function):
        raise SkipTest(f"{function} is not in {'adapter.py' if is_there else 'the model'}")
    return getattr(adapter, function)


def compare(what, got, want, tolerance, slips):
    """Fails with the largest difference, and with the slips that explain all of them."""
    got = np.asarray(got, np.float64)
    assert got.shape == want.shape, f"{what} must have shape {want.shape}; got {got.shape}"
    allowed = LOOSER * np.resize(tolerance, want.shape)
    off = np.abs(got - want)
    if (off <= allowed).all():
        return
    worst = np.argmax(np.where(off <= allowed, 0, np.nan_to_num(off, nan=np.inf)))
    at = [int(i) for i in np.unravel_index(worst, off.shape)]
    names = [name for name, slip in group(SLIPS, slips).items() if explains(slip, got, allowed)]
    why = f"likely slip: {', or '.join(names)}" if names else "no known slip explains it"
    raise AssertionError(f"{what} is off by {off.flat[worst]:.3g} at {at}; {why}")


def explains(slip, got, allowed):
    """A slip has the last rows of the last head."""
    rows, allowed = (x.reshape(-1)[-slip.size :].reshape(slip.shape) for x in (got, allowed))
    return (np.abs(rows - slip) <= allowed + LOOSER * 2**-22 * np.abs(slip)).all()


@counted
def test_rotate(rotation):
    rotate = port("rotate")
    case = group(ROTARY, rotation)
    kind, name = rotation.rsplit("/", 1)
    layers = ROTARY[kind + "/layers"].tolist()
    for layer in layers if name == "cached" else layers[:1]:
        for x in "q", "k":
            got = rotate(case[x], case["positions"], layer)
            what = f"{rotation}: {x} of layer {layer}"
            compare(what, got, case[x + "_rotated"], case["tolerance"], rotation)


@counted
def test_position_ids():
    got = port("position_ids", "ids/mask" in IDS)(IDS["ids/mask"])
    compare("position_ids", got, IDS["ids/position_ids"], IDS["ids/tolerance"], "ids")


@counted
def test_position_ids_3d():
    position_ids = port("position_ids_3d", "picture/position_ids" in IDS)
    names = "token_types", "image_grid", "video_grid"
    got = position_ids(*(IDS["picture/" + name] for name in names))
    compare("position_ids_3d", got, IDS["picture/position_ids"], 0, "picture")


@counted
def test_embed():
    embed, case = port("embed", bool(ROWS)), group(ROWS, "embedding")
    got = embed(case["ids"], group(case, "weights"))
    compare("embed", got, case["output"], case["tolerance"], "embedding")


@counted
def test_bias(bias):
    case = group(BIAS, bias)
    want = case.get("buckets", case["bias"])
    queries, keys = want.shape[-2:]
    if "buckets" in case:
        got = port("buckets")(queries, keys, "/causal/" in bias)
    else:
        got = np.array(port("bias")(queries, keys), np.float64)
        for i in range(queries):  # softmax does not see what a row has in common
            got[:, i] -= got[:, i, i + keys - queries, None]
    compare(bias, got, want, case["tolerance"], bias)
