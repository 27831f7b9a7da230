/* Devices, streams, threads and the limit of memory from Python.
 *
 * tessera/devices.py has the context managers; here is what they call. Streams of Python are those of GPUs: the CPU's
 * work is done when a call returns, so that memory of the caller's may go.
 */
#include "stream.h"

#include "dtypes.h"
#include "errors.h"
#include "values.h"
#include "work.h"

/* ---- The device of new arrays ---- */

static _Thread_local tess_device made_on;

tess_device default_device(void) { return made_on; }

static PyObject *name_of_device(tess_device device)
{
    char name[24];
    return PyUnicode_FromString(tess_device_name(name, sizeof name, device));
}

static PyObject *set_default_device(PyObject *module, PyObject *object)
{
    (void)module;
    const tess_device before = made_on;
    tess_device       device;
    if (device_from_object(&device, object)) return NULL;
    made_on = device;
    return name_of_device(before);
}

static PyObject *get_default_device(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return name_of_device(made_on);
}

static PyObject *device_count(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyLong_FromLong(tess_device_count(TESS_GPU));
}

/* ---- Threads ---- */

static PyObject *set_threads(PyObject *module, PyObject *object)
{
    (void)module;
    const long n = PyLong_AsLong(object);
    if (n == -1 && PyErr_Occurred()) return NULL;
    const tess_status status = tess_threads_set(n > INT32_MAX ? INT32_MAX : n < INT32_MIN ? INT32_MIN : (int)n);
    if (status != TESS_OK) return raised(status);
    Py_RETURN_NONE;
}

static PyObject *get_threads(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyLong_FromLong(tess_threads_get());
}

/* ---- Memory ---- */

static PyObject *set_memory_limit(PyObject *module, PyObject *object)
{
    (void)module;
    const long long bytes = PyLong_AsLongLong(object);
    if (bytes == -1 && PyErr_Occurred()) return NULL;
    const tess_status status = tess_memory_limit_set(bytes);
    if (status != TESS_OK) return raised(status);
    Py_RETURN_NONE;
}

static PyObject *memory_used(PyObject *module, PyObject *object)
{
    (void)module;
    tess_device device;
    if (device_from_object(&device, object)) return NULL;
    return PyLong_FromLongLong(tess_memory_used(device));
}

static PyObject *memory_trim(PyObject *module, PyObject *object)
{
    (void)module;
    tess_device device;
    if (device_from_object(&device, object)) return NULL;
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_memory_trim(device));
    if (status != TESS_OK) return raised(status);
    Py_RETURN_NONE;
}

/* ---- Streams ---- */

static const char stream_name[] = "tessera.stream";

/* Its context, if any, is the object that owns an adopted stream. */
static void drop_stream(PyObject *capsule)
{
    PyObject *owner = PyCapsule_GetContext(capsule);
    tess_stream_free(PyCapsule_GetPointer(capsule, stream_name));
    Py_XDECREF(owner);
}

/* A capsule of a new stream of a device, or of a CUDA stream of the caller's, whose owner lives as long as the capsule:
 * (device, number or None, owner). */
static PyObject *stream_new(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject    *where, *handle, *owner;
    tess_device  device;
    tess_stream *stream = NULL;
    if (!PyArg_ParseTuple(args, "OOO:_stream_new", &where, &handle, &owner) || device_from_object(&device, where))
        return NULL;
    void *cuda = handle == Py_None ? NULL : PyLong_AsVoidPtr(handle);
    if (PyErr_Occurred()) return NULL;
    const tess_status status =
        handle == Py_None ? tess_stream_new(&stream, device, NULL) : tess_stream_adopt(&stream, device, cuda);
    if (status != TESS_OK) return raised(status);
    PyObject *capsule = PyCapsule_New(stream, stream_name, drop_stream);
    if (!capsule) tess_stream_free(stream);
    else if (PyCapsule_SetContext(capsule, owner) == 0) Py_INCREF(owner);
    return capsule;
}

/* Make a stream current, or with a device's name the default one there. */
static PyObject *stream_use(PyObject *module, PyObject *object)
{
    (void)module;
    tess_stream *stream;
    tess_device  device;
    if (PyUnicode_Check(object)) {
        if (device_from_object(&device, object)) return NULL;
        stream = tess_stream_default(device);
    } else {
        stream = PyCapsule_GetPointer(object, stream_name);
        if (!stream) return NULL;
    }
    const tess_status status = tess_stream_set_current(stream);
    if (status != TESS_OK) return raised(status);
    Py_RETURN_NONE;
}

/* Wait for a stream, or for the current one of a device. */
static PyObject *synchronize(PyObject *module, PyObject *object)
{
    (void)module;
    tess_stream *stream;
    tess_device  device;
    if (PyCapsule_IsValid(object, stream_name)) {
        stream = PyCapsule_GetPointer(object, stream_name);
    } else {
        if (device_from_object(&device, object)) return NULL;
        stream = tess_stream_current(device);
        if (!stream) return raised(tess_error_status());
    }
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_stream_sync(stream));
    if (status != TESS_OK) return raised(status);
    Py_RETURN_NONE;
}

static PyObject *stream_handle(PyObject *module, PyObject *capsule)
{
    (void)module;
    const tess_stream *stream = PyCapsule_GetPointer(capsule, stream_name);
    return stream ? PyLong_FromVoidPtr(tess_stream_handle(stream)) : NULL;
}

PyMethodDef stream_methods[] = {
    { "set_threads", set_threads, METH_O,
      "set_threads(n, /)\n--\n\nSet the maximum number of CPU threads.\n\nArguments:\n    n: number of threads; 0 "
      "restores the default" },
    { "threads", get_threads, METH_NOARGS, "threads()\n--\n\nReturn the maximum number of CPU threads." },
    { "set_memory_limit", set_memory_limit, METH_O,
      "set_memory_limit(bytes, /)\n--\n\nLimit the CPU memory of the library.\n\nArguments:\n    bytes: number of "
      "bytes; 0 restores the default, the machine's memory" },
    { "memory_trim", memory_trim, METH_O,
      "memory_trim(device, /)\n--\n\nReturn memory that a device keeps for later arrays to the system."
      "\n\nArguments:\n    device: device, such as 'cpu' or 'gpu:0'" },
    { "memory_used", memory_used, METH_O,
      "memory_used(device, /)\n--\n\nReturn the number of bytes that the library holds on a device."
      "\n\nArguments:\n    device: device, such as 'cpu' or 'gpu:0'" },
    { "gpu_count", device_count, METH_NOARGS, "gpu_count()\n--\n\nReturn the number of usable GPUs." },
    { "synchronize", synchronize, METH_O,
      "synchronize(device, /)\n--\n\nWait for all work of the current stream of a device."
      "\n\nArguments:\n    device: device, such as 'gpu:0'" },
    { "_set_default_device", set_default_device, METH_O, NULL },
    { "_default_device", get_default_device, METH_NOARGS, NULL },
    { "_stream_new", stream_new, METH_VARARGS, NULL },
    { "_stream_use", stream_use, METH_O, NULL },
    { "_stream_handle", stream_handle, METH_O, NULL },
    { NULL, NULL, 0, NULL },
};
