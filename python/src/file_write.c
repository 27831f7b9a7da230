/* Writing arrays with what is known of them, and checking MRC files. */
#include <string.h>

#include "call.h"
#include "errors.h"
#include "files.h"
#include "tessera/mrc.h"
#include "tuples.h"
#include "work.h"

/* ---- What is known of an array, from a dict ---- */

static int take_three(double to[3], PyObject *dict, const char *name)
{
    PyObject *three = PyDict_GetItemString(dict, name);
    return !three || PyArg_ParseTuple(three, "ddd", &to[0], &to[1], &to[2]) ? 0 : -1;
}

static int take_labels(tess_meta *meta, PyObject *dict)
{
    PyObject        *list = PyDict_GetItemString(dict, "labels");
    const Py_ssize_t n = list ? PyList_Size(list) : 0;
    if (n < 0) return -1;
    for (Py_ssize_t i = n > 10 ? n - 10 : 0; i < n; i++) { /* the newest ten */
        PyObject *bytes = PyUnicode_AsEncodedString(PyList_GetItem(list, i), "utf-8", "surrogateescape");
        if (!bytes) return -1;
        char *label = meta->labels[meta->n_labels++];
        (void)snprintf(label, sizeof meta->labels[0], "%s", PyBytes_AsString(bytes));
        Py_DECREF(bytes);
    }
    return 0;
}

/* The bytes stay those of the dict. */
static int take_extended(tess_meta *meta, PyObject *dict)
{
    PyObject *bytes = PyDict_GetItemString(dict, "extended"), *type = PyDict_GetItemString(dict, "extended_type");
    PyObject *layout = PyDict_GetItemString(dict, "extended_layout");
    if (!bytes || PyBytes_Size(bytes) <= 0) return PyErr_Occurred() ? -1 : 0;
    const char *text = type ? text_of(type) : "";
    if (!text || (layout && !PyArg_ParseTuple(layout, "hh", &meta->extended_layout[0], &meta->extended_layout[1])))
        return -1;
    (void)snprintf(meta->extended_type, sizeof meta->extended_type, "%s", text);
    meta->extended = PyBytes_AsString(bytes);
    meta->extended_size = PyBytes_Size(bytes);
    return 0;
}

static int take_whole(tess_meta *meta, PyObject *dict)
{
    PyObject *start = PyDict_GetItemString(dict, "start"), *grid = PyDict_GetItemString(dict, "grid");
    PyObject *group = PyDict_GetItemString(dict, "space_group");
    long long first[3] = { 0, 0, 0 };
    if (start && !PyArg_ParseTuple(start, "LLL", &first[0], &first[1], &first[2])) return -1;
    for (int k = 0; k < 3; k++) meta->start[k] = first[k];
    if (grid && !PyArg_ParseTuple(grid, "iii", &meta->grid[0], &meta->grid[1], &meta->grid[2])) return -1;
    const long long number = group ? PyLong_AsLongLong(group) : 0;
    if (number == -1 && PyErr_Occurred()) PyErr_Clear();
    else if (number >= INT32_MIN && number <= INT32_MAX) {
        meta->space_group = (int32_t)number;
        return 0;
    }
    PyErr_Format(PyExc_ValueError, "write: space_group is %R; expected an integer from -2^31 to 2^31 - 1", group);
    return -1;
}

static int meta_from_dict(tess_meta *meta, PyObject *dict)
{
    double angles[3] = { 0, 0, 0 };
    *meta = (tess_meta){ .stats = 0 };
    if (take_three(meta->pixel_size, dict, "pixel_size") || take_three(meta->origin, dict, "origin") ||
        take_three(angles, dict, "angles") || take_whole(meta, dict) || take_labels(meta, dict) ||
        take_extended(meta, dict))
        return -1;
    for (int k = 0; k < 3; k++) meta->angles[k] = (float)angles[k];
    return 0;
}

/* ---- Writing ---- */

static int warn(PyObject *category, const char *path, const char *text)
{
    PyObject *message = PyUnicode_FromFormat("write: %s: %s", path, text);
    PyObject *bytes = message ? PyUnicode_AsUTF8String(message) : NULL;
    const int failed = !bytes || PyErr_WarnEx(category, PyBytes_AsString(bytes), 2);
    Py_XDECREF(message);
    Py_XDECREF(bytes);
    return failed ? -1 : 0;
}

