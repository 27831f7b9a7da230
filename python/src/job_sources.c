/* Sources of a job from Python objects: a path is opened for the call, an open file shared, an array read in place.
 *
 * The first source may be particles, or the path of a STAR file: it has the tables that the job was not given.
 *
 * Threads share an open file by its lock, which is held only while images are read: a progress callback may use the
 * file as well.
 */
#include "job_sources.h"

#include <string.h>

#include "errors.h"
#include "file_object.h"
#include "names.h"
#include "particles.h"
#include "tessera/cryosparc.h"
#include "tessera/jobs/source.h"
#include "work.h"

enum { MAX_SOURCES = 24, RULE_GUESSED = 7 /* sections_rule: a file that may hold a volume or images */ };

/* An object that images are read from, which other threads may use as well. */
typedef struct shared_object {
    PyObject          *object; /* a reference; NULL: there is none */
    PyThread_type_lock lock;   /* held while images are read */
    int               *n_jobs; /* of the object: jobs that use it */
    tess_source_fn     read;   /* while it is locked */
    void              *user;
} shared_object;

typedef struct source_slot {
    tess_source   source;
    shared_object shared;
} source_slot;

struct source_list {
    source_slot           slots[MAX_SOURCES];
    int                   n;
    const char           *star;   /* the first source is this STAR file */
    const tess_particles *given;  /* or these particles */
    tess_particles        opened; /* tables of the STAR file */
};

void sources_close(source_list *sources)
{
    for (int i = 0; i < sources->n; i++) {
        source_slot *slot = &sources->slots[i];
        if (slot->shared.object) {
            --*slot->shared.n_jobs;
            Py_DECREF(slot->shared.object);
        }
        tess_source_close(&slot->source);
    }
    tess_particles_release(&sources->opened);
    PyMem_Free(sources);
}

static source_slot *new_slot(call *c)
{
    if (!c->sources) c->sources = PyMem_Calloc(1, sizeof *c->sources);
    if (c->sources && c->sources->n < MAX_SOURCES) return &c->sources->slots[c->sources->n++];
    if (!c->sources) (void)PyErr_NoMemory();
    else PyErr_Format(PyExc_RuntimeError, "%s: more than %d sources", name_of(c), MAX_SOURCES);
    return NULL;
}

/* ---- Files ---- */

bool is_path(PyObject *object)
{
    return PyUnicode_Check(object) || PyBytes_Check(object) || PyObject_HasAttrString(object, "__fspath__");
}

/* What is settled by axes, or by the rules of a format, is not taken for something else. */
static int check_sections(const call *c, const parameter *p, const tess_source *source)
{
    const tess_shape s = source->shape;
    const bool       wants_images = p->row->flags & TESS_ARG_IMAGES && s.d != 1;
    const bool       wants_volume = p->row->flags & TESS_ARG_VOLUME && s.b != 1;
    if (!wants_images && !wants_volume) return 0;
    PyErr_Format(PyExc_ValueError, "%s: %s has the shape (%lld, %lld, %lld, %lld); expected %s", name_of(c),
                 source->name, (long long)s.b, (long long)s.d, (long long)s.h, (long long)s.w,
                 wants_images ? "a stack of images (n, 1, h, w)" : "one volume (1, d, h, w)");
    return -1;
}

static int warn_of_file(const call *c, const tess_source *source, const tess_info_file *info)
{
    for (int i = 0; i < info->n_warnings; i++) {
        const tess_file_warning *w = &info->warnings[i];
        if (w->code == TESS_ODD_SECTIONS || w->code == TESS_ODD_BYTES) continue; /* a rule of the format settles it */
        if (PyErr_WarnFormat(PyExc_UserWarning, 1, "%s: %s: %s", name_of(c), source->name, w->text)) return -1;
    }
    return 0;
}

/* Sections that may be a volume or images are what the row wants. */
static tess_status open_path(tess_source *source, const char *path, uint32_t flags, tess_info_file *info)
{
    const bool is_certain = !(flags & (TESS_ARG_IMAGES | TESS_ARG_VOLUME));
    TESS_TRY(tess_info(info, path, NULL));
    if (is_certain || info->sections_rule != RULE_GUESSED) return tess_source_open(source, path, NULL);
    const tess_read_opts opts = { .as = flags & TESS_ARG_VOLUME ? TESS_AS_VOLUME : TESS_AS_STACK };
    return tess_source_open(source, path, &opts);
}

/* The images that a STAR file lists. */
static int source_from_star(call *c, const parameter *p, const char *path, source_slot *slot)
{
    char                        name[64];
    const tess_source_list_opts opts = { .opened = warn_of_opened, .user = name };
    (void)snprintf(name, sizeof name, "%s", name_of(c));
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_source_star(&slot->source, path, &opts));
    if (PyErr_Occurred()) return -1; /* a warning that was raised */
    if (status != TESS_OK) return raise_status(status);
    if (slot == c->sources->slots) c->sources->star = path;
    return check_sections(c, p, &slot->source);
}

