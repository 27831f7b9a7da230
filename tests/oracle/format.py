"""Compares tess_format with NumPy on random arrays: python3 format.py LIBRARY [SEED].

Every scalar dtype but c16, which NumPy lacks, and every compound dtype, which NumPy sees as an array with one (vectors)
or two (matrices) more axes. Shapes of rank 1 to 4, strided, reversed, permuted and broadcast views, and random options.
The texts must be identical, without exception. What has no counterpart and is therefore not compared:

- c16, and the header line;
- precision 0, edge 0, threshold 0 and width 0, which stand for the defaults here;
- compound elements with `edge` 1: we never leave out a part of an element, NumPy does not know that it is one;
- arrays without axes: the smallest of ours is [x].

Written for NumPy 1.24. Later ones may choose scientific notation differently for f16 and f32 at its exact limits.

`threshold` counts elements, so NumPy's is multiplied by the number of reals of a compound dtype.
"""
import ctypes
import sys

import numpy as np

import tess

CASES = 4000

SCALARS = {
    "bool": np.bool_, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "u8": np.uint8,
    "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "c32": np.complex64, "c64": np.complex128,
}
FLOATS = {"f32": np.float32, "f64": np.float64}
# Name: NumPy's dtype and the shape of an element.
DTYPES = {name: (dtype, ()) for name, dtype in SCALARS.items()}
DTYPES.update({f"vec{n}_{f}": (d, (n,)) for n in (2, 3, 4) for f, d in FLOATS.items()})
DTYPES.update({f"mat{r}{c}_{f}": (d, (r, c)) for r, c in ((2, 2), (2, 3), (3, 3), (3, 4), (4, 4))
               for f, d in FLOATS.items()})


class Dims(ctypes.Structure):
    _fields_ = [("dim", ctypes.c_int64 * 4)]


class Device(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("index", ctypes.c_int32)]


class Array(ctypes.Structure):
    _fields_ = [("shape", Dims), ("strides", Dims), ("data", ctypes.c_void_p), ("buffer", ctypes.c_void_p),
                ("dtype", ctypes.c_int32), ("device", Device), ("flags", ctypes.c_uint32)]


class WrapOpts(ctypes.Structure):
    _fields_ = [("strides", ctypes.POINTER(Dims)), ("offset", ctypes.c_int64), ("length", ctypes.c_int64),
                ("device", Device), ("drop", ctypes.c_void_p), ("context", ctypes.c_void_p),
                ("read_only", ctypes.c_int32), ("reserved", ctypes.c_uint32 * 5)]


class FormatOpts(ctypes.Structure):
    _fields_ = [("threshold", ctypes.c_int64), ("edge", ctypes.c_int32), ("precision", ctypes.c_int32),
                ("width", ctypes.c_int32), ("no_header", ctypes.c_int32), ("all_axes", ctypes.c_int32),
                ("commas", ctypes.c_int32), ("reserved", ctypes.c_uint32 * 4)]


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        self.c.tess_error_trace.restype = ctypes.c_char_p
        self.c.tess_dtype_parse.argtypes = [ctypes.POINTER(ctypes.c_int32), ctypes.c_char_p]
        self.c.tess_wrap.argtypes = [ctypes.POINTER(Array), ctypes.c_void_p, Dims, ctypes.c_int32,
                                     ctypes.POINTER(WrapOpts)]
        self.c.tess_format.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(ctypes.c_size_t),
                                       ctypes.POINTER(Array), ctypes.POINTER(FormatOpts)]

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.c.tess_error_trace().decode())

    def wrap(self, view, name, element_rank):
        """A tess_array over a NumPy view whose last `element_rank` axes are those of a compound element."""
        dtype, out, strides = ctypes.c_int32(), Array(), Dims()
        self.check(self.c.tess_dtype_parse(dtype, name.encode()))
        rank = view.ndim - element_rank
        size = view.itemsize * int(np.prod(view.shape[rank:], dtype=np.int64))
        shape = Dims((1,) * (4 - rank) + view.shape[:rank])
        strides.dim[4 - rank:] = [s // size for s in view.strides[:rank]]
        opts = WrapOpts(strides=ctypes.pointer(strides))
        self.check(self.c.tess_wrap(out, view.ctypes.data, shape, dtype, opts))
        return out

    def format(self, array, opts):
        length = ctypes.c_size_t()
        self.check(self.c.tess_format(None, 0, length, array, opts))
        text = ctypes.create_string_buffer(length.value + 1)
        self.check(self.c.tess_format(text, len(text), length, array, opts))
        if len(text.value) != length.value:
            raise RuntimeError(f"the length is {length.value}, the text has {len(text.value)} bytes")
        return text.value.decode()


def random_floats(rng, shape, dtype):
    """Reals as they come, and as they cause trouble."""
    info = np.finfo(dtype)
    bits = np.dtype(f"u{info.bits // 8}")
    makers = [
        lambda: rng.standard_normal(shape),
        lambda: rng.uniform(-1, 1, shape) * 10.0 ** rng.integers(-12, 12),
        lambda: rng.uniform(0, 1, shape) * 10.0 ** rng.uniform(-5, 9, shape),
        lambda: 10.0 ** rng.integers(-8, 9, shape),
        lambda: 10.0 ** rng.uniform(info.minexp * 0.3, info.maxexp * 0.3, shape),
        lambda: 2.0 ** rng.integers(info.minexp - info.nmant, info.maxexp, shape),
        lambda: rng.integers(-1000, 1000, shape),
        lambda: rng.integers(0, 10 ** rng.integers(1, 10), shape),
        lambda: rng.integers(-50, 50, shape) / 8,
        lambda: np.round(rng.uniform(-100, 100, shape), rng.integers(0, 6)),
        lambda: np.full(shape, rng.choice([0, 1, -1, 0.1, 1 / 3, 1e5, 1e8, 99999999, 1e-4, 9.9999e-5, 1e16, 65504])),
        lambda: rng.choice([1, 1000, 999.5, 1000.2, 1000.5, 1001, 0.001, 0.0005, 0.1, 0.2, 2.5, 0.125], shape),
        lambda: rng.integers(0, 200, shape) * float(info.smallest_subnormal),
        lambda: rng.integers(0, np.iinfo(bits).max, shape, dtype=bits, endpoint=True).view(dtype),
    ]
    with np.errstate(all="ignore"):
        x = np.asarray(makers[rng.integers(len(makers))]()).astype(dtype)
    if rng.random() < 0.3:
        x = np.where(rng.random(shape) < 0.2, rng.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape), x).astype(dtype)
    return x


