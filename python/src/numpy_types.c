/* NumPy found at run time: it is never imported for its own sake, since that takes longer than all else at import.
 *
 * Asking an array for its __array_struct__ takes longer than adding sixteen numbers. So its fields are read where they
 * lie, if a look at some arrays has shown that they lie there.
 */
#include "numpy_types.h"

#include <string.h>

#include "dtypes.h"
#include "errors.h"
#include "names.h"
#include "tuples.h"

PyObject *numpy_ndarray, *numpy_asarray;
bool      numpy_layout_is_known;

static PyObject *dtype_objects[TESS_SCALAR_DTYPE_COUNT];

/* An array of one element and no axes of each dtype: indexing it makes a scalar faster than the scalar's type does. */
static tess_array one_element[TESS_SCALAR_DTYPE_COUNT];
static PyObject  *one_element_arrays[TESS_SCALAR_DTYPE_COUNT], *no_indices;

/* ---- The layout of arrays ---- */

enum { NPY_HALF = 23, N_NUMBERS = 24 };

tess_dtype dtype_of_ndarray(const ndarray_object *array)
{
    /* NumPy's numbers of types, by the C types they stand for; 13 is long double and 16 its complex. */
    static const tess_dtype of_number[N_NUMBERS] = {
        TESS_BOOL,
        TESS_I8,
        TESS_U8,
        TESS_I16,
        TESS_U16,
        TESS_I32,
        TESS_U32,
        sizeof(long) == 8 ? TESS_I64 : TESS_I32,
        sizeof(long) == 8 ? TESS_U64 : TESS_U32,
        TESS_I64,
        TESS_U64,
        TESS_F32,
        TESS_F64,
        TESS_DTYPE_NONE,
        TESS_C32,
        TESS_C64,
        [NPY_HALF] = TESS_F16,
    };
    const ndarray_descr *descr = array->descr;
    const bool           native = descr->byteorder == '=' || descr->byteorder == '|';
    return native && descr->number >= 0 && descr->number < N_NUMBERS ? of_number[descr->number] : TESS_DTYPE_NONE;
}

static bool agrees(PyObject *object)
{
    PyObject *capsule = PyObject_GetAttr(object, names.array_struct);
    if (!capsule) return false;
    const array_interface *told = PyCapsule_GetPointer(capsule, NULL);
    const ndarray_object  *seen = (ndarray_object *)object;
    const int              flags = INTERFACE_ALIGNED | INTERFACE_WRITEABLE;
    bool                   same = told && told->data == (void *)seen->data && told->nd == seen->nd && told->nd == 2 &&
                (told->flags & flags) == (seen->flags & flags);
    if (same)
        same = memcmp(told->shape, seen->shape, 2 * sizeof *told->shape) == 0 &&
               memcmp(told->strides, seen->strides, 2 * sizeof *told->strides) == 0 &&
               told->typekind == seen->descr->kind;
    if (same && told->flags & INTERFACE_NOTSWAPPED)
        same = dtype_of_ndarray(seen) == dtype_of_kind(told->typekind, told->itemsize);
    else if (same) same = dtype_of_ndarray(seen) == TESS_DTYPE_NONE;
    Py_DECREF(capsule);
    return same;
}

/* Arrays of several types and layouts, one that cannot be written, and one of the other byte order. */
static bool probe_layout(PyObject *numpy)
{
    static const char *const types[] = { "?",  "i1", "i2", "i4", "i8", "u1",  "u2",  "u4",
                                         "u8", "f2", "f4", "f8", "c8", "c16", ">f4", "<f4" };
    bool                     known = true;
    for (size_t i = 0; known && i < sizeof types / sizeof *types; i++) {
        PyObject *array = PyObject_CallMethod(numpy, "ones", "(ii)s", 3, 5, types[i]);
        PyObject *view = array ? PyObject_GetAttrString(array, "T") : NULL;
        if (view && i % 2 == 0) {
            PyObject *none = PyObject_CallMethod(view, "setflags", "i", 0);
            Py_XDECREF(none);
        }
        known = view && agrees(array) && agrees(view);
        Py_XDECREF(view);
        Py_XDECREF(array);
    }
    PyErr_Clear();
    return known;
}

/* ---- The module ---- */

static bool make_dtypes(PyObject *numpy)
{
    PyObject *dtype = PyObject_GetAttr(numpy, names.dtype);
    bool      good = dtype != NULL;
    for (int i = TESS_BOOL; good && i < TESS_SCALAR_DTYPE_COUNT; i++) {
        if (kind_of_dtype(i) == 'V') continue;
        PyObject *name = PyUnicode_FromFormat("%c%d", kind_of_dtype(i), (int)tess_dtype_size(i));
        dtype_objects[i] = name ? PyObject_CallFunctionObjArgs(dtype, name, NULL) : NULL;
        Py_XDECREF(name);
        good = dtype_objects[i] != NULL;
    }
    Py_XDECREF(dtype);
    return good;
}

