/* STAR documents from Python: tessera/star.py has tables as dicts, here are the calls it is made of.
 *
 * A document is a capsule. Columns of numbers are arrays of the library's; those of texts are lists of str.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "array_type.h"
#include "errors.h"
#include "files.h"
#include "operand.h"
#include "tessera/star.h"
#include "work.h"

static const char star_name[] = "tessera.star";

static void drop_star(PyObject *capsule) { tess_star_free(PyCapsule_GetPointer(capsule, star_name)); }

static PyObject *star_take(tess_star *star)
{
    PyObject *capsule = PyCapsule_New(star, star_name, drop_star);
    if (!capsule) tess_star_free(star);
    return capsule;
}

PyObject *star_borrow(tess_star *star) { return PyCapsule_New(star, star_name, NULL); }

/* The table of a document that arguments of Python's name. */
static tess_star_table *table_of(PyObject *capsule, Py_ssize_t i)
{
    const tess_star *star = PyCapsule_GetPointer(capsule, star_name);
    tess_star_table *table = star ? tess_star_at(star, i) : NULL;
    if (!table && !PyErr_Occurred()) PyErr_Format(PyExc_IndexError, "no such table: %zd", i);
    return table;
}

static PyObject *none_or_raised(tess_status status)
{
    if (status != TESS_OK) return raised(status);
    Py_RETURN_NONE;
}

/* ---- Documents ---- */

static PyObject *star_read(PyObject *module, PyObject *object)
{
    (void)module;
    PyObject *path = path_from_object(object, "read_star");
    if (!path) return NULL;
    tess_star        *star = NULL;
    const char       *text = PyBytes_AsString(path);
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_star_read(&star, text));
    Py_DECREF(path);
    return status == TESS_OK ? star_take(star) : raised(status);
}

/* A document from the text of one, as bytes. */
static PyObject *star_parse(PyObject *module, PyObject *bytes)
{
    (void)module;
    char      *text;
    Py_ssize_t n;
    tess_star *star = NULL;
    if (PyBytes_AsStringAndSize(bytes, &text, &n)) return NULL;
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_star_parse(&star, text, n, "a pickled STAR file"));
    return status == TESS_OK ? star_take(star) : raised(status);
}

static PyObject *star_new(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    tess_star        *star = NULL;
    const tess_status status = tess_star_new(&star);
    return status == TESS_OK ? star_take(star) : raised(status);
}

static PyObject *star_write(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject      *capsule, *object;
    int            overwrite;
    tess_star_opts opts = { .overwrite = 0 };
    if (!PyArg_ParseTuple(args, "OOp:_star_write", &capsule, &object, &overwrite)) return NULL;
    const tess_star *star = PyCapsule_GetPointer(capsule, star_name);
    PyObject        *path = star ? path_from_object(object, "write_star") : NULL;
    if (!path) return NULL;
    opts.overwrite = overwrite;
    const char       *text = PyBytes_AsString(path);
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_star_write(text, star, &opts));
    Py_DECREF(path);
    return none_or_raised(status);
}

/* ---- Tables ---- */

static PyObject *labels_of(const tess_star_table *table)
{
    PyObject *list = PyList_New(0);
    for (int64_t k = 0; list && k < tess_star_columns(table); k++) {
        PyObject *label = text_from_file(tess_star_label(table, k) + 1); /* without its underscore */
        if (!label || PyList_Append(list, label)) Py_CLEAR(list);
        Py_XDECREF(label);
    }
    return list;
}

