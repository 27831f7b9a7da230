#!/usr/bin/env python3
"""Every job three ways: on arrays, on files, and by the command; the same bits. job_verbs.py BUILD"""
import json
import os
import subprocess
import sys
import tempfile
import types

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # there is no GPU for these tests
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, Skip, finish, test

import numpy as np

import job_cases
import tessera as ts

FOLDER = tempfile.TemporaryDirectory()
COMMAND = os.path.join(BUILD, "tessera")
job_cases.write_files(FOLDER.name)
WANT = [case.on_arrays() for case in job_cases.CASES]


def same(one, other):
    """The same bits in all fields, whatever kind the arrays are of."""
    assert vars(one).keys() == vars(other).keys()
    for k, v in vars(one).items():
        w = vars(other)[k]
        if hasattr(v, "shape") or isinstance(v, ts.jobs.Table):
            v, w = np.asarray(v), np.asarray(w)
            assert v.squeeze().shape == w.squeeze().shape and v.dtype == w.dtype and v.tobytes() == w.tobytes(), k
        else:
            assert v == w and type(v) is type(w), (k, v, w)
    return True


class Tensor:
    """An array of another package's, which takes and gives memory by DLPack alone, as torch and CuPy do."""

    def __init__(self, array):
        self.array = ts.asarray(array)
        self.shape, self.dtype = self.array.shape, self.array.dtype

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array__(self, dtype=None):
        return np.asarray(self.array, dtype)


Tensor.__module__ = "strangers"
sys.modules["strangers"] = types.ModuleType("strangers")
sys.modules["strangers"].from_dlpack = Tensor


def every_case(check):
    """One test for each case, named by its job."""
    for case, want in zip(job_cases.CASES, WANT):
        def one(case=case, want=want):
            check(case, want)
        one.__name__ = f"{check.__name__}: {case.job}"
        test(one)


@test
def every_job_has_a_case():
    missing = sorted(set(ts._tessera._jobs) - {case.job for case in job_cases.CASES})
    if missing:
        raise Skip(f"{', '.join(missing)}: no case in support/job_cases.py")


@every_case
def files_give_the_same_bits(case, want):
    assert same(case.on_files(FOLDER.name), want)


@every_case
def the_command_writes_the_same_bits(case, want):
    if not os.path.exists(COMMAND):
        raise Skip("the command was not built")
    done = subprocess.run([COMMAND, *case.words], cwd=FOLDER.name, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for name, check in case.outputs.items():
        check(want, os.path.join(FOLDER.name, name) if name else json.loads(done.stdout))


@every_case
def threads_and_memory_change_nothing(case, want):
    before = ts.threads()
    try:
        for threads in (1, 3):
            ts.set_threads(threads)
            assert same(case.on_arrays(memory=64 << 20), want)
    finally:
        ts.set_threads(before)


def check_kind(case, want, convert, kind):
    """Arrays of the result are of the kind of the first array."""
    made = case.on_arrays(convert)
    kinds = {type(v) for v in vars(made).values() if hasattr(v, "shape")}
    assert same(made, want) and kinds <= {np.ndarray if case.job == "render_eer" else kind}, kinds


@every_case
def arrays_of_every_kind(case, want):
    """Ours, others' by DLPack, and those that lie in another order."""
    for convert, kind in ((ts.asarray, ts.Array), (Tensor, Tensor), (np.asfortranarray, np.ndarray),
                          (lambda a: a[::-1].copy()[::-1], np.ndarray)):
        check_kind(case, want, convert, kind)


@test
def tensors_of_torch():
    try:
        import torch
    except ImportError:
        raise Skip("torch is not installed")
    for case, want in zip(job_cases.CASES, WANT):
        check_kind(case, want, torch.from_numpy, torch.Tensor)


FOLDER.cleanup()
finish()
