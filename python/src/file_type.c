/* Open files: regions are read without the GIL, and a lock lets threads share a file.
 *
 * tessera/files.py has the type that users see; here is what it calls.
 */
#include <string.h>

#include "array_type.h"
#include "call.h"
#include "dtype_type.h"
#include "errors.h"
#include "file_object.h"
#include "files.h"
#include "tessera/mrc.h"
#include "work.h"

PyTypeObject *file_type;

/* ---- One thread at a time ---- */

static void take_file(file_object *self)
{
    if (PyThread_acquire_lock(self->lock, NOWAIT_LOCK)) return;
    PyThreadState *state = PyEval_SaveThread();
    (void)PyThread_acquire_lock(self->lock, WAIT_LOCK);
    PyEval_RestoreThread(state);
}

static void leave_file(file_object *self) { PyThread_release_lock(self->lock); }

static int check_open(const file_object *self)
{
    if (self->file) return 0;
    PyErr_SetString(PyExc_ValueError, "the file is closed");
    return -1;
}

/* Take the file if it is open. 0, or -1 with an exception. No Python object may be made until it is left: the collector
 * of garbage runs code that may use the file. */
static int take_open(file_object *self)
{
    take_file(self);
    if (self->file) return 0;
    leave_file(self);
    return check_open(self);
}

/* ---- Opening ---- */

static const char *path_of(const call *c) { return c->values[1].text; }

static PyObject *open_work(call *c, void *context)
{
    (void)context;
    tess_read_opts opts;
    memcpy(&opts, c->opts, sizeof opts);
    file_object *self = PyObject_New(file_object, file_type);
    if (!self) return NULL;
    self->file = NULL;
    self->n_jobs = 0;
    self->lock = PyThread_allocate_lock();
    if (!self->lock) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_open(&self->file, path_of(c), &opts));
    if (status != TESS_OK) {
        Py_DECREF(self);
        return raised(status);
    }
    self->dtype = opts.dtype ? (tess_dtype)opts.dtype : tess_file_info(self->file)->dtype;
    return (PyObject *)self;
}

static PyObject *file_open(PyObject *module, PyObject *const *args, Py_ssize_t n_args, PyObject *keywords)
{
    (void)module;
    return call_with(function_find("read"), args, n_args, keywords, open_work, NULL);
}

static PyObject *info_work(call *c, void *context)
{
    (void)context;
    tess_info_file info;
    tess_read_opts opts;
    memcpy(&opts, c->opts, sizeof opts);
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_info(&info, path_of(c), &opts));
    return status == TESS_OK ? dict_of_info(&info) : raised(status);
}

static PyObject *file_info(PyObject *module, PyObject *const *args, Py_ssize_t n_args, PyObject *keywords)
{
    (void)module;
    return call_with(function_find("read"), args, n_args, keywords, info_work, NULL);
}

PyMethodDef file_methods[] = {
    { "_file_open", (PyCFunction)(void (*)(void))file_open, METH_FASTCALL | METH_KEYWORDS, NULL },
    { "_file_info", (PyCFunction)(void (*)(void))file_info, METH_FASTCALL | METH_KEYWORDS, NULL },
    { NULL, NULL, 0, NULL },
};

/* ---- Reading ---- */

/* Elements from, from + step, … of each axis. */
typedef struct file_region {
    int64_t from[4], n[4], step[4];
} file_region;

static tess_range range_of(const file_region *r, int axis, int64_t first, int64_t n)
{
    const int64_t from = r->from[axis] + first * r->step[axis], to = from + n * r->step[axis];
    return tess_from_to_step(from, to < 0 ? TESS_NONE : to, r->step[axis]);
}

/* n sections from `first` on, along an axis, into the same sections of `out`. */
static tess_status read_piece(file_object *self, const file_region *r, const tess_array *out, int axis, int64_t first,
                              int64_t n)
{
    tess_array  piece;
    tess_region region;
    tess_range *ranges[4] = { &region.b, &region.d, &region.h, &region.w };
    tess_status status = tess_slice(&piece, out, axis, first, first + n, 1);
    for (int k = 0; k < 4; k++) *ranges[k] = range_of(r, k, k == axis ? first : 0, k == axis ? n : r->n[k]);
    return status == TESS_OK ? tess_file_read(&piece, self->file, region) : status;
}

