/* Sources of a job from Python objects: a path is opened for the call, an open file shared, an array read in place.
 *
 * Threads share an open file by its lock, which is held only while images are read: a progress callback may use the
 * file as well.
 */
#include "job_sources.h"

#include <string.h>

#include "errors.h"
#include "file_object.h"
#include "names.h"
#include "tessera/jobs/source.h"
#include "work.h"

enum { MAX_SOURCES = 24, RULE_GUESSED = 7 /* sections_rule: a file that may hold a volume or images */ };

typedef struct shared_file {
    file_object   *object; /* a reference */
    tess_source_fn read;   /* from the file that is locked */
    void          *user;
} shared_file;

typedef struct source_slot {
    tess_source source;
    shared_file shared; /* object: NULL if it is none */
} source_slot;

struct source_list {
    source_slot slots[MAX_SOURCES];
    int         n;
};

void sources_close(source_list *sources)
{
    for (int i = 0; i < sources->n; i++) {
        source_slot *slot = &sources->slots[i];
        if (slot->shared.object) {
            slot->shared.object->n_jobs--;
            Py_DECREF(slot->shared.object);
        }
        tess_source_close(&slot->source);
    }
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

/* What is settled by axes, or by the rules of a format, is not taken for something else. */
static int check_sections(const call *c, const parameter *p, const tess_source *source)
{
    const tess_shape s = source->shape;
    const bool       wants_images = p->row->flags & TESS_ARG_IMAGES && s.d != 1;
    const bool       wants_volume = p->row->flags & TESS_ARG_VOLUME && s.b != 1;
    if (!wants_images && !wants_volume) return 0;
    PyErr_Format(PyExc_ValueError, "%s: %s has the shape (%lld, %lld, %lld, %lld); %s is needed", name_of(c),
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

static int source_from_path(call *c, const parameter *p, PyObject *object, source_slot *slot)
{
    PyObject      *bytes = NULL;
    tess_info_file info;
    if (!PyUnicode_FSConverter(object, &bytes) || call_hold(c, bytes)) return -1;
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, open_path(&slot->source, PyBytes_AsString(bytes), p->row->flags, &info));
    if (status != TESS_OK) return raise_status(status);
    return warn_of_file(c, &slot->source, &info) || check_sections(c, p, &slot->source) ? -1 : 0;
}

/* Without the GIL, on any thread. */
static tess_status read_shared(void *user, const tess_array *out, int64_t first, tess_range rows, tess_range columns)
{
    const shared_file *shared = user;
    (void)PyThread_acquire_lock(shared->object->lock, WAIT_LOCK);
    const tess_status status = shared->read(shared->user, out, first, rows, columns);
    PyThread_release_lock(shared->object->lock);
    return status;
}

/* The object of an open tessera.File, a new reference; NULL without an exception where it is none. */
static PyObject *file_of(PyObject *object)
{
    PyObject *file = PyObject_GetAttrString(object, "_file");
    if (!file) PyErr_Clear();
    if (!file || Py_TYPE(file) == file_type) return file;
    Py_DECREF(file);
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
    slot->shared.object = file;
    file->n_jobs++;
    const char *name = name_of_file(c, object);
    if (!name) return -1;
    if (!file->file) {
        PyErr_Format(PyExc_ValueError, "%s: %s is %s, a file that is closed", name_of(c), p->text, name);
        return -1;
    }
    const tess_status status = tess_source_file(&slot->source, file->file, name);
    if (status != TESS_OK) return raise_status(status);
    slot->source.dtype = file->dtype;
    slot->shared.read = slot->source.read;
    slot->shared.user = slot->source.user;
    slot->source.read = read_shared;
    slot->source.user = &slot->shared;
    return check_sections(c, p, &slot->source);
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
    PyErr_Format(PyExc_TypeError, "%s: %s is of type %R; a path, an open file or an array is needed", name_of(c),
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

bool is_path(PyObject *object)
{
    return PyUnicode_Check(object) || PyBytes_Check(object) || PyObject_HasAttrString(object, "__fspath__");
}

int source_from_object(call *c, const parameter *p, PyObject *object, void *to)
{
    source_slot *slot = new_slot(c);
    if (!slot) return -1;
    PyObject          *file = is_path(object) ? NULL : file_of(object);
    const int          failed = file              ? source_from_file(c, p, object, (file_object *)file, slot)
                                : is_path(object) ? source_from_path(c, p, object, slot)
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
        PyErr_Format(PyExc_TypeError, "%s: %s is of type %R; a list of paths, open files or arrays is needed",
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
