/* Particles of STAR files: tables that share their memory with NumPy, and images that are read without the GIL.
 *
 * tessera/particles.py has the type that users see; here is what it calls.
 */
#include "particles.h"

#include <string.h>

#include "array_type.h"
#include "call.h"
#include "dtype_type.h"
#include "errors.h"
#include "files.h"
#include "work.h"

PyTypeObject *particles_type;

static const char name_of_type[] = "Particles";

/* ---- Warnings ---- */

static void hear_warning(void *user, const char *text)
{
    const PyGILState_STATE gil = PyGILState_Ensure();
    if (!PyErr_Occurred()) (void)PyErr_WarnFormat(PyExc_UserWarning, 1, "%s: %s", (const char *)user, text);
    PyGILState_Release(gil);
}

tess_status warn_of_opened(void *user, const char *path, const tess_file *file)
{
    const tess_info_file *info = tess_file_info(file);
    for (int i = 0; i < info->n_warnings; i++) {
        char                     text[640];
        const tess_file_warning *w = &info->warnings[i];
        if (w->code == TESS_ODD_SECTIONS || w->code == TESS_ODD_BYTES) continue; /* a rule of the format settles it */
        (void)snprintf(text, sizeof text, "%.300s: %s", path, w->text);
        hear_warning(user, text);
    }
    const PyGILState_STATE gil = PyGILState_Ensure();
    const bool             is_raised = PyErr_Occurred() != NULL;
    PyGILState_Release(gil);
    TESS_CHECK(!is_raised, TESS_ECANCELLED, "%s: a warning was raised as an exception", path);
    return TESS_OK;
}

/* A failure of the library, unless a warning was raised as an exception. */
static int failed(tess_status status)
{
    if (PyErr_Occurred()) return -1;
    return status == TESS_OK ? 0 : raise_status(status);
}

/* ---- Making ---- */

static particles_object *new_object(void)
{
    particles_object *self = PyObject_New(particles_object, particles_type);
    if (!self) return NULL;
    memset(&self->p, 0, sizeof self->p);
    self->n_jobs = 0;
    self->lock = PyThread_allocate_lock();
    if (self->lock) return self;
    Py_DECREF(self);
    (void)PyErr_NoMemory();
    return NULL;
}

static tess_status open_particles(tess_particles *p, const char *path, const char *root, double pixel_size)
{
    char                        name[] = "Particles";
    const tess_source_list_opts files = { .root = root, .opened = warn_of_opened, .user = name };
    const tess_particles_opts   opts = { .pixel_size = pixel_size, .files = &files };
    const tess_context          context = { .warning = hear_warning, .user = name };
    return tess_particles_open(p, path, &opts, &context);
}

/* _particles_open(path, root or None, pixel_size; 0: that of the file) */
static PyObject *particles_open(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *path, *root, *path_bytes = NULL, *root_bytes = NULL;
    double    pixel_size;
    if (!PyArg_ParseTuple(args, "OOd:Particles", &path, &root, &pixel_size)) return NULL;
    particles_object *self = NULL;
    const bool        has_names = (path_bytes = path_from_object(path, name_of_type)) &&
                           (root == Py_None || (root_bytes = path_from_object(root, name_of_type)));
    if (has_names) self = new_object();
    if (self) {
        const char *text = PyBytes_AsString(path_bytes), *folder = root_bytes ? PyBytes_AsString(root_bytes) : NULL;
        const work_state  work = work_begin();
        const tess_status status = work_end(&work, open_particles(&self->p, text, folder, pixel_size));
        if (failed(status)) Py_CLEAR(self);
    }
    Py_XDECREF(path_bytes);
    Py_XDECREF(root_bytes);
    return (PyObject *)self;
}

/* ---- Tables ---- */

typedef struct table {
    const char *name;
    size_t      offset;
    int64_t     least, most; /* columns */
} table;

static const table tables[] = {
    { "rotations", offsetof(tess_particles, rotations), 4, 4 },
    { "shifts", offsetof(tess_particles, shifts), 2, 2 },
    { "ctfs", offsetof(tess_particles, ctfs), 8, 17 },
    { "halves", offsetof(tess_particles, halves), 1, 1 },
};

static const table *table_of(const char *name)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (strcmp(tables[i].name, name) == 0) return &tables[i];
    PyErr_Format(PyExc_ValueError, "Particles: no such table: %s", name);
    return NULL;
}

static tess_array *array_of_table(tess_particles *p, const table *t)
{
    return (tess_array *)(void *)((char *)p + t->offset);
}

/* A table as an Array {n,k}, or {n} of one column, that shares its memory; None where it is not known. */
static PyObject *get_table(PyObject *object, PyObject *args)
{
    const char *name;
    if (!PyArg_ParseTuple(args, "s:get", &name)) return NULL;
    const table *t = table_of(name);
    if (!t) return NULL;
    tess_array a = *array_of_table(&((particles_object *)object)->p, t);
    if (!a.data) Py_RETURN_NONE;
    const int64_t     n = a.shape.b, k = a.shape.w;
    const tess_status status = tess_retain(&a);
    if (status != TESS_OK) return raised(status);
    a.shape = t->most == 1 ? TESS_SHAPE(1, 1, 1, n) : TESS_SHAPE(1, 1, n, k);
    a.strides = t->most == 1 ? TESS_STRIDES(n, n, n, 1) : TESS_STRIDES(n * k, n * k, k, 1);
    return array_take(&a, t->most == 1 ? 1 : 2);
}