/* Bytes that are read before Ctrl-C is looked for: a second of a slow disk. */
enum { PIECE_BYTES = 1 << 28 };

/* 0, or -1 with an exception. Between pieces the file is left: a handler of signals may use or close it, so that none
 * runs while a piece is read. */
static int read_pieces(file_object *self, const file_region *r, const tess_array *out)
{
    const int     axis = r->n[0] > 1 ? 0 : 1;
    const int64_t bytes = tess_n_bytes(out) / r->n[axis];
    const int64_t at_once = bytes < PIECE_BYTES ? PIECE_BYTES / bytes : 1;
    for (int64_t i = 0; i < r->n[axis]; i += at_once) {
        const int64_t left = r->n[axis] - i;
        if (take_open(self)) return -1;
        const work_state  work = work_begin_quietly();
        const tess_status status = work_end(&work, read_piece(self, r, out, axis, i, left < at_once ? left : at_once));
        leave_file(self);
        if (status != TESS_OK) return raise_status(status);
        if (PyErr_CheckSignals()) return -1;
    }
    return 0;
}

static bool is_array_of(PyObject *object, const long long n[4])
{
    bool same = is_array(object);
    for (int k = 0; same && k < 4; k++) same = array_of(object).shape.dim[k] == n[k];
    return same;
}

/* read(((from, n, step), …), out): a region of four axes, all of whose elements exist. */
static PyObject *read_region(PyObject *object, PyObject *args)
{
    file_object *self = (file_object *)object;
    PyObject    *out = Py_None;
    file_region  r;
    long long    from[4], n[4], step[4];
    if (!PyArg_ParseTuple(args, "((LLL)(LLL)(LLL)(LLL))|O:read", &from[0], &n[0], &step[0], &from[1], &n[1], &step[1],
                          &from[2], &n[2], &step[2], &from[3], &n[3], &step[3], &out))
        return NULL;
    for (int k = 0; k < 4; k++) r.from[k] = from[k], r.n[k] = n[k], r.step[k] = step[k];
    if (out != Py_None && !is_array_of(out, n)) {
        PyErr_Format(PyExc_TypeError, "read: out is %R; expected an Array of the region", (PyObject *)Py_TYPE(out));
        return NULL;
    }
    if (check_open(self)) return NULL;
    tess_array  made = { .data = NULL };
    tess_status status = TESS_OK;
    if (out == Py_None) status = tess_empty(&made, TESS_SHAPE(n[0], n[1], n[2], n[3]), self->dtype, tess_cpu());
    else made = array_of(out);
    int failed = status == TESS_OK ? 0 : raise_status(status);
    if (!failed && !tess_is_empty(&made)) failed = read_pieces(self, &r, &made);
    if (out == Py_None && !failed) return array_take(&made, 4);
    if (out == Py_None) tess_release(&made);
    if (failed) return NULL;
    Py_INCREF(out);
    return out;
}

/* ---- All else that an open file can tell ---- */

static PyObject *map_data(PyObject *object, PyObject *none)
{
    (void)none;
    file_object *self = (file_object *)object;
    tess_array   made = { .data = NULL };
    if (take_open(self)) return NULL;
    const tess_status status = tess_file_map(&made, self->file);
    leave_file(self);
    return status == TESS_OK ? array_take(&made, 4) : raised(status);
}

static PyObject *get_info(PyObject *object, PyObject *none)
{
    (void)none;
    file_object *self = (file_object *)object;
    if (take_open(self)) return NULL;
    const tess_info_file info = *tess_file_info(self->file);
    const Py_ssize_t     n = info.meta.extended ? (Py_ssize_t)info.meta.extended_size : 0;
    char                *extended = PyMem_Malloc((size_t)n + 1);
    if (extended && n) memcpy(extended, info.meta.extended, (size_t)n);
    leave_file(self);
    if (!extended) return PyErr_NoMemory();
    PyObject *dict = dict_of_info(&info);
    if (dict && dict_put(dict, "extended", PyBytes_FromStringAndSize(extended, n))) Py_CLEAR(dict);
    PyMem_Free(extended);
    return dict;
}

/* The dtype of arrays that are read, which opts.dtype may have changed. */
static PyObject *get_dtype(PyObject *self, PyObject *none)
{
    (void)none;
    return dtype_object(((file_object *)self)->dtype);
}

