/* Exceptions: one class a status, which is a tessera.Error and the exception of Python's that fits.
 *
 * The message is the library's, in words of Python's. Where a text is at fault, its line and the caret follow it. The
 * trace is a note, which Python prints from 3.11 on and keeps in __notes__ before.
 */
#include "errors.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "names.h"
#include "tessera/table.h"
#include "spelling.h"

typedef struct error_class {
    tess_status status;
    const char *name;
    PyObject  **bases[2]; /* of Python's, ended by NULL */
} error_class;

/* Where one status stands for two exceptions of Python, it is both: an index or a value that is out of range. */
static const error_class classes[] = {
    { TESS_ESHAPE, "ShapeError", { &PyExc_ValueError } },
    { TESS_EDTYPE, "DtypeError", { &PyExc_TypeError } },
    { TESS_EARG, "ArgumentError", { &PyExc_ValueError } },
    { TESS_ERANGE, "RangeError", { &PyExc_ValueError, &PyExc_IndexError } },
    { TESS_ELAYOUT, "LayoutError", { &PyExc_ValueError } },
    { TESS_EWRITE, "ReadOnlyError", { &PyExc_ValueError } },
    { TESS_EALIAS, "OverlapError", { &PyExc_ValueError } },
    { TESS_EDEVICE, "DeviceError", { &PyExc_RuntimeError } },
    { TESS_ENOMEM, "OutOfMemoryError", { &PyExc_MemoryError } },
    { TESS_EPARSE, "ParseError", { &PyExc_ValueError } },
    { TESS_EIO, "FileError", { &PyExc_OSError } },
    { TESS_EFORMAT, "FormatError", { &PyExc_ValueError } },
    { TESS_EUNSUPPORTED, "UnsupportedError", { &PyExc_NotImplementedError } },
    { TESS_EEXIST, "ExistsError", { &PyExc_FileExistsError } },
    { TESS_ECANCELLED, "CancelledError", { &PyExc_RuntimeError } },
};
enum { N_CLASSES = sizeof classes / sizeof *classes };

static PyObject *base_error, *made[N_CLASSES];

/* Why the system could not open or make a file, where Python has an exception for it. */
static const struct {
    int         number; /* errno */
    const char *name;
    PyObject  **base;
} causes[] = {
    { ENOENT, "MissingFileError", &PyExc_FileNotFoundError }, { EACCES, "FileAccessError", &PyExc_PermissionError },
    { EPERM, "FileAccessError", &PyExc_PermissionError },     { EISDIR, "FolderError", &PyExc_IsADirectoryError },
    { ENOTDIR, "NoFolderError", &PyExc_NotADirectoryError },
};
enum { N_CAUSES = sizeof causes / sizeof *causes };

static PyObject *made_causes[N_CAUSES];

/* The bases are taken over. */
static PyObject *make_type(const char *name, const char *document, PyObject *bases)
{
    char full[64];
    (void)snprintf(full, sizeof full, "tessera.%s", name);
    PyObject *type = bases ? PyErr_NewExceptionWithDoc(full, document, bases, NULL) : NULL;
    Py_XDECREF(bases);
    return type;
}

static PyObject *make_class(const error_class *c)
{
    return make_type(c->name, tess_status_text(c->status),
                     c->bases[1] ? PyTuple_Pack(3, base_error, *c->bases[0], *c->bases[1])
                                 : PyTuple_Pack(2, base_error, *c->bases[0]));
}

static PyObject *class_of(tess_status status)
{
    for (int i = 0; i < N_CLASSES; i++)
        if (classes[i].status == status) return made[i];
    return base_error;
}

static int add_class(PyObject *module, const char *name, PyObject *type)
{
    if (!type) return -1;
    Py_INCREF(type);
    if (PyModule_AddObject(module, name, type) == 0) return 0;
    Py_DECREF(type);
    return -1;
}

int errors_make(PyObject *module)
{
    base_error =
        PyErr_NewExceptionWithDoc("tessera.Error", "Base class of all errors that the library reports.", NULL, NULL);
    if (add_class(module, "Error", base_error)) return -1;
    for (int i = 0; i < N_CLASSES; i++) {
        made[i] = make_class(&classes[i]);
        if (add_class(module, classes[i].name, made[i])) return -1;
    }
    for (int i = 0; i < N_CAUSES; i++) {
        const bool again = i > 0 && strcmp(causes[i].name, causes[i - 1].name) == 0;
        PyObject  *bases = again ? NULL : PyTuple_Pack(2, class_of(TESS_EIO), *causes[i].base);
        made_causes[i] = again ? made_causes[i - 1] : make_type(causes[i].name, strerror(causes[i].number), bases);
        if (add_class(module, causes[i].name, made_causes[i])) return -1;
    }
    return 0;
}

/* ---- Messages ---- */

/* The lines of a trace between its message and its first place: the text at fault and the caret. */
static size_t length_of_excerpt(const char *trace, const char **begin)
{
    *begin = strchr(trace, '\n');
    if (!*begin) return 0;
    const char *end = strstr(*begin, "\n  at ");
    return end ? (size_t)(end - *begin) : 0;
}

