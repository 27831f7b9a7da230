"""The library's table through ctypes: every operation called by its description, without the module that is tested."""
import ctypes
from ctypes import POINTER, Structure, Union, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

import numpy as np

import tess

OUT, IN, REQUIRED, OPTION, RESULT = 1, 2, 3, 4, 5
TYPES = ("ARRAY ARRAYS SHAPE DTYPE DEVICE AXIS AXES F64 I64 I32 FLAG CHOICE ELEMENT RESULT AXIS_SET U64 U32 TEXT PATH META "
         "NUMBERS REDUCTIONS OBJECT OP STRUCT SOURCE SINK COLUMNS SOURCES").split()
SAMPLES = ["", "complex", "integer", "index", "mask", "identity"]
OPTIONAL, MADE, KEPT = 1, 2, 4


class Choice(Structure):
    _fields_ = [("name", c_char_p), ("value", c_int32), ("help", c_char_p)]


class Arg(Structure):
    @property
    def kind(self):
        return TYPES[self.type - 1]

    @property
    def text(self):
        return self.name.decode()


Arg._fields_ = [("name", c_char_p), ("help", c_char_p), ("unit", c_char_p), ("choices", POINTER(Choice)), ("min", c_double),
                ("max", c_double), ("fallback", c_double), ("computed", c_char_p), ("offset", c_size_t), ("size", c_size_t), ("role", c_int),
                ("type", c_int), ("flags", c_uint32), ("unused", c_uint32), ("fields", POINTER(Arg)), ("sample", c_char_p),
                ("axes", c_char_p)]


class List(Structure):
    _fields_ = [("of", c_void_p), ("n", c_int64)]


class Value(Union):
    _fields_ = [("pointer", c_void_p), ("list", List), ("shape", tess.Shape), ("device", tess.Device), ("i32", c_int32),
                ("i64", c_int64), ("u64", c_uint64), ("f64", c_double), ("axes", c_int32 * 4), ("text", c_char_p)]


class Function(Structure):
    _fields_ = [("name", c_char_p), ("module", c_char_p), ("help", c_char_p), ("args", POINTER(Arg)), ("n_args", c_size_t),
                ("opts_size", c_size_t), ("reserved_offset", c_size_t), ("cut", c_int), ("metadata", c_int),
                ("call", c_void_p), ("work_bytes", c_uint32), ("unused", c_uint32)]

    @property
    def rows(self):
        return [self.args[i] for i in range(self.n_args)]

    @property
    def text(self):
        return self.name.decode()


class Job(Structure):
    _fields_ = [("function", Function), ("result_size", c_size_t), ("run", c_void_p), ("release", c_void_p)]


class Reduction(Structure):
    _fields_ = [("kind", c_int32), ("out", c_void_p)]


def load(path):
    lib = tess.load(path)
    lib.tess_function_at.restype = POINTER(Function)
    lib.tess_function_call.restype = c_int
    lib.tess_function_call.argtypes = [POINTER(Function), c_void_p, c_void_p]
    lib.tess_op_text.argtypes = [c_void_p, c_char_p]
    lib.tess_arg_sample.argtypes = [POINTER(tess.Shape), POINTER(c_int), POINTER(Arg), tess.ShapeValue]
    return lib


def functions(lib):
    """Those that can be called by their description."""
    all_of_them = (lib.tess_function_at(i) for i in range(lib.tess_function_count()))
    return [f for f in all_of_them if f.contents.call]


def jobs(lib):
    """The descriptions of all jobs."""
    lib.tess_job_count.restype, lib.tess_job_at.restype, lib.tess_job_at.argtypes = c_size_t, POINTER(Job), [c_size_t]
    return [lib.tess_job_at(i).contents.function for i in range(lib.tess_job_count())]


