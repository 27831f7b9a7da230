/* Text files of tilt series from Python: angles, transforms and mdoc. tessera/sidecar.py has what users call. */
#include "tessera/sidecar.h"

#include "array_type.h"
#include "errors.h"
#include "files.h"
#include "operand.h"
#include "tessera/jobs/tilts.h"
#include "work.h"

/* ---- Angles and transforms: arrays ---- */

typedef tess_status array_reader(tess_array *out, const char *path, int64_t n_images);
typedef tess_status array_writer(const char *path, const tess_array *in, const tess_sidecar_opts *opts);

static tess_status read_array(tess_array *out, PyObject *path, Py_ssize_t n_images, array_reader *reader)
{
    const char       *text = PyBytes_AsString(path);
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, reader(out, text, n_images));
    return status;
}

/* Of texts, mdoc files and STAR files. */
static tess_status read_any_tilts(tess_array *out, const char *path, int64_t n_images)
{
    tess_tilt_series series = { .axis = 0 };
    TESS_TRY(tess_tilt_series_read(&series, path));
    const int64_t n = series.angles.shape.b;
    if (n_images != 0 && n != n_images) tess_tilt_series_release(&series);
    TESS_CHECK(n_images == 0 || n == n_images, TESS_EARG, "tilt_series_read: %s has %lld tilts for %lld images", path,
               (long long)n, (long long)n_images);
    *out = series.angles;
    return TESS_OK;
}

/* n angles. */
static PyObject *tilts_read(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject  *object, *path;
    Py_ssize_t n_images;
    tess_array made = { .data = NULL }, row;
    if (!PyArg_ParseTuple(args, "On:read_tilts", &object, &n_images)) return NULL;
    if (!(path = path_from_object(object, "read_tilts"))) return NULL;
    tess_status status = read_array(&made, path, n_images, read_any_tilts);
    Py_DECREF(path);
    if (status == TESS_OK) status = tess_flatten(&row, &made);
    PyObject *view = status == TESS_OK ? array_view(&row, 1) : raised(status);
    tess_release(&made);
    return view;
}

/* n matrices of 2 x 3 numbers: an element of the library's is six of these. */
static PyObject *xf_read(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject  *object, *path;
    Py_ssize_t n_images;
    tess_array made = { .data = NULL }, numbers, matrices;
    if (!PyArg_ParseTuple(args, "On:read_xf", &object, &n_images)) return NULL;
    if (!(path = path_from_object(object, "read_xf"))) return NULL;
    tess_status   status = read_array(&made, path, n_images, tess_xf_read);
    const int64_t n = made.shape.b;
    Py_DECREF(path);
    if (status == TESS_OK) status = tess_reinterpret(&numbers, &made, TESS_F64);
    if (status == TESS_OK) status = tess_reshape(&matrices, &numbers, TESS_SHAPE(1, n, 2, 3));
    PyObject *view = status == TESS_OK ? array_view(&matrices, 3) : raised(status);
    tess_release(&made);
    return view;
}

static PyObject *write_array(PyObject *object, const tess_array *in, int overwrite, array_writer *writer,
                             const char *function)
{
    const tess_sidecar_opts opts = { .overwrite = overwrite };
    PyObject               *path = path_from_object(object, function);
    if (!path) return NULL;
    const char       *text = PyBytes_AsString(path);
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, writer(text, in, &opts));
    Py_DECREF(path);
    if (status != TESS_OK) return raised(status);
    Py_RETURN_NONE;
}

static PyObject *tilts_write(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path, *object;
    int       overwrite;
    operand   angles;
    if (!PyArg_ParseTuple(args, "OOp:write_tilts", &path, &object, &overwrite)) return NULL;
    if (operand_read(&angles, object, "write_tilts", "angles")) return NULL;
    PyObject *made = write_array(path, &angles.array, overwrite, tess_tilts_write, "write_tilts");
    operand_clear(&angles);
    return made;
}

/* Matrices of any strides are copied to f64, one after the other, and taken for elements of six numbers. */
static tess_status as_matrices(tess_array *matrices, tess_array *copy, const tess_array *in)
{
    tess_array  row;
    tess_status status = tess_cast(copy, in, TESS_F64, NULL);
    if (status == TESS_OK) status = tess_flatten(&row, copy);
    return status == TESS_OK ? tess_reinterpret(matrices, &row, TESS_MAT23_F64) : status;
}

