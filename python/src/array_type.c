/* The type tessera.Array: attributes, methods, conversion to numbers, printing, pickling. */
#include "array_type.h"

#include <string.h>

#include "dlpack.h"
#include "dtypes.h"
#include "errors.h"
#include "function.h"
#include "names.h"
#include "numpy_types.h"
#include "operand.h"
#include "tessera/dlpack.h"
#include "values.h"

PyTypeObject *array_type;

/* ---- Making ---- */

PyObject *array_take(tess_array *array, int ndim)
{
    array_object *self = PyObject_New(array_object, array_type);
    if (!self) {
        tess_release(array);
        return NULL;
    }
    self->array = *array;
    self->ndim = ndim;
    return (PyObject *)self;
}

PyObject *array_view(const tess_array *view, int ndim)
{
    tess_array  copy = *view;
    tess_status status = copy.buffer ? tess_retain(&copy) : TESS_OK;
    return status == TESS_OK ? array_take(&copy, ndim) : raised(status);
}

/* The last reference to foreign memory may go on a thread of the library's. */
static void drop_object(void *object)
{
    if (!Py_IsInitialized()) return;
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)object);
    PyGILState_Release(state);
}

/* An array over memory that Python objects own: it keeps them. Empty ones need nothing kept. */
static PyObject *wrap_operand(operand *o)
{
    const tess_array     a = o->array;
    tess_array           made = { .data = NULL };
    PyObject            *keep = o->owner ? o->owner : o->source;
    const tess_wrap_opts opts = { .strides = &a.strides,
                                  .device = a.device,
                                  .drop = drop_object,
                                  .context = keep,
                                  .read_only = a.flags & TESS_READ_ONLY ? 1 : 0 };
    const bool           empty = tess_is_empty(&a);
    const tess_status    status =
        empty ? tess_empty(&made, a.shape, a.dtype, a.device) : tess_wrap(&made, a.data, a.shape, a.dtype, &opts);
    if (status != TESS_OK) return raised(status);
    if (!empty) Py_INCREF(keep);
    return array_take(&made, o->ndim);
}

static bool is_number(PyObject *object)
{
    return PyFloat_CheckExact(object) || PyLong_Check(object) || PyComplex_CheckExact(object);
}

PyObject *array_from_object(PyObject *object, const char *name)
{
    operand o = { .source = object };
    if (is_number(object) ? operand_from_numbers(&o, object, name, "object") != 1
                          : operand_read(&o, object, name, "object"))
        return NULL;
    PyObject *made = o.array.buffer ? array_view(&o.array, o.ndim) : wrap_operand(&o);
    operand_clear(&o);
    return made;
}

static PyObject *reject_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)type, (void)args, (void)keywords;
    PyErr_SetString(PyExc_TypeError, "arrays are made by tessera.array, asarray, zeros and others");
    return NULL;
}