/* (name, are they pairs, number of rows, labels) of each table. */
static PyObject *star_tables(PyObject *module, PyObject *capsule)
{
    (void)module;
    const tess_star *star = PyCapsule_GetPointer(capsule, star_name);
    PyObject        *list = star ? PyList_New(0) : NULL;
    for (int64_t i = 0; list && i < tess_star_count(star); i++) {
        const tess_star_table *table = tess_star_at(star, i);
        PyObject              *row =
            Py_BuildValue("(NNLN)", text_from_file(tess_star_name(table)), PyBool_FromLong(tess_star_is_pairs(table)),
                          (long long)tess_star_rows(table), labels_of(table));
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *star_add(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject        *capsule;
    const char      *name;
    int              pairs;
    Py_ssize_t       n_rows;
    tess_star_table *table = NULL;
    if (!PyArg_ParseTuple(args, "Ospn:_star_add", &capsule, &name, &pairs, &n_rows)) return NULL;
    tess_star *star = PyCapsule_GetPointer(capsule, star_name);
    if (!star) return NULL;
    tess_status status = tess_star_add(&table, star, name, pairs != 0);
    if (status == TESS_OK && !pairs && n_rows) status = tess_star_add_rows(table, n_rows);
    return status == TESS_OK ? PyLong_FromLongLong(tess_star_count(star) - 1) : raised(status);
}

static PyObject *star_copy(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject        *capsule, *source;
    Py_ssize_t       i;
    tess_star_table *copy = NULL;
    if (!PyArg_ParseTuple(args, "OOn:_star_copy", &capsule, &source, &i)) return NULL;
    tess_star             *star = PyCapsule_GetPointer(capsule, star_name);
    const tess_star_table *table = star ? table_of(source, i) : NULL;
    if (!table) return NULL;
    const tess_status status = tess_star_copy(&copy, star, table, NULL, 0);
    return status == TESS_OK ? PyLong_FromLongLong(tess_star_count(star) - 1) : raised(status);
}

static PyObject *star_select(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject  *capsule, *list;
    Py_ssize_t i;
    if (!PyArg_ParseTuple(args, "OnO!:_star_select", &capsule, &i, &PyList_Type, &list)) return NULL;
    tess_star_table *table = table_of(capsule, i);
    const Py_ssize_t n = PyList_Size(list);
    const char     **labels = table ? PyMem_Calloc((size_t)n + 1, sizeof *labels) : NULL;
    if (!labels) return table ? PyErr_NoMemory() : NULL;
    bool good = true;
    for (Py_ssize_t k = 0; good && k < n; k++) good = (labels[k] = text_of(PyList_GetItem(list, k))) != NULL;
    PyObject *made = good ? none_or_raised(tess_star_select_columns(table, labels, n)) : NULL;
    PyMem_Free(labels);
    return made;
}

/* ---- Columns ---- */

/* The dtype that holds an integer, i64 or, beyond its range, u64; TESS_DTYPE_NONE: neither, or it is none. */
static tess_dtype integer_dtype(const char *text)
{
    const bool   is_negative = *text == '-';
    const char  *digits = text + (*text == '-' || *text == '+');
    const size_t n = strspn(digits, "0123456789");
    if (n == 0 || digits[n]) return TESS_DTYPE_NONE;
    errno = 0;
    (void)strtoll(text, NULL, 10);
    if (errno == 0) return TESS_I64;
    errno = 0;
    (void)strtoull(text, NULL, 10);
    return errno == 0 && !is_negative ? TESS_U64 : TESS_DTYPE_NONE;
}

/* That of a column; TESS_DTYPE_NONE: not all are integers that one of the two holds. */
static tess_dtype integers_dtype(const tess_star_table *table, int64_t column)
{
    bool is_negative = false, is_large = false;
    for (int64_t i = 0; i < tess_star_rows(table); i++) {
        const char      *text = tess_star_value(table, i, column);
        const tess_dtype dtype = integer_dtype(text);
        if (dtype == TESS_DTYPE_NONE) return dtype;
        is_negative |= *text == '-';
        is_large |= dtype == TESS_U64;
    }
    if (tess_star_rows(table) == 0 || (is_negative && is_large)) return TESS_DTYPE_NONE;
    return is_large ? TESS_U64 : TESS_I64;
}

static PyObject *list_of_texts(const tess_star_table *table, int64_t column)
{
    const int64_t n = tess_star_rows(table);
    PyObject     *list = PyList_New((Py_ssize_t)n);
    for (int64_t i = 0; list && i < n; i++) {
        PyObject *text = text_from_file(tess_star_value(table, i, column));
        if (!text || PyList_SetItem(list, (Py_ssize_t)i, text)) Py_CLEAR(list);
    }
    return list;
}

static PyObject *integers_of(const tess_star_table *table, int64_t column, tess_dtype dtype)
{
    const int64_t     n = tess_star_rows(table);
    tess_array        made = { .data = NULL };
    const tess_status status = tess_empty(&made, TESS_SHAPE(1, 1, 1, n), dtype, tess_cpu());
    if (status != TESS_OK) return raised(status);
    for (int64_t i = 0; i < n; i++) {
        const char *text = tess_star_value(table, i, column);
        if (dtype == TESS_I64) ((int64_t *)made.data)[i] = strtoll(text, NULL, 10);
        else ((uint64_t *)made.data)[i] = strtoull(text, NULL, 10);
    }
    return array_take(&made, 1);
}

/* What is no number, the library says. */
static PyObject *numbers_or_texts(const tess_star_table *table, int64_t column)
{
    const int64_t n = tess_star_rows(table);
    tess_array    made = { .data = NULL };
    if (n == 0) return list_of_texts(table, column);
    const tess_status status = tess_star_numbers(&made, table, tess_star_label(table, column));
    if (status == TESS_EFORMAT) return list_of_texts(table, column);
    if (status != TESS_OK) return raised(status);
    made.shape = TESS_SHAPE(1, 1, 1, n);
    made.strides = (tess_strides){ { n, n, n, 1 } };
    return array_take(&made, 1);
}

/* A column as an Array of i64, u64 or f64, or where not all of it are numbers, a list of str. */
static PyObject *star_column(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject  *capsule;
    Py_ssize_t i, column;
    if (!PyArg_ParseTuple(args, "Onn:_star_column", &capsule, &i, &column)) return NULL;
    const tess_star_table *table = table_of(capsule, i);
    if (!table) return NULL;
    if (column < 0 || column >= tess_star_columns(table)) {
        PyErr_Format(PyExc_IndexError, "no such column: %zd", column);
        return NULL;
    }
    const tess_dtype dtype = integers_dtype(table, column);
    return dtype ? integers_of(table, column, dtype) : numbers_or_texts(table, column);
}

/* Floats that are all whole are written as 1.0: read again, the column is one of floats. */
static tess_status mark_as_floats(tess_star_table *table, const char *label)
{
    const int64_t column = tess_star_column(table, label);
    tess_status   status = TESS_OK;
    if (integers_dtype(table, column) == TESS_DTYPE_NONE) return TESS_OK;
    for (int64_t i = 0; i < tess_star_rows(table) && status == TESS_OK; i++) {
        char text[40];
        (void)snprintf(text, sizeof text, "%s.0", tess_star_value(table, i, column));
        status = tess_star_set(table, i, label, text);
    }
    return status;
}

static PyObject *star_set_numbers(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject   *capsule, *object;
    Py_ssize_t  i;
    const char *label;
    operand     numbers;
    if (!PyArg_ParseTuple(args, "OnsO:_star_set_numbers", &capsule, &i, &label, &object)) return NULL;
    tess_star_table *table = table_of(capsule, i);
    if (!table || operand_read(&numbers, object, "write_star", label)) return NULL;
    const bool  are_floats = tess_dtype_kind(numbers.array.dtype) == TESS_KIND_FLOAT;
    tess_status status = tess_star_set_numbers(table, label, &numbers.array);
    operand_clear(&numbers);
    if (status == TESS_OK && are_floats) status = mark_as_floats(table, label);
    return none_or_raised(status);
}

static PyObject *star_set_texts(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject   *capsule, *list;
    Py_ssize_t  i;
    const char *label;
    if (!PyArg_ParseTuple(args, "OnsO!:_star_set_texts", &capsule, &i, &label, &PyList_Type, &list)) return NULL;
    tess_star_table *table = table_of(capsule, i);
    if (!table) return NULL;
    for (Py_ssize_t row = 0; row < PyList_Size(list); row++) {
        PyObject *bytes = PyUnicode_AsEncodedString(PyList_GetItem(list, row), "utf-8", "surrogateescape");
        if (!bytes) return NULL;
        const tess_status status = tess_star_set(table, row, label, PyBytes_AsString(bytes));
        Py_DECREF(bytes);
        if (status != TESS_OK) return raised(status);
    }
    Py_RETURN_NONE;
}

PyMethodDef star_methods[] = {
    { "_star_read", star_read, METH_O, NULL },
    { "_star_parse", star_parse, METH_O, NULL },
    { "_star_new", star_new, METH_NOARGS, NULL },
    { "_star_write", star_write, METH_VARARGS, NULL },
    { "_star_tables", star_tables, METH_O, NULL },
    { "_star_add", star_add, METH_VARARGS, NULL },
    { "_star_copy", star_copy, METH_VARARGS, NULL },
    { "_star_select", star_select, METH_VARARGS, NULL },
    { "_star_column", star_column, METH_VARARGS, NULL },
    { "_star_set_numbers", star_set_numbers, METH_VARARGS, NULL },
    { "_star_set_texts", star_set_texts, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
