/* Methods of tessera.Array: copies, other devices and packages, shapes, pickling. */
#include <stdio.h>

#include "array_type.h"
#include "dlpack.h"
#include "dtypes.h"
#include "errors.h"
#include "names.h"
#include "numpy_types.h"
#include "tessera/dlpack.h"
#include "torch.h"
#include "values.h"
#include "work.h"

/* ---- Copies ---- */

static PyObject *copy(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    tess_array        made = { .data = NULL };
    const tess_array  a = array_of(self);
    const work_state  work = work_begin_on(&a);
    const tess_status status = work_end(&work, tess_copy(&made, &a));
    return status == TESS_OK ? array_take(&made, array_ndim(self)) : raised(status);
}

static PyObject *as_type(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char     *words[] = { "dtype", "copy", NULL };
    tess_array       made = { .data = NULL };
    const tess_array a = array_of(self);
    PyObject        *object;
    tess_dtype       dtype;
    int              always = 1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|p:astype", words, &object, &always)) return NULL;
    if (dtype_argument(&dtype, object, "astype")) return NULL;
    if (!always && dtype == a.dtype) {
        Py_INCREF(self);
        return self;
    }
    const work_state  work = work_begin_on(&a);
    const tess_status status = work_end(&work, tess_cast(&made, &a, dtype, NULL));
    return status == TESS_OK ? array_take(&made, array_ndim(self)) : raised(status);
}

static PyObject *on_device(PyObject *self, tess_device device)
{
    tess_array       made = { .data = NULL };
    const tess_array a = array_of(self);
    if (a.device.kind == device.kind && a.device.index == device.index) {
        Py_INCREF(self);
        return self;
    }
    const work_state  work = work_begin_on(&a);
    const tess_status status = work_end(&work, tess_to_device(&made, &a, device));
    return status == TESS_OK ? array_take(&made, array_ndim(self)) : raised(status);
}

static PyObject *to_device(PyObject *self, PyObject *object)
{
    tess_device device;
    return device_from_object(&device, object) ? NULL : on_device(self, device);
}

static PyObject *to_numpy(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    if (numpy_import()) return NULL;
    PyObject *host = on_device(self, tess_cpu());
    PyObject *made = host ? PyObject_CallFunctionObjArgs(numpy_asarray, host, NULL) : NULL;
    Py_XDECREF(host);
    return made;
}

static PyObject *array_method(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "dtype", "copy", NULL };
    PyObject    *dtype = Py_None, *copied = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO:__array__", words, &dtype, &copied)) return NULL;
    PyObject *made = to_numpy(self, NULL);
    if (!made || (dtype == Py_None && copied != Py_True)) return made;
    PyObject *converted = dtype == Py_None ? PyObject_CallMethod(made, "copy", NULL)
                                           : PyObject_CallMethodObjArgs(made, names.astype, dtype, NULL);
    Py_DECREF(made);
    return converted;
}

static PyObject *to_torch(PyObject *self, PyObject *none)
{
    const tess_array a = array_of(self);
    PyObject        *given = has_negative_strides(&a) ? copy(self, none) : self, *made = NULL;
    if (given == self) Py_INCREF(given);
    PyObject *torch = given ? PyImport_Import(names.torch) : NULL;
    if (torch) made = PyObject_CallMethodObjArgs(torch, names.from_dlpack, given, NULL);
    Py_XDECREF(torch);
    Py_XDECREF(given);
    return made;
}

/* ---- DLPack ---- */

/* max_version=(1, 0) asks for the form of DLPack 1; without it the capsule is of the older one. */
static int wants_versioned(PyObject *version, bool *versioned)
{
    int major = 0, minor = 0;
    *versioned = false;
    if (version == Py_None) return 0;
    if (!PyTuple_Check(version)) {
        PyErr_Format(PyExc_TypeError, "__dlpack__: max_version is %R; expected a tuple of two integers", version);
        return -1;
    }
    if (!PyArg_ParseTuple(version, "ii:max_version", &major, &minor)) return -1;
    *versioned = major >= 1;
    return 0;
}

