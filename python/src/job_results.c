/* Fields of a job's result as Python objects: arrays of the caller's kind, tables as columns, numbers. */
#include "job_results.h"

#include <string.h>

#include "errors.h"
#include "files.h"
#include "job_sinks.h"

/* ---- Arrays ---- */

/* An array of the shape of the first source has its axes; others have as many as they need. */
static int axes_of(const call *c, const tess_arg_info *row, const tess_array *a)
{
    int ndim = 4;
    if (row->flags & TESS_ARG_IMAGES) return 4;
    while (ndim > 1 && a->shape.dim[4 - ndim] == 1) ndim--;
    if (c->first && memcmp(&c->first->array.shape, &a->shape, sizeof a->shape) == 0) return c->first->ndim;
    return row->flags & TESS_ARG_VOLUME && ndim < 3 ? 3 : ndim;
}

/* Results are where the caller's arrays are. */
static int move_to_caller(const call *c, tess_array *a)
{
    tess_array there = { .data = NULL };
    if (!c->first || c->first->array.device.kind == a->device.kind) return 0;
    const tess_status status = tess_to_device(&there, a, c->first->array.device);
    if (status != TESS_OK) return raise_status(status);
    tess_release(a);
    *a = there;
    return 0;
}

/* A result that was not made, or that went to an array of the caller's. */
static PyObject *given_or_none(const call *c, const tess_arg_info *row)
{
    PyObject *given = row->flags & (TESS_ARG_IMAGES | TESS_ARG_VOLUME) ? sink_array(c) : NULL;
    if (!given) given = Py_None;
    Py_INCREF(given);
    return given;
}

static PyObject *object_of_array(const call *c, const tess_arg_info *row, tess_array *field)
{
    const operand  of_numpy = { .kind = OPERAND_NUMPY };
    const operand *like = c->first && c->first->kind >= OPERAND_BUFFER ? c->first : &of_numpy;
    if (!field->data && !field->buffer) return given_or_none(c, row);
    tess_array a = *field;
    *field = (tess_array){ .data = NULL };
    PyObject *made = move_to_caller(c, &a) ? NULL : object_of_kind(like, &a, axes_of(c, row, &a));
    tess_release(&a);
    return made;
}

/* ---- Tables ---- */

static PyObject *names_of_columns(const tess_arg_info *row)
{
    PyObject *list = PyList_New(0);
    for (const tess_choice *column = row->choices; list && column && column->name; column++) {
        PyObject *name = PyUnicode_FromString(column->name);
        if (!name || PyList_Append(list, name)) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* tessera.jobs.Table(names, numbers), of rows and columns. */
static PyObject *object_of_table(const tess_arg_info *row, tess_array *field, PyObject *module)
{
    const operand of_numpy = { .kind = OPERAND_NUMPY };
    if (!field->data) Py_RETURN_NONE;
    tess_array a = *field;
    *field = (tess_array){ .data = NULL };
    PyObject *numbers = object_of_kind(&of_numpy, &a, 2), *columns = numbers ? names_of_columns(row) : NULL;
    PyObject *made = columns ? PyObject_CallMethod(module, "_table", "OO", columns, numbers) : NULL;
    tess_release(&a);
    Py_XDECREF(columns);
    Py_XDECREF(numbers);
    return made;
}

/* ---- All fields ---- */

static PyObject *name_of_choice(const tess_arg_info *row, int32_t value)
{
    for (const tess_choice *o = row->choices; o && o->name; o++)
        if (o->value == value) return PyUnicode_FromString(o->name);
    return PyLong_FromLong(value);
}

static PyObject *object_of_number(const tess_arg_info *row, const char *at)
{
    union {
        double   f64;
        int64_t  i64;
        uint64_t u64;
        int32_t  i32;
        uint32_t u32;
    } v;
    memcpy(&v, at, row->size < sizeof v ? row->size : sizeof v);
    switch (row->type) {
    case TESS_ARG_F64: return PyFloat_FromDouble(v.f64);
    case TESS_ARG_I64: return PyLong_FromLongLong(v.i64);
    case TESS_ARG_U64: return PyLong_FromUnsignedLongLong(v.u64);
    case TESS_ARG_I32: return PyLong_FromLong(v.i32);
    case TESS_ARG_U32: return PyLong_FromUnsignedLong(v.u32);
    case TESS_ARG_FLAG: return PyBool_FromLong(v.i32);
    case TESS_ARG_CHOICE: return name_of_choice(row, v.i32);
    default: break;
    }
    PyErr_Format(PyExc_NotImplementedError, "%s has a type without a Python equivalent", row->name);
    return NULL;
}

static PyObject *object_of_field(const call *c, const tess_arg_info *row, char *fields, PyObject *module)
{
    void *at = fields + row->offset;
    if (row->type == TESS_ARG_ARRAY) return object_of_array(c, row, at);
    if (row->type == TESS_ARG_COLUMNS) return object_of_table(row, at, module);
    return object_of_number(row, at);
}

PyObject *job_result(const call *c, void *of)
{
    const tess_function_info *info = c->function->info;
    PyObject                 *module = PyImport_ImportModule("tessera.jobs"), *fields = module ? PyDict_New() : NULL;
    for (size_t i = 0; fields && i < info->n_args; i++) {
        const tess_arg_info *row = &info->args[i];
        if (row->role == TESS_ROLE_RESULT && dict_put(fields, row->name, object_of_field(c, row, of, module)))
            Py_CLEAR(fields);
    }
    PyObject *made = fields ? PyObject_CallMethod(module, "Result", "sO", info->name, fields) : NULL;
    Py_XDECREF(fields);
    Py_XDECREF(module);
    return made;
}