static int put_known(PyObject *dict, const tess_info_mrc_section *s)
{
    const struct {
        int         flag;
        const char *name;
        double      number;
    } numbers[] = {
        { TESS_MRC_TILT, "tilt", s->tilt },
        { TESS_MRC_TILT_BETA, "tilt_beta", s->tilt_beta },
        { TESS_MRC_TILT_AXIS, "tilt_axis", s->tilt_axis },
        { TESS_MRC_DEFOCUS, "defocus", s->defocus },
        { TESS_MRC_DOSE, "dose", s->dose },
        { TESS_MRC_EXPOSURE, "exposure", s->exposure },
        { TESS_MRC_MAGNIFICATION, "magnification", s->magnification },
        { TESS_MRC_INTENSITY, "intensity", s->intensity },
        { TESS_MRC_VOLTAGE, "voltage", s->voltage },
        { TESS_MRC_MEAN, "mean", s->mean },
        { TESS_MRC_STAGE_Z, "stage_z", s->stage[2] },
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (s->known & numbers[i].flag && dict_put(dict, numbers[i].name, PyFloat_FromDouble(numbers[i].number)))
            return -1;
    if (s->known & TESS_MRC_STAGE_XY && dict_put(dict, "stage_xy", Py_BuildValue("(dd)", s->stage[0], s->stage[1])))
        return -1;
    if (s->known & TESS_MRC_SHIFT && dict_put(dict, "shift", Py_BuildValue("(dd)", s->shift[0], s->shift[1])))
        return -1;
    if (s->known & TESS_MRC_PIXEL_SIZE &&
        dict_put(dict, "pixel_size", Py_BuildValue("(dd)", s->pixel_size[0], s->pixel_size[1])))
        return -1;
    return s->known & TESS_MRC_PIECE
               ? dict_put(dict, "piece", Py_BuildValue("(iii)", s->piece[0], s->piece[1], s->piece[2]))
               : 0;
}

static PyObject *get_section(PyObject *object, PyObject *number)
{
    file_object          *self = (file_object *)object;
    tess_info_mrc_section section;
    const long long       i = PyLong_AsLongLong(number);
    if ((i == -1 && PyErr_Occurred()) || take_open(self)) return NULL;
    const tess_status status = tess_mrc_section_info(&section, self->file, i);
    leave_file(self);
    if (status != TESS_OK) return raised(status);
    PyObject *dict = PyDict_New();
    if (dict && put_known(dict, &section)) Py_CLEAR(dict);
    return dict;
}

static PyObject *close_file(PyObject *object, PyObject *none)
{
    (void)none;
    file_object *self = (file_object *)object;
    take_file(self);
    if (self->n_jobs > 0) {
        leave_file(self);
        PyErr_SetString(PyExc_ValueError, "the file cannot be closed while a job reads from it");
        return NULL;
    }
    tess_file_close(self->file);
    self->file = NULL;
    leave_file(self);
    Py_RETURN_NONE;
}

static PyObject *is_closed(PyObject *self, PyObject *none)
{
    (void)none;
    return PyBool_FromLong(!((file_object *)self)->file);
}

/* ---- The type ---- */

static void drop_file(PyObject *object)
{
    file_object  *self = (file_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    tess_file_close(self->file);
    if (self->lock) PyThread_free_lock(self->lock);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    { "read", read_region, METH_VARARGS, NULL },   { "map", map_data, METH_NOARGS, NULL },
    { "info", get_info, METH_NOARGS, NULL },       { "dtype", get_dtype, METH_NOARGS, NULL },
    { "section", get_section, METH_O, NULL },      { "close", close_file, METH_NOARGS, NULL },
    { "is_closed", is_closed, METH_NOARGS, NULL }, { NULL, NULL, 0, NULL },
};

static PyObject *reject_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)type, (void)args, (void)keywords;
    PyErr_SetString(PyExc_TypeError, "open files with tessera.open");
    return NULL;
}

int file_type_make(PyObject *module)
{
    (void)module;
    PyType_Slot slots[] = {
        { Py_tp_new, SLOT(reject_new) }, { Py_tp_dealloc, SLOT(drop_file) }, { Py_tp_methods, methods }, { 0, NULL }
    };
    PyType_Spec spec = { "tessera._File", sizeof(file_object), 0, Py_TPFLAGS_DEFAULT, slots };
    file_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return file_type ? 0 : -1;
}
