/* From Python objects to arrays: numbers, tessera.Array, NumPy, DLPack, CUDA's array interface, buffers, lists. */
#include <math.h>
#include <string.h>

#include "array_type.h"
#include "dtypes.h"
#include "errors.h"
#include "names.h"
#include "numpy_types.h"
#include "operand.h"
#include "torch.h"

/* ---- Layout ---- */

bool operand_layout(tess_array *array, int ndim, const Py_ssize_t *shape, const Py_ssize_t *byte_strides)
{
    const int64_t size = (int64_t)tess_dtype_size(array->dtype);
    int64_t       next = 1; /* the stride that an axis on the left would have */
    for (int axis = 3, i = ndim - 1; axis >= 0; axis--, i--) {
        const int64_t n = i >= 0 ? shape[i] : 1;
        const bool    counts = i >= 0 && byte_strides && n > 1;
        if (counts && byte_strides[i] % size != 0) return false;
        array->shape.dim[axis] = n;
        array->strides.dim[axis] = counts ? byte_strides[i] / size : next;
        next = array->strides.dim[axis] * (n > 0 ? n : 1);
    }
    return true;
}

static int too_many_axes(int ndim, const char *function, const char *argument)
{
    PyErr_Format(PyExc_ValueError, "%s: %s has %d axes; at most 4 are allowed", function, argument, ndim);
    return -1;
}

/* ---- Numbers ---- */

/* Integers that a double cannot hold keep their bits. */
static int take_large_integer(operand *o, PyObject *object, const char *function, const char *argument)
{
    const long long whole = PyLong_AsLongLong(object);
    if (whole == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        const unsigned long long positive = PyLong_AsUnsignedLongLong(object);
        if (PyErr_Occurred()) {
            PyErr_Clear();
            PyErr_Format(PyExc_OverflowError, "%s: %s is %R; integers from -2^63 to 2^64 - 1 are allowed", function,
                         argument, object);
            return -1;
        }
        memcpy(o->number, &positive, sizeof positive);
        o->array.dtype = TESS_U64;
    } else {
        memcpy(o->number, &whole, sizeof whole);
        o->array.dtype = TESS_I64;
    }
    o->array.flags &= ~(uint32_t)TESS_WEAK;
    return 1;
}

static int take_integer(operand *o, PyObject *object, const char *function, const char *argument)
{
    const double value = PyLong_AsDouble(object);
    if (value == -1 && PyErr_Occurred()) PyErr_Clear();
    else if (fabs(value) <= 0x1p53) {
        o->number[0] = value;
        return 1;
    }
    return take_large_integer(o, object, function, argument);
}

static int read_number(operand *o, PyObject *object, const char *function, const char *argument)
{
    if (!PyFloat_CheckExact(object) && !PyLong_Check(object) && !PyComplex_CheckExact(object)) return 0;
    o->kind = OPERAND_NUMBER;
    o->ndim = 0;
    o->array = (tess_array){ .shape = { { 1, 1, 1, 1 } },
                             .data = o->number,
                             .dtype = TESS_F64,
                             .flags = TESS_SCALAR | TESS_READ_ONLY | TESS_WEAK };
    if (PyBool_Check(object)) {
        const uint8_t truth = object == Py_True;
        memcpy(o->number, &truth, sizeof truth);
        o->array.dtype = TESS_BOOL; /* which takes on the dtype of any array it meets */
        o->array.flags &= ~(uint32_t)TESS_WEAK;
        return 1;
    }
    if (PyLong_Check(object)) return take_integer(o, object, function, argument);
    if (PyFloat_CheckExact(object)) {
        o->number[0] = PyFloat_AsDouble(object);
        return 1;
    }
    o->number[0] = PyComplex_RealAsDouble(object);
    o->number[1] = PyComplex_ImagAsDouble(object);
    o->array.dtype = TESS_C64;
    o->array.flags &= ~(uint32_t)TESS_WEAK;
    return 1;
}

/* ---- Arrays of our own ---- */

static int read_array(operand *o, PyObject *object, const char *function, const char *argument)
{
    (void)function, (void)argument;
    if (!is_array(object)) return 0;
    o->kind = OPERAND_ARRAY;
    o->array = array_of(object);
    o->ndim = array_ndim(object);
    return 1;
}

/* ---- NumPy ---- */

/* A copy in the machine's byte order, aligned: object.astype(object.dtype.newbyteorder("=")). */
static PyObject *native_copy(PyObject *object)
{
    PyObject *copy = NULL, *dtype = PyObject_GetAttr(object, names.dtype), *equals = PyUnicode_FromString("=");
    PyObject *native = dtype && equals ? PyObject_CallMethodObjArgs(dtype, names.newbyteorder, equals, NULL) : NULL;
    if (native) copy = PyObject_CallMethodObjArgs(object, names.astype, native, NULL);
    Py_XDECREF(native);
    Py_XDECREF(equals);
    Py_XDECREF(dtype);
    return copy;
}

