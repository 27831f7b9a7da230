/* The type tessera.Array: how objects are made, and their attributes. */
#include "array_type.h"

#include <stddef.h>
#include <string.h>

#include <structmember.h>

#include "dtype_type.h"
#include "errors.h"
#include "operand.h"
#include "tuples.h"

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
    self->weak_references = NULL;
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

PyObject *array_from_output(PyObject *object, const char *function)
{
    operand o;
    if (operand_read_output(&o, object, function, "out")) return NULL;
    PyObject *made = o.array.buffer ? array_view(&o.array, o.ndim) : wrap_operand(&o);
    operand_clear(&o);
    return made;
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
    PyErr_SetString(PyExc_TypeError, "create arrays with tessera.array, asarray, zeros and others");
    return NULL;
}

static void drop_array(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    if (((array_object *)self)->weak_references) PyObject_ClearWeakRefs(self);
    tess_release(&((array_object *)self)->array);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- Attributes ---- */

PyObject *array_shape_of(PyObject *self, void *closure)
{
    (void)closure;
    const tess_array a = array_of(self);
    const int        ndim = array_ndim(self);
    return tuple_of_i64(a.shape.dim + 4 - ndim, ndim);
}

static PyObject *get_strides(PyObject *self, void *closure)
{
    (void)closure;
    const tess_array a = array_of(self);
    const int        ndim = array_ndim(self);
    int64_t          bytes[4];
    for (int i = 0; i < 4; i++) bytes[i] = a.strides.dim[i] * (int64_t)tess_dtype_size(a.dtype);
    return tuple_of_i64(bytes + 4 - ndim, ndim);
}

static PyObject *get_dtype(PyObject *self, void *closure)
{
    (void)closure;
    return dtype_object(array_of(self).dtype);
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

PyObject *array_permuted(PyObject *self, const int order[4])
{
    const array_object *object = (array_object *)self;
    const int           skipped = 4 - object->ndim;
    int                 axes[4] = { 0, 1, 2, 3 };
    tess_array          view;
    for (int i = 0; i < object->ndim; i++) axes[skipped + i] = skipped + order[i];
    const tess_status status = tess_permute(&view, &object->array, axes[0], axes[1], axes[2], axes[3]);
    return status == TESS_OK ? array_view(&view, object->ndim) : raised(status);
}

PyObject *array_transposed_of(PyObject *self, void *closure)
{
    (void)closure;
    int order[4] = { 0 };
    for (int i = 0, n = array_ndim(self); i < n; i++) order[i] = n - 1 - i;
    return array_permuted(self, order);
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

/* Of real numbers it is 0, in an array of its own. */
static PyObject *get_imag(PyObject *self, void *closure)
{
    (void)closure;
    const tess_array a = array_of(self);
    tess_array       none = { .data = NULL };
    const tess_kind  kind = tess_dtype_kind(a.dtype);
    if (kind == TESS_KIND_COMPLEX || kind == TESS_KIND_COMPOUND) return get_part(self, tess_imag_view);
    const tess_status status = tess_zeros(&none, a.shape, a.dtype, a.device);
    return status == TESS_OK ? array_take(&none, array_ndim(self)) : raised(status);
}

static PyObject *get_priority(PyObject *self, void *closure)
{
    (void)self, (void)closure;
    return PyFloat_FromDouble(20); /* above NumPy's 0: its operators leave the work to ours */
}

static PyGetSetDef attributes[] = {
    { "shape", array_shape_of, NULL, "sizes of its axes", NULL },
    { "strides", get_strides, NULL, "bytes from an element to the next of each axis, as in NumPy", NULL },
    { "dtype", get_dtype, NULL, "element type, as 'f32'", NULL },
    { "device", get_device, NULL, "'cpu', or 'gpu:0'", NULL },
    { "ndim", get_ndim, NULL, "number of axes", NULL },
    { "size", get_size, NULL, "number of elements", NULL },
    { "itemsize", get_itemsize, NULL, "bytes per element", NULL },
    { "nbytes", get_nbytes, NULL, "bytes of all elements", NULL },
    { "read_only", get_read_only, NULL, "True if the array is read-only", NULL },
    { "T", array_transposed_of, NULL, "a view with the axes in the opposite order", NULL },
    { "real", get_real, NULL, "a view of the real parts", NULL },
    { "imag", get_imag, NULL, "the imaginary parts: a view, or zeros of real numbers", NULL },
    { "__array_priority__", get_priority, NULL, NULL, NULL },
    { "__array_struct__", array_struct_of, NULL, NULL, NULL },
    { "__array_interface__", array_interface_of, NULL, NULL, NULL },
    { "__cuda_array_interface__", array_cuda_interface_of, NULL, NULL, NULL },
    { NULL, NULL, NULL, NULL, NULL },
};

/* ---- The type ---- */

static PyMemberDef members[] = {
    { "__weaklistoffset__", T_PYSSIZET, offsetof(array_object, weak_references), READONLY, NULL },
    { NULL, 0, 0, 0, NULL },
};

static const PyType_Slot own_slots[] = {
    { Py_tp_new, SLOT(reject_new) },
    { Py_tp_dealloc, SLOT(drop_array) },
    { Py_tp_repr, SLOT(array_repr) },
    { Py_tp_str, SLOT(array_str) },
    { Py_tp_iter, SLOT(array_iterate) },
    { Py_tp_richcompare, SLOT(array_compare) },
    { Py_tp_hash, SLOT(PyObject_HashNotImplemented) },
    { Py_tp_getset, attributes },
    { Py_tp_methods, array_methods },
    { Py_tp_members, members },
    { Py_bf_getbuffer, SLOT(array_get_buffer) },
    { Py_bf_releasebuffer, SLOT(array_release_buffer) },
    { Py_mp_length, SLOT(array_length) },
    { Py_mp_subscript, SLOT(array_get_item) },
    { Py_mp_ass_subscript, SLOT(array_set_item) },
    { Py_sq_length, SLOT(array_length) },
    { Py_sq_item, SLOT(array_sequence_item) },
    { Py_nb_bool, SLOT(array_is_true) },
    { Py_nb_float, SLOT(array_to_float) },
    { Py_nb_int, SLOT(array_to_int) },
    { Py_nb_index, SLOT(array_to_index) },
    { Py_tp_doc, (void *)"An array of up to four axes, like a NumPy array, on the CPU or on a GPU." },
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