def struct_of(array, read_only=False):
    """An Array over the memory of a NumPy array of up to four axes."""
    a = array[(None,) * (4 - array.ndim)]
    made = tess.Array()
    made.shape[:] = a.shape
    made.strides[:] = [s // a.itemsize if n > 1 else 0 for s, n in zip(a.strides, a.shape)]
    made.data = a.__array_interface__["data"][0]
    made.dtype = next(d.number for d in tess.SCALARS if d.numpy == a.dtype)
    made.flags = 0 if a.flags.writeable and not read_only else tess.READ_ONLY
    return made


class Call:
    """One call: `arguments` has a value for each row that is not an output, by name."""

    def __init__(self, lib, function, arguments):
        self.lib, self.function, self.arguments = lib, function, arguments
        self.kept, self.outputs = [], {}
        rows = [r for r in function.contents.rows if r.role != OPTION]
        self.values = (Value * max(1, len(rows)))()
        needed = any(r.role == OUT and not r.flags & OPTIONAL for r in rows)
        for value, row in zip(self.values, rows):
            if row.role == OUT:
                wanted = needed is False or not row.flags & OPTIONAL
                if wanted:
                    self.output(value, row)
                needed = True if needed is False and row.flags & OPTIONAL else needed
            else:
                self.input(value, row, arguments[row.text])

    def keep(self, thing):
        self.kept.append(thing)
        return thing

    def output(self, value, row):
        if row.kind == "ARRAY":
            given = self.arguments.get(row.text)
            made = self.keep(tess.Array() if given is None else struct_of(given))
            value.pointer = ctypes.addressof(made)
        elif row.kind == "REDUCTIONS":
            made = [(name, self.keep(tess.Array())) for name in self.arguments[row.text]]
            kinds = {c.name.decode(): c.value for c in choices(row)}
            listed = self.keep((Reduction * len(made))(*[(kinds[n], ctypes.addressof(a)) for n, a in made]))
            value.list = List(ctypes.addressof(listed), len(made))
            self.outputs.update(made)
            return
        else:
            made = self.keep(c_double() if row.kind == "RESULT" else tess.Shape())
            value.pointer = ctypes.addressof(made)
        self.outputs[row.text] = made

    def input(self, value, row, given):
        if row.kind == "ARRAY":
            value.pointer = None if given is None else ctypes.addressof(self.keep(struct_of(given)))
        elif row.kind == "ARRAYS":
            listed = self.keep((tess.Array * len(given))(*[struct_of(a) for a in given]))
            value.list = List(ctypes.addressof(listed), len(given))
        elif row.kind == "NUMBERS":
            numbers = self.keep((c_double * len(given))(*given))
            value.list = List(ctypes.addressof(numbers), len(given))
        elif row.kind == "SHAPE":
            value.shape[:] = given
        elif row.kind == "DTYPE":
            value.i32 = tess.BY_NAME[given].number
        elif row.kind == "DEVICE":
            value.device = tess.CPU
        elif row.kind == "AXES":
            value.axes[:] = given
        elif row.kind == "AXIS_SET":
            value.i32 = 0 if given is None else sum(16 << a for a in given)
        elif row.kind == "CHOICE":
            value.i32 = next(c.value for c in choices(row) if c.name.decode() == given)
        elif row.kind == "STRUCT":
            value.pointer = None if given is None else ctypes.addressof(self.keep(structure(row, given)))
        elif row.kind == "OP":
            op = c_void_p()
            assert self.lib.tess_op_text(ctypes.byref(op), given.encode()) == 0
            value.pointer = op.value
        elif row.kind == "ELEMENT":
            element = self.keep(np.array(given, next(a.dtype for a in self.arguments.values() if isinstance(a, np.ndarray))))
            value.pointer = tess.address_of(element)
        elif row.kind in ("TEXT", "PATH"):
            value.text = self.keep(c_char_p(given.encode())).value
        else:
            setattr(value, {"F64": "f64", "I64": "i64", "U64": "u64"}.get(row.kind, "i32"), given)

    def run(self):
        """(None, outputs by name), or (the message of the failure, None)."""
        status = self.lib.tess_function_call(self.function, ctypes.addressof(self.values), None)
        if status:
            return self.lib.tess_error_message().decode(), None
        made = {}
        for name, output in self.outputs.items():
            if isinstance(output, tess.Array):
                made[name] = tess.numpy_view(output).copy()
                self.lib.tess_release(ctypes.byref(output))
            else:
                made[name] = output.value if isinstance(output, c_double) else tuple(output)
        return None, made


def until_no_name(rows):
    i = 0
    while rows[i].name:
        yield rows[i]
        i += 1


def choices(row):
    return until_no_name(row.choices)


def fields(row):
    return until_no_name(row.fields)


def sample(lib, row, standard):
    """The shape of a small valid argument, and what it holds: a word of SAMPLES."""
    shape, kind = tess.Shape(), c_int()
    assert lib.tess_arg_sample(shape, kind, row, tess.shape_value(standard)) == 0, row.text
    return tuple(shape), SAMPLES[kind.value]


def structure(row, given):
    bytes_of = (ctypes.c_char * row.size)()
    for field in fields(row):
        if field.text in given:
            c_double.from_buffer(bytes_of, field.offset).value = given[field.text]
    return bytes_of