/* {n,k}, or {n} for one column, as {n,1,1,k} of f64: a copy. */
static tess_status copy_table(tess_array *out, const tess_array *from, int64_t n, int64_t k)
{
    tess_array rows;
    TESS_TRY(tess_empty(out, TESS_SHAPE(n, 1, 1, k), TESS_F64, tess_cpu()));
    tess_status status = tess_reshape(&rows, out, from->shape);
    if (status == TESS_OK) status = tess_cast(&rows, from, TESS_F64, NULL);
    if (status != TESS_OK) tess_release(out);
    return status;
}

static int read_table(tess_array *out, PyObject *object, const table *t, int64_t n)
{
    operand o;
    if (operand_read(&o, object, name_of_type, t->name)) return -1;
    const tess_shape s = o.array.shape;
    const int64_t    rows = t->most == 1 ? s.w : s.h, k = t->most == 1 ? 1 : s.w;
    const bool       fits = o.ndim == (t->most == 1 ? 1 : 2) && (n < 0 || rows == n) && k >= t->least && k <= t->most;
    int              bad = 0;
    if (!fits) {
        PyErr_Format(PyExc_ValueError, "Particles: %s has the shape (%lld, %lld); expected a row for each particle",
                     t->name, (long long)s.h, (long long)s.w);
        bad = -1;
    } else {
        const tess_status status = copy_table(out, &o.array, rows, k);
        if (status != TESS_OK) bad = raise_status(status);
    }
    operand_clear(&o);
    return bad;
}

static int check_free(const particles_object *self)
{
    if (self->n_jobs == 0) return 0;
    PyErr_SetString(PyExc_ValueError, "Particles: tables cannot be changed while a job uses them");
    return -1;
}

/* set(name, array or None) */
static PyObject *set_table(PyObject *object, PyObject *args)
{
    particles_object *self = (particles_object *)object;
    const char       *name;
    PyObject         *value;
    tess_array        made = { .data = NULL };
    if (!PyArg_ParseTuple(args, "sO:set", &name, &value)) return NULL;
    const table *t = table_of(name);
    if (!t || check_free(self) || (value != Py_None && read_table(&made, value, t, self->p.n))) return NULL;
    tess_array *to = array_of_table(&self->p, t);
    tess_release(to);
    *to = made;
    Py_RETURN_NONE;
}

/* _particles_new(rotations, shifts, ctfs, halves, pixel_size, box): None for what is not known */
static PyObject *particles_new(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject      *given[4];
    tess_particles arrays = { .n = 0 };
    long long      box;
    int            bad = 0;
    if (!PyArg_ParseTuple(args, "OOOOdL:from_arrays", &given[0], &given[1], &given[2], &given[3], &arrays.pixel_size,
                          &box))
        return NULL;
    for (int i = 0; i < 4 && !bad; i++) {
        const int64_t n = i ? arrays.rotations.shape.b : -1;
        if (given[i] != Py_None) bad = read_table(array_of_table(&arrays, &tables[i]), given[i], &tables[i], n);
    }
    particles_object *self = bad ? NULL : new_object();
    if (self) {
        const work_state  work = work_begin();
        const tess_status status = work_end(&work, tess_particles_new(&self->p, &arrays, box));
        if (failed(status)) Py_CLEAR(self);
    }
    for (int i = 0; i < 4; i++) tess_release(array_of_table(&arrays, &tables[i]));
    return (PyObject *)self;
}

/* ---- Facts ---- */

static PyObject *get_pixel_size(PyObject *self, PyObject *none)
{
    (void)none;
    return PyFloat_FromDouble(((particles_object *)self)->p.pixel_size);
}

static PyObject *get_length(PyObject *self, PyObject *none)
{
    (void)none;
    return PyLong_FromLongLong(((particles_object *)self)->p.n);
}

/* (n, h, w) and the dtype of the images; None where there are none. */
static PyObject *get_images(PyObject *self, PyObject *none)
{
    (void)none;
    const tess_source *images = &((particles_object *)self)->p.images;
    if (!images->read) Py_RETURN_NONE;
    const tess_shape s = images->shape;
    return Py_BuildValue("((LLL)N)", (long long)s.b, (long long)s.h, (long long)s.w, dtype_object(images->dtype));
}

/* The document as star.c has them, good while the particles are there, and which of its tables has the particles. */
static PyObject *get_document(PyObject *self, PyObject *none)
{
    (void)none;
    const tess_particles *p = &((particles_object *)self)->p;
    Py_ssize_t            at = 0;
    while (tess_star_at(p->star, at) != p->rows) at++;
    return Py_BuildValue("(Nn)", star_borrow(p->star), at);
}

/* ---- Images ---- */

