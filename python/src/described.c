/* Functions of Python's with the signature and documentation of rows: inspect and help() take them for builtins.
 *
 * A function that is written in Python but takes the options of an operation would show them as **options. The builtin
 * is bound to that function, and is an attribute of it under its name: by this path pickle finds it.
 */
#include <stdlib.h>
#include <string.h>

#include "files.h"

static PyObject *call_described(PyObject *function, PyObject *args, PyObject *keywords)
{
    return PyObject_Call(function, args, keywords);
}

static char *copy_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

/* Name and documentation live as long as the process, as those of all builtins do. */
static PyMethodDef *make_method(const char *name, const char *document)
{
    PyMethodDef *method = calloc(1, sizeof *method);
    if (!method) return NULL;
    *method = (PyMethodDef){ .ml_name = copy_of(name),
                             .ml_meth = (PyCFunction)(void (*)(void))call_described,
                             .ml_flags = METH_VARARGS | METH_KEYWORDS,
                             .ml_doc = copy_of(document) };
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