static PyObject *message_of_failure(const char *trace)
{
    const char  *excerpt = NULL;
    const size_t n = tess_error_position(NULL, NULL, NULL) ? length_of_excerpt(trace, &excerpt) : 0;
    char         text[2048];
    spell_message(text, sizeof text, tess_error_marked());
    PyObject *message = PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
    PyObject *lines = message && n ? PyUnicode_DecodeUTF8(excerpt, (Py_ssize_t)n, "replace") : NULL;
    if (!lines) return message;
    PyObject *both = PyUnicode_Concat(message, lines);
    Py_DECREF(lines);
    Py_DECREF(message);
    return both;
}

/* A trace cannot be missing for want of memory: then the exception goes without it. */
static void add_trace(PyObject *error, const char *trace)
{
    PyObject *note = PyUnicode_DecodeUTF8(trace, (Py_ssize_t)strlen(trace), "replace");
    PyObject *done = NULL;
    if (note && PyObject_HasAttr(error, names.add_note)) {
        done = PyObject_CallMethodObjArgs(error, names.add_note, note, NULL);
    } else if (note) {
        done = Py_BuildValue("[O]", note);
        if (done && PyObject_SetAttr(error, names.notes, done)) PyErr_Clear();
    }
    if (!done) PyErr_Clear();
    Py_XDECREF(done);
    Py_XDECREF(note);
}

/* The number of the cause, or -1. */
static int find_cause(int number)
{
    for (int i = 0; i < N_CAUSES; i++)
        if (causes[i].number == number) return i;
    return -1;
}

static void set_errno(PyObject *error, int number)
{
    PyObject *value = PyLong_FromLong(number);
    if (!value || PyObject_SetAttrString(error, "errno", value)) PyErr_Clear();
    Py_XDECREF(value);
}

int raise_status(tess_status status)
{
    if (status == TESS_ECANCELLED && PyErr_Occurred()) return -1; /* of the handler that cancelled it */
    const int   number = status == TESS_EEXIST ? EEXIST : tess_error_errno(), cause = find_cause(number);
    PyObject   *type = cause < 0 ? class_of(status) : made_causes[cause];
    const char *trace = tess_error_trace();
    PyObject   *message = message_of_failure(trace);
    PyObject   *error = message ? PyObject_CallFunctionObjArgs(type, message, NULL) : NULL;
    Py_XDECREF(message);
    if (!error) return -1;
    add_trace(error, trace);
    if (number) set_errno(error, number);
    PyErr_SetObject(type, error);
    Py_DECREF(error);
    return -1;
}

int raise_text(tess_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    PyErr_FormatV(class_of(status), format, args);
    va_end(args);
    return -1;
}

/* ---- Other names ---- */

/* What functions in Python are made of beside operations. */
static const char *const own_functions[] = { "asarray", "astype", "broadcast_to", "empty", "reshape", "transpose" };

/* The name of an operation that a message begins with. */
static const char *operation_of(const char *message)
{
    char         name[64];
    const size_t length = strcspn(message, ":");
    if (length >= sizeof name || message[length] != ':') return NULL;
    memcpy(name, message, length);
    name[length] = '\0';
    const tess_function_info *info = tess_function_find(name);
    for (size_t i = 0; i < sizeof own_functions / sizeof *own_functions && !info; i++)
        if (strcmp(name, own_functions[i]) == 0) return own_functions[i];
    return info ? info->name : NULL;
}

typedef struct names_of_call {
    const char *from, *to;
} names_of_call;

/* "subtract: x is ..." of "sub: x is ..."; from any operation if `from` is NULL. */
static PyObject *rename_text(const char *old, const void *user)
{
    const names_of_call *call = user;
    const char          *from = call->from ? call->from : operation_of(old);
    const size_t         length = from ? strlen(from) : 0, called = strlen(call->to);
    if (*old == '_' && strncmp(old + 1, call->to, called) == 0 && strncmp(old + 1 + called, "()", 2) == 0)
        return PyUnicode_FromString(old + 1); /* the name of the function in Python */
    if (!from || strncmp(old, from, length) != 0 || old[length] != ':') return NULL;
    return PyUnicode_FromFormat("%s%s", call->to, old + length);
}

void errors_reword(reword_text *reword, const void *user)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    PyObject   *args = value ? PyObject_GetAttrString(value, "args") : NULL;
    PyObject   *old = args && PyTuple_Check(args) && PyTuple_Size(args) == 1 ? PyTuple_GetItem(args, 0) : NULL;
    const char *words = old && PyUnicode_Check(old) ? PyUnicode_AsUTF8AndSize(old, NULL) : NULL;
    PyObject   *text = words ? reword(words, user) : NULL;
    PyObject   *new_args = text ? PyTuple_Pack(1, text) : NULL;
    if (!new_args || PyObject_SetAttrString(value, "args", new_args)) PyErr_Clear();
    Py_XDECREF(new_args);
    Py_XDECREF(text);
    Py_XDECREF(args);
    PyErr_Restore(type, value, trace);
}

void errors_rename(const char *from, const char *to) { errors_reword(rename_text, &(names_of_call){ from, to }); }

void errors_rename_any(const char *to) { errors_reword(rename_text, &(names_of_call){ NULL, to }); }
