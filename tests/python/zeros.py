#!/usr/bin/env python3
"""A 0 that a caller writes is 0: every numeric option of every operation whose default is another value, from Python.
zeros.py BUILD

Whether an option matters for the arguments of a call is found without 0: by a number very near to it. Where that does
not give what the default gives, neither may 0.
"""
import keyword
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, finish, test

import numpy as np

import arguments
import table
import tessera as ts

lib = table.load(os.path.join(BUILD, "libtessera.so"))
FILES = {"io", "mrc", "star", "sidecar"}
NUMBERS = {"F64", "I32", "I64", "U32", "U64"}
SINGLE = {"match_projections"}  # operations of single precision
SMALL = 1e-9
# Other arguments with which an option can be told from its default.
BESIDE = {
    "value": {"op": "replace"}, "width_d": {"fraction": 0.25}, "width_h": {"fraction": 0.25},
    "width_w": {"fraction": 0.25},
    "phi_stop": {"phi_start": -1.0}, "max_defocus": {"min_defocus": -0.5},
}


# The same for single options.
random = np.random.default_rng(5)
grid = np.stack(np.meshgrid(*[np.linspace(-0.4, 0.4, 5)] * 2, indexing="ij"), -1).reshape(25, 1, 1, 2)
few = np.where(random.random((1, 8, 8, 5)) < 0.1, 1e-6, 1.0)
BETTER = {
    ("isclose", "rtol"): {"x": np.ones(1), "y": np.full(1, 1 + 5e-6)},
    ("isclose", "atol"): {"x": np.zeros(1), "y": np.full(1, 5e-9)},
    ("taper", "fraction"): {"in_": np.ones((20, 20))},
    ("taper", "width_h"): {"in_": np.ones((20, 20)), "fraction": 0.25},
    ("taper", "width_d"): {"in_": np.ones((20, 20, 20)), "fraction": 0.25},
    ("fsc_resolution", "threshold"): {"fsc": np.linspace(1, -0.5, 13).reshape(1, 1, 1, 13), "shape": (1, 1, 24, 24)},
    ("fourier_normalize", "min_weight"): {"volume": few, "weights": few},
    ("fourier_reconstruct", "floor"): {"volume": few.astype("c16"), "weights": few},
    ("fourier_cone", "direction_h"): {"in_": np.ones((1, 8, 8, 5), "c16"), "shape": (1, 8, 8, 8)},
    ("fourier_cone_image", "direction_h"): {"in_": random.normal(size=(1, 8, 8, 8))},
    ("motion_fit", "outliers"): {"shifts": random.standard_cauchy((25, 1, 6, 2)), "positions": grid},
    ("fuse_spectra", "out_start"): {"start": 0.1},
    ("phase_spectra", "out_start"): {"start": 0.1},
    ("align_tilts", "low"): {"images": random.normal(size=(3, 1, 64, 64)).cumsum(-1).cumsum(-2),
                             "angles": np.array([-0.2, 0, 0.3]).reshape(3, 1, 1, 1)},
}
PLATE = {"pixel_size": 1.5, "defocus": 1.0, "cs": 2.7, "amplitude": 0.1, "phase_shift": 1.0}
BETTER |= {(f, o): {"ctf": PLATE} for f in ("ctf_fit", "ctf_fit_image") for o in ("min_phase_shift", "max_phase_shift")}
# Options of which the test cannot tell 0 from the default, and why.
UNTOLD = {("lstsq", "cond"): f"the default is below {SMALL}; see what_users_wrote",
          ("richardson_lucy", "min_blurred"): f"the default is below {SMALL}"}


def rows():
    """(operation, option) for each numeric option whose default is not 0."""
    for function in table.functions(lib):
        f = function.contents
        if f.module.decode() in FILES:
            continue
        for row in f.rows:
            if row.role == table.OPTION and row.kind in NUMBERS and row.fallback != 0:
                yield f, row


def call(f, **options):
    """Results as a tuple, or the message of the error; options that `f` lacks are left out."""
    given = arguments.arguments_of(lib, f, np.dtype("f4" if f.text in SINGLE else "f8"))
    words = {k + "_" if keyword.iskeyword(k) else k: v for k, v in given.items()}
    names = {r.text for r in f.rows if r.role == table.OPTION} | set(words)
    words.update({k: v for k, v in options.items() if k in names})
    try:
        made = getattr(ts._tessera, f.text)(**words)
    except (ts.Error, ValueError) as error:
        return str(error)
    return made if isinstance(made, tuple) else (made,)


def near(a, b):
    """Are both the same message, or arrays that differ by rounding alone?"""
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str)
    for x, y in zip(a, b):
        x, y = np.asarray(x), np.asarray(y)
        if x.shape != y.shape or not np.allclose(x, y, rtol=1e-6, atol=1e-6, equal_nan=True):
            return False
    return True