static tess_status read_images(particles_object *self, tess_array *out, int64_t first, int64_t n)
{
    (void)PyThread_acquire_lock(self->lock, WAIT_LOCK);
    const tess_status status = tess_source_read(&self->p.images, out, first, n, TESS_DTYPE_NONE);
    PyThread_release_lock(self->lock);
    return status;
}

/* read(first, n): an Array {n,h,w} */
static PyObject *get_part(PyObject *object, PyObject *args)
{
    particles_object *self = (particles_object *)object;
    tess_array        out = { .data = NULL };
    long long         first, n;
    if (!PyArg_ParseTuple(args, "LL:read", &first, &n)) return NULL;
    const work_state  work = work_begin_quietly();
    const tess_status status = work_end(&work, read_images(self, &out, first, n));
    if (failed(status)) return NULL;
    out.shape = TESS_SHAPE(1, out.shape.b, out.shape.h, out.shape.w);
    out.strides = TESS_STRIDES(0, out.strides.b, out.strides.h, out.strides.w);
    return array_take(&out, 3);
}

/* ---- Changing and writing ---- */

/* choose(array of i64) */
static PyObject *choose(PyObject *object, PyObject *list)
{
    particles_object *self = (particles_object *)object;
    operand           o;
    if (check_free(self) || operand_read(&o, list, name_of_type, "rows")) return NULL;
    tess_array  rows = { .data = NULL };
    tess_status status = tess_cast(&rows, &o.array, TESS_I64, NULL);
    operand_clear(&o);
    if (status == TESS_OK) status = tess_particles_choose(&self->p, rows.data, tess_n_elements(&rows));
    tess_release(&rows);
    return failed(status) ? NULL : (Py_INCREF(Py_None), Py_None);
}

static PyObject *put_poses(PyObject *object, PyObject *none)
{
    (void)none;
    const tess_status status = tess_particles_put_poses(&((particles_object *)object)->p);
    return failed(status) ? NULL : (Py_INCREF(Py_None), Py_None);
}

static PyObject *put_halves(PyObject *object, PyObject *none)
{
    (void)none;
    const tess_status status = tess_particles_put_halves(&((particles_object *)object)->p);
    return failed(status) ? NULL : (Py_INCREF(Py_None), Py_None);
}

static PyObject *put_images(PyObject *object, PyObject *path)
{
    PyObject *bytes = path_from_object(path, name_of_type);
    if (!bytes) return NULL;
    const tess_status status = tess_particles_put_images(&((particles_object *)object)->p, PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    return failed(status) ? NULL : (Py_INCREF(Py_None), Py_None);
}

/* write(path, overwrite) */
static PyObject *write_file(PyObject *object, PyObject *args)
{
    PyObject      *path;
    tess_star_opts opts = { .overwrite = 0 };
    if (!PyArg_ParseTuple(args, "Op:write", &path, &opts.overwrite)) return NULL;
    PyObject *bytes = path_from_object(path, name_of_type);
    if (!bytes) return NULL;
    const char       *text = PyBytes_AsString(bytes);
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_particles_write(text, &((particles_object *)object)->p, &opts));
    Py_DECREF(bytes);
    return failed(status) ? NULL : (Py_INCREF(Py_None), Py_None);
}

/* ---- The type ---- */

static void drop(PyObject *object)
{
    particles_object *self = (particles_object *)object;
    PyTypeObject     *type = Py_TYPE(object);
    tess_particles_release(&self->p);
    if (self->lock) PyThread_free_lock(self->lock);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyMethodDef methods[] = {
    { "get", get_table, METH_VARARGS, NULL },
    { "set", set_table, METH_VARARGS, NULL },
    { "pixel_size", get_pixel_size, METH_NOARGS, NULL },
    { "length", get_length, METH_NOARGS, NULL },
    { "images", get_images, METH_NOARGS, NULL },
    { "document", get_document, METH_NOARGS, NULL },
    { "read", get_part, METH_VARARGS, NULL },
    { "choose", choose, METH_O, NULL },
    { "put_poses", put_poses, METH_NOARGS, NULL },
    { "put_halves", put_halves, METH_NOARGS, NULL },
    { "put_images", put_images, METH_O, NULL },
    { "write", write_file, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyMethodDef functions[] = {
    { "_particles_open", particles_open, METH_VARARGS, NULL },
    { "_particles_new", particles_new, METH_VARARGS, NULL },
    { NULL, NULL, 0, NULL },
};

static PyObject *reject_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)type, (void)args, (void)keywords;
    PyErr_SetString(PyExc_TypeError, "open particles with tessera.jobs.Particles");
    return NULL;
}

int particles_make(PyObject *module)
{
    PyType_Slot slots[] = {
        { Py_tp_new, SLOT(reject_new) }, { Py_tp_dealloc, SLOT(drop) }, { Py_tp_methods, methods }, { 0, NULL }
    };
    PyType_Spec spec = { "tessera._Particles", sizeof(particles_object), 0, Py_TPFLAGS_DEFAULT, slots };
    particles_type = (PyTypeObject *)PyType_FromSpec(&spec);
    return particles_type ? PyModule_AddFunctions(module, functions) : -1;
}
