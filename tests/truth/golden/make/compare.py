"""Compares two folders of reference values: python compare.py COMMITTED MADE

Prints what is identical, and what differs, by how much and why it may. differences.json lists the
reasons: the places that each explains, up to which difference, and the cause. A difference is at
most a number of ULP, or an absolute error, or a multiple ("metric") of the library's own error as
cases.json states it, or a count of values or bytes. Exits with 1 if a difference has no reason.
"""

import json
import struct
import sys
from collections import Counter
from dataclasses import dataclass
from fnmatch import fnmatchcase
from math import inf
from pathlib import Path

import numpy as np

DTYPES = {"F64": np.float64, "I64": np.int64, "F32": np.float32, "I32": np.int32, "U8": np.uint8}
INTEGERS = {np.dtype(np.float32): np.int32, np.dtype(np.float64): np.int64}


def read_container(path):
    data = path.read_bytes()
    start = 8 + struct.unpack_from("<Q", data)[0]
    tensors = {}
    for name, entry in json.loads(data[8:start]).items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            flat = np.frombuffer(data[start + begin : start + end], DTYPES[entry["dtype"]])
            tensors[name] = flat.reshape(entry["shape"])
    return tensors


def ordered(values):
    """Integers that are as far apart as there are floats between the values. -0 is 0."""
    bits = values.view(INTEGERS[values.dtype]).astype(object)
    lowest = np.iinfo(INTEGERS[values.dtype]).min
    return np.where(bits < 0, lowest - bits, bits)


@dataclass
class Difference:
    """What differs at a place: a tensor, a field of a case or a file."""

    place: str
    text: str
    ulps: float = inf  # units in the last place
    error: float = inf  # absolute
    count: float = inf  # values or bytes that differ

    def explained_by(self, reason, metrics):
        if not any(fnmatchcase(self.place, pattern) for pattern in reason["places"]):
            return False
        bound = max(reason.get("error", 0), reason.get("metric", 0) * metrics.get(self.place, 0))
        # A number near 0 can be many ULP away, so the error may count instead.
        return (
            self.ulps <= reason.get("ulps", 0)
            or self.error <= bound
            or self.count <= reason.get("count", 0)
        )


def compare_tensors(name, old, new):
    if old.dtype != new.dtype or old.shape != new.shape:
        return Difference(name, f"is {new.dtype}{new.shape}, not {old.dtype}{old.shape}")
    if old.tobytes() == new.tobytes():
        return None
    apart = np.flatnonzero((old != new) & ~(np.isnan(old) & np.isnan(new)))
    text = f"{apart.size} of {old.size} values"
    if old.dtype not in INTEGERS:
        return Difference(name, text, count=apart.size)
    old, new = old.ravel()[apart], new.ravel()[apart]
    if not apart.size or not (np.isfinite(old).all() and np.isfinite(new).all()):
        return Difference(name, f"{text}; infinities, or bits of a NaN or zero")
    ulps = int(np.abs(ordered(old) - ordered(new)).max())
    error = float(np.abs(old.astype(np.float64) - new).max())
    return Difference(name, f"{text}, at most {ulps} ULP, {error:.2g}", ulps, error)


def compare_containers(old, new):
    old, new = read_container(old), read_container(new)
    for name in sorted(old.keys() | new.keys()):
        if name not in new or name not in old:
            yield Difference(name, "is no longer made" if name in old else "is new")
        elif difference := compare_tensors(name, old[name], new[name]):
            yield difference


def read_cases(folder):
    return json.loads((folder / "cases.json").read_text("utf-8"))


def compare_cases(old, new):
    """Everything but the metrics, which state how far two outputs are apart."""
    old, new = ({case["id"]: case for case in read_cases(one)["cases"]} for one in (old, new))
    for name in sorted(old.keys() | new.keys()):
        if name not in new or name not in old:
            yield Difference(name, "is no longer made" if name in old else "is a new case")
            continue
        for field in sorted(old[name].keys() | new[name].keys()):
            a, b = (case[name].get(field) for case in (old, new))
            if a != b and field != "metrics":
                text = f"is {json.dumps(b)}, not {json.dumps(a)}"
                yield Difference(f"{name}:{field}", text)


def compare_files(old, new, name):
    if not (new / name).exists() or not (old / name).exists():
        yield Difference(name, "is no longer made" if (old / name).exists() else "is new")
        return
    if name == "cases.json":
        yield from compare_cases(old, new)
        return
    a, b = (folder / name for folder in (old, new))
    if a.read_bytes() == b.read_bytes():
        return
    if "/" not in name and name.endswith(".safetensors"):
        yield from compare_containers(a, b)
        return
    a, b = (np.frombuffer(file.read_bytes(), np.uint8) for file in (a, b))
    if a.size != b.size:
        yield Difference(name, f"has {b.size} bytes, not {a.size}")
    else:
        count = np.count_nonzero(a != b)
        yield Difference(name, f"{count} of {a.size} bytes", count=count)


def library_errors(folder):
    """How far each library's output is from the reference beside it, by the output's name."""
    found = {}
    for case in read_cases(folder)["cases"]:
        for key, error in case["metrics"].items():
            found[f"{case['id']}/{key.split('_max_abs_err')[0]}"] = error
    return found


def names(folder):
    files = (path for path in folder.rglob("*") if path.is_file())
    found = {path.relative_to(folder).as_posix() for path in files}
    return {name for name in found if name != "README.md" and not name.startswith("make/")}


def report(title, differences):
    print(f"\n{title}")
    for difference in differences:
        print(f"  {difference.place}: {difference.text}")


def main(old, new):
    print(f"Committed: {read_cases(old)['generated_with']}")
    print(f"Made now:  {read_cases(new)['generated_with']}")
    reasons = json.loads(Path(__file__).with_name("differences.json").read_text("utf-8"))
    metrics = library_errors(old)
    explained = [[] for _ in reasons]
    unexplained = []
    identical = Counter()
    for name in sorted(names(old) | names(new)):
        differences = list(compare_files(old, new, name))
        if differences:
            print(f"{name}: {len(differences)} differences")
        elif "/" in name:
            identical[name.split("/")[0]] += 1
        else:
            print(f"{name}: identical")
        for difference in differences:
            for reason, places in zip(reasons, explained):
                if difference.explained_by(reason, metrics):
                    places.append(difference)
                    break
            else:
                unexplained.append(difference)
    for folder, count in identical.items():
        print(f"{folder}/: {count} files identical")
    for reason, differences in zip(reasons, explained):
        if differences:
            report(reason["because"], differences)
    if unexplained:
        report("No reason in tests/truth/golden/make/differences.json explains:", unexplained)
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
