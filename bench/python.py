"""Calls from Python beside the same calls from C and beside NumPy: python.py [BUILD]

One JSON line each: {"work", "n", "ours_s", "c_s", "over_c_s", "ratio", "numpy_s"}; `ratio` is ours_s / c_s. The sides are
timed turn by turn, and the best of several rounds count. The last line is the import, beside that of an empty module.
"""
import json
import os
import subprocess
import sys
import timeit

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
sys.path.insert(0, os.path.join(BUILD, "python"))

import numpy as np  # noqa: E402

import tessera as ts  # noqa: E402

ROUNDS, SMALL, LARGE = 7, 16, 1 << 24


def time(function):
    """Seconds of one call, the best of five times that as many calls take as need 10 ms: as bench_python_call has it."""
    timer, calls = timeit.Timer(function), 1
    while timer.timeit(calls) < 0.01:
        calls *= 4
    return min(timer.timeit(calls) for _ in range(5)) / calls


def c_times():
    """What bench_python_call says, by work and n."""
    lines = subprocess.run([os.path.join(BUILD, "bench_python_call")], capture_output=True, text=True, check=True).stdout
    return {(row["work"], row["n"]): row["c_s"] for row in map(json.loads, lines.splitlines())}


def works():
    for n in (SMALL, LARGE):
        a, b, out = (ts.ones(n, np.float32).numpy() for _ in range(3))  # on the pages that the C program has
        add, np_add = ts.add, np.add
        yield "add, out", n, lambda a=a, b=b, out=out: add(a, b, out=out), lambda a=a, b=b, out=out: np_add(a, b, out=out)
        if n == SMALL:
            yield "add", n, lambda a=a, b=b: add(a, b), lambda a=a, b=b: np_add(a, b)
        yield "sum", n, lambda a=a: ts.sum(a), lambda a=a: a.sum()
        if n == LARGE:
            image = a.reshape(4096, -1)
            yield "fft_r2c", n, lambda image=image: ts.fft_r2c(image), None


def jobs():
    def noise(shape, seed):
        return ts.random_normal(shape, 0, 1, seed=seed, dtype="f32").numpy()
    images, maps = noise((2, 1, 1024, 1024), 1), [noise((128, 128, 128), seed) for seed in (1, 2)]
    pick, fsc = ts.jobs.pick, ts.jobs.half_map_fsc
    yield "jobs.pick", images.size, lambda: pick(images, diameter=24, bin=1, threshold=4, pixel_size=1.5), None
    yield "jobs.half_map_fsc", maps[0].size, lambda: fsc(*maps, pixel_size=1.5), None


def best(times, key, took):
    times[key] = min(took, times.get(key, took))


def calls():
    times, rows = {}, [*works(), *jobs()]
    for _ in range(ROUNDS):
        for (work, n), took in c_times().items():
            best(times, ("c", work, n), took)
        for work, n, ours, theirs in rows:
            best(times, ("ours", work, n), time(ours))
            if theirs:
                best(times, ("numpy", work, n), time(theirs))
    for work, n, _, _ in rows:
        ours, c, numpy = (times.get((side, work, n)) for side in ("ours", "c", "numpy"))
        print(json.dumps({"work": work, "n": n, "ours_s": float(f"{ours:.4g}"), "c_s": c, "over_c_s": float(f"{ours - c:.3g}"),
                          "ratio": round(ours / c, 3), "numpy_s": numpy and float(f"{numpy:.4g}")}), flush=True)


def imports():
    def fresh(module):
        text = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
        environment = {**os.environ, "PYTHONPATH": os.path.join(BUILD, "python")}
        return float(subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True,
                                    env=environment).stdout)
    print(json.dumps({"work": "import", "ours_s": round(min(fresh("tessera") for _ in range(ROUNDS)), 5),
                      "numpy_s": round(min(fresh("numpy") for _ in range(ROUNDS)), 5)}))


calls()
imports()