/* The array itself, or a copy where the consumer asks for one or for the CPU: a new reference. */
static PyObject *array_for_consumer(PyObject *self, PyObject *device, PyObject *copied)
{
    const tess_device own = array_of(self).device;
    int               kind = own.kind == TESS_GPU ? kDLCUDA : kDLCPU, index = own.index;
    if (device != Py_None && !(PyTuple_Check(device) && PyArg_ParseTuple(device, "ii:dl_device", &kind, &index))) {
        if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "__dlpack__: dl_device is %R; expected a tuple", device);
        return NULL;
    }
    const bool here = index == own.index && kind == (own.kind == TESS_GPU ? kDLCUDA : kDLCPU);
    if (here && copied == Py_True) return copy(self, NULL);
    if (!here && kind == kDLCPU && copied != Py_False) return on_device(self, tess_cpu());
    if (!here) {
        PyErr_Format(PyExc_BufferError, "__dlpack__: dl_device is %R; the array is on another device", device);
        return NULL;
    }
    Py_INCREF(self);
    return self;
}

static PyObject *dlpack_method(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "stream", "max_version", "dl_device", "copy", NULL };
    PyObject    *stream = Py_None, *version = Py_None, *device = Py_None, *copied = Py_None;
    bool         versioned;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", words, &stream, &version, &device, &copied))
        return NULL;
    if (wants_versioned(version, &versioned)) return NULL;
    PyObject *given = array_for_consumer(self, device, copied);
    if (!given) return NULL;
    const tess_array a = array_of(given); /* the work on it is waited for, whatever the stream */
    PyObject        *capsule = dlpack_export(&a, array_ndim(given), versioned);
    Py_DECREF(given);
    return capsule;
}

static PyObject *dlpack_device_method(PyObject *self, PyObject *none)
{
    (void)none;
    const tess_device device = array_of(self).device;
    return Py_BuildValue("(ii)", device.kind == TESS_GPU ? kDLCUDA : kDLCPU, device.index);
}

/* ---- Shapes ---- */

/* The error of a shape that the array cannot have, in terms of the caller's shapes. */
static PyObject *wrong_shape(PyObject *self, PyObject *sizes, const char *function, const char *expected)
{
    PyObject *own = array_shape_of(self, NULL);
    if (own)
        (void)raise_text(TESS_ESHAPE, "%s: shape is %R, and the array has the shape %R; expected %s", function, sizes,
                         own, expected);
    Py_XDECREF(own);
    return NULL;
}

static PyObject *no_reshape(PyObject *self, PyObject *sizes)
{
    char             expected[80];
    const tess_array a = array_of(self);
    (void)snprintf(expected, sizeof expected, "sizes whose product is %lld, of which one may be -1",
                   (long long)tess_n_elements(&a));
    return wrong_shape(self, sizes, "reshape", expected);
}

static PyObject *reshape(PyObject *self, PyObject *args)
{
    PyObject        *sizes = PyTuple_Size(args) == 1 ? PyTuple_GetItem(args, 0) : args;
    const tess_array a = array_of(self);
    tess_array       view;
    tess_shape       shape;
    int              ndim;
    if (shape_from_object(&shape, &ndim, sizes, 1, "reshape", "shape")) return NULL;
    tess_status status = tess_reshape(&view, &a, shape);
    if (status == TESS_OK) return array_view(&view, ndim);
    if (status == TESS_ESHAPE) return no_reshape(self, sizes);
    if (status != TESS_ELAYOUT) return raised(status);
    PyObject *contiguous = copy(self, NULL), *made = contiguous ? reshape(contiguous, args) : NULL;
    Py_XDECREF(contiguous);
    return made;
}

static PyObject *transpose(PyObject *self, PyObject *args)
{
    const int n = array_ndim(self);
    int       order[4] = { 0 };
    unsigned  seen = 0;
    PyObject *axes =
        PyTuple_Size(args) == 1 && PyTuple_Check(PyTuple_GetItem(args, 0)) ? PyTuple_GetItem(args, 0) : args;
    const bool none = PyTuple_Size(axes) == 1 && PyTuple_GetItem(axes, 0) == Py_None;
    if (PyTuple_Size(axes) == 0 || none) return array_transposed_of(self, NULL);
    for (int i = 0; i < n && PyTuple_Size(axes) == n; i++) {
        const long axis = PyLong_AsLong(PyTuple_GetItem(axes, i));
        if (axis == -1 && PyErr_Occurred()) return NULL;
        if (axis >= -n && axis < n) seen |= 1u << (order[i] = (int)(axis < 0 ? axis + n : axis));
    }
    if (seen == (1u << n) - 1) return array_permuted(self, order);
    PyErr_Format(PyExc_ValueError, "transpose: axes are %R; expected each of 0 to %d once", axes, n - 1);
    return NULL;
}

