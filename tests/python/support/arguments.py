"""Arguments with which each operation can be called, by the types and samples of its rows."""
import numpy as np

import table

STANDARD = (2, 1, 4, 6)
OP = "op f(in f64 z, in f64 y, in f64 x, out f32 m) { m = (f32)x; }"


def make_input(lib, row, dtype):
    """Numbers from 0.05 to 0.95 where they are floats; `dtype` is that of the reals."""
    shape, kind = table.sample(lib, row, STANDARD)
    is_float = dtype.kind in "fc"
    if kind == "index":
        return np.zeros(shape, np.int64)
    if kind == "identity":
        return np.broadcast_to(np.eye(*shape[2:], dtype=dtype), shape).copy()
    n = int(np.prod(shape))
    if kind == "integer":
        return np.arange(n).reshape(shape).astype(np.int32 if dtype.kind == "f" else dtype)
    numbers = np.linspace(0.05, 0.95, n) if is_float else np.arange(n) % 7
    made = numbers.reshape(shape).astype(dtype)
    return (made + 0.5j).astype(np.result_type(made.dtype, np.complex64)) if kind == "complex" else made


def value_of(lib, row):
    """The value of a row that is neither an array nor an output."""
    text = row.sample.decode() if row.sample else None
    if row.kind == "F64":
        return float(text or 0.25)
    if row.kind == "I64":
        return int(text or 2)
    if row.kind == "SHAPE":
        return table.sample(lib, row, STANDARD)[0]
    if row.kind == "CHOICE":
        return row.choices[0].name.decode()
    if row.kind == "STRUCT":
        return {field.text: float(field.sample) for field in table.fields(row) if field.sample}
    if row.kind in ("TEXT", "PATH"):
        return text or "x"
    return {"NUMBERS": [0.25, 0.5], "DTYPE": "f32", "DEVICE": "cpu", "AXIS": 3, "AXES": (0, 1, 3, 2), "AXIS_SET": (2, 3),
            "U64": 7, "ELEMENT": 2.5, "OP": OP, "REDUCTIONS": ["max", "mean"]}.get(row.kind, 1)


def arguments_of(lib, function, dtype, layout=lambda a: a):
    """A value for each argument of an operation that is not an option, by name."""
    made = {}
    for row in function.rows:
        if row.role == table.OPTION:
            continue
        if row.kind == "ARRAY" and (row.role == table.IN or row.flags & (table.MADE | table.KEPT)):
            array = make_input(lib, row, dtype)
            made[row.text] = array.copy() if row.role == table.OUT else layout(array)
        elif row.kind == "ARRAYS":
            made[row.text] = [layout(make_input(lib, row, dtype))]
        elif row.role != table.OUT or row.kind == "REDUCTIONS":
            made[row.text] = value_of(lib, row)
    return made
