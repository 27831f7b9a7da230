/* Streams of torch and CuPy, adopted: a small table of them, whose entries keep their owners alive.
 *
 * Arrays of one package are in order on its current stream, so that nothing waits. Where others take part, an event
 * puts the work behind theirs, and theirs behind the work.
 */
#include "foreign_stream.h"

#include <string.h>

#include "errors.h"
#include "names.h"

/* ---- Their current stream ---- */

static const struct {
    const char *package, *module, *function, *number;
    const char *device; /* what of the array's device the function takes; NULL: the device itself */
} packages[] = {
    { "torch", "torch.cuda", "current_stream", "cuda_stream", NULL },
    { "cupy", "cupy.cuda", "get_current_stream", "ptr", "id" },
};
enum { N_PACKAGES = sizeof packages / sizeof *packages };

/* The number of an array's package, N_PACKAGES if it has no streams that we know, or -1 with an exception. */
static int package_of(PyObject *object)
{
    PyObject   *module = PyObject_GetAttr((PyObject *)Py_TYPE(object), names.module);
    const char *text = module && PyUnicode_Check(module) ? text_of(module) : NULL;
    int         i = text ? 0 : -1;
    while (i >= 0 && i < N_PACKAGES && strncmp(text, packages[i].package, strlen(packages[i].package)) != 0) i++;
    Py_XDECREF(module);
    return i;
}

/* The object of the stream, which keeps it alive: a new reference. */
static PyObject *current_stream(int package, PyObject *array)
{
    PyObject *module = PyImport_ImportModule(packages[package].module), *stream = NULL;
    PyObject *device = module ? PyObject_GetAttrString(array, "device") : NULL;
    if (device && packages[package].device) {
        PyObject *number = PyObject_GetAttrString(device, packages[package].device);
        Py_DECREF(device);
        device = number;
    }
    if (device) stream = PyObject_CallMethod(module, packages[package].function, "O", device);
    Py_XDECREF(device);
    Py_XDECREF(module);
    return stream;
}

/* ---- The table ---- */

enum { N_ADOPTED = 32 };
static struct {
    tess_device  device;
    void        *handle;
    tess_stream *stream; /* NULL: the entry is free */
    PyObject    *owner;
    int          users; /* calls that are under way */
} adopted[N_ADOPTED];
static int oldest;

static int find_adopted(tess_device device, const void *handle)
{
    for (int i = 0; i < N_ADOPTED; i++)
        if (adopted[i].stream && adopted[i].handle == handle && adopted[i].device.index == device.index) return i;
    return N_ADOPTED;
}

/* An entry that no call uses, emptied; N_ADOPTED if there is none. Freeing a stream waits for what we have on it. Its
 * owner is the caller's to let go, which may run Python code. */
static int free_entry(PyObject **owner)
{
    *owner = NULL;
    for (int tried = 0; tried < N_ADOPTED; tried++) {
        const int i = oldest;
        oldest = (oldest + 1) % N_ADOPTED;
        if (adopted[i].users > 0) continue;
        tess_stream_free(adopted[i].stream);
        adopted[i].stream = NULL;
        *owner = adopted[i].owner;
        adopted[i].owner = NULL;
        return i;
    }
    return N_ADOPTED;
}

/* The entry of a stream, new if need be; N_ADOPTED if there is no room, or -1 with an exception. */
static int adopt(tess_device device, void *handle, PyObject *owner)
{
    const int found = find_adopted(device, handle);
    PyObject *before = NULL;
    const int i = found < N_ADOPTED ? found : free_entry(&before);
    if (found < N_ADOPTED || i == N_ADOPTED) return i;
    const tess_status status = tess_stream_adopt(&adopted[i].stream, device, handle);
    if (status == TESS_OK) {
        adopted[i].device = device;
        adopted[i].handle = handle;
        Py_INCREF(owner);
        adopted[i].owner = owner;
        adopted[i].users++; /* while Python code may run */
    }
    Py_XDECREF(before);
    if (status != TESS_OK) return raise_status(status);
    adopted[i].users--;
    return i;
}

