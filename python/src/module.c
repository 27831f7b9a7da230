/* The extension module tessera._tessera: exceptions, arrays, operators, and a function for each operation. */
#include <string.h>

#include "array_type.h"
#include "call.h"
#include "dlpack.h"
#include "dtype_type.h"
#include "dtypes.h"
#include "errors.h"
#include "files.h"
#include "function.h"
#include "jobs.h"
#include "named_tuple.h"
#include "names.h"
#include "numpy_types.h"
#include "operand.h"
#include "operator.h"
#include "particles.h"
#include "stream.h"
#include "tessera/version.h"
#include "values.h"

/* ---- Arrays from other objects ---- */

static PyObject *asarray(PyObject *module, PyObject *object)
{
    (void)module;
    if (is_array(object)) {
        Py_INCREF(object);
        return object;
    }
    return array_from_object(object, "asarray");
}

/* out= of functions that are written in Python, for the function of the name. */
static PyObject *as_output(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject   *object;
    const char *function;
    return PyArg_ParseTuple(args, "Os:_as_output", &object, &function) ? array_from_output(object, function) : NULL;
}

static PyObject *from_dlpack(PyObject *module, PyObject *object)
{
    (void)module;
    tess_array array;
    int        ndim;
    return dlpack_import(&array, &ndim, object) ? NULL : array_take(&array, ndim);
}

/* A tessera.Array as an object of the kind that another one is. */
static PyObject *of_kind(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *given, *like;
    operand   o;
    if (!PyArg_ParseTuple(args, "O!O:_of_kind", array_type, &given, &like)) return NULL;
    if (operand_read(&o, like, "_of_kind", "like")) return NULL;
    tess_array        array = array_of(given);
    const tess_status status = tess_retain(&array);
    PyObject         *made = status == TESS_OK ? object_of_kind(&o, &array, array_ndim(given)) : raised(status);
    operand_clear(&o);
    return made;
}

static PyObject *empty(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *words[] = { "shape", "dtype", "device", NULL };
    PyObject    *sizes, *dtype_given = Py_None, *device_given = Py_None;
    tess_shape   shape;
    tess_dtype   dtype = TESS_F64;
    tess_device  device = default_device();
    tess_array   made = { .data = NULL };
    int          ndim;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|OO:empty", words, &sizes, &dtype_given, &device_given))
        return NULL;
    if (shape_from_object(&shape, &ndim, sizes, 1, "empty", "shape")) return NULL;
    if (dtype_given != Py_None && dtype_argument(&dtype, dtype_given, "empty")) return NULL;
    if (device_given != Py_None && device_from_object(&device, device_given)) return NULL;
    const tess_status status = tess_empty(&made, shape, dtype, device);
    return status == TESS_OK ? array_take(&made, ndim) : raised(status);
}

/* What pickle calls: an array of bytes that were in C order. */
static PyObject *rebuild(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject  *bytes, *sizes, *dtype_name;
    tess_shape shape;
    tess_dtype dtype;
    int        ndim;
    tess_array made = { .data = NULL };
    if (!PyArg_ParseTuple(args, "SOU:_rebuild", &bytes, &sizes, &dtype_name)) return NULL;
    if (dtype_from_object(&dtype, dtype_name)) return NULL;
    if (shape_from_object(&shape, &ndim, sizes, 1, "_rebuild", "shape")) return NULL;
    const tess_status status = tess_empty(&made, shape, dtype, tess_cpu());
    if (status != TESS_OK) return raised(status);
    if (PyBytes_Size(bytes) != (Py_ssize_t)tess_n_bytes(&made)) {
        tess_release(&made);
        PyErr_SetString(PyExc_ValueError, "_rebuild: the bytes are not those of the shape");
        return NULL;
    }
    if (!tess_is_empty(&made)) memcpy(made.data, PyBytes_AsString(bytes), (size_t)tess_n_bytes(&made));
    return array_take(&made, ndim);
}

static PyMethodDef methods[] = {
    { "asarray", asarray, METH_O,
      "asarray(object, /)\n--\n\nMake a tessera.Array that shares the memory of any array; numbers and lists are "
      "copied." },
    { "from_dlpack", from_dlpack, METH_O,
      "from_dlpack(object, /)\n--\n\nMake a tessera.Array that shares the memory of an array of another package."
      "\n\nArguments:\n    object: array with the method __dlpack__" },
    { "empty", (PyCFunction)(void (*)(void))empty, METH_VARARGS | METH_KEYWORDS,
      "empty(shape, dtype=None, device=None)\n--\n\nMake an array of uninitialised elements.\n\nArguments:\n"
      "    shape: shape of the array; a number is the length of a vector\n"
      "    dtype: element type (default: f64)\n"
      "    device: device, such as 'gpu:0' (default: that of tessera.device, else the CPU)" },
    { "_of_kind", of_kind, METH_VARARGS, NULL },
    { "_set_indexing", array_set_indexing, METH_VARARGS, NULL },
    { "_as_output", as_output, METH_VARARGS, NULL },
    { "_rebuild", rebuild, METH_VARARGS, NULL },
    { "_rebuild_results", named_tuple_rebuild, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static struct PyModuleDef definition = { .m_base = PyModuleDef_HEAD_INIT,
                                         .m_name = "_tessera",
                                         .m_doc = "Operations of the library; use the package tessera.",
                                         .m_size = -1,
                                         .m_methods = methods };

PyMODINIT_FUNC PyInit__tessera(void);

PyMODINIT_FUNC PyInit__tessera(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    char version[32];
    (void)snprintf(version, sizeof version, "%d.%d.%d", TESS_VERSION_MAJOR, TESS_VERSION_MINOR, TESS_VERSION_PATCH);
    if (methods_document(methods) || methods_document(stream_methods) || names_make() || errors_make(module) ||
        dtype_type_make(module) || array_type_make(module) || numpy_memory_type_make() || operator_type_make(module) ||
        PyModule_AddFunctions(module, stream_methods) || functions_make(module) || jobs_make(module) ||
        files_make(module) || particles_make(module) || PyModule_AddStringConstant(module, "__version__", version)) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
