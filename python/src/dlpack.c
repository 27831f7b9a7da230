/* DLPack in Python: producers' capsules in, both forms of capsules out.
 *
 * A producer on a GPU is told our current stream, and orders its work before what we put there.
 */
#include "dlpack.h"

#include <string.h>

#include "errors.h"
#include "names.h"
#include "operand.h"
#include "tessera/dlpack.h"

/* ---- Export ---- */

static void drop_unused(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, "dltensor")) return; /* the consumer has it */
    DLManagedTensor *tensor = PyCapsule_GetPointer(capsule, "dltensor");
    if (tensor->deleter) tensor->deleter(tensor);
}

static void drop_unused_versioned(PyObject *capsule)
{
    if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) return;
    DLManagedTensorVersioned *tensor = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    if (tensor->deleter) tensor->deleter(tensor);
}

/* Only the last `ndim` axes: the others have size 1. */
static void keep_last_axes(DLTensor *tensor, int ndim)
{
    const int dropped = tensor->ndim - ndim;
    if (dropped <= 0) return;
    tensor->shape += dropped;
    tensor->strides += dropped;
    tensor->ndim = ndim;
}

static PyObject *export_unversioned(const tess_array *array, int ndim)
{
    DLManagedTensor  *tensor;
    const tess_status status = tess_dlpack_export_unversioned(&tensor, array);
    if (status != TESS_OK) return raised(status);
    keep_last_axes(&tensor->dl_tensor, ndim);
    PyObject *capsule = PyCapsule_New(tensor, "dltensor", drop_unused);
    if (!capsule) tensor->deleter(tensor);
    return capsule;
}

PyObject *dlpack_export(const tess_array *array, int ndim, bool versioned)
{
    if (!versioned) return export_unversioned(array, ndim);
    DLManagedTensorVersioned *tensor;
    const tess_status         status = tess_dlpack_export(&tensor, array);
    if (status != TESS_OK) return raised(status);
    keep_last_axes(&tensor->dl_tensor, ndim);
    PyObject *capsule = PyCapsule_New(tensor, "dltensor_versioned", drop_unused_versioned);
    if (!capsule) tensor->deleter(tensor);
    return capsule;
}

/* ---- Import ---- */

/* The stream= of a producer on a GPU; NULL, without an exception, for one on the host. */
static PyObject *stream_for(PyObject *object)
{
    PyObject *where = PyObject_CallMethodObjArgs(object, names.dlpack_device, NULL);
    int       kind = 0, index = 0;
    if (!where) return NULL;
    const bool parsed = PyTuple_Check(where) && PyArg_ParseTuple(where, "ii", &kind, &index);
    Py_DECREF(where);
    if (!parsed || (kind != kDLCUDA && kind != kDLCUDAManaged)) return NULL;
    tess_stream *stream = tess_stream_current(tess_gpu(index));
    if (!stream) return raised(tess_error_status());
    void *handle = tess_stream_handle(stream);
    return handle ? PyLong_FromVoidPtr(handle) : PyLong_FromLong(1); /* 1: CUDA's default stream */
}

/* Types whose __dlpack__ does not know max_version, as those of 2022: so as not to ask again in each call. */
enum { N_OLD = 8 };
static PyTypeObject *old_types[N_OLD];

static bool is_old(PyObject *object)
{
    for (int i = 0; i < N_OLD; i++)
        if (old_types[i] == Py_TYPE(object)) return true;
    return false;
}

static void note_old(PyObject *object)
{
    for (int i = 0; i < N_OLD; i++)
        if (!old_types[i]) {
            Py_INCREF(Py_TYPE(object));
            old_types[i] = Py_TYPE(object);
            return;
        }
}