/* ---- Order ---- */

static tess_status put_after(tess_stream *later, tess_stream *earlier)
{
    tess_event *event = NULL;
    tess_status status = tess_event_new(&event, tess_stream_device(earlier));
    if (status == TESS_OK) status = tess_event_record(event, earlier);
    if (status == TESS_OK) status = tess_event_wait(event, later);
    tess_event_free(event);
    return status;
}

/* Arrays of the first one's type are in order with its stream; all others with the library's. */
static bool has_others(const operand *first, const operand *operands, int n)
{
    for (int i = 0; i < n; i++)
        if (operands[i].array.device.kind == TESS_GPU && Py_TYPE(operands[i].source) != Py_TYPE(first->source))
            return true;
    return false;
}

static int begin_turn(stream_turn *turn, const operand *first, int entry, bool others)
{
    turn->before = tess_stream_current(first->array.device);
    if (!turn->before) return raise_status(tess_error_status());
    turn->theirs = adopted[entry].stream;
    turn->adopted = entry;
    turn->joined = others && turn->theirs != turn->before;
    tess_status status = turn->joined ? put_after(turn->theirs, turn->before) : TESS_OK;
    if (status == TESS_OK) status = tess_stream_set_current(turn->theirs);
    if (status != TESS_OK) {
        turn->before = NULL;
        return raise_status(status);
    }
    adopted[entry].users++;
    return 0;
}

int stream_follow(stream_turn *turn, const operand *first, const operand *operands, int n, PyObject *out)
{
    memset(turn, 0, sizeof *turn);
    if (!first || first->kind != OPERAND_DLPACK || first->array.device.kind != TESS_GPU) return 0;
    const int package = package_of(first->source);
    if (package < 0 || package == N_PACKAGES) return package < 0 ? -1 : 0;
    PyObject *stream = current_stream(package, first->source);
    PyObject *number = stream ? PyObject_GetAttrString(stream, packages[package].number) : NULL;
    void     *handle = number ? PyLong_AsVoidPtr(number) : NULL;
    const int entry = PyErr_Occurred() ? -1 : adopt(first->array.device, handle, stream);
    Py_XDECREF(number);
    Py_XDECREF(stream);
    if (entry < 0 || entry == N_ADOPTED) return entry < 0 ? -1 : 0;
    const bool other_out = out && Py_TYPE(out) != Py_TYPE(first->source);
    return begin_turn(turn, first, entry, other_out || has_others(first, operands, n));
}

/* Memory whose owner may use or free it as soon as the call returns: it knows neither of the streams, and of an
 * interface of CUDA's nothing is kept alive. */
static bool has_strangers(const stream_turn *turn, const operand *first, const operand *operands, int n)
{
    for (int i = 0; i < n; i++) {
        const operand *o = &operands[i];
        if (o->array.device.kind != TESS_GPU) continue;
        if (o->kind == OPERAND_BUFFER) return true;
        if (o->kind == OPERAND_DLPACK && (!turn->before || Py_TYPE(o->source) != Py_TYPE(first->source))) return true;
    }
    return false;
}

static tess_status leave(stream_turn *turn, tess_device device, bool wait)
{
    tess_stream *used = turn->before ? turn->theirs : wait ? tess_stream_current(device) : NULL;
    tess_status  status = wait && used ? tess_stream_sync(used) : TESS_OK;
    if (!turn->before) return status;
    if (status == TESS_OK && turn->joined) status = put_after(turn->before, turn->theirs);
    const tess_status back = tess_stream_set_current(turn->before);
    adopted[turn->adopted].users--;
    turn->before = NULL;
    return status == TESS_OK ? back : status;
}

PyObject *stream_leave(stream_turn *turn, const operand *first, const operand *operands, int n, PyObject *made)
{
    if (!first || first->array.device.kind != TESS_GPU) return made;
    const tess_status status = leave(turn, first->array.device, has_strangers(turn, first, operands, n));
    if (status == TESS_OK || !made) return made;
    Py_DECREF(made);
    return raised(status);
}