static void drop_array(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    tess_release(&((array_object *)self)->array);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- Attributes ---- */

static PyObject *tuple_of_axes(const array_object *self, const int64_t dim[4], int64_t scale)
{
    PyObject *tuple = PyTuple_New(self->ndim);
    for (int i = 0; tuple && i < self->ndim; i++) {
        PyObject *number = PyLong_FromLongLong(dim[4 - self->ndim + i] * scale);
        if (!number || PyTuple_SetItem(tuple, i, number)) Py_CLEAR(tuple);
    }
    return tuple;
}

static PyObject *get_shape(PyObject *self, void *closure)
{
    (void)closure;
    return tuple_of_axes((array_object *)self, array_of(self).shape.dim, 1);
}

static PyObject *get_strides(PyObject *self, void *closure)
{
    (void)closure;
    const tess_array a = array_of(self);
    return tuple_of_axes((array_object *)self, a.strides.dim, (int64_t)tess_dtype_size(a.dtype));
}

static PyObject *get_dtype(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromString(tess_dtype_name(array_of(self).dtype));
}

static PyObject *get_device(PyObject *self, void *closure)
{
    (void)closure;
    char name[24];
    return PyUnicode_FromString(tess_device_name(name, sizeof name, array_of(self).device));
}

static PyObject *get_ndim(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromLong(array_ndim(self));
}

static PyObject *get_size(PyObject *self, void *closure)
{
    (void)closure;
    const tess_array a = array_of(self);
    return PyLong_FromLongLong(tess_n_elements(&a));
}

static PyObject *get_itemsize(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(tess_dtype_size(array_of(self).dtype));
}

static PyObject *get_nbytes(PyObject *self, void *closure)
{
    (void)closure;
    const tess_array a = array_of(self);
    return PyLong_FromLongLong(tess_n_bytes(&a));
}

static PyObject *get_read_only(PyObject *self, void *closure)
{
    (void)closure;
    return PyBool_FromLong(array_of(self).flags & TESS_READ_ONLY);
}

static PyObject *permuted(PyObject *self, const int order[4])
{
    const array_object *object = (array_object *)self;
    const int           skipped = 4 - object->ndim;
    int                 axes[4] = { 0, 1, 2, 3 };
    tess_array          view;
    for (int i = 0; i < object->ndim; i++) axes[skipped + i] = skipped + order[i];
    const tess_status status = tess_permute(&view, &object->array, axes[0], axes[1], axes[2], axes[3]);
    return status == TESS_OK ? array_view(&view, object->ndim) : raised(status);
}

static PyObject *get_transposed(PyObject *self, void *closure)
{
    (void)closure;
    int order[4] = { 0 };
    for (int i = 0, n = array_ndim(self); i < n; i++) order[i] = n - 1 - i;
    return permuted(self, order);
}

static PyObject *get_part(PyObject *self, tess_status (*part)(tess_array *, const tess_array *))
{
    tess_array        view;
    const tess_array  a = array_of(self);
    const tess_status status = part(&view, &a);
    return status == TESS_OK ? array_view(&view, array_ndim(self)) : raised(status);
}

static PyObject *get_real(PyObject *self, void *closure)
{
    (void)closure;
    if (tess_dtype_kind(array_of(self).dtype) == TESS_KIND_COMPLEX) return get_part(self, tess_real_view);
    Py_INCREF(self);
    return self;
}

static PyObject *get_imag(PyObject *self, void *closure)
{
    (void)closure;
    return get_part(self, tess_imag_view);
}

static PyObject *get_priority(PyObject *self, void *closure)
{
    (void)self, (void)closure;
    return PyFloat_FromDouble(20); /* above NumPy's 0: its operators leave the work to ours */
}

static PyGetSetDef attributes[] = {
    { "shape", get_shape, NULL, "sizes of its axes", NULL },
    { "strides", get_strides, NULL, "bytes from an element to the next of each axis, as in NumPy", NULL },
    { "dtype", get_dtype, NULL, "element type, as 'f32'", NULL },
    { "device", get_device, NULL, "'cpu', or 'gpu:0'", NULL },
    { "ndim", get_ndim, NULL, "number of axes", NULL },
    { "size", get_size, NULL, "number of elements", NULL },
    { "itemsize", get_itemsize, NULL, "bytes of an element", NULL },
    { "nbytes", get_nbytes, NULL, "bytes of all elements", NULL },
    { "read_only", get_read_only, NULL, "True if it cannot be written", NULL },
    { "T", get_transposed, NULL, "a view with the axes in the opposite order", NULL },
    { "real", get_real, NULL, "a view of the real parts", NULL },
    { "imag", get_imag, NULL, "a view of the imaginary parts", NULL },
    { "__array_priority__", get_priority, NULL, NULL, NULL },
    { "__array_struct__", array_struct_of, NULL, NULL, NULL },
    { "__array_interface__", array_interface_of, NULL, NULL, NULL },
    { "__cuda_array_interface__", array_cuda_interface_of, NULL, NULL, NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

/* ---- Elements ---- */

PyObject *array_element(const tess_array *a)
{
    tess_status status;
    if (tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX) {
        tess_c64 c;
        status = tess_get_c64(&c, a, 0, 0, 0, 0);
        return status == TESS_OK ? PyComplex_FromDoubles(c.re, c.im) : raised(status);
    }
    if (tess_dtype_kind(a->dtype) == TESS_KIND_FLOAT) {
        double x;
        status = tess_get_f64(&x, a, 0, 0, 0, 0);
        return status == TESS_OK ? PyFloat_FromDouble(x) : raised(status);
    }
    int64_t i;
    status = tess_get_i64(&i, a, 0, 0, 0, 0);
    if (status != TESS_OK) return raised(status);
    if (a->dtype == TESS_BOOL) return PyBool_FromLong(i != 0);
    if (a->dtype == TESS_U64 && i == INT64_MAX) { /* it was clamped, perhaps */
        tess_array word;
        uint64_t   whole;
        status = tess_reinterpret(&word, a, TESS_I64);
        if (status == TESS_OK) status = tess_get_i64(&i, &word, 0, 0, 0, 0);
        memcpy(&whole, &i, sizeof whole);
        return status == TESS_OK ? PyLong_FromUnsignedLongLong(whole) : raised(status);
    }
    return PyLong_FromLongLong(i);
}

static PyObject *only_element(PyObject *self)
{
    const tess_array a = array_of(self);
    if (tess_n_elements(&a) == 1) return array_element(&a);
    PyErr_Format(PyExc_TypeError, "an array of %lld elements is no number; one of 1 element is",
                 (long long)tess_n_elements(&a));
    return NULL;
}

static PyObject *item(PyObject *self, PyObject *none)
{
    (void)none;
    return only_element(self);
}

static PyObject *nested_list(const tess_array *a, int axis)
{
    if (axis == 4) return array_element(a);
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < a->shape.dim[axis]; i++) {
        tess_array view;
        PyObject  *value = NULL;
        if (tess_index(&view, a, axis, i) == TESS_OK) value = nested_list(&view, axis + 1);
        else (void)raise_status(tess_error_status());
        if (!value || PyList_Append(list, value)) Py_CLEAR(list);
        Py_XDECREF(value);
    }
    return list;
}

static PyObject *to_list(PyObject *self, PyObject *none)
{
    (void)none;
    const tess_array a = array_of(self);
    return nested_list(&a, 4 - array_ndim(self));
}

static int is_true(PyObject *self)
{
    const tess_array a = array_of(self);
    if (tess_n_elements(&a) > 1) {
        PyErr_SetString(PyExc_ValueError, "the truth value of an array with more than one element is ambiguous; use "
                                          "any or all");
        return -1;
    }
    if (tess_is_empty(&a)) return 0;
    PyObject *element = array_element(&a);
    const int truth = element ? PyObject_IsTrue(element) : -1;
    Py_XDECREF(element);
    return truth;
}

static PyObject *to_float(PyObject *self)
{
    PyObject *element = only_element(self), *number = element ? PyNumber_Float(element) : NULL;
    Py_XDECREF(element);
    return number;
}

static PyObject *to_int(PyObject *self)
{
    PyObject *element = only_element(self), *number = element ? PyNumber_Long(element) : NULL;
    Py_XDECREF(element);
    return number;
}

static PyObject *to_index(PyObject *self)
{
    PyObject *element = only_element(self), *number = element ? PyNumber_Index(element) : NULL;
    Py_XDECREF(element);
    return number;
}

static PyObject *to_complex(PyObject *self, PyObject *none)
{
    (void)none;
    PyObject *element = only_element(self);
    PyObject *number = element ? PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, element, NULL) : NULL;
    Py_XDECREF(element);
    return number;
}

static Py_ssize_t length(PyObject *self)
{
    if (array_ndim(self) > 0) return (Py_ssize_t)array_of(self).shape.dim[4 - array_ndim(self)];
    PyErr_SetString(PyExc_TypeError, "len() of an array without axes");
    return -1;
}

static PyObject *sequence_item(PyObject *self, Py_ssize_t i)
{
    PyObject *key = PyLong_FromSsize_t(i), *value = key ? array_get_item(self, key) : NULL;
    Py_XDECREF(key);
    return value;
}

static PyObject *iterate(PyObject *self) { return length(self) < 0 ? NULL : PySeqIter_New(self); }

/* ---- Printing ---- */

/* The text of four axes without the brackets of those on the left, and as many characters less in each line. */
static size_t drop_brackets(char *text, size_t n, size_t dropped)
{
    size_t used = 0, column = 0;
    while (n > 0 && text[n - 1] == '\n') n--;
    n -= dropped < n ? dropped : n;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n' || column >= dropped) text[used++] = text[i];
        column = text[i] == '\n' ? 0 : column + 1;
    }
    return used;
}

