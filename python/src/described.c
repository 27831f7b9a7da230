/* Functions of Python's with the signature and documentation of rows: inspect and help() take them for builtins.
 *
 * A function that is written in Python but takes the options of an operation would show them as **options. The builtin
 * is bound to that function, and is an attribute of it under its name: by this path pickle finds it.
 *
 * The function's attribute _names, a dict, has other names of keywords.
 */
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "files.h"
#include "names.h"

/* Put one keyword under its own name. 0, or -1 with an exception. */
static int put_keyword(PyObject *function, PyObject *to, PyObject *known, PyObject *name, PyObject *value)
{
    PyObject *own = PyDict_GetItemWithError(known, name);
    if (!own && PyErr_Occurred()) return -1;
    if (!own) own = name;
    const int there = PyDict_Contains(to, own);
    if (there == 0) return PyDict_SetItem(to, own, value);
    PyObject   *called = there < 0 ? NULL : PyObject_GetAttr(function, names.type_name);
    const char *text = called ? text_of(called) : NULL; /* the name of the builtin behind an underscore */
    if (text) PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", text + (*text == '_'), own);
    Py_XDECREF(called);
    return -1;
}

static PyObject *renamed(PyObject *function, PyObject *keywords, PyObject *known)
{
    PyObject  *name, *value, *made = PyDict_New();
    Py_ssize_t at = 0;
    while (made && PyDict_Next(keywords, &at, &name, &value))
        if (put_keyword(function, made, known, name, value)) Py_CLEAR(made);
    return made;
}

static PyObject *call_function(PyObject *function, PyObject *args, PyObject *keywords)
{
    if (!keywords || PyDict_Size(keywords) == 0) return PyObject_Call(function, args, NULL);
    PyObject *known = PyObject_GetAttr(function, names.other_names);
    if (!known) {
        PyErr_Clear();
        return PyObject_Call(function, args, keywords);
    }
    PyObject *own = renamed(function, keywords, known);
    PyObject *made = own ? PyObject_Call(function, args, own) : NULL;
    Py_XDECREF(own);
    Py_DECREF(known);
    return made;
}

/* ---- Errors ---- */

typedef struct python_call {
    PyObject   *function, *args, *keywords;
    const char *name;
} python_call;

static bool has_type(PyObject *object, const char *type, size_t length)
{
    PyObject   *own = PyObject_Repr((PyObject *)Py_TYPE(object));
    const char *text = own ? text_of(own) : NULL;
    const bool  same = text && strlen(text) == length && strncmp(text, type, length) == 0;
    PyErr_Clear();
    Py_XDECREF(own);
    return same;
}

/* The name of the first argument of a type, a new reference; NULL without an exception if there is none. */
static PyObject *argument_of_type(const python_call *call, const char *type, size_t length)
{
    PyObject        *key, *value, *made = NULL, *code = PyObject_GetAttrString(call->function, "__code__");
    PyObject        *own = code ? PyObject_GetAttrString(code, "co_varnames") : NULL;
    const Py_ssize_t n = own ? PyTuple_Size(own) : 0;
    Py_ssize_t       at = 0;
    for (Py_ssize_t i = 0; i < n && i < PyTuple_Size(call->args) && !made; i++)
        if (has_type(PyTuple_GetItem(call->args, i), type, length)) made = PyTuple_GetItem(own, i);
    while (!made && call->keywords && PyDict_Next(call->keywords, &at, &key, &value))
        if (has_type(value, type, length)) made = key;
    Py_XINCREF(made);
    Py_XDECREF(own);
    Py_XDECREF(code);
    PyErr_Clear();
    return made;
}

/* "clip: a_min is of type ..." of "clip: object is of type ...", where asarray was called with an argument. */
static PyObject *name_argument(const char *old, const void *user)
{
    static const char  begin[] = ": object is of type ";
    const python_call *call = user;
    const size_t       n = strlen(call->name);
    if (strncmp(old, call->name, n) != 0 || strncmp(old + n, begin, sizeof begin - 1) != 0) return NULL;
    const char *type = old + n + sizeof begin - 1;
    PyObject   *argument = argument_of_type(call, type, strcspn(type, ";"));
    PyObject   *made = argument ? PyUnicode_FromFormat("%s: %U is of type %s", call->name, argument, type) : NULL;
    Py_XDECREF(argument);
    return made;
}

/* Errors have the name that was called, not that of the operation inside. */
static PyObject *call_described(PyObject *function, PyObject *args, PyObject *keywords)
{
    PyObject *made = call_function(function, args, keywords);
    if (made) return made;
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject   *called = PyObject_GetAttr(function, names.type_name);
    const char *text = called ? text_of(called) : NULL; /* the name of the builtin behind an underscore */
    PyErr_Clear();
    PyErr_Restore(type, value, trace);
    if (text) {
        const python_call call = { function, args, keywords, text + (*text == '_') };
        errors_rename_any(call.name);
        errors_reword(name_argument, &call);
    }
    Py_XDECREF(called);
    return NULL;
}

/* Name and documentation live as long as the process, as those of all builtins do. */
static PyMethodDef *make_method(const char *name, const char *document)
{
    PyMethodDef *method = calloc(1, sizeof *method);
    if (!method) return NULL;
    *method = (PyMethodDef){ .ml_name = strdup(name),
                             .ml_meth = (PyCFunction)(void (*)(void))call_described,
                             .ml_flags = METH_VARARGS | METH_KEYWORDS,
                             .ml_doc = strdup(document) };
    return method->ml_name && method->ml_doc ? method : NULL;
}

static PyObject *describe(PyObject *module, PyObject *args)
{
    (void)module;
    const char *name, *document;
    PyObject   *function;
    if (!PyArg_ParseTuple(args, "Oss:_described", &function, &name, &document)) return NULL;
    PyMethodDef *method = make_method(name, document);
    if (!method) return PyErr_NoMemory();
    PyObject *package = PyUnicode_InternFromString("tessera");
    PyObject *made = package ? PyCFunction_NewEx(method, function, package) : NULL;
    if (made && PyObject_SetAttrString(function, name, made)) Py_CLEAR(made);
    Py_XDECREF(package);
    return made;
}

PyMethodDef described_methods[] = {
    { "_described", describe, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