def random_values(rng, shape, dtype):
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.random(shape) < rng.random()
    if kind in "iu":
        info = np.iinfo(dtype)
        x = rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
        return x >> rng.integers(0, info.bits).astype(dtype) if rng.random() < 0.7 else x
    if kind == "c":
        x = np.empty(shape, dtype)
        x.real = random_floats(rng, shape, x.real.dtype)
        x.imag = random_floats(rng, shape, x.real.dtype)
        return x
    return random_floats(rng, shape, dtype)


def random_view(rng, dtype, element):
    """A view of rank 1 to 4 (and the element's axes) with strides of every sort."""
    rank = rng.integers(1, 5)
    most = rng.choice([2, 4, 8, int(3000 ** (1 / rank)) + 1], p=[0.3, 0.4, 0.2, 0.1])
    shape = [int(n) for n in rng.integers(0 if rng.random() < 0.02 else 1, most, rank, endpoint=True)]
    steps = [int(s) for s in (rng.choice([1, 1, 1, 2, 3, -1, -2], rank) if rng.random() < 0.5 else np.ones(rank))]
    base = random_values(rng, tuple(n * abs(s) for n, s in zip(shape, steps)) + element, dtype)
    view = base[tuple(slice(None, None, s) for s in steps)]
    if rng.random() < 0.3:
        order = [int(k) for k in rng.permutation(rank)]
        view = view.transpose(order + list(range(rank, view.ndim)))
    if rng.random() < 0.2:
        ones = [k for k in range(rank) if view.shape[k] == 1]
        if ones:
            wide = list(view.shape)
            wide[rng.choice(ones)] = int(rng.choice([3, 7, 2000, 2 ** 40 // max(1, view.size)]))
            if np.prod(wide, dtype=np.float64) < 3000 or max(wide) > 10 ** 6:
                view = np.broadcast_to(view, wide)
    return view


def random_opts(rng, compound):
    opts = FormatOpts(no_header=1, all_axes=int(rng.random() < 0.2), commas=int(rng.random() < 0.3))
    if rng.random() < 0.5:
        return opts
    opts.threshold = int(rng.choice([0, 1, 10, 100]))
    opts.edge = int(rng.choice([0, 2, 3, 5] if compound else [0, 1, 2, 3, 5]))
    opts.precision = int(rng.choice([0, 1, 2, 3, 4, 6, 12, 17, 40]))
    opts.width = int(rng.choice([0, 1, 10, 20, 40, 75, 80, 200]))
    return opts


def numpy_text(view, element, opts):
    rank = view.ndim - len(element)
    if opts.all_axes:
        view = view[(None,) * (4 - rank)]
    else:
        while rank > 1 and view.shape[0] == 1:
            view, rank = view[0], rank - 1
    reals = int(np.prod(element, dtype=np.int64))
    return np.array2string(view, threshold=(opts.threshold or 1000) * reals, edgeitems=opts.edge or 3,
                           precision=opts.precision or 8, max_line_width=opts.width or 75,
                           separator=", " if opts.commas else " ")


def main():
    library = Library(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print(f"seed {seed}, NumPy {np.__version__}")
    rng = np.random.default_rng(seed)
    scalars, compounds = list(SCALARS), [name for name in DTYPES if name not in SCALARS]
    failed = 0
    cases = tess.rounds(CASES)
    for case in range(cases):
        name = rng.choice(scalars if rng.random() < 0.9 else compounds)
        dtype, element = DTYPES[name]
        view = random_view(rng, dtype, element)
        opts = random_opts(rng, bool(element))
        ours = library.format(library.wrap(view, name, len(element)), opts)
        theirs = numpy_text(view, element, opts)
        if ours == theirs:
            continue
        failed += 1
        if failed <= 5:
            fields = ", ".join(f"{field[0]} {getattr(opts, field[0])}" for field in opts._fields_[:-1])
            print(f"case {case}: {name} {view.shape}, {fields}\nours:\n{ours}\nNumPy's:\n{theirs}")
    print(f"{cases - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
