"""Operations on arrays of any layout, beside a copy and the same work on contiguous arrays: layouts.py [BUILD [NAME …]]

One JSON line each: {"work", "layout", "ours_s", "copy_and_work_s", "ratio"}; ratios are ours over copy and work, which
should be at most 1.5. Layouts are of the input, or of the output: `columns` (axes in reverse order in memory), `reversed`
(all axes), `sliced` (every second element of rows and columns). Work is timed turn by turn, on one thread, and the best of
several rounds counts. Results are compared before: they must have the same bits.
"""
import json
import math
import os
import sys
import time

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
sys.path.insert(0, os.path.join(BUILD, "python"))

import numpy as np  # noqa: E402

import tessera as ts  # noqa: E402

ONLY_INPUT = ("peaks", "compress", "unique", "quantile", "correlate_peak")  # their results have a size of their own
ROUNDS, SECONDS = 9, 0.25  # of rounds at most, and of one row
rng = np.random.default_rng(1)


# ---- Layouts ----

def empty(layout, shape, dtype):
    """An array of a layout."""
    if layout == "columns":
        return np.empty(shape[::-1], dtype).T
    if layout == "reversed":
        return np.empty(shape, dtype)[(slice(None, None, -1),) * len(shape)]
    if layout == "sliced":
        rank = min(2, len(shape))
        return np.empty(shape[:-rank] + tuple(2 * n for n in shape[-rank:]), dtype)[(...,) + (slice(None, None, 2),) * rank]
    return np.empty(shape, dtype)


LAYOUTS = ("columns", "reversed", "sliced")


def laid_out(a, layout):
    b = empty(layout, a.shape, a.dtype)
    b[...] = a
    return b


# ---- Works: a name, an input, and what is done with it ----