static PyObject *formatted(PyObject *self)
{
    const tess_array       a = array_of(self);
    const size_t           dropped = 4 - (size_t)array_ndim(self);
    const tess_format_opts opts = { .no_header = 1, .all_axes = 1 };
    size_t                 n = 0;
    if (tess_is_empty(&a)) return PyUnicode_FromString("[]");
    tess_status status = tess_format(NULL, 0, &n, &a, &opts);
    char       *text = status == TESS_OK ? PyMem_Malloc(n + 1) : NULL;
    if (status == TESS_OK && !text) return PyErr_NoMemory();
    if (status == TESS_OK) status = tess_format(text, n + 1, NULL, &a, &opts);
    if (status != TESS_OK) {
        PyMem_Free(text);
        return raised(status);
    }
    PyObject *made = PyUnicode_FromStringAndSize(text, (Py_ssize_t)drop_brackets(text, n, dropped));
    PyMem_Free(text);
    return made;
}

static PyObject *represent(PyObject *self)
{
    PyObject *text = formatted(self), *from = PyUnicode_FromString("\n"), *to = PyUnicode_FromString("\n      ");
    PyObject *shifted = text && from && to ? PyUnicode_Replace(text, from, to, -1) : NULL, *made = NULL;
    char      device[24];
    (void)tess_device_name(device, sizeof device, array_of(self).device);
    const bool  host = array_of(self).device.kind == TESS_CPU;
    const char *dtype = tess_dtype_name(array_of(self).dtype);
    if (shifted && host) made = PyUnicode_FromFormat("Array(%U, dtype='%s')", shifted, dtype);
    else if (shifted) made = PyUnicode_FromFormat("Array(%U, dtype='%s', device='%s')", shifted, dtype, device);
    Py_XDECREF(shifted);
    Py_XDECREF(to);
    Py_XDECREF(from);
    Py_XDECREF(text);
    return made;
}

