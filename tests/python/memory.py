#!/usr/bin/env python3
"""Many calls keep memory flat, and random arguments of any kind raise or work, but never crash. memory.py BUILD"""
import gc
import os
import random
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import SAMPLE, finish, test

import numpy as np

import tessera as ts

CALLS = int(os.environ.get("TESS_TEST_CALLS", 100_000 if SAMPLE > 1 else 1_000_000))
GROWTH = 4 << 20 if CALLS >= 100_000 else 1 << 30  # a sanitizer keeps what is freed for a while


def resident():
    """Bytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def attempt(call):
    try:
        call()
    except Exception:
        pass


@test
def a_million_calls_keep_memory_flat():
    a, x, out = np.ones(64, np.float32), ts.ones(64, "f32"), np.empty(64, np.float32)
    swapped, wrong = a.astype(">f4"), np.ones(3)
    calls = [lambda: ts.add(a, a), lambda: ts.add(a, 1.5, out=out), lambda: x + x, lambda: x[3:9], lambda: ts.sum(a),
             lambda: ts.minmax(a), lambda: ts.add(a, wrong), lambda: ts.add(swapped, 1), lambda: ts.asarray(a), lambda: x.numpy(),
             lambda: ts.from_dlpack(a), lambda: np.from_dlpack(x), lambda: ts.asarray([1, 2, 3]), lambda: ts.sum(a, axis="x"),
             lambda: ts.concatenate([a, a]), lambda: ts.unique(a, counts=True), lambda: ts.reduce(a, ["sum", "mean"]),
             lambda: ts.ctf_value_at({"pixel_size": 1.0, "defocus": 1.0}, 0.1, 0.1), lambda: x.__array_interface__,
             lambda: ts.zeros(16), lambda: ts.op("op f(in f32 x, out f32 y) { y = x; }")(a), lambda: repr(x), lambda: x.tolist()]
    weights = [20] * 6 + [1] * (len(calls) - 6)
    r = random.Random(1)
    order = r.choices(calls, weights, k=1000)
    for call in order * 10:
        attempt(call)
    gc.collect()
    before = resident()
    for _ in range(CALLS // 1000):
        for call in order:
            attempt(call)
    gc.collect()
    grown = resident() - before
    assert grown < GROWTH, f"{CALLS} calls took {grown} bytes"


# ---- Random arguments ----


class Odd:
    """Methods that give what they should not."""

    def __index__(self):
        return 2**80

    def __float__(self):
        raise RuntimeError("no number")

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return self


class Lying:
    shape, dtype = (2, 2), np.dtype("f4")
    __array_struct__ = None
    __cuda_array_interface__ = {"shape": (2**62, 2**62), "typestr": "<f4", "data": (8, False)}

    def __dlpack__(self, **keywords):
        return None

    def __dlpack_device__(self):
        return "cuda"


def things(r):
    """One random object."""
    kinds = [lambda: r.choice([None, True, False, 0, -1, 3, 2**31, 2**63, 2**64, 2**70, 0.5, float("nan"), float("inf"), -1e308]),
             lambda: r.choice(["", "a", "hw", "f32", "cpu", "gpu:0", "d3", "\0", "\udc80", "é", "x" * 1000]),
             lambda: r.choice([b"", b"abcd", 1 + 2j, Odd(), Lying(), object(), ts, ts.add, int, np.ndarray, ..., slice(1)]),
             lambda: r.choice([(), [], {}, (1, 2), [1, 2], (0, 1, 2, 3), [[1, 2], [3]], (-1,), ("b", 7), {"defocus": 1}, {1: 2}]),
             lambda: np.zeros(r.choice([(), (0,), (1,), (4, 6), (2, 0, 3), (2, 1, 4, 4), (1,) * 5]),
                              r.choice("? i1 i4 u8 f2 f4 f8 c8 c16 >f4 M8[s] O S3 g".split())),
             lambda: np.ones((2, 1, 4, 6), np.float32)[:, :, ::-1, ::2],
             lambda: np.broadcast_to(np.float32(1), (2, 1, 4, 6)),
             lambda: ts.ones(r.choice([(), (3,), (4, 6), (2, 1, 4, 4)]), r.choice(["f32", "c64", "u8", "mat23_f32", "c16"])),
             lambda: memoryview(bytearray(16)).cast(r.choice(["B", "d", "h"]))]
    return r.choice(kinds)()


@test
def random_arguments_never_crash():
    import inspect
    warnings.simplefilter("ignore")
    r = random.Random(int(os.environ.get("TESS_TEST_SEED", 4)))
    skipped = {"write", "read", "set_memory_limit"}  # random names of files
    ts.set_memory_limit(2 << 30)  # random shapes may be large
    functions = [getattr(ts, n) for n in dir(ts._tessera) if not n.startswith("_") and n not in skipped
                 and callable(getattr(ts, n)) and not isinstance(getattr(ts, n), type)]
    names = {f: [p for p in inspect.signature(f).parameters.values()] for f in functions}
    for _ in range(40_000 // SAMPLE):
        f = r.choice(functions)
        parameters = names[f]
        given = [things(r) for p in parameters if p.default is p.empty]
        if r.random() < 0.1:
            given = given[:-1] + [things(r) for _ in range(r.randrange(3))]
        words = {p.name: things(r) for p in parameters if p.kind == p.KEYWORD_ONLY and r.random() < 0.1}
        attempt(lambda: f(*given, **words))
    x = ts.zeros((2, 3, 4))
    methods = [getattr(ts.Array, n) for n in dir(ts.Array) if n not in ("__new__", "__init_subclass__", "__subclasshook__",
                                                                          "__class__", "__delattr__", "__setattr__")
               and callable(getattr(ts.Array, n))]
    for _ in range(20_000 // SAMPLE):
        method = r.choice(methods)
        attempt(lambda: method(r.choice([x, x, x[1], ts.asarray(1.0)]), *[things(r) for _ in range(r.randrange(3))]))


finish()