static int take(PyObject *numpy)
{
    PyObject *type = PyObject_GetAttrString(numpy, "ndarray");
    PyObject *function = type ? PyObject_GetAttrString(numpy, "asarray") : NULL;
    if (!function || !make_dtypes(numpy)) {
        Py_XDECREF(function);
        Py_XDECREF(type);
        return -1;
    }
    numpy_layout_is_known = probe_layout(numpy);
    numpy_ndarray = type;
    numpy_asarray = function;
    return 0;
}

bool numpy_find(void)
{
    if (numpy_ndarray) return true;
    PyObject *numpy = PyImport_GetModule(names.numpy);
    if (!numpy || take(numpy)) PyErr_Clear(); /* not there, or half-imported */
    Py_XDECREF(numpy);
    return numpy_ndarray != NULL;
}

int numpy_import(void)
{
    if (numpy_find()) return 0;
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (!numpy) return -1;
    const int failed = take(numpy);
    Py_DECREF(numpy);
    return failed;
}

PyObject *numpy_dtype(tess_dtype dtype)
{
    if (numpy_import()) return NULL;
    PyObject *found = dtype < TESS_SCALAR_DTYPE_COUNT ? dtype_objects[dtype] : NULL;
    if (!found) PyErr_Format(PyExc_TypeError, "NumPy has no element type for %s", tess_dtype_name(dtype));
    Py_XINCREF(found);
    return found;
}

/* ---- New arrays: numpy.ndarray(shape, dtype, buffer) is the fastest way to one ---- */

typedef struct memory_object {
    PyObject_HEAD tess_array array;
} memory_object;

static PyTypeObject *memory_type;

static void drop_memory(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    tess_release(&((memory_object *)self)->array);
    PyObject_Free(self);
    Py_DECREF(type);
}

static int get_buffer(PyObject *self, Py_buffer *view, int flags)
{
    (void)flags;
    const tess_array *a = &((memory_object *)self)->array;
    *view = (Py_buffer){ .buf = a->data, .obj = self, .len = (Py_ssize_t)tess_n_bytes(a), .itemsize = 1, .ndim = 1 };
    Py_INCREF(self);
    return 0;
}

int numpy_memory_type_make(void)
{
    enum { GET_BUFFER = 1 }; /* Py_bf_getbuffer, which types have had in specifications since 3.9 */
    PyType_Slot slots[] = { { Py_tp_dealloc, SLOT(drop_memory) }, { GET_BUFFER, SLOT(get_buffer) }, { 0, NULL } };
    PyType_Spec spec = { "tessera._Memory", sizeof(memory_object), 0, Py_TPFLAGS_DEFAULT, slots };
    memory_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return memory_type ? 0 : -1;
}

PyObject *numpy_from_array(tess_array *array, int ndim)
{
    PyObject      *shape = tuple_of_i64(array->shape.dim + 4 - ndim, ndim), *made = NULL;
    memory_object *memory = shape ? PyObject_New(memory_object, memory_type) : NULL;
    if (memory) {
        PyObject *dtype = dtype_objects[array->dtype];
        memory->array = *array;
        *array = (tess_array){ .data = NULL };
        made = PyObject_CallFunctionObjArgs(numpy_ndarray, shape, dtype, (PyObject *)memory, NULL);
        Py_DECREF(memory);
    }
    Py_XDECREF(shape);
    return made;
}

static int make_one_element(tess_dtype dtype)
{
    tess_array made = { .data = NULL };
    if (!no_indices) no_indices = PyTuple_New(0);
    if (!no_indices) return -1;
    const tess_status status = tess_zeros(&made, TESS_SHAPE(1, 1, 1, 1), dtype, tess_cpu());
    if (status != TESS_OK) return raise_status(status);
    one_element[dtype] = made;
    one_element_arrays[dtype] = numpy_from_array(&made, 0);
    return one_element_arrays[dtype] ? 0 : -1;
}

PyObject *numpy_scalar(tess_array *array)
{
    const tess_dtype dtype = array->dtype;
    PyObject        *made = NULL;
    if (one_element_arrays[dtype] || make_one_element(dtype) == 0) {
        memcpy(one_element[dtype].data, array->data, tess_dtype_size(dtype));
        made = PyObject_GetItem(one_element_arrays[dtype], no_indices);
    }
    tess_release(array);
    return made;
}