/* A list or tuple of str, as "000012@stack.mrcs". */
static bool is_list_of_paths(PyObject *object)
{
    if (!PyList_Check(object) && !PyTuple_Check(object)) return false;
    PyObject  *first = PySequence_GetItem(object, 0);
    const bool is_one = first && is_path(first);
    PyErr_Clear();
    Py_XDECREF(first);
    return is_one;
}

/* Names as bytes, which `made`, a list, holds. */
static int read_names(const char **texts, PyObject *made, PyObject *object, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(object, i), *bytes = NULL;
        if (item && PyUnicode_FSConverter(item, &bytes) && PyList_Append(made, bytes) == 0)
            texts[i] = PyBytes_AsString(bytes);
        Py_XDECREF(item);
        Py_XDECREF(bytes);
        if (PyErr_Occurred()) return -1;
    }
    return 0;
}

static int source_from_names(call *c, const parameter *p, PyObject *object, source_slot *slot)
{
    char                        name[64];
    const tess_source_list_opts opts = { .opened = warn_of_opened, .user = name };
    const Py_ssize_t            n = PySequence_Size(object);
    PyObject                   *made = PyList_New(0);
    const char                **texts = PyMem_Calloc((size_t)n + 1, sizeof *texts);
    int                         failed = -1;
    (void)snprintf(name, sizeof name, "%s", name_of(c));
    if (!texts && !PyErr_Occurred()) (void)PyErr_NoMemory();
    if (made && texts && read_names(texts, made, object, n) == 0) {
        const work_state  work = work_begin();
        const tess_status status = work_end(&work, tess_source_names(&slot->source, texts, n, &opts));
        failed = PyErr_Occurred() ? -1 : status == TESS_OK ? check_sections(c, p, &slot->source) : raise_status(status);
    }
    PyMem_Free((void *)texts);
    Py_XDECREF(made);
    return failed;
}

static int source_from_path(call *c, const parameter *p, PyObject *object, source_slot *slot)
{
    PyObject      *bytes = NULL;
    tess_info_file info;
    if (!PyUnicode_FSConverter(object, &bytes) || call_hold(c, bytes)) return -1;
    if (tess_star_is_named(PyBytes_AsString(bytes))) return source_from_star(c, p, PyBytes_AsString(bytes), slot);
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, open_path(&slot->source, PyBytes_AsString(bytes), p->row->flags, &info));
    if (status != TESS_OK) return raise_status(status);
    return warn_of_file(c, &slot->source, &info) || check_sections(c, p, &slot->source) ? -1 : 0;
}

/* Without the GIL, on any thread. */
static tess_status read_shared(void *user, const tess_array *out, int64_t first, tess_range rows, tess_range columns)
{
    const shared_object *shared = user;
    (void)PyThread_acquire_lock(shared->lock, WAIT_LOCK);
    const tess_status status = shared->read(shared->user, out, first, rows, columns);
    PyThread_release_lock(shared->lock);
    return status;
}

/* From now on the source of the slot is read while the object is locked. The reference is taken. */
static void share(source_slot *slot, PyObject *object, PyThread_type_lock lock, int *n_jobs)
{
    slot->shared.object = object;
    slot->shared.lock = lock;
    slot->shared.n_jobs = n_jobs;
    ++*n_jobs;
}

static void read_while_locked(source_slot *slot)
{
    slot->shared.read = slot->source.read;
    slot->shared.user = slot->source.user;
    slot->source.read = read_shared;
    slot->source.user = &slot->shared;
}

/* An attribute of this type, a new reference; NULL without an exception where there is none. */
static PyObject *attribute_of(PyObject *object, const char *name, PyTypeObject *type)
{
    PyObject *found = PyObject_GetAttrString(object, name);
    if (!found) PyErr_Clear();
    if (!found || Py_TYPE(found) == type) return found;
    Py_DECREF(found);
    return NULL;
}

/* What messages call it. */
static const char *name_of_file(call *c, PyObject *object)
{
    PyObject *path = PyObject_GetAttrString(object, "path"), *bytes = NULL;
    const int taken = path && PyUnicode_FSConverter(path, &bytes);
    Py_XDECREF(path);
    return taken && call_hold(c, bytes) == 0 ? PyBytes_AsString(bytes) : NULL;
}

static int source_from_file(call *c, const parameter *p, PyObject *object, file_object *file, source_slot *slot)
{
    share(slot, (PyObject *)file, file->lock, &file->n_jobs);
    const char *name = name_of_file(c, object);
    if (!name) return -1;
    if (!file->file) {
        PyErr_Format(PyExc_ValueError, "%s: %s is %s, a closed file", name_of(c), p->text, name);
        return -1;
    }
    const tess_status status = tess_source_file(&slot->source, file->file, name);
    if (status != TESS_OK) return raise_status(status);
    slot->source.dtype = file->dtype;
    read_while_locked(slot);
    return check_sections(c, p, &slot->source);
}