/* ---- Copies ---- */

static PyObject *copy(PyObject *self, PyObject *ignored)
{
    (void)ignored;
    tess_array        made = { .data = NULL };
    const tess_array  a = array_of(self);
    const tess_status status = tess_copy(&made, &a);
    return status == TESS_OK ? array_take(&made, array_ndim(self)) : raised(status);
}

static PyObject *as_type(PyObject *self, PyObject *object)
{
    tess_array       made = { .data = NULL };
    const tess_array a = array_of(self);
    tess_dtype       dtype;
    if (dtype_from_object(&dtype, object)) return NULL;
    const tess_status status = tess_cast(&made, &a, dtype, NULL);
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
    const tess_status status = tess_to_device(&made, &a, device);
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
    (void)none;
    PyObject *torch = PyImport_Import(names.torch);
    PyObject *made = torch ? PyObject_CallMethodObjArgs(torch, names.from_dlpack, self, NULL) : NULL;
    Py_XDECREF(torch);
    return made;
}

/* ---- DLPack ---- */

static PyObject *dlpack_method(PyObject *self, PyObject *args, PyObject *keywords)
{
    static char *words[] = { "stream", "max_version", "dl_device", "copy", NULL };
    PyObject    *stream = Py_None, *version = Py_None, *device = Py_None, *copied = Py_None;
    int          major = 0, minor = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", words, &stream, &version, &device, &copied))
        return NULL;
    if (version != Py_None && !PyTuple_Check(version)) {
        PyErr_Format(PyExc_TypeError, "__dlpack__: max_version is %R; a tuple of two integers is needed", version);
        return NULL;
    }
    if (version != Py_None && !PyArg_ParseTuple(version, "ii:max_version", &major, &minor)) return NULL;
    if (copied != Py_True) {
        const tess_array a = array_of(self);
        return dlpack_export(&a, array_ndim(self), major >= 1);
    }
    PyObject *made = copy(self, NULL), *capsule = NULL;
    if (made) {
        const tess_array a = array_of(made);
        capsule = dlpack_export(&a, array_ndim(made), major >= 1);
    }
    Py_XDECREF(made);
    return capsule;
}

static PyObject *dlpack_device_method(PyObject *self, PyObject *none)
{
    (void)none;
    const tess_device device = array_of(self).device;
    return Py_BuildValue("(ii)", device.kind == TESS_GPU ? kDLCUDA : kDLCPU, device.index);
}

/* ---- Shapes ---- */

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
    if (PyTuple_Size(axes) == 0) return get_transposed(self, NULL);
    for (int i = 0; i < n && PyTuple_Size(axes) == n; i++) {
        const long axis = PyLong_AsLong(PyTuple_GetItem(axes, i));
        if (axis == -1 && PyErr_Occurred()) return NULL;
        if (axis >= -n && axis < n) seen |= 1u << (order[i] = (int)(axis < 0 ? axis + n : axis));
    }
    if (seen == (1u << n) - 1) return permuted(self, order);
    PyErr_Format(PyExc_ValueError, "transpose: axes are %R; the numbers 0 to %d, each once, are needed", axes, n - 1);
    return NULL;
}

