/* What all functions of files share: names of files, texts, and the list of these functions. */
#include "files.h"

#include <string.h>

int dict_put(PyObject *dict, const char *name, PyObject *value)
{
    const int failed = value ? PyDict_SetItemString(dict, name, value) : -1;
    Py_XDECREF(value);
    return failed;
}

PyObject *text_from_file(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape");
}

PyObject *path_from_object(PyObject *object, const char *function)
{
    PyObject *bytes = NULL;
    if (PyUnicode_FSConverter(object, &bytes)) return bytes;
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return NULL;
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "%s: path is %R; expected a file name", function, object);
    return NULL;
}

int files_make(PyObject *module)
{
    return file_type_make(module) || PyModule_AddFunctions(module, file_methods) ||
                   PyModule_AddFunctions(module, file_write_methods) || PyModule_AddFunctions(module, star_methods) ||
                   PyModule_AddFunctions(module, sidecar_methods) || PyModule_AddFunctions(module, described_methods) ||
                   PyModule_AddFunctions(module, alias_methods)
               ? -1
               : 0;
}