/* ---- Particles ---- */

/* Particles, or with `alone` only their images. */
static int source_from_particles(call *c, const parameter *p, particles_object *object, bool alone, source_slot *slot)
{
    share(slot, (PyObject *)object, object->lock, &object->n_jobs);
    if (!object->p.images.read) {
        PyErr_Format(PyExc_ValueError, "%s: %s holds particles without images", name_of(c), p->text);
        return -1;
    }
    slot->source = object->p.images;
    slot->source.close = NULL; /* they are the object's */
    read_while_locked(slot);
    if (!alone && slot == c->sources->slots) c->sources->given = &object->p;
    return check_sections(c, p, &slot->source);
}

tess_status sources_fill(call *c, const tess_context *context)
{
    const tess_job_info *job = c->function->job;
    source_list         *s = c->sources;
    if (!s || (!s->star && !s->given)) return TESS_OK;
    if (s->star) return tess_particles_open_for_job(&s->opened, s->star, job, c->values, c->opts, context);
    return tess_particles_wanted(job, c->values, c->opts) ? tess_particles_fill(s->given, job, c->values, c->opts)
                                                          : TESS_OK;
}

/* ---- Arrays ---- */

/* Three axes are images where a job reads images: {n,h,w} is {n,1,h,w}. */
static void sections_to_images(operand *o)
{
    tess_array *a = &o->array;
    if (o->ndim != 3) return;
    a->shape = TESS_SHAPE(a->shape.d, 1, a->shape.h, a->shape.w);
    a->strides = TESS_STRIDES(a->strides.d, 0, a->strides.h, a->strides.w);
    o->ndim = 4;
}

static int no_source(const call *c, const parameter *p, PyObject *object)
{
    PyErr_Format(PyExc_TypeError, "%s: %s is of type %R; expected a path, an open file or an array", name_of(c),
                 p->text, (PyObject *)Py_TYPE(object));
    return -1;
}

static int source_from_array(call *c, const parameter *p, PyObject *object, source_slot *slot)
{
    operand   *o;
    const bool is_known = is_operand(object) || PyObject_CheckBuffer(object) || PyObject_HasAttr(object, names.array);
    if (!is_known) return no_source(c, p, object);
    if (call_operand(c, object, p->text, false, &o)) return -1;
    if (o->kind == OPERAND_NUMBER || o->kind == OPERAND_SCALAR) return no_source(c, p, object);
    if (p->row->flags & TESS_ARG_IMAGES) sections_to_images(o);
    const tess_status status = tess_source_array(&slot->source, &o->array, p->text, NULL);
    return status == TESS_OK ? check_sections(c, p, &slot->source) : raise_status(status);
}

/* ---- All of them ---- */

int source_from_object(call *c, const parameter *p, PyObject *object, void *to)
{
    source_slot *slot = new_slot(c);
    if (!slot) return -1;
    const bool         is_name = is_path(object);
    PyObject          *file = is_name ? NULL : attribute_of(object, "_file", file_type);
    PyObject          *whole = is_name || file ? NULL : attribute_of(object, "_particles", particles_type);
    PyObject          *images = is_name || file || whole ? NULL : attribute_of(object, "_images", particles_type);
    PyObject          *particles = whole ? whole : images;
    const int          failed = file        ? source_from_file(c, p, object, (file_object *)file, slot)
                                : particles ? source_from_particles(c, p, (particles_object *)particles, !whole, slot)
                                : is_name   ? source_from_path(c, p, object, slot)
                                : is_list_of_paths(object) ? source_from_names(c, p, object, slot)
                                                           : source_from_array(c, p, object, slot);
    const tess_source *source = &slot->source;
    memcpy(to, &source, sizeof source);
    return failed;
}

/* A list of sources: pointers to them, ended by NULL, that live as long as the call. */
int sources_from_object(call *c, const parameter *p, PyObject *object, void *to)
{
    const bool          is_list = PyTuple_Check(object) || PyList_Check(object);
    const Py_ssize_t    n = is_list ? PySequence_Size(object) : 0;
    const tess_source **list = PyMem_Calloc((size_t)n + 1, sizeof *list);
    if (call_keep_memory(c, list)) return -1;
    if (!is_list) {
        PyErr_Format(PyExc_TypeError, "%s: %s is of type %R; expected a list of paths, open files or arrays",
                     name_of(c), p->text, (PyObject *)Py_TYPE(object));
        return -1;
    }
    memcpy(to, &list, sizeof list);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *one = PySequence_GetItem(object, i); /* kept: a thread may change the list while the job works */
        if (!one || call_hold(c, one) || source_from_object(c, p, one, &list[i])) return -1;
    }
    return 0;
}