/* ---- Pickling ---- */

static PyObject *reduce(PyObject *self, PyObject *none)
{
    (void)none;
    tess_array       dense = { .data = NULL };
    const tess_array a = array_of(self);
    tess_status      status = tess_to_device(&dense, &a, tess_cpu());
    if (status == TESS_OK) status = tess_stream_sync(NULL);
    if (status != TESS_OK) {
        tess_release(&dense);
        return raised(status);
    }
    PyObject *module = PyImport_ImportModule("tessera._tessera"), *bytes = NULL, *made = NULL,
             *shape = get_shape(self, NULL);
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

static PyMethodDef methods[] = {
    { "copy", copy, METH_NOARGS, "copy()\n--\n\nA contiguous copy." },
    { "astype", as_type, METH_O, "astype($self, dtype, /)\n--\n\nA copy with elements of another type." },
    { "to", to_device, METH_O, "to($self, device, /)\n--\n\nThe array on a device, copied if it is on another." },
    { "numpy", to_numpy, METH_NOARGS, "numpy($self, /)\n--\n\nA NumPy array of the same memory; of a GPU's, a copy." },
    { "torch", to_torch, METH_NOARGS, "torch($self, /)\n--\n\nA tensor of torch's of the same memory." },
    { "item", item, METH_NOARGS, "item($self, /)\n--\n\nThe only element as a number." },
    { "tolist", to_list, METH_NOARGS, "tolist($self, /)\n--\n\nAll elements as nested lists." },
    { "reshape", reshape, METH_VARARGS,
      "reshape($self, *shape)\n--\n\nThe same elements under another shape: a view, "
      "or a copy where strides do not allow one." },
    { "transpose", transpose, METH_VARARGS, "transpose($self, *axes)\n--\n\nA view with the axes in another order." },
    { "__array__", (PyCFunction)(void (*)(void))array_method, METH_VARARGS | METH_KEYWORDS, NULL },
    { "__dlpack__", (PyCFunction)(void (*)(void))dlpack_method, METH_VARARGS | METH_KEYWORDS, NULL },
    { "__dlpack_device__", dlpack_device_method, METH_NOARGS, NULL },
    { "__copy__", copy, METH_NOARGS, NULL },
    { "__deepcopy__", copy, METH_O, NULL },
    { "__complex__", to_complex, METH_NOARGS, NULL },
    { "__reduce__", reduce, METH_NOARGS, NULL },
    { NULL, NULL, 0, NULL },
};

/* ---- The type ---- */

static const PyType_Slot own_slots[] = {
    { Py_tp_new, SLOT(reject_new) },
    { Py_tp_dealloc, SLOT(drop_array) },
    { Py_tp_repr, SLOT(represent) },
    { Py_tp_str, SLOT(formatted) },
    { Py_tp_iter, SLOT(iterate) },
    { Py_tp_richcompare, SLOT(array_compare) },
    { Py_tp_hash, SLOT(PyObject_HashNotImplemented) },
    { Py_tp_getset, attributes },
    { Py_tp_methods, methods },
    { Py_mp_length, SLOT(length) },
    { Py_mp_subscript, SLOT(array_get_item) },
    { Py_mp_ass_subscript, SLOT(array_set_item) },
    { Py_sq_length, SLOT(length) },
    { Py_sq_item, SLOT(sequence_item) },
    { Py_nb_bool, SLOT(is_true) },
    { Py_nb_float, SLOT(to_float) },
    { Py_nb_int, SLOT(to_int) },
    { Py_nb_index, SLOT(to_index) },
    { Py_tp_doc, (void *)"An array of up to four axes: as a NumPy array, on the CPU or on a GPU." },
};
enum { N_OWN = sizeof own_slots / sizeof *own_slots, MAX_SLOTS = 64 };

int array_type_make(PyObject *module)
{
    PyType_Slot slots[MAX_SLOTS] = { { 0, NULL } };
    memcpy(slots, own_slots, sizeof own_slots);
    memcpy(slots + N_OWN, array_number_slots, n_array_number_slots * sizeof *slots);
    PyType_Spec spec = { "tessera.Array", sizeof(array_object), 0, Py_TPFLAGS_DEFAULT, slots };
    array_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!array_type) return -1;
    Py_INCREF(array_type);
    if (PyModule_AddObject(module, "Array", (PyObject *)array_type) == 0) return 0;
    Py_DECREF(array_type);
    return -1;
}