/* A warning for each kind of values, and for what else the file does not hold; an error where warnings are. */
static int warn_of_losses(const char *path, const tess_losses *losses)
{
    char text[160];
    for (int i = 0; tess_losses_text(text, sizeof text, losses, i); i++)
        if (warn(PyExc_RuntimeWarning, path, text)) return -1;
    return losses->note[0] ? warn(PyExc_UserWarning, path, losses->note) : 0;
}

static PyObject *write_work(call *c, void *dict)
{
    tess_meta       meta;
    tess_write_opts opts;
    tess_losses     losses;
    memcpy(&opts, c->opts, sizeof opts);
    if (meta_from_dict(&meta, dict)) return NULL;
    opts.meta = &meta;
    const char       *path = c->values[0].text;
    const tess_array *in = c->values[1].in;
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_write_losses(&losses, path, in, &opts));
    if (status != TESS_OK) return raised(status);
    if (warn_of_losses(path, &losses)) return NULL;
    Py_RETURN_NONE;
}

/* _file_write(meta, path, array, options…) */
static PyObject *file_write(PyObject *module, PyObject *const *args, Py_ssize_t n_args, PyObject *keywords)
{
    (void)module;
    if (n_args < 1 || !PyDict_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "_file_write: the first argument must be a dict");
        return NULL;
    }
    return call_with(function_find("write"), args + 1, n_args - 1, keywords, write_work, args[0]);
}

/* ---- Checking ---- */

static PyObject *list_of_findings(const tess_mrc_report *report)
{
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < report->n_findings; i++) {
        const tess_mrc_finding *f = &report->findings[i];
        PyObject               *finding = PyDict_New();
        if (!finding || dict_put(finding, "field", text_from_file(f->field)) ||
            dict_put(finding, "found", text_from_file(f->found)) ||
            dict_put(finding, "wanted", text_from_file(f->wanted)) ||
            dict_put(finding, "text", text_from_file(f->text)) ||
            dict_put(finding, "fixable", PyBool_FromLong(f->fixable)) || PyList_Append(list, finding))
            Py_CLEAR(list);
        Py_XDECREF(finding);
    }
    return list;
}

static PyObject *dict_of_report(const tess_mrc_report *report)
{
    const tess_meta *stats = &report->stats;
    PyObject        *dict = PyDict_New();
    if (dict && (dict_put(dict, "findings", list_of_findings(report)) ||
                 dict_put(dict, "data_read", PyBool_FromLong(report->data_read)) ||
                 dict_put(dict, "n_nan", PyLong_FromLongLong(report->n_nan)) ||
                 dict_put(dict, "n_inf", PyLong_FromLongLong(report->n_inf)) ||
                 dict_put(dict, "min", number_or_none(stats->stats & TESS_STATS_MINMAX, stats->min)) ||
                 dict_put(dict, "max", number_or_none(stats->stats & TESS_STATS_MINMAX, stats->max)) ||
                 dict_put(dict, "mean", number_or_none(stats->stats & TESS_STATS_MEAN, stats->mean)) ||
                 dict_put(dict, "std", number_or_none(stats->stats & TESS_STATS_STD, stats->std))))
        Py_CLEAR(dict);
    return dict;
}

static PyObject *mrc_check(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject           *object;
    int                 header_only;
    tess_mrc_check_opts opts = { .bytes = 0 };
    if (!PyArg_ParseTuple(args, "Op:check", &object, &header_only)) return NULL;
    PyObject *path = path_from_object(object, "check");
    if (!path) return NULL;
    opts.header_only = header_only;
    tess_mrc_report *report = PyMem_Calloc(1, sizeof *report);
    tess_status      status = TESS_OK;
    const char      *text = PyBytes_AsString(path);
    const work_state work = work_begin();
    if (report) status = tess_mrc_check(report, text, &opts);
    status = work_end(&work, status);
    PyObject *made = !report ? PyErr_NoMemory() : status == TESS_OK ? dict_of_report(report) : raised(status);
    PyMem_Free(report);
    Py_DECREF(path);
    return made;
}

PyMethodDef file_write_methods[] = {
    { "_file_write", (PyCFunction)(void (*)(void))file_write, METH_FASTCALL | METH_KEYWORDS, NULL },
    { "_mrc_check", mrc_check, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