static PyObject *xf_write(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject  *path, *object;
    int        overwrite;
    operand    o;
    tess_array copy = { .data = NULL }, matrices;
    if (!PyArg_ParseTuple(args, "OOp:write_xf", &path, &object, &overwrite)) return NULL;
    if (operand_read(&o, object, "write_xf", "matrices")) return NULL;
    const tess_shape shape = o.array.shape;
    PyObject        *made = NULL;
    if (o.ndim < 2 || o.ndim > 3 || shape.h != 2 || shape.w != 3) {
        PyErr_Format(PyExc_ValueError, "write_xf: matrices have the sizes (%lld, %lld) at the end; expected (n, 2, 3)",
                     (long long)shape.h, (long long)shape.w);
    } else {
        const tess_status status = as_matrices(&matrices, &copy, &o.array);
        made = status == TESS_OK ? write_array(path, &matrices, overwrite, tess_xf_write, "write_xf") : raised(status);
    }
    tess_release(&copy);
    operand_clear(&o);
    return made;
}

/* ---- mdoc: lists of texts ---- */

/* [(key, value), …] of a section, or of all. */
static PyObject *list_of_keys(const tess_mdoc *mdoc, int64_t section)
{
    PyObject   *list = PyList_New(0);
    const char *key;
    for (int64_t i = 0; list && (key = tess_mdoc_key(mdoc, section, i)) != NULL; i++) {
        PyObject *pair = Py_BuildValue("(NN)", text_from_file(key), text_from_file(tess_mdoc_value(mdoc, section, i)));
        if (!pair || PyList_Append(list, pair)) Py_CLEAR(list);
        Py_XDECREF(pair);
    }
    return list;
}

/* [(kind, title, keys), …]: first those for all, of no kind. */
static PyObject *list_of_sections(const tess_mdoc *mdoc)
{
    PyObject *list = PyList_New(0);
    for (int64_t i = TESS_MDOC_GLOBAL; list && i < tess_mdoc_sections(mdoc); i++) {
        const bool global = i == TESS_MDOC_GLOBAL;
        PyObject  *section =
            Py_BuildValue("(NNN)", text_from_file(global ? "" : tess_mdoc_kind(mdoc, i)),
                          text_from_file(global ? "" : tess_mdoc_title(mdoc, i)), list_of_keys(mdoc, i));
        if (!section || PyList_Append(list, section)) Py_CLEAR(list);
        Py_XDECREF(section);
    }
    return list;
}

static PyObject *mdoc_read(PyObject *module, PyObject *object)
{
    (void)module;
    PyObject *path = path_from_object(object, "read_mdoc");
    if (!path) return NULL;
    tess_mdoc        *mdoc = NULL;
    const char       *text = PyBytes_AsString(path);
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_mdoc_read(&mdoc, text));
    Py_DECREF(path);
    if (status != TESS_OK) return raised(status);
    PyObject *list = list_of_sections(mdoc);
    tess_mdoc_free(mdoc);
    return list;
}

static int add_section(tess_mdoc *mdoc, PyObject *tuple)
{
    const char *kind, *title, *key, *value;
    PyObject   *keys;
    int64_t     section = TESS_MDOC_GLOBAL;
    if (!PyArg_ParseTuple(tuple, "yyO!:write_mdoc", &kind, &title, &PyList_Type, &keys)) return -1;
    tess_status status = *kind ? tess_mdoc_add(&section, mdoc, kind, title) : TESS_OK;
    for (Py_ssize_t i = 0; status == TESS_OK && i < PyList_Size(keys); i++) {
        if (!PyArg_ParseTuple(PyList_GetItem(keys, i), "yy:write_mdoc", &key, &value)) return -1;
        status = tess_mdoc_set(mdoc, section, key, value);
    }
    return status == TESS_OK ? 0 : raise_status(status);
}

static PyObject *mdoc_write(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject  *object, *sections;
    int        overwrite;
    tess_mdoc *mdoc = NULL;
    if (!PyArg_ParseTuple(args, "OO!p:write_mdoc", &object, &PyList_Type, &sections, &overwrite)) return NULL;
    PyObject *path = path_from_object(object, "write_mdoc");
    if (!path) return NULL;
    const tess_sidecar_opts opts = { .overwrite = overwrite };
    tess_status             status = tess_mdoc_new(&mdoc);
    int                     failed = status == TESS_OK ? 0 : raise_status(status);
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(sections); i++)
        failed = add_section(mdoc, PyList_GetItem(sections, i));
    if (!failed) status = tess_mdoc_write(PyBytes_AsString(path), mdoc, &opts);
    if (!failed && status != TESS_OK) failed = raise_status(status);
    tess_mdoc_free(mdoc);
    Py_DECREF(path);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

PyMethodDef sidecar_methods[] = {
    { "_tilts_read", tilts_read, METH_VARARGS, NULL },
    { "_tilts_write", tilts_write, METH_VARARGS, NULL },
    { "_xf_read", xf_read, METH_VARARGS, NULL },
    { "_xf_write", xf_write, METH_VARARGS, NULL },
    { "_mdoc_read", mdoc_read, METH_O, NULL },
    { "_mdoc_write", mdoc_write, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};
