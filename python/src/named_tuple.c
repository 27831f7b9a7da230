/* Struct sequences: tuples whose items have names as well, one type for each set of names.
 *
 * Types are made when they are first needed, also by pickle in another process: so tuples are pickled as the words that
 * their type is made of, and their items.
 */
#include "named_tuple.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMES = 16, MAX_WORDS = 512 };

static PyObject *types; /* by their words */

static PyObject *reduce(PyObject *self, PyObject *none)
{
    (void)none;
    PyObject *module = PyImport_ImportModule("tessera._tessera");
    PyObject *rebuild = module ? PyObject_GetAttrString(module, "_rebuild_results") : NULL;
    PyObject *words = rebuild ? PyObject_GetAttrString((PyObject *)Py_TYPE(self), "_words") : NULL;
    PyObject *items = words ? PySequence_List(self) : NULL;
    PyObject *made = items ? Py_BuildValue("O(OO)", rebuild, words, items) : NULL;
    Py_XDECREF(items);
    Py_XDECREF(words);
    Py_XDECREF(rebuild);
    Py_XDECREF(module);
    return made;
}

static int add_reduce(PyObject *type, const char *words)
{
    static PyMethodDef method = { "__reduce__", reduce, METH_NOARGS, NULL };
    PyObject          *descriptor = PyDescr_NewMethod((PyTypeObject *)type, &method);
    PyObject          *text = descriptor ? PyUnicode_FromString(words) : NULL;
    const int          failed =
        !text || PyObject_SetAttrString(type, "__reduce__", descriptor) || PyObject_SetAttrString(type, "_words", text);
    Py_XDECREF(text);
    Py_XDECREF(descriptor);
    return failed ? -1 : 0;
}

/* The names lie in memory that the type keeps: "tessera.function", and the others behind it. */
static PyObject *make_type(const char *words)
{
    PyStructSequence_Field fields[MAX_NAMES + 1] = { { NULL, NULL } };
    const size_t           prefix = strlen("tessera."), n = strlen(words);
    char                  *names = malloc(prefix + n + 1);
    int                    n_names = 0;
    if (!names) return PyErr_NoMemory();
    memcpy(names, "tessera.", prefix);
    memcpy(names + prefix, words, n + 1);
    for (char *space = strchr(names, ' '); space && n_names < MAX_NAMES; space = strchr(space + 1, ' ')) {
        *space = '\0';
        fields[n_names++].name = space + 1;
    }
    PyStructSequence_Desc description = { names, "Results, by name and in order.", fields, n_names };
    PyObject             *type = (PyObject *)PyStructSequence_NewType(&description);
    if (type && add_reduce(type, words)) Py_CLEAR(type);
    return type;
}

PyObject *named_tuple_type(const char *words)
{
    if (!types) types = PyDict_New();
    PyObject *type = types ? PyDict_GetItemString(types, words) : NULL;
    if (type || !types) return type;
    type = make_type(words);
    if (type && PyDict_SetItemString(types, words, type)) Py_CLEAR(type);
    Py_XDECREF(type); /* the dict has it */
    return type;
}

PyObject *named_tuple_rebuild(PyObject *module, PyObject *args)
{
    (void)module;
    const char *words;
    PyObject   *items;
    if (!PyArg_ParseTuple(args, "sO!:_rebuild_results", &words, &PyList_Type, &items)) return NULL;
    const Py_ssize_t n = PyList_Size(items);
    Py_ssize_t       names = 0;
    for (const char *space = strchr(words, ' '); space; space = strchr(space + 1, ' ')) names++;
    if (n != names || n < 1 || n > MAX_NAMES || strlen(words) >= MAX_WORDS) {
        PyErr_SetString(PyExc_ValueError, "_rebuild_results: there must be a name for each item");
        return NULL;
    }
    PyObject *type = named_tuple_type(words), *made = type ? PyStructSequence_New((PyTypeObject *)type) : NULL;
    for (Py_ssize_t i = 0; made && i < n; i++) {
        PyObject *item = PyList_GetItem(items, i);
        Py_INCREF(item);
        PyStructSequence_SetItem(made, i, item);
    }
    return made;
}
