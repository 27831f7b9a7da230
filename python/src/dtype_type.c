/* The type tessera.dtype: equal to its name, as "f32", and to all else that names the same elements.
 *
 * numpy.dtype takes it by its attribute `dtype`.
 */
#include "dtype_type.h"

#include "dtypes.h"
#include "numpy_types.h"

typedef struct dtype_instance {
    PyObject_HEAD tess_dtype dtype;
    PyObject                *name;
} dtype_instance;

static PyTypeObject *dtype_type;
static PyObject     *instances[TESS_DTYPE_COUNT]; /* they live as long as the process */

static PyObject *make_instance(tess_dtype dtype)
{
    PyObject *name = PyUnicode_InternFromString(tess_dtype_name(dtype));
    if (!name) return NULL;
    dtype_instance *self = PyObject_New(dtype_instance, dtype_type);
    if (!self) {
        Py_DECREF(name);
        return NULL;
    }
    self->dtype = dtype;
    self->name = name;
    return (PyObject *)self;
}

PyObject *dtype_object(tess_dtype dtype)
{
    if (!instances[dtype]) instances[dtype] = make_instance(dtype);
    Py_XINCREF(instances[dtype]);
    return instances[dtype];
}

static PyObject *new_dtype(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)type;
    static char *words[] = { "dtype", NULL };
    PyObject    *object;
    tess_dtype   dtype;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O:dtype", words, &object)) return NULL;
    return dtype_from_object(&dtype, object) ? NULL : dtype_object(dtype);
}

static void drop_dtype(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_DECREF(((dtype_instance *)self)->name);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *get_name(PyObject *self, void *closure)
{
    (void)closure;
    PyObject *name = ((dtype_instance *)self)->name;
    Py_INCREF(name);
    return name;
}

static PyObject *str_of(PyObject *self) { return get_name(self, NULL); }

static PyObject *repr_of(PyObject *self) { return PyObject_Repr(((dtype_instance *)self)->name); }

static Py_hash_t hash_of(PyObject *self) { return PyObject_Hash(((dtype_instance *)self)->name); }

static PyObject *compare(PyObject *self, PyObject *other, int operation)
{
    tess_dtype dtype = TESS_DTYPE_NONE;
    if (operation != Py_EQ && operation != Py_NE) {
        Py_INCREF(Py_NotImplemented);
        return Py_NotImplemented;
    }
    if (dtype_from_object(&dtype, other)) PyErr_Clear();
    const bool same = dtype == ((dtype_instance *)self)->dtype;
    return PyBool_FromLong(same == (operation == Py_EQ));
}

static PyObject *get_kind(PyObject *self, void *closure)
{
    (void)closure;
    return PyUnicode_FromFormat("%c", kind_of_dtype(((dtype_instance *)self)->dtype));
}

static PyObject *get_itemsize(PyObject *self, void *closure)
{
    (void)closure;
    return PyLong_FromSize_t(tess_dtype_size(((dtype_instance *)self)->dtype));
}

static PyObject *get_numpy(PyObject *self, void *closure)
{
    (void)closure;
    return numpy_dtype(((dtype_instance *)self)->dtype);
}

static PyObject *reduce(PyObject *self, PyObject *none)
{
    (void)none;
    return Py_BuildValue("O(O)", (PyObject *)dtype_type, ((dtype_instance *)self)->name);
}

int dtype_type_make(PyObject *module)
{
    static PyMethodDef methods[] = { { "__reduce__", reduce, METH_NOARGS, NULL }, { NULL, NULL, 0, NULL } };
    static PyGetSetDef attributes[] = {
        { "name", get_name, NULL, "as 'f32'", NULL },
        { "kind", get_kind, NULL, "the letter that NumPy has for the kind, as 'f'; 'V' if it has none", NULL },
        { "itemsize", get_itemsize, NULL, "bytes per element", NULL },
        { "dtype", get_numpy, NULL, "NumPy's type of these elements", NULL },
        { NULL, NULL, NULL, NULL, NULL },
    };
    PyType_Slot slots[] = {
        { Py_tp_new, SLOT(new_dtype) },
        { Py_tp_dealloc, SLOT(drop_dtype) },
        { Py_tp_repr, SLOT(repr_of) },
        { Py_tp_str, SLOT(str_of) },
        { Py_tp_hash, SLOT(hash_of) },
        { Py_tp_richcompare, SLOT(compare) },
        { Py_tp_getset, attributes },
        { Py_tp_methods, methods },
        { Py_tp_doc, (void *)"An element type; equal to its name and to the corresponding NumPy dtype." },
        { 0, NULL },
    };
    PyType_Spec spec = { "tessera.dtype", sizeof(dtype_instance), 0, Py_TPFLAGS_DEFAULT, slots };
    dtype_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!dtype_type) return -1;
    Py_INCREF(dtype_type);
    if (PyModule_AddObject(module, "dtype", (PyObject *)dtype_type) == 0) return 0;
    Py_DECREF(dtype_type);
    return -1;
}
