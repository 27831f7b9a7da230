"""Arguments with which each operation can be called: by the types of its rows, and by name where that is not enough."""
import numpy as np

INTEGERS = set("bit_and bit_or bit_xor bit_not shift_left shift_right".split())
SPECTRA = set("fft_c2r fft_c2c fft_phase_shift fft_remap fft_resize fft_spectrum standardize fsc correlate_map phase_randomize "
              "radial_power whiten symmetrize_spectrum align_frames add_frames".split())
SLICES = set("fourier_extract fourier_insert fourier_insert_extract transform_spectrum_2d transform_spectrum_3d".split())
FILTERS = set("lowpass highpass bandpass bfactor dose_weight dose_normalize filter_curve filter_spectrum phase_shift ctf_apply "
              "ctf_flip ctf_wiener fourier_wedge fourier_cone fourier_ellipsoid fourier_cross".split())
HALF = (SPECTRA | FILTERS | SLICES | {"rotational_average", "spectrum_to_polar"}) - {"fft_c2c", "fourier_extract"}
PADDED = set("fourier_prepare fourier_project fourier_backproject fourier_reconstruct match_projections".split())

# Shapes by (operation, row), then by row.
SHAPES = {
    ("fourier_extract", "volume"): (1, 2, 4, 4), ("ctf_fit", "power"): (2, 1, 20, 11), ("ctf_fit_image", "images"): (2, 1, 24, 24),
    ("fsc_local", "window"): (1, 1, 3, 4), ("fsc_resolution", "fsc"): (2, 1, 1, 3), ("fsc_corrected", "masked"): (2, 1, 1, 3),
    ("fsc_corrected", "randomized"): (2, 1, 1, 3), ("transform_3d", "in"): (2, 3, 4, 6), ("transform_3d", "matrices"): (2, 1, 3, 4),
    ("transform_2d", "matrices"): (2, 1, 2, 3), ("transform_spectrum_2d", "matrices"): (2, 1, 2, 2),
    ("transform_spectrum_3d", "matrices"): (2, 1, 3, 3), ("matmul", "b"): (2, 1, 6, 3), ("lstsq", "a"): (2, 1, 4, 2),
    ("lstsq", "b"): (2, 1, 4, 1), ("insert", "in"): (2, 1, 2, 2), ("put", "in"): (2, 1, 4, 2), ("put_flat", "in"): (2, 1, 1, 2),
    ("align_tilts", "angles"): (2, 1, 1, 1), ("matrix_mul", "a"): (2, 1, 3, 3), ("matrix_mul", "b"): (2, 1, 3, 3),
    ("matrix_inverse", "in"): (2, 1, 3, 3), ("quat_random", "out"): (2, 1, 4, 4), ("project", "volume"): (1, 3, 4, 6),
    ("fourier_normalize", "volume"): (1, 8, 8, 5), ("fourier_normalize", "weights"): (1, 8, 8, 5),
    ("put", "indices"): (1, 1, 1, 2), ("take", "indices"): (1, 1, 1, 2), ("take_along", "indices"): (2, 1, 4, 2),
}
BY_ROW = {
    "origins": (2, 1, 1, 2), "indices": (2, 1, 1, 2), "ctfs": (2, 1, 1, 8), "target": (2, 1, 1, 8), "doses": (2, 1, 1, 1),
    "curve": (2, 1, 1, 1), "shifts": (2, 1, 1, 2), "positions": (2, 1, 1, 2), "times": (1, 1, 1, 2),
    "coefficients": (2, 1, 1, 18), "filter": (1, 1, 3, 3), "filter_d": (1, 1, 1, 3), "filter_h": (1, 1, 1, 3),
    "filter_w": (1, 1, 1, 3), "quats": (2, 1, 1, 4), "p": (2, 1, 1, 4), "q": (2, 1, 1, 4), "rotations": (2, 1, 1, 4),
    "out_rotations": (2, 1, 1, 4), "candidates": (2, 1, 1, 4), "angles": (2, 1, 1, 3), "points": (2, 1, 5, 3),
    "matrices": (2, 1, 3, 3), "sizes": (2, 1, 1, 2), "halves": (2, 1, 1, 2), "semiaxes": (2, 1, 1, 2), "from": (2, 1, 1, 2),
    "to": (2, 1, 1, 2), "radii": (2, 1, 1, 1), "backward": (2, 1, 3, 3), "forward": (2, 1, 3, 3), "generators": (1, 1, 3, 3),
}
REAL_ROWS = set("shifts doses curve rotations out_rotations matrices".split())
CTF = {"pixel_size": 1.5, "defocus": 1.0, "astigmatism": 0.125, "angle": 0.5, "amplitude": 0.1, "cs": 2.7}
OP = "op f(in f64 z, in f64 y, in f64 x, out f32 m) { m = (f32)x; }"


