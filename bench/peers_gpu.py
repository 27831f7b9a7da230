"""The works of bench/gpu.c by PyTorch and CuPy, where they are installed: peers_gpu.py [--quick]

One JSON line each, medians of times between CUDA events.
"""
import json
import statistics
import sys

QUICK = "--quick" in sys.argv
LARGE = 1 << (16 if QUICK else 28)
SHAPE = (8, 64, 32, 64) if QUICK else (8, 64, 512, 1024)
IMAGE = 64 if QUICK else 1024
VOLUME = 32 if QUICK else 512
TURNS = 21


def report(peer, work, ms, moved=None):
    line = {"work": work, "peer": peer, "device": "gpu", "peer_s": ms / 1e3}
    if moved:
        line["TB_per_s"] = round(moved / ms / 1e9, 3)
    print(json.dumps(line), flush=True)


def torch_works():
    import torch

    def time(fn):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        times = []
        for i in range(TURNS + 3):
            start.record()
            fn()
            end.record()
            end.synchronize()
            times.append(start.elapsed_time(end))
        return statistics.median(times[3:])

    a = torch.randn(LARGE, device="cuda")
    b = torch.randn(LARGE, device="cuda")
    out = torch.empty_like(a)
    for work, fn, moved in [
        ("copy", lambda: out.copy_(a), 8), ("add", lambda: torch.add(a, b, out=out), 12),
        ("exp", lambda: torch.exp(a, out=out), 8), ("a*2 + cos(b), fused", lambda: a * 2 + torch.cos(b), 12),
        ("sum", lambda: a.sum(), 4), ("max", lambda: a.max(), 4), ("var", lambda: a.var(), 4),
        ("cumsum", lambda: torch.cumsum(a, 0, out=out), 8),
        ("random uniform", lambda: out.uniform_(), 4), ("random normal", lambda: out.normal_(), 4),
    ]:
        report("torch", work, time(fn), moved * LARGE)
    del a, b, out
    x = torch.randn(SHAPE, device="cuda")
    row = torch.randn(SHAPE[3], device="cuda")
    out = torch.empty_like(x)
    n = x.numel()
    report("torch", "add of a row, broadcast", time(lambda: torch.add(x, row, out=out)), 8 * n)
    for axis, name in enumerate("bdhw"):
        report("torch", f"sum over {name}", time(lambda: x.sum(axis)), 4 * n * (1 + 1 / SHAPE[axis]))
    for order in (0, 1, 3, 2), (0, 2, 3, 1), (3, 2, 1, 0):
        name = "permute {%s}" % ",".join(map(str, order))
        report("torch", name, time(lambda: x.permute(order).contiguous()), 8 * n)
    del x, out
    lines = torch.randn(64, LARGE >> 8, device="cuda")
    report("torch", "sort 64 rows", time(lambda: torch.sort(lines, dim=1)[0]), 8 * lines.numel())
    images = torch.randn(64, IMAGE, IMAGE, device="cuda")
    report("torch", "r2c of 64 images, beside cuFFT", time(lambda: torch.fft.rfft2(images)))
    spectra = torch.fft.rfft2(images)
    report("torch", "c2r of 64 images, beside cuFFT", time(lambda: torch.fft.irfft2(spectra, s=(IMAGE, IMAGE))))
    del images, spectra
    volume = torch.randn(VOLUME, VOLUME, VOLUME, device="cuda")
    report("torch", "r2c of a volume, beside cuFFT", time(lambda: torch.fft.rfftn(volume)))


def cupy_works():
    import cupy

    def time(fn):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        times = []
        for i in range(TURNS + 3):
            start.record()
            fn()
            end.record()
            end.synchronize()
            times.append(cupy.cuda.get_elapsed_time(start, end))
        return statistics.median(times[3:])

    a = cupy.random.standard_normal(LARGE, dtype=cupy.float32)
    b = cupy.random.standard_normal(LARGE, dtype=cupy.float32)
    out = cupy.empty_like(a)
    fused = cupy.fuse(kernel_name="fused")(lambda x, y: x * cupy.float32(2) + cupy.cos(y))
    report("cupy", "a*2 + cos(b), fused", time(lambda: fused(a, b)), 12 * LARGE)
    report("cupy", "add", time(lambda: cupy.add(a, b, out=out)), 12 * LARGE)
    report("cupy", "sum", time(lambda: a.sum()), 4 * LARGE)


for works in torch_works, cupy_works:
    try:
        works()
    except ImportError as why:
        print(f"left out: {why}", file=sys.stderr)
    except RuntimeError as why:
        print(f"left out: {why}", file=sys.stderr)