static int no_dtype(const array_interface *interface, const char *function, const char *argument)
{
    PyErr_Format(PyExc_TypeError,
                 "%s: %s has elements of NumPy kind '%c' and %d bytes; expected bool, integers, f16, f32, f64, "
                 "complex64 or complex128",
                 function, argument, interface->typekind, interface->itemsize);
    return -1;
}

/* 1, or 0 where the elements cannot be used where they lie: of the other byte order, or not aligned. */
static int take_interface(operand *o, const array_interface *interface, const char *function, const char *argument)
{
    const int needed = INTERFACE_ALIGNED | INTERFACE_NOTSWAPPED;
    o->array.dtype = dtype_of_kind(interface->typekind, interface->itemsize);
    if (!o->array.dtype) return no_dtype(interface, function, argument);
    if (interface->nd > 4) return too_many_axes(interface->nd, function, argument);
    o->array.data = interface->data;
    o->array.buffer = NULL;
    o->array.device = tess_cpu();
    o->array.flags = interface->flags & INTERFACE_WRITEABLE ? 0 : TESS_READ_ONLY;
    o->kind = interface->nd ? OPERAND_NUMPY : OPERAND_SCALAR;
    o->ndim = interface->nd;
    return operand_layout(&o->array, interface->nd, interface->shape, interface->strides) &&
           (interface->flags & needed) == needed;
}

static int take_copy(operand *o, PyObject *object, const char *function, const char *argument)
{
    PyObject *copy = native_copy(object);
    if (!copy) return -1;
    PyObject *capsule = PyObject_GetAttr(copy, names.array_struct);
    Py_DECREF(copy); /* the capsule keeps it */
    if (!capsule) return -1;
    const array_interface *interface = PyCapsule_GetPointer(capsule, NULL);
    const int              taken = interface ? take_interface(o, interface, function, argument) : -1;
    if (taken == 1) {
        o->owner = capsule;
        o->copied = true;
        return 1;
    }
    Py_DECREF(capsule);
    if (taken == 0) PyErr_Format(PyExc_ValueError, "%s: %s has an unsupported layout", function, argument);
    return -1;
}

int operand_from_array_struct(operand *o, PyObject *object, const char *function, const char *argument)
{
    PyObject *capsule = PyType_Check(object) ? NULL : PyObject_GetAttr(object, names.array_struct);
    if (!capsule) {
        PyErr_Clear();
        return 0;
    }
    const array_interface *interface = PyCapsule_GetPointer(capsule, NULL);
    if (!interface || interface->two != 2) {
        Py_DECREF(capsule);
        if (!PyErr_Occurred()) PyErr_Format(PyExc_ValueError, "%s: %s.__array_struct__ is invalid", function, argument);
        return -1;
    }
    const int taken = take_interface(o, interface, function, argument);
    if (taken == 1) {
        o->owner = capsule;
        return 1;
    }
    Py_DECREF(capsule);
    return taken < 0 ? -1 : take_copy(o, object, function, argument);
}

/* What can only make a NumPy array of itself, as a Series of pandas. */
static int read_by_array_method(operand *o, PyObject *object, const char *function, const char *argument)
{
    if (PyType_Check(object) || !PyObject_HasAttr(object, names.array)) return 0;
    PyObject *made = PyObject_CallMethodObjArgs(object, names.array, NULL);
    if (!made) return -1;
    const int taken = operand_from_array_struct(o, made, function, argument);
    Py_DECREF(made);
    return taken;
}

/* ---- The buffer protocol ---- */

static void drop_buffer(PyObject *capsule)
{
    Py_buffer *view = PyCapsule_GetPointer(capsule, "tessera.buffer");
    PyBuffer_Release(view);
    PyMem_Free(view);
}

static int take_buffer(operand *o, const Py_buffer *view, const char *function, const char *argument)
{
    bool swapped;
    o->array = (tess_array){ .data = view->buf, .flags = view->readonly ? TESS_READ_ONLY : 0 };
    o->array.dtype = dtype_of_format(view->format, view->itemsize, &swapped);
    o->kind = OPERAND_BUFFER;
    o->ndim = view->ndim;
    if (view->ndim > 4) return too_many_axes(view->ndim, function, argument);
    if (!o->array.dtype || swapped) {
        PyErr_Format(PyExc_TypeError, "%s: %s has elements of the format '%s'; expected numbers in native byte order",
                     function, argument, view->format);
        return -1;
    }
    const int64_t align = (int64_t)tess_dtype_size(tess_dtype_real(o->array.dtype));
    if (operand_layout(&o->array, view->ndim, view->shape, view->strides) && (intptr_t)view->buf % align == 0) return 1;
    PyErr_Format(PyExc_ValueError,
                 "%s: %s has strides or an address that are not multiples of the element size; copy it", function,
                 argument);
    return -1;
}

