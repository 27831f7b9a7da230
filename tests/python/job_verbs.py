#!/usr/bin/env python3
"""Every job three ways: on arrays, on files, and by the command; the same bits. job_verbs.py BUILD"""
import gc
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import types

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # there is no GPU for these tests
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, SAMPLE, Skip, finish, test

import numpy as np

import job_cases
import tessera as ts

FOLDER = tempfile.TemporaryDirectory()
COMMAND = os.path.join(BUILD, "tessera")
job_cases.write_files(FOLDER.name)
MOMENTS = random.Random(5)
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
    assert not missing, f"{', '.join(missing)}: no case in support/job_cases.py"


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
    has_arrays = any(file != "movie.eer" for file in case.sources.values())
    assert same(made, want) and kinds <= {kind if has_arrays else np.ndarray}, kinds


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


# ---- Many calls, and calls that are cancelled ----


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def threads_now():
    return len(os.listdir("/proc/self/task"))


@test
def many_small_jobs_keep_memory_flat():
    """A hundred thousand calls where the environment asks for them, and in `make test-all` a tenth of these."""
    image = np.ascontiguousarray(job_cases.ARRAYS["micrographs.mrcs"][:1, :32, :32])
    place = np.array([[0, 16, 16]])
    n = int(os.environ.get("TESS_TEST_JOBS", 10000 if SAMPLE <= 6 else 1000))

    def call(n):
        for _ in range(n):
            assert ts.jobs.extract_particles(image, place, 16).boxes.shape == (1, 1, 16, 16)
        gc.collect()
    call(500)
    before, held = resident(), sys.getrefcount(image)
    call(n)
    grown = resident() - before
    print(f"{n} calls of extract_particles: {grown >> 10} KiB more are resident")
    assert sys.getrefcount(image) == held
    assert grown < (2 << 20 if "LD_PRELOAD" not in os.environ else 1 << 30), grown


def interrupted(case, after):
    """The job with SIGINT after some seconds: its result, or None."""
    timer = threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT))
    try:
        try:
            timer.start()
            made = case.on_arrays()
            timer.join()  # it may come now
            return made
        finally:
            timer.join()
    except KeyboardInterrupt:
        return None


@every_case
def interrupts_leave_nothing(case, want):
    """At random moments; then no thread and no memory is left, and the next call gives the same bits."""
    began = time.perf_counter()
    case.on_arrays()
    took = time.perf_counter() - began
    n, threads, files, ended = max(1, 50 // SAMPLE), threads_now(), sorted(os.listdir(FOLDER.name)), 0
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        held = resident()
        for _ in range(n):
            ended += interrupted(case, MOMENTS.uniform(0, took)) is None
    finally:
        signal.signal(signal.SIGINT, before)
    assert same(case.on_arrays(), want)
    until = time.monotonic() + 5
    while threads_now() > threads and time.monotonic() < until:  # a thread that was joined may still be ending
        time.sleep(0.01)
    assert threads_now() <= threads and sorted(os.listdir(FOLDER.name)) == files
    assert resident() - held < (64 << 20 if "LD_PRELOAD" not in os.environ else 1 << 30), resident() - held


@test
def cancelled_sinks_leave_no_file():
    stack = job_cases.ARRAYS["movie.mrcs"]
    before = sorted(os.listdir(FOLDER.name))
    for at in range(4):
        told = []

        def progress(*given):
            told.append(given)
            return len(told) > at
        try:
            ts.jobs.dose_weight_stack(stack, dose=1.0, pixel_size=1.5, progress=progress, sink=os.path.join(FOLDER.name, "none.mrcs"))
        except ts.CancelledError:
            pass
        else:
            assert len(told) <= at
            os.remove(os.path.join(FOLDER.name, "none.mrcs"))
        assert sorted(os.listdir(FOLDER.name)) == before, at


FOLDER.cleanup()
finish()
