#!/usr/bin/env python3
"""Threads, processes, signals and the import itself. processes.py BUILD"""
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # there is no GPU for these tests
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "support"))
from check import BUILD, Skip, finish, raises, test

import numpy as np

import tessera as ts

FACTOR = int(os.environ.get("TESS_TEST_TIME_FACTOR", 1))


def python(text, **variables):
    """What a fresh interpreter prints."""
    environment = {**os.environ, "PYTHONPATH": os.path.join(BUILD, "python"), **variables}
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, env=environment, timeout=60 * FACTOR)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@test
def importing_takes_little():
    with tempfile.TemporaryDirectory() as compiled:  # as the files of an installed module are
        took = min(float(python("import time; t = time.perf_counter(); import tessera; print(time.perf_counter() - t)",
                                PYTHONPYCACHEPREFIX=compiled, PYTHONDONTWRITEBYTECODE="")) for _ in range(15))
    assert took < 0.06 * FACTOR, took
    assert python("import sys, tessera; print('numpy' in sys.modules)") == "False"
    assert python("import tessera as ts; print(ts.add([1, 2], 1), ts.sum(ts.ones(3)), ts.zeros(2).tolist())") == \
        "[2 3] 3.0 [0.0, 0.0]"


@test
def documentation_may_be_stripped():
    assert python("import subprocess, sys; print(subprocess.run([sys.executable, '-OO', '-c', 'import tessera as ts; "
                  "print(ts.flip([1, 2]))'], capture_output=True, text=True).stdout.strip())") == "[2 1]"


@test
def signatures_do_not_depend_on_the_locale():
    made = python("import locale\ntry: locale.setlocale(locale.LC_NUMERIC, 'de_DE.UTF-8')\nexcept locale.Error: print('none')\n"
                  "import inspect, tessera as ts\nprint(inspect.signature(ts.align_frames))")
    if made.startswith("none"):
        raise Skip("there is no locale with a decimal comma")
    assert "tolerance=0.05" in made, made


@test
def numpy_may_come_later():
    assert python("import tessera as ts\nx = ts.ones(3)\nimport numpy as np\nprint(type(ts.add(np.ones(3), x)).__name__, "
                  "type(x.numpy()).__name__)") == "ndarray ndarray"


@test
def a_child_of_fork_can_work():
    a = np.ones((512, 512), np.float32)
    assert ts.sum(ts.fft_r2c(a).real) > 0
    child = os.fork()
    if child == 0:
        good = ts.sum(a) == a.size and np.isfinite(ts.fft_r2c(a)).all()
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert ts.sum(a) == a.size


@test
def functions_go_to_other_processes():
    import multiprocessing
    import pickle
    for f in (ts.add, ts.sum, ts.lowpass_image):
        assert pickle.loads(pickle.dumps(f)) is f
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(ts.sum, [np.ones(n) for n in range(1, 5)]) == [1, 2, 3, 4]
        assert [m.max for m in pool.map(ts.minmax, [np.arange(n) for n in range(1, 5)])] == [0, 1, 2, 3]
    fresh = python("import pickle, sys; m = pickle.loads(bytes.fromhex(%r)); print(m.max, type(m).__name__)"
                   % pickle.dumps(ts.minmax(np.arange(3.0))).hex())
    assert fresh == "2.0 minmax", fresh
    raises(ValueError, "a name for each item", ts._tessera._rebuild_results, "f a b", [1])
    raises(TypeError, "", ts._tessera._rebuild_results, "f a", 3)


@test
def threads_share_arrays():
    a = np.random.default_rng(1).normal(size=(200, 200)).astype(np.float32)
    x, want, wrong = ts.asarray(a), ts.lowpass_image(a, 0.1), []

    def work(i):
        for k in range(30):
            if not np.array_equal(ts.lowpass_image(a if i % 2 else x, 0.1), want) or float(ts.sum(x[k:])) != ts.sum(a[k:]):
                wrong.append(i)
            try:
                ts.add(a, np.ones((3, 3 + i)))
            except ts.ShapeError as error:
                if f"(3, {3 + i})" not in str(error):
                    wrong.append(error)
    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong, wrong


@test
def other_threads_run_during_work():
    a = np.random.default_rng(1).normal(size=(3000, 3000))
    ticks, ended = [], threading.Event()

    def tick():
        while not ended.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.0005)
    t = threading.Thread(target=tick)
    t.start()
    begin = time.perf_counter()
    while time.perf_counter() - begin < 0.3:
        ts.sort(a)
    inside = [p for p in ticks if p > begin]
    ended.set()
    t.join()
    assert len(inside) > 20, len(inside)


@test
def signals_are_noticed_between_calls():
    def handler(number, frame):
        raise KeyboardInterrupt
    before = signal.signal(signal.SIGALRM, handler)
    a = np.ones((1000, 1000), np.float32)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        def forever():
            while True:
                ts.gaussian_filter(a, 2)
        raises(KeyboardInterrupt, "", forever)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


