/* Other names of operations, as functions of their own: their help and their errors have the name that was called. */
#include <stdlib.h>
#include <string.h>

#include "errors.h"
#include "files.h"
#include "function.h"

/* A description with another name; it lives as long as the process, as all callables do. */
static const tess_function_info *info_with_name(const tess_function_info *info, const char *name)
{
    tess_function_info *made = malloc(sizeof *made);
    char               *copy = strdup(name);
    if (!made || !copy) {
        free(made);
        free(copy);
        return NULL;
    }
    *made = *info;
    made->name = copy;
    return made;
}

static PyObject *make_alias(PyObject *module, PyObject *args)
{
    (void)module;
    const char *name, *alias;
    if (!PyArg_ParseTuple(args, "ss:_alias", &name, &alias)) return NULL;
    const callable *f = function_find(name);
    if (!f) return PyErr_Format(PyExc_AttributeError, "_alias: there is no operation %s", name);
    const tess_function_info *info = info_with_name(f->info, alias);
    callable                 *made = info ? calloc(1, sizeof *made) : NULL;
    if (!made) return PyErr_NoMemory();
    made->original = f->info->name;
    if (function_make(made, info, NULL, function_vectorcall)) return NULL;
    return function_object(made, "tessera", "tessera.aliases");
}

PyMethodDef alias_methods[] = {
    { "_alias", make_alias, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