def shape_of_input(op, row):
    if op in PADDED and row != "ctfs":
        if row == "images":
            return (2, 1, 4, 4)
        if row in ("spectrum", "volume", "weights"):
            return (1, 4, 4, 4) if op == "fourier_prepare" else (1, 8, 8, 5)
    if (op, row) in SHAPES:
        return SHAPES[op, row]
    return BY_ROW.get(row, (2, 1, 4, 4) if op in HALF else (2, 1, 4, 6))


def is_complex(op, row):
    if op in ("fourier_project", "fourier_reconstruct", "match_projections") and row in ("spectrum", "volume"):
        return True
    return op in SPECTRA | FILTERS | SLICES and row not in REAL_ROWS


def make_input(op, row, dtype):
    """Numbers from 0.05 to 0.95 where they are floats; `dtype` is that of the reals."""
    shape = shape_of_input(op, row)
    if row in ("origins", "indices"):
        return np.zeros(shape, np.int64)
    if op in ("symmetry_check", "symmetry_close"):
        return np.eye(3, dtype=dtype).reshape(1, 1, 3, 3)
    if op in INTEGERS:
        return np.arange(np.prod(shape)).reshape(shape).astype(np.int32 if np.dtype(dtype).kind == "f" else dtype)
    n = int(np.prod(shape))
    numbers = np.linspace(0.05, 0.95, n) if np.dtype(dtype).kind in "fc" else np.arange(n) % 7
    made = numbers.reshape(shape).astype(dtype)
    return (made + 0.5j).astype(np.result_type(made.dtype, np.complex64)) if is_complex(op, row) else made


def shape_argument(op, row):
    if op == "ctf_fit":
        return (2, 1, 20, 20)
    if op == "ctf_fit_image":
        return (1, 1, 20, 20)
    if op == "fourier_extract":
        return (1, 2, 4, 6)
    if op in ("average_power", "extract") or row == "factors":
        return (1, 1, 2, 2)
    if row == "window":
        return (1, 1, 3, 3)
    if row == "volume":
        return (1, 3, 4, 6)
    if row in ("before", "after"):
        return (0, 0, 1, 1)
    return (2, 1, 6, 8) if op == "resize" or row == "out_shape" else (2, 1, 4, 6)


def value_of(op, row):
    """The value of a row that is neither an array nor an output."""
    name = row.text
    if row.kind == "F64":
        return 2.0 if name == "high" else 0.0 if name == "shift_d" else 0.25
    if row.kind == "I64":
        return {"n": 6, "high": 5}.get(name, 2)
    if row.kind == "SHAPE":
        return shape_argument(op, name)
    if row.kind == "CHOICE":
        return row.choices[0].name.decode()
    if row.kind == "TEXT":
        return "d3" if name == "name" else "x"
    return {"NUMBERS": [0.25, 0.5], "DTYPE": "f32", "DEVICE": "cpu", "AXIS": 3, "AXES": (0, 1, 3, 2), "AXIS_SET": (2, 3),
            "U64": 7, "ELEMENT": 2.5, "OP": OP, "STRUCT": CTF, "PATH": "x", "REDUCTIONS": ["max", "mean"]}.get(row.kind, 1)


def arguments_of(function, dtype, layout=lambda a: a):
    """A value for each argument of an operation that is not an option, by name."""
    op, made = function.text, {}
    for row in function.rows:
        if row.role == 4:
            continue
        if row.kind == "ARRAY" and (row.role == 2 or row.flags & 6):
            array = make_input(op, row.text, np.int32 if op == "random_permutation" else dtype)
            made[row.text] = array.copy() if row.role == 1 else layout(array)
        elif row.kind == "ARRAYS":
            made[row.text] = [layout(make_input(op, row.text, dtype))]
        elif row.role != 1 or row.kind == "REDUCTIONS":
            made[row.text] = value_of(op, row)
    return made
