/* A keyword that a function does not have: the exception names the one that is spelt most like it. */
#include "function.h"

/* A list of one name or of none, a new reference: difflib.get_close_matches(name, names, 1). */
static PyObject *close_matches(const callable *f, PyObject *name)
{
    PyObject *difflib = PyImport_ImportModule("difflib"), *list = difflib ? PyList_New(0) : NULL;
    for (int i = 0; list && i < f->n_parameters; i++)
        if (PyList_Append(list, f->parameters[i].name)) Py_CLEAR(list);
    PyObject *made = list ? PyObject_CallMethod(difflib, "get_close_matches", "OOi", name, list, 1) : NULL;
    Py_XDECREF(list);
    Py_XDECREF(difflib);
    return made;
}

int unknown_keyword(const callable *f, PyObject *name)
{
    PyObject *matches = close_matches(f, name), *match = NULL;
    if (matches && PyList_Check(matches) && PyList_Size(matches) > 0) match = PyList_GetItem(matches, 0);
    PyErr_Clear();
    if (match)
        PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R; did you mean %R?", f->info->name,
                     name, match);
    else PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument %R", f->info->name, name);
    Py_XDECREF(matches);
    return -1;
}
