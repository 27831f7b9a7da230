#!/usr/bin/env python3
"""Every public function has an example in its documentation, which shows it and gives the output that it says. examples.py BUILD"""
import doctest
import inspect
import os
import re
import sys
import tempfile
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import finish, test

import numpy as np

import tessera as ts

NOT_RUN = {"jobs.render_eer"}  # it needs a file of a camera
QUIET = {"memory_trim", "set_memory_limit", "set_threads", "synchronize"}  # they return None
MOST_LINES = 14  # with the output


def public_functions():
    """(how a user writes it, the function)"""
    for prefix, module in (("", ts), ("jobs.", ts.jobs), ("linalg.", ts.linalg)):
        for name in dir(module):
            function = getattr(module, name)
            if not name.startswith("_") and callable(function) and not inspect.isclass(function):
                yield prefix + name, function


FUNCTIONS = dict(public_functions())


def example_of(function):
    return inspect.getdoc(function).partition("\nExample:\n")[2]


class Checker(doctest.OutputChecker):
    """The sign of 0 may differ between processors, and NumPy 2 prints its scalars with their types."""

    def check_output(self, want, got, flags):
        def neutral(text):
            text = re.sub(r"np\.(?:float|int)\d+\((.*?)\)|np\.(True|False)_", lambda m: m[1] or m[2], text)
            return re.sub(r"\s+", "", re.sub(r"-(0\.?0*(?![\d.]|e))", r"\1", text))
        return neutral(want) == neutral(got)


@test
def every_function_has_one():
    assert len(FUNCTIONS) > 500, len(FUNCTIONS)
    missing = [name for name, function in FUNCTIONS.items() if not example_of(function)]
    assert not missing, missing


@test
def each_shows_its_function():
    for name, function in FUNCTIONS.items():
        own = ("jobs." if name.startswith("jobs.") else "") + function.__name__  # of another name, or in another module
        text = example_of(function)
        assert re.search(rf"\bts\.({re.escape(name)}|{own})\(", text), name
        lines = text.splitlines()
        statements = sum(line.lstrip().startswith((">>> ", "... ")) for line in lines)
        assert len(lines) <= MOST_LINES and max(map(len, lines)) <= 120 and statements <= 5, name
        assert statements < len(lines) or name in QUIET or name in NOT_RUN, name


@test
def each_gives_its_output():
    warnings.simplefilter("error")
    parser, report = doctest.DocTestParser(), []
    threads, here = ts.threads(), os.getcwd()
    for name, function in FUNCTIONS.items():
        if name in NOT_RUN:
            continue
        case = parser.get_doctest(example_of(function), {"np": np, "ts": ts}, name, None, 0)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            doctest.DocTestRunner(Checker(), verbose=False).run(case, out=report.append)
            os.chdir(here)
        ts.set_threads(threads)
    assert not report, "".join(report)


@test
def none_is_left_over():
    from tessera import examples
    names = {name.rpartition(".")[2] for name in FUNCTIONS} | set(FUNCTIONS)
    assert set(examples._BY_NAME) <= names, set(examples._BY_NAME) - names


@test
def documentation_reads_well():
    for name, function in FUNCTIONS.items():
        text = inspect.getdoc(function)
        assert "\n\nExample:\n    >>> " in text and text.count("\nExample:\n") == 1, name
    assert inspect.getdoc(ts.asarray).splitlines()[2:4] == ["Arguments:", "    object: array of any package, number or nested list; "
                                                            "numbers and lists are copied"]
    assert inspect.signature(ts.radial_profile) and "    >>> ts.subtract(" in ts.subtract.__doc__


def parameters_of(function):
    """Names of the parameters as the help lists them."""
    marks = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    return [marks.get(p.kind, "") + name for name, p in inspect.signature(function).parameters.items()]


def rows_of(function):
    """(name, text) of each argument in the help"""
    section = re.search(r"\nArguments:\n(.*?)\n(\n|\Z)", inspect.getdoc(function) + "\n", re.S)
    return re.findall(r"^    (\*{0,2}\w+): (\S.*)", section[1], re.M) if section else []


@test
def every_argument_is_described():
    for name, function in FUNCTIONS.items():
        rows = rows_of(function)
        assert [row for row, _ in rows] == parameters_of(function), (name, rows)
        assert all(len(text) > 2 for _, text in rows), (name, rows)


@test
def help_is_in_words_of_python():
    in_c = r"\{\w|\bNULL\b|tess_|opts\b|zeroed|newly|may be None|strides;|\bmalloc|\bof in\b"
    for name, function in FUNCTIONS.items():
        text = inspect.getdoc(function).partition("\nExample:\n")[0]
        assert not re.search(in_c, text.replace("op name(in f64 z, in f64 y, in f64 x, out T m) {", "")), (name, re.findall(in_c, text))
    for text, function in (("in_: square matrices (..., n, n)", ts.determinant), ("x: (..., n, k): the solution", ts.lstsq),
                           ("u: orthonormal columns (..., m, k), k = min(m, n) (with u=True)", ts.svd_factors),
                           ("times: times of the frames, (n,)", ts.motion_fit), ("directions: axes of cones: vectors (z, y, x), not 0, "
                           "real (n, 3)", ts.fsc), ("filter: weights", ts.convolve), ("images (..., h, w) or volumes", ts.symmetrize),
                           ("coordinates: micrograph, x and y of each particle, (n, 3)", ts.jobs.extract_particles),
                           ("in each shell, (..., shells), or (..., cones, shells) with directions;", ts.fsc),
                           ("markers: labels of the elements where floods begin, 0 elsewhere; None: regional minima", ts.watershed)):
        assert text in inspect.getdoc(function), (text, inspect.getdoc(function))


finish()