static PyObject *broadcast(PyObject *self, PyObject *sizes)
{
    const tess_array a = array_of(self);
    tess_array       view;
    tess_shape       shape;
    int              ndim;
    if (shape_from_object(&shape, &ndim, sizes, 1, "broadcast_to", "shape")) return NULL;
    if (ndim < array_ndim(self)) {
        PyErr_Format(PyExc_ValueError, "broadcast_to: shape is %R; the array has %d axes", sizes, array_ndim(self));
        return NULL;
    }
    const tess_status status = tess_broadcast(&view, &a, shape);
    if (status == TESS_ESHAPE)
        return wrong_shape(self, sizes, "broadcast_to", "the array's sizes, of which those of 1 may become any other");
    if (status != TESS_OK) return raised(status);
    view.flags |= TESS_READ_ONLY;
    return array_view(&view, ndim);
}

/* ---- Pickling ---- */

static PyObject *reduce(PyObject *self, PyObject *none)
{
    (void)none;
    tess_array       dense = { .data = NULL };
    const tess_array a = array_of(self);
    const work_state work = work_begin_on(&a);
    tess_status      status = tess_to_device(&dense, &a, tess_cpu());
    if (status == TESS_OK) status = tess_stream_sync(NULL);
    status = work_end(&work, status);
    if (status != TESS_OK) {
        tess_release(&dense);
        return raised(status);
    }
    PyObject *module = PyImport_ImportModule("tessera._tessera"), *bytes = NULL, *made = NULL,
             *shape = array_shape_of(self, NULL);
    PyObject *rebuild = module ? PyObject_GetAttrString(module, "_rebuild") : NULL;
    bytes = PyBytes_FromStringAndSize(dense.data, (Py_ssize_t)tess_n_bytes(&dense));
    if (rebuild && bytes && shape) made = Py_BuildValue("O(OOs)", rebuild, bytes, shape, tess_dtype_name(dense.dtype));
    tess_release(&dense);
    Py_XDECREF(rebuild);
    Py_XDECREF(bytes);
    Py_XDECREF(shape);
    Py_XDECREF(module);
    return made;
}

PyMethodDef array_methods[] = {
    { "copy", copy, METH_NOARGS, "copy($self, /)\n--\n\nA contiguous copy." },
    { "astype", (PyCFunction)(void (*)(void))as_type, METH_VARARGS | METH_KEYWORDS,
      "astype($self, dtype, copy=True)\n--\n\nA copy with another element type; with copy=False the array itself if it "
      "has that type already." },
    { "to", to_device, METH_O, "to($self, device, /)\n--\n\nThe array on a device, copied if it is on another one." },
    { "numpy", to_numpy, METH_NOARGS, "numpy($self, /)\n--\n\nA NumPy array of the same memory; of a GPU's, a copy." },
    { "torch", to_torch, METH_NOARGS,
      "torch($self, /)\n--\n\nA torch tensor that shares the memory; a copy if strides are negative." },
    { "item", array_item, METH_VARARGS,
      "item($self, *index)\n--\n\nThe only element as a number, or the element at an index: one in C order, or one per "
      "axis." },
    { "tolist", array_to_list, METH_NOARGS, "tolist($self, /)\n--\n\nAll elements as nested lists." },
    { "reshape", reshape, METH_VARARGS,
      "reshape($self, *shape)\n--\n\nThe same elements with another shape: a view, or a copy if strides do not allow a "
      "view." },
    { "transpose", transpose, METH_VARARGS, "transpose($self, *axes)\n--\n\nA view with the axes in another order." },
    { "_broadcast", broadcast, METH_O, NULL },
    { "__array__", (PyCFunction)(void (*)(void))array_method, METH_VARARGS | METH_KEYWORDS, NULL },
    { "__dlpack__", (PyCFunction)(void (*)(void))dlpack_method, METH_VARARGS | METH_KEYWORDS, NULL },
    { "__dlpack_device__", dlpack_device_method, METH_NOARGS, NULL },
    { "__copy__", copy, METH_NOARGS, NULL },
    { "__deepcopy__", copy, METH_O, NULL },
    { "__complex__", array_to_complex, METH_NOARGS, NULL },
    { "__reduce__", reduce, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};