static int read_buffer(operand *o, PyObject *object, const char *function, const char *argument)
{
    if (!PyObject_CheckBuffer(object)) return 0;
    Py_buffer *view = PyMem_Malloc(sizeof *view);
    if (!view) {
        PyErr_NoMemory();
        return -1;
    }
    if (PyObject_GetBuffer(object, view, PyBUF_RECORDS_RO)) {
        PyMem_Free(view);
        return -1;
    }
    PyObject *capsule = PyCapsule_New(view, "tessera.buffer", drop_buffer);
    if (!capsule) {
        PyBuffer_Release(view);
        PyMem_Free(view);
        return -1;
    }
    const int taken = take_buffer(o, view, function, argument);
    if (taken == 1) o->owner = capsule;
    else Py_DECREF(capsule);
    return taken;
}

/* ---- All of them ---- */

static operand_reader *const readers[] = {
    read_number,         read_array,
    operand_from_torch,  operand_from_array_struct,
    operand_from_dlpack, operand_from_cuda_interface,
    read_buffer,         read_by_array_method,
    operand_from_arrays, operand_from_list,
};
enum { N_READERS = sizeof readers / sizeof *readers };

static int read_any(operand *o, PyObject *object, const char *function, const char *argument)
{
    for (int i = 0; i < N_READERS; i++) {
        const int taken = readers[i](o, object, function, argument);
        if (taken) return taken == 1 ? 0 : -1;
    }
    PyErr_Format(PyExc_TypeError,
                 "%s: %s is of type %R; expected an array (NumPy's, or any with __dlpack__, __cuda_array_interface__ "
                 "or a buffer), a number or a list of numbers",
                 function, argument, (PyObject *)Py_TYPE(object));
    return -1;
}

/* numpy.ma.MaskedArray, by the method that only it has among NumPy's arrays. */
static bool is_masked(PyObject *object)
{
    return PyType_IsSubtype(Py_TYPE(object), (PyTypeObject *)numpy_ndarray) && PyObject_HasAttr(object, names.filled);
}

static int reject_masked(const char *function, const char *argument)
{
    PyErr_Format(PyExc_ValueError,
                 "%s: %s is a masked array, whose mask would be ignored; expected an array without a mask: pass "
                 "a.filled(value), or a.data, and the mask where the function takes one",
                 function, argument);
    return -1;
}

/* A numpy.ndarray where it lies: true if it has a dtype and a layout of ours. */
static bool read_ndarray(operand *o, PyObject *object)
{
    const ndarray_object *array = (ndarray_object *)object;
    const tess_dtype      dtype = dtype_of_ndarray(array);
    if (!dtype || array->nd > 4 || !(array->flags & INTERFACE_ALIGNED)) return false;
    o->array.data = array->data;
    o->array.buffer = NULL;
    o->array.dtype = dtype;
    o->array.device = tess_cpu();
    o->array.flags = array->flags & INTERFACE_WRITEABLE ? 0 : TESS_READ_ONLY;
    o->kind = OPERAND_NUMPY;
    o->ndim = array->nd;
    return operand_layout(&o->array, array->nd, array->shape, array->strides);
}

int operand_read(operand *o, PyObject *object, const char *function, const char *argument)
{
    o->source = object;
    o->owner = NULL;
    o->releases = o->copied = false;
    if ((PyObject *)Py_TYPE(object) == numpy_ndarray) {
        if (numpy_layout_is_known && read_ndarray(o, object)) return 0;
        return operand_from_array_struct(o, object, function, argument) == 1 ? 0 : -1;
    }
    if (numpy_find() && is_masked(object)) return reject_masked(function, argument);
    return read_any(o, object, function, argument);
}

int operand_read_output(operand *o, PyObject *object, const char *function, const char *argument)
{
    if (operand_read(o, object, function, argument)) return -1;
    const bool copied = o->copied;
    const bool is_list = PyList_Check(object) || PyTuple_Check(object);
    const bool no_array = o->kind == OPERAND_NUMBER || o->kind == OPERAND_SCALAR || is_list;
    if (!no_array && !copied) return 0;
    operand_clear(o);
    if (copied) {
        PyErr_Format(PyExc_ValueError,
                     "%s: %s is byte-swapped or not aligned; expected native byte order and alignment", function,
                     argument);
        return -1;
    }
    PyErr_Format(PyExc_TypeError, "%s: %s is of type %R; expected a writable array", function, argument,
                 (PyObject *)Py_TYPE(object));
    return -1;
}

void operand_clear(operand *o)
{
    if (o->releases) tess_release(&o->array);
    Py_CLEAR(o->owner);
}

bool is_operand(PyObject *object)
{
    return PyFloat_Check(object) || PyLong_Check(object) || PyComplex_Check(object) || is_array(object) ||
           PyList_Check(object) || PyTuple_Check(object) || PyObject_HasAttr(object, names.array_struct) ||
           PyObject_HasAttr(object, names.dlpack) || PyObject_HasAttr(object, names.cuda_array_interface);
}