static PyObject *call_producer(PyObject *method, PyObject *stream, bool versioned)
{
    PyObject *none = PyTuple_New(0), *keywords = PyDict_New(), *capsule = NULL;
    PyObject *version = versioned ? Py_BuildValue("(ii)", DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION) : NULL;
    bool      good = none && keywords && (version || !versioned);
    if (good && version) good = PyDict_SetItem(keywords, names.max_version, version) == 0;
    if (good && stream) good = PyDict_SetItem(keywords, names.stream, stream) == 0;
    if (good) capsule = PyObject_Call(method, none, keywords);
    Py_XDECREF(version);
    Py_XDECREF(keywords);
    Py_XDECREF(none);
    return capsule;
}

static PyObject *capsule_of(PyObject *object)
{
    PyObject *method = PyObject_GetAttr(object, names.dlpack);
    if (!method) return NULL;
    PyObject *stream = stream_for(object), *capsule = NULL;
    if (stream || !PyErr_Occurred()) {
        const bool old = is_old(object);
        capsule = call_producer(method, stream, !old);
        if (!capsule && !old && PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            capsule = call_producer(method, stream, false);
            if (capsule) note_old(object);
        }
    }
    Py_XDECREF(stream);
    Py_DECREF(method);
    return capsule;
}

int dlpack_take_capsule(tess_array *array, int *ndim, PyObject *capsule)
{
    tess_status status;
    *array = (tess_array){ .data = NULL };
    if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
        DLManagedTensorVersioned *tensor = PyCapsule_GetPointer(capsule, "dltensor_versioned");
        *ndim = tensor->version.major == DLPACK_MAJOR_VERSION ? tensor->dl_tensor.ndim : 0;
        status = tess_dlpack_import(array, tensor);
        if (status == TESS_OK) (void)PyCapsule_SetName(capsule, "used_dltensor_versioned");
    } else {
        DLManagedTensor *tensor = PyCapsule_GetPointer(capsule, "dltensor");
        if (!tensor) return -1;
        *ndim = tensor->dl_tensor.ndim;
        status = tess_dlpack_import_unversioned(array, tensor);
        if (status == TESS_OK) (void)PyCapsule_SetName(capsule, "used_dltensor");
    }
    return status == TESS_OK ? 0 : raise_status(status);
}

int dlpack_import(tess_array *array, int *ndim, PyObject *object)
{
    PyObject *capsule = capsule_of(object);
    if (!capsule) return -1;
    const int failed = dlpack_take_capsule(array, ndim, capsule);
    Py_DECREF(capsule);
    return failed;
}

int operand_from_dlpack(operand *o, PyObject *object, const char *function, const char *argument)
{
    (void)function, (void)argument;
    if (PyType_Check(object) || !PyObject_HasAttr(object, names.dlpack)) return 0;
    if (dlpack_import(&o->array, &o->ndim, object)) return -1;
    o->kind = OPERAND_DLPACK;
    o->releases = true;
    return 1;
}

/* ---- The way back ---- */

/* "torch" of "torch.nn.parameter". */
static PyObject *package_of(PyObject *object)
{
    PyObject   *module = PyObject_GetAttr((PyObject *)Py_TYPE(object), names.module);
    const char *text = module && PyUnicode_Check(module) ? text_of(module) : NULL;
    PyObject   *package = NULL;
    if (text) {
        const size_t n = strcspn(text, ".");
        /* Arrays of JAX are of jaxlib's or jax's type; jax.numpy has the constructor. */
        const bool jax = strncmp(text, "jax", 3) == 0;
        package = jax ? PyUnicode_FromString("jax.numpy") : PyUnicode_FromStringAndSize(text, (Py_ssize_t)n);
    }
    Py_XDECREF(module);
    return package;
}

PyObject *dlpack_constructor(PyObject *object)
{
    PyObject *name = package_of(object);
    PyObject *package = name ? PyImport_Import(name) : NULL;
    PyObject *constructor = package ? PyObject_GetAttr(package, names.from_dlpack) : NULL;
    Py_XDECREF(package);
    Py_XDECREF(name);
    return constructor;
}