def works(side, depth):
    image = rng.normal(size=(side, side)).astype(np.float32)
    stack = rng.normal(size=(4, side // 2, side // 2)).astype(np.float32)
    volume = rng.normal(size=(depth,) * 3).astype(np.float32)
    half = ts.fft_r2c(image)
    half3 = ts.fft_r2c(volume, axes="dhw")
    mask = (image > 1).astype(np.uint8)
    v = (depth,) * 3
    origins = np.array([[y, x] for y in range(0, side - side // 8, side // 10) for x in range(0, side - side // 8, side // 10)], np.int64)
    turn = np.array([[math.cos(0.3), -math.sin(0.3), 20], [math.sin(0.3), math.cos(0.3), 5]], np.float32)
    turn3 = np.array([[math.cos(0.3), -math.sin(0.3), 0, 9], [math.sin(0.3), math.cos(0.3), 0, 5], [0, 0, 1, 0]], np.float32)
    yield "bin 2 x 2", image, lambda a, **o: ts.bin(a, (2, 2), **o)
    yield "bin 3 x 5", image, lambda a, **o: ts.bin(a, (3, 5), **o)
    yield "bin 2 x 2 x 2, volume", volume, lambda a, **o: ts.bin(a, (2, 2, 2), **o)
    yield "bin 4 x 4, sum, u8", mask, lambda a, **o: ts.bin(a, (4, 4), sum=True, **o)
    yield "pad, mirror", image, lambda a, **o: ts.pad(a, (9, 9), (9, 9), border="mirror", **o)
    yield "crop", image, lambda a, **o: ts.crop(a, (9, 9), (9, 9), **o)
    yield "resize", image, lambda a, **o: ts.resize(a, (side * 7 // 8, side * 9 // 8), **o)
    yield "extract", image, lambda a, **o: ts.extract(a, origins, (side // 8,) * 2, **o)
    for axis in (0, 1):
        yield f"cumsum {axis}", image, lambda a, axis=axis, **o: ts.cumsum(a, axis, **o)
        yield f"cummax {axis}", image, lambda a, axis=axis, **o: ts.cummax(a, axis, **o)
    yield "cumsum, volume", volume, lambda a, **o: ts.cumsum(a, 1, **o)
    yield "cumprod 1", image, lambda a, **o: ts.cumprod(a, 1, **o)
    yield "gaussian_filter", image, lambda a, **o: ts.gaussian_filter(a, 2, **o)
    yield "gaussian_filter, volume", volume, lambda a, **o: ts.gaussian_filter(a, 1, **o)
    yield "convolve 3 x 3", image, lambda a, **o: ts.convolve(a, np.ones((3, 3), np.float32), **o)
    yield "convolve_separable 3 x 3", image, lambda a, **o: ts.convolve_separable(a, None, [1, 2, 1], [1, 2, 1], **o)
    yield "laplacian", image, lambda a, **o: ts.laplacian(a, **o)
    yield "derivative", image, lambda a, **o: ts.derivative(a, axis="w", **o)
    yield "median_filter 3 x 3", image, lambda a, **o: ts.median_filter(a, (3, 3), **o)
    yield "median_filter 7 x 7", image, lambda a, **o: ts.median_filter(a, (7, 7), **o)
    yield "quantile_filter 3 x 3", image, lambda a, **o: ts.quantile_filter(a, (3, 3), 0.3, **o)
    yield "remove_outliers", image, lambda a, **o: ts.remove_outliers(a, 5, **o)
    yield "taper", image, lambda a, **o: ts.taper(a, **o)
    yield "taper_radial", image, lambda a, **o: ts.taper_radial(a, side * 0.4, **o)
    yield "normalize", image, lambda a, **o: ts.normalize(a, **o)
    yield "normalize_background", image, lambda a, **o: ts.normalize_background(a, side * 0.4, **o)
    yield "distance_transform", mask, lambda a, **o: ts.distance_transform(a, **o)
    yield "dilate", mask, lambda a, **o: ts.dilate(a, 3, **o)
    yield "label", mask, lambda a, **o: ts.label(a, **o)
    yield "otsu", image, lambda a, **o: ts.otsu(a, **o)
    yield "peaks", image, lambda a, **o: ts.peaks(a, 3)
    yield "transform_2d, linear", image, lambda a, **o: ts.transform_2d(a, turn, **o)
    yield "transform_2d, cubic", image, lambda a, **o: ts.transform_2d(a, turn, interp="cubic", **o)
    yield "transform_3d, linear", volume, lambda a, **o: ts.transform_3d(a, turn3, **o)
    yield "rotate_image", image, lambda a, **o: ts.rotate_image(a, 0.3, **o)
    yield "shift_image", image, lambda a, **o: ts.shift_image(a, 0, 3.5, 2.5, **o)
    yield "rescale", image, lambda a, **o: ts.rescale(a, 1, 1.5, **o)
    yield "bspline_prefilter", image, lambda a, **o: ts.bspline_prefilter(a, **o)
    yield "cartesian_to_polar", image, lambda a, **o: ts.cartesian_to_polar(a, **o)
    yield "polar_to_cartesian", image, lambda a, **o: ts.polar_to_cartesian(a, **o)
    yield "symmetrize, C4", image, lambda a, **o: ts.symmetrize(a, "C4", **o)
    yield "project", volume, lambda a, **o: ts.project(a, turn3[:, :3], **o)
    yield "draw_sphere", image, lambda a, **o: ts.draw_sphere(a, side * 0.3, width=10, **o)
    yield "fft_r2c", image, lambda a, **o: ts.fft_r2c(a, **o)
    yield "fft_r2c, volume", volume, lambda a, **o: ts.fft_r2c(a, axes="dhw", **o)
    yield "fft_c2c", half, lambda a, **o: ts.fft_c2c(a, "forward", **o)
    yield "fft_remap", half, lambda a, **o: ts.fft_remap(a, (side, side), "h", "hc", **o)
    yield "fft_resize", half, lambda a, **o: ts.fft_resize(a, (side, side), (side * 3 // 4,) * 2, **o)
    yield "fftshift", image, lambda a, **o: ts.fftshift(a, **o)
    yield "lowpass", half, lambda a, **o: ts.lowpass(a, (side, side), 0.2, **o)
    yield "lowpass, volume", half3, lambda a, **o: ts.lowpass(a, v, 0.2, **o)
    yield "phase_shift", half, lambda a, **o: ts.phase_shift(a, (side, side), (0, 3.5, 2.5), **o)
    yield "lowpass_image", image, lambda a, **o: ts.lowpass_image(a, 0.2, **o)
    yield "ctf_apply", half, lambda a, **o: ts.ctf_apply(a, (side, side), {"pixel_size": 1.0, "defocus": 1.0}, **o)
    yield "fourier_wedge", half3, lambda a, **o: ts.fourier_wedge(a, v, -1, 1, **o)
    yield "whiten", half, lambda a, **o: ts.whiten(a, (side, side), **o)
    yield "standardize", half, lambda a, **o: ts.standardize(a, (side, side), **o)
    yield "phase_randomize", half, lambda a, **o: ts.phase_randomize(a, (side, side), 0.2, 7, **o)
    yield "rotational_average", half, lambda a, **o: ts.rotational_average(a, (side, side), **o)
    yield "radial_power", half, lambda a, **o: ts.radial_power(a, (side, side), **o)
    yield "fsc", half, lambda a, **o: ts.fsc(a, half, (side, side), **o)
    yield "correlate", image, lambda a, **o: ts.correlate(a, image, **o)
    yield "correlate_map", half, lambda a, **o: ts.correlate_map(a, half, (side, side), **o)
    yield "correlate_peak", image, lambda a, **o: ts.correlate_peak(a)
    yield "average_power", image, lambda a, **o: ts.average_power(a, (side // 4,) * 2, **o)
    yield "transform_spectrum_2d", half, lambda a, **o: ts.transform_spectrum_2d(a, (side, side), turn[:, :2], **o)
    yield "gridding_correct", volume, lambda a, **o: ts.gridding_correct(a, **o)
    yield "sort 1", image, lambda a, **o: ts.sort(a, 1, **o)
    yield "sort 0", image, lambda a, **o: ts.sort(a, 0, **o)
    yield "histogram", image, lambda a, **o: ts.histogram(a, 100, **o)[0]
    yield "quantile", image, lambda a, **o: ts.quantile(a, 0.3)
    yield "unique", mask, lambda a, **o: ts.unique(a)
    yield "take", image, lambda a, **o: ts.take(a, np.arange(0, side, 3), 1, **o)
    yield "take_flat", image, lambda a, **o: ts.take_flat(a, np.arange(0, side * side, 7), **o)
    yield "compress", image, lambda a, **o: ts.masked_select(a, mask)
    yield "searchsorted", image, lambda a, **o: ts.searchsorted(np.linspace(-3, 3, 99, dtype=np.float32), a, **o)
    yield "matmul", image, lambda a, **o: ts.matmul(a, image, **o)
    yield "concatenate", image, lambda a, **o: ts.concatenate([a, image], 1, **o)
    yield "batches: transform_2d", stack, lambda a, **o: ts.transform_2d(a[:, None], turn, **o)


# ---- Timing ----

def best(calls):
    """The best time of each call, turn by turn."""
    times, start = [math.inf] * len(calls), time.perf_counter()
    for r in range(ROUNDS):
        for i, call in enumerate(calls):
            from_ = time.thread_time()  # what others do on the machine does not count
            call()
            times[i] = min(times[i], time.thread_time() - from_)
        if r >= 3 and time.perf_counter() - start > SECONDS:
            break
    return times


def same(got, want):
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    return all(np.array_equal(np.asarray(g), np.asarray(w), equal_nan=np.asarray(w).dtype.kind in "fc") for g, w in zip(got, want))


def report(name, layout, work, contiguous, copy):
    ours, theirs, copied = best([work, contiguous, copy])
    print(json.dumps({"work": name, "layout": layout, "ours_s": ours, "copy_and_work_s": theirs + copied,
                      "ratio": round(ours / (theirs + copied), 2)}), flush=True)


def main(names):
    ts.set_threads(1)
    for name, a, work in works(1024, 96):
        if names and not any(word in name for word in names):
            continue
        want = work(a)
        for layout in LAYOUTS:
            b, copied = laid_out(a, layout), np.empty_like(a)
            if not same(work(b), want):
                print(f"{name}: other results of {layout}", file=sys.stderr)
            report(name, "input: " + layout, lambda: work(b), lambda: work(a), lambda: ts.copy(b, out=copied))
        if not isinstance(want, np.ndarray) or want.size < 1000 or name in ONLY_INPUT:
            continue
        made = np.empty_like(want)
        for layout in LAYOUTS:
            out = empty(layout, made.shape, made.dtype)
            work(a, out=out)
            if not same(out, want):
                print(f"{name}: other results in {layout}", file=sys.stderr)
            report(name, "output: " + layout, lambda: work(a, out=out), lambda: work(a, out=made), lambda: ts.copy(made, out=out))


if __name__ == "__main__":
    main(sys.argv[2:])
