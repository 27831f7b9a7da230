#!/usr/bin/env python3
"""Every operation through the module and through the library's table, with NumPy arrays of several dtypes and layouts: the
same bits, or the same message. calls.py BUILD"""
import keyword
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, SAMPLE, finish, test

import numpy as np

import arguments
import table
import tessera as ts

lib = table.load(os.path.join(BUILD, "libtessera.so"))
FILES = {"io", "mrc", "star", "sidecar"}
FUNCTIONS = [f for f in table.functions(lib) if f.contents.module.decode() not in FILES]
NAMES = {f.contents.text for f in table.functions(lib)}


# ---- Layouts of the same elements ----


def dense(a):
    return a


def reversed_axes(a):
    return np.ascontiguousarray(a[:, :, ::-1, ::-1])[:, :, ::-1, ::-1]


def permuted(a):
    return np.ascontiguousarray(a.transpose(3, 1, 0, 2)).transpose(2, 1, 3, 0)


def part(a):
    around = np.full([n + 2 for n in a.shape], 1, a.dtype)
    around[1:-1, 1:-1, 1:-1, 1:-1] = a
    return around[1:-1, 1:-1, 1:-1, 1:-1]


def broadcast(a):
    return np.broadcast_to(a[:1, :, :1], a.shape)


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


LAYOUTS = [dense, reversed_axes, permuted, part, broadcast, read_only]
DTYPES = "f4 f8 f2 i4 u1 ? c8 i8 u8 i2 u2 i1 u4 c16".split()


# ---- Calls ----


def python_name(name):
    return name + "_" if keyword.iskeyword(name) else name


def call_module(function, given):
    """(None, results by name) or (message, None)."""
    f = function.contents
    words = {python_name(k): v for k, v in given.items()}
    reduced = [r for r in f.rows if r.kind == "AXIS_SET" and r.flags & 8192]
    if reduced:
        words["keepdims"] = True
    try:
        made = getattr(ts._tessera, f.text)(**words)
    except ts.Error as error:
        return str(error), None
    names = [r.text for r in f.rows if r.role == table.OUT and not r.flags & table.OPTIONAL]
    if [r.kind for r in f.rows if r.role == table.OUT] == ["REDUCTIONS"]:
        names = given["items"]
    if not names:
        names = [next(r.text for r in f.rows if r.role == table.OUT)]
    return None, dict(zip(names, made if len(names) > 1 else [made]))


def as_numpy(value):
    if isinstance(value, ts.Array) and value.dtype.name.startswith(("c16", "vec", "mat")):
        return value.numpy().view(np.uint8)
    return np.asarray(value)


def same(ours, theirs):
    if isinstance(theirs, tuple):
        return tuple(ours) == theirs[4 - len(ours):]
    if isinstance(theirs, float):
        return ours == theirs or (theirs != theirs and ours != ours)
    ours = as_numpy(ours)
    if [n for n in ours.shape if n != 1] == [n for n in theirs.shape if n != 1]:
        ours = ours.reshape(theirs.shape)  # results have the axes that their rows name
    if ours.shape != theirs.shape and ours.dtype == np.uint8:
        return ours.tobytes() == theirs.tobytes()
    return ours.shape == theirs.shape and ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes()


def is_promoted(dtype, message):
    """The library refuses integers, which the module takes as floats: habits.py compares these."""
    return np.dtype(dtype).kind in "biu" and re.search(r" is (bool|[iu]\d+)[;: ]", message)


def compare(function, dtype, layout):
    """What is wrong with a call, or None."""
    f = function.contents
    given = arguments.arguments_of(lib, f, np.dtype(dtype), layout)
    again = {k: v.copy() if isinstance(v, np.ndarray) and any(r.text == k and r.role == 1 for r in f.rows) else v
             for k, v in given.items()}
    expected_message, expected = table.Call(lib, function, given).run()
    message, made = call_module(function, again)
    for word, other in (("opts->overwrite is 0", "overwrite=True replaces it"), ("opts->", ""), ("NULL", "None"), ("->", ".")):
        expected_message = expected_message and expected_message.replace(word, other)
    expected_message = expected_message and re.sub(r"(?<=matrix at ){(\d+),(\d+)}", r"(\1, \2)", expected_message)
    expected_message = expected_message and re.sub(r"\btess_(\w+)", lambda m: m[1] if m[1] in NAMES else m[0], expected_message)
    if message is None and expected_message and is_promoted(dtype, expected_message):
        return None
    if message != expected_message:
        return f"the module says {message!r}, the library {expected_message!r}"
    for name in expected or {}:
        theirs = given[name] if isinstance(given.get(name), np.ndarray) else expected[name]
        unset = f.text == "fft_empty" and np.shape(made[name]) == theirs.shape
        if not unset and not same(made[name], theirs):
            return f"{name} differs: {made[name]!r} and {theirs!r}"
    return None


succeeded = set()


def check_all(dtype, layout):
    faults = []
    for function in FUNCTIONS:
        f = function.contents
        fault = compare(function, dtype, layout)
        if fault:
            faults.append(f"{f.text} of {dtype}, {layout.__name__}: {fault}")
        elif table.Call(lib, function, arguments.arguments_of(lib, f, np.dtype(dtype), layout)).run()[0] is None:
            succeeded.add(f.text)
    assert not faults, "\n".join(faults[:10])


for the_dtype in DTYPES:
    for the_layout in LAYOUTS if the_dtype in ("f4", "f8") or SAMPLE == 1 else LAYOUTS[:3]:
        @test
        def calls_give_the_bits_of_the_library():
            check_all(the_dtype, the_layout)


@test
def every_operation_was_called_with_success():
    missing = [f.contents.text for f in FUNCTIONS if f.contents.text not in succeeded]
    assert not missing, missing


# Names that mean something else in NumPy, and those of the library's functions in their place.
OTHER_NAMES = {"compress": "masked_select", "dot": "dot_product", "eigh": "eigh_factors", "label_properties": "label_tables",
               "mod": "fmod", "qr": "qr_factors", "round": "round_half_away", "sinc": "sinc_radians", "solve": "solve_matrices",
               "svd": "svd_factors"}


@test
def every_operation_is_a_function_with_a_signature():
    import inspect
    for function in table.functions(lib):
        f = function.contents
        if f.text in ("fftshift", "ifftshift"):
            continue  # of all axes, as in NumPy
        callable_ = getattr(ts, OTHER_NAMES.get(f.text, f.text))
        signature = inspect.signature(callable_)
        assert f.help.decode() in callable_.__doc__, f.text
        for row in f.rows:
            if row.role == table.OPTION and row.text not in ("unused", "meta", "no_sync"):  # Python has sync
                assert python_name(row.text) in signature.parameters, (f.text, row.text)
        assert not f.opts_size or any(p.kind == p.KEYWORD_ONLY for p in signature.parameters.values())


@test
def options_are_keywords():
    a = np.linspace(0, 1, 64, dtype=np.float32).reshape(8, 8)
    np.testing.assert_array_equal(ts.bin(a, (2, 2), sum=True), a.reshape(4, 2, 4, 2).sum((1, 3)))
    np.testing.assert_array_equal(ts.sort(a, descending=True), a[:, ::-1])
    assert ts.var(a, ddof=1) == np.float32(a.astype(np.float64).var(ddof=1))
    assert ts.norm(a, order="l1") == a.sum(dtype=np.float64).astype(np.float32)


finish()
