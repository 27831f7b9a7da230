/* What others see of a tessera.Array: __array_struct__, __array_interface__ and __cuda_array_interface__.
 *
 * Elements that NumPy does not have become axes of their own at the end: two f16 of a c16, the rows and columns of a
 * matrix.
 */
#include <string.h>

#include "array_export.h"
#include "dtypes.h"
#include "numpy_types.h"
#include "tuples.h"

static void add_axis(exported *e, int64_t n, int64_t stride)
{
    e->shape[e->ndim] = (Py_ssize_t)n;
    e->strides[e->ndim++] = (Py_ssize_t)stride;
}

static void add_axes_of_elements(exported *e, tess_dtype dtype)
{
    static const struct {
        tess_dtype first, last;
        int        rows;
    } matrices[] = {
        { TESS_MAT22_F32, TESS_MAT23_F32, 2 }, { TESS_MAT33_F32, TESS_MAT34_F32, 3 },
        { TESS_MAT44_F32, TESS_MAT44_F32, 4 }, { TESS_MAT22_F64, TESS_MAT23_F64, 2 },
        { TESS_MAT33_F64, TESS_MAT34_F64, 3 }, { TESS_MAT44_F64, TESS_MAT44_F64, 4 },
    };
    int rows = 1;
    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++)
        if (dtype >= matrices[i].first && dtype <= matrices[i].last) rows = matrices[i].rows;
    const int columns = tess_dtype_reals(dtype) / rows;
    if (rows > 1) add_axis(e, rows, columns * e->itemsize);
    add_axis(e, columns, e->itemsize);
}

exported array_describe(const array_object *self)
{
    const tess_array *a = &self->array;
    const int64_t     size = (int64_t)tess_dtype_size(a->dtype);
    exported          e = { .itemsize = (int)size, .kind = kind_of_dtype(a->dtype) };
    for (int axis = 4 - self->ndim; axis < 4; axis++) add_axis(&e, a->shape.dim[axis], a->strides.dim[axis] * size);
    if (e.kind == 'V') {
        e.kind = 'f';
        e.itemsize = (int)tess_dtype_size(tess_dtype_real(a->dtype));
        add_axes_of_elements(&e, a->dtype);
    }
    return e;
}

/* ---- The C struct ---- */

typedef struct struct_block {
    array_interface interface;
    exported        layout;
} struct_block;

static void drop_struct(PyObject *capsule)
{
    PyMem_Free(PyCapsule_GetPointer(capsule, NULL));
    Py_XDECREF((PyObject *)PyCapsule_GetContext(capsule));
}

PyObject *array_struct_of(PyObject *self, void *closure)
{
    (void)closure;
    const array_object *object = (array_object *)self;
    if (object->array.device.kind != TESS_CPU) {
        PyErr_SetString(PyExc_AttributeError, "__array_struct__: the array is on a GPU; .numpy() copies it");
        return NULL;
    }
    struct_block *block = PyMem_Malloc(sizeof *block);
    if (!block) return PyErr_NoMemory();
    block->layout = array_describe(object);
    block->interface = (array_interface){
        .two = 2,
        .nd = block->layout.ndim,
        .typekind = block->layout.kind,
        .itemsize = block->layout.itemsize,
        .flags =
            INTERFACE_ALIGNED | INTERFACE_NOTSWAPPED | (object->array.flags & TESS_READ_ONLY ? 0 : INTERFACE_WRITEABLE),
        .shape = block->layout.shape,
        .strides = block->layout.strides,
        .data = object->array.data,
    };
    PyObject *capsule = PyCapsule_New(block, NULL, drop_struct);
    if (!capsule) {
        PyMem_Free(block);
        return NULL;
    }
    Py_INCREF(self);
    (void)PyCapsule_SetContext(capsule, self);
    return capsule;
}

/* ---- The dicts ---- */

static PyObject *tuple_of_sizes(const exported *e, const Py_ssize_t *sizes)
{
    int64_t numbers[MAX_EXPORTED_AXES];
    for (int i = 0; i < e->ndim; i++) numbers[i] = sizes[i];
    return tuple_of_i64(numbers, e->ndim);
}

static PyObject *make_interface(const array_object *object)
{
    const exported e = array_describe(object);
    const uint16_t one = 1;
    const char     order = e.itemsize == 1 ? '|' : *(const unsigned char *)&one ? '<' : '>';
    PyObject      *shape = tuple_of_sizes(&e, e.shape), *strides = tuple_of_sizes(&e, e.strides), *dict = NULL;
    PyObject      *typestr = PyUnicode_FromFormat("%c%c%d", order, e.kind, e.itemsize);
    PyObject      *address = PyLong_FromVoidPtr(object->array.data);
    if (shape && strides && typestr && address)
        dict = Py_BuildValue("{s:i,s:O,s:O,s:O,s:(O,O)}", "version", 3, "shape", shape, "strides", strides, "typestr",
                             typestr, "data", address, object->array.flags & TESS_READ_ONLY ? Py_True : Py_False);
    Py_XDECREF(address);
    Py_XDECREF(typestr);
    Py_XDECREF(strides);
    Py_XDECREF(shape);
    return dict;
}

PyObject *array_interface_of(PyObject *self, void *closure)
{
    (void)closure;
    if (array_of(self).device.kind == TESS_CPU) return make_interface((array_object *)self);
    PyErr_SetString(PyExc_AttributeError, "__array_interface__: the array is on a GPU; .numpy() copies it");
    return NULL;
}

PyObject *array_cuda_interface_of(PyObject *self, void *closure)
{
    (void)closure;
    const tess_array a = array_of(self);
    if (a.device.kind != TESS_GPU) {
        PyErr_SetString(PyExc_AttributeError, "__cuda_array_interface__: the array is on the CPU");
        return NULL;
    }
    PyObject *dict = make_interface((array_object *)self);
    void     *handle = tess_stream_handle(tess_stream_current(a.device));
    PyObject *stream = handle ? PyLong_FromVoidPtr(handle) : PyLong_FromLong(1);
    if (!dict || !stream || PyDict_SetItemString(dict, "stream", stream)) Py_CLEAR(dict);
    Py_XDECREF(stream);
    return dict;
}