@test
def a_zero_is_a_zero_or_an_error():
    faults, told, untold = [], 0, set()
    for f, row in rows():
        name = row.text
        beside = BETTER.get((f.text, name), BESIDE.get(name, {}))
        zero = call(f, **beside, **{name: 0})
        allowed = row.min <= 0 <= row.max
        if not allowed:
            if not (isinstance(zero, str) and f" {name} is 0" in zero):
                faults.append(f"{f.text}({name}=0): {str(zero)[:120]}")
            continue
        default = call(f, **beside)
        matters = not near(call(f, **beside, **{name: SMALL}), default) if row.kind == "F64" else True
        told += matters
        if not matters:
            untold.add((f.text, name))
        if matters and near(zero, default):
            faults.append(f"{f.text}({name}=0) gives {str(zero)[:200]}, as the default does")
    assert not faults, "\n".join(faults)
    assert untold == set(UNTOLD), f"not as listed in UNTOLD: {sorted(untold ^ set(UNTOLD))}"
    print(f"0 and the default differ for {told} options; not told apart:")
    for (function, option), why in UNTOLD.items():
        print(f"  {function}({option}): {why}")


@test
def what_users_wrote():
    a = np.full((8, 8), 5.0)
    assert np.asarray(ts.draw_sphere(a, 4.0, value=0, op="replace"))[4, 4] == 0
    x = np.arange(4.0).reshape(2, 2)
    assert not np.asarray(ts.matmul(x, x, alpha=0)).any()
    assert np.array_equal(ts.isclose([1.0], [1 + 1e-9], rtol=0, atol=0), [False])
    assert np.array_equal(ts.isclose([1.0], [1 + 1e-7], rtol=0), np.isclose([1.0], [1 + 1e-7], rtol=0))
    assert np.array_equal(ts.isclose([0.0], [1e-9], rtol=1e-3), np.isclose([0.0], [1e-9], rtol=1e-3))
    data = np.array([-0.5, 0.25, 2.0])
    assert np.array_equal(ts.histogram(data, 4, low=-1)[0], np.histogram(data, 4, (-1, 2))[0])
    assert np.array_equal(ts.histogram(data, 4, low=-1, high=0)[0], np.histogram(data, 4, (-1, 0))[0])
    assert np.array_equal(ts.histogram(data, 3, high=0.25)[0], np.histogram(data, 3, (-0.5, 0.25))[0])
    image = np.random.default_rng(1).normal(size=(1, 1, 6, 7))
    assert np.array_equal(ts.gaussian_filter(image, 2.0, truncate=0), image)
    assert np.array_equal(ts.taper(image, fraction=0), image)
    assert np.array_equal(np.asarray(ts.taper(image, width_h=0, width_w=0)), image)
    assert np.asarray(ts.lstsq(np.diag([1.0, 2.0**-100]), np.ones((2, 1)), cond=0))[1, 0] == 2.0**100


@test
def what_makes_no_sense_is_rejected():
    for wrong, message in ((lambda: ts.dose_weight(np.ones((1, 1, 4, 3), "c8"), (1, 1, 4, 4), [1.0], 1.0, voltage=0),
                            "voltage is 0; 1 to 100000 is allowed"),
                           (lambda: ts.cartesian_to_polar(np.ones((8, 8)), height=0), "height is 0; 1 to 2147483647"),
                           (lambda: ts.transform_2d(np.ones((4, 4)), np.eye(2), shape=(0, 0)), "sizes must not be 0"),
                           (lambda: ts.fourier_cone(np.ones((1, 1, 4, 3), "c8"), (1, 1, 4, 4), 0.5, direction_h=0),
                            "direction_w are all 0")):
        try:
            wrong()
        except (ts.Error, ValueError) as error:
            assert message in str(error), str(error)
        else:
            raise AssertionError(message)


@test
def fields_of_structs():
    ctf = dict(pixel_size=1.5, defocus=1.0, cs=2.7, amplitude=0.1)
    shape = (1, 1, 8, 8)
    ones = np.ones((1, 1, 8, 5), "c8")
    assert not np.asarray(ts.ctf_apply(ones, shape, dict(ctf, scale=0))).any()
    assert np.asarray(ts.ctf_apply(ones, shape, dict(ctf, scale=1e-9))).any()
    for field in ("voltage", "pixel_size"):
        try:
            ts.ctf_apply(ones, shape, dict(ctf, **{field: 0}))
        except ValueError as error:
            assert f"{field} of ctf is 0" in str(error), str(error)
        else:
            raise AssertionError(field)


@test
def defaults_that_are_computed_are_none():
    assert "low=None, high=None" in ts.histogram.__text_signature__
    for f, row in rows():
        if math.isnan(row.fallback):
            assert call(f, **{row.text: None}) is not None


finish()