INTERRUPTED = """
import os, signal, tempfile, threading, time
import numpy as np
import tessera as ts

image = ts.random_normal((5000, 5000), 0, 1, seed=1, dtype="f32")
vector = ts.random_normal((1 << 26,), 0, 1, seed=1, dtype="f32")
matrix = ts.random_normal((1500, 1500), 0, 1, seed=1, dtype="f64")
square = ts.op("op square(in f32 x, out f32 y) { f32 t = x; for (int i = 0; i < 40; i++) { t = sin(t) + cos(t); } y = t; }")
small = np.arange(12, dtype=np.float32).reshape(3, 4)
sent = []

def send():
    sent.append(time.perf_counter())
    os.kill(os.getpid(), signal.SIGINT)

def longest(name, work):
    timer = threading.Timer(0.1, send)
    timer.start()
    try:
        work()
        print(name, "ended before the signal")
    except KeyboardInterrupt:
        print(name, time.perf_counter() - sent[-1])
    timer.join()
    assert ts.sum(small) == 66 and ts.sort(small).tolist() == small.tolist()

longest("median_filter", lambda: ts.median_filter(image, (15, 15)))
longest("sort", lambda: ts.sort(vector))
longest("lstsq", lambda: ts.lstsq(matrix, matrix))
longest("operator", lambda: square(image))
with tempfile.TemporaryDirectory() as folder:
    longest("write", lambda: ts.write(os.path.join(folder, "x.mrc.gz"), image))
    print("files", len(os.listdir(folder)))
"""


@test
def ctrl_c_ends_a_long_call():
    lines = python(INTERRUPTED).splitlines()
    assert len(lines) == 6, lines
    for line in lines:
        name, took = line.split(" ", 1)
        assert float(took) < 0.3 * FACTOR, line


@test
def other_threads_go_on():
    def handler(number, frame):
        raise KeyboardInterrupt
    before = signal.signal(signal.SIGALRM, handler)
    image, made = ts.ones((2000, 2000)), []
    work = threading.Thread(target=lambda: made.append(ts.median_filter(image, (9, 9), border="clamp")))
    work.start()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        raises(KeyboardInterrupt, "", time.sleep, 10)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    work.join()
    assert float(ts.min(made[0])) == float(ts.max(made[0])) == 1


@test
def a_handler_that_returns_does_not_cancel():
    calls = []

    def handler(number, frame):
        calls.append(ts.sum(ts.ones((300, 300))))
    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.05)
    try:
        made = ts.median_filter(ts.ones((2000, 2000)), (9, 9), border="clamp")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert float(ts.min(made)) == 1 and calls and all(x == 90000 for x in calls)


@test
def threads_can_be_set():
    ts.set_threads(1)
    assert ts.threads() == 1
    ts.set_threads(0)
    assert ts.threads() >= 1


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


@test
def kept_memory_can_be_given_back():
    ts.memory_trim("cpu")
    x = ts.ones(64 << 20, "u8")
    before = resident()
    del x
    ts.memory_trim("cpu")
    assert before - resident() > 60 << 20, before - resident()
    raises(ts.DeviceError, "gpu:7", ts.memory_trim, "gpu:7")


@test
def memory_can_be_limited():
    used = ts.memory_used("cpu")
    x = ts.zeros(1 << 20, "u8")
    assert ts.memory_used("cpu") - used >= x.size
    ts.set_memory_limit(1 << 22)
    try:
        raises(ts.OutOfMemoryError, "", ts.zeros, 1 << 24)
    finally:
        ts.set_memory_limit(0)
    assert ts.zeros(1 << 24).size == 1 << 24


@test
def devices_and_streams():
    assert ts.gpu_count() == 0
    with ts.device("cpu") as cpu:
        assert ts.zeros(2).device == "cpu" and str(cpu) == "cpu"
    raises(ts.DeviceError, "", ts.device("gpu:0").__enter__)
    raises(ts.DeviceError, "", ts.stream, "gpu:0")
    with ts.stream("cpu") as outer:
        with ts.stream("cpu"):
            assert ts.sum(np.ones(3)) == 3
        outer.synchronize()
    ts.synchronize("cpu")


@test
def each_thread_has_its_own_devices_and_streams():
    shared, cpu = ts.device("cpu"), ts.stream("cpu")
    entered, left = threading.Event(), threading.Event()
    faults = []

    def other():
        try:
            with shared, cpu:
                entered.set()
                assert left.wait(60 * FACTOR)
        except Exception as error:
            faults.append(error)

    thread = threading.Thread(target=other)
    with shared, cpu:
        thread.start()
        assert entered.wait(60 * FACTOR)
    left.set()
    thread.join()
    assert not faults, faults


@test
def a_handler_of_signals_may_use_the_file_that_is_read():
    import tempfile
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "a.mrc")
        ts.write(name, np.ones((64, 512, 512), np.float32))
        f, seen = ts.open(name), []
        before = signal.signal(signal.SIGALRM, lambda *_: seen.append(f[0, 0, :2].tolist()))
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
            for _ in range(4):
                f.read()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        assert seen and all(two == [1.0, 1.0] for two in seen)


@test
def copies_are_made_without_the_gil():
    x = ts.asarray(np.ones(1 << 24, np.float32)).reshape(4096, 4096).T
    y = ts.zeros((4096, 4096), dtype="f32")
    for work in (x.copy, lambda: x.astype("f64"), lambda: y.__setitem__(slice(None), x)):
        counted, ended = [0], threading.Event()

        def count():
            while not ended.is_set():
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        most = 0
        for _ in range(5):
            before = counted[0]
            work()
            most = max(most, counted[0] - before)
        ended.set()
        thread.join()
        assert most > 100, most


finish()
