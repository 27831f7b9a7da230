/* Sinks of a job from Python objects: files that are written slab by slab, and arrays of the caller's.
 *
 * A file appears under its name when the job has succeeded, and not before.
 */
#include "job_sinks.h"

#include <string.h>

#include "errors.h"
#include "job_sources.h"
#include "job_watch.h"
#include "tessera/jobs/sink.h"
#include "work.h"

enum { MAX_SINKS = 4 };

typedef struct sink_slot {
    tess_sink    sink;
    const char  *path; /* NULL: an array */
    tess_writer *writer;
    bool         overwrite;
    PyObject    *array; /* the caller's, borrowed */
    tess_sink    into;  /* the array's */
} sink_slot;

struct sink_list {
    sink_slot slots[MAX_SINKS];
    int       n;
};

/* ---- Files: without the GIL ---- */

static tess_status begin_file(void *user, tess_shape shape, tess_dtype dtype, const tess_meta *meta)
{
    sink_slot            *slot = user;
    const tess_write_opts opts = { .overwrite = slot->overwrite, .meta = meta };
    return tess_writer_open(&slot->writer, slot->path, shape, dtype, &opts);
}

static tess_status append_to_file(void *user, const tess_array *part)
{
    return tess_writer_append(((const sink_slot *)user)->writer, part);
}

int sinks_finish(sink_list *sinks)
{
    for (int i = 0; i < sinks->n; i++) {
        tess_writer *writer = sinks->slots[i].writer;
        sinks->slots[i].writer = NULL;
        if (!writer) continue;
        const work_state  work = work_begin();
        const tess_status status = work_end(&work, tess_writer_finish(writer));
        if (status != TESS_OK) return raise_status(status);
    }
    return 0;
}

void sinks_close(sink_list *sinks)
{
    for (int i = 0; i < sinks->n; i++) tess_writer_discard(sinks->slots[i].writer);
    PyMem_Free(sinks);
}

/* ---- Arrays ---- */

/* Three axes are images where the result is images: {n,h,w} is {n,1,h,w}. */
static tess_status begin_array(void *user, tess_shape shape, tess_dtype dtype, const tess_meta *meta)
{
    sink_slot       *slot = user;
    tess_array      *a = slot->into.array;
    const tess_shape sections = TESS_SHAPE(1, shape.b, shape.h, shape.w);
    if (shape.d == 1 && memcmp(&a->shape, &sections, sizeof sections) == 0) {
        a->shape = shape;
        a->strides = TESS_STRIDES(a->strides.d, 0, a->strides.h, a->strides.w);
    }
    return slot->into.begin(slot->into.user, shape, dtype, meta);
}

static tess_status append_to_array(void *user, const tess_array *part)
{
    const sink_slot *slot = user;
    return slot->into.append(slot->into.user, part);
}

/* ---- Objects ---- */

static sink_slot *new_slot(call *c)
{
    if (!c->sinks) c->sinks = PyMem_Calloc(1, sizeof *c->sinks);
    if (c->sinks && c->sinks->n < MAX_SINKS) return &c->sinks->slots[c->sinks->n++];
    if (!c->sinks) (void)PyErr_NoMemory();
    else PyErr_Format(PyExc_RuntimeError, "%s: more than %d sinks", name_of(c), MAX_SINKS);
    return NULL;
}

static int sink_from_path(call *c, PyObject *object, sink_slot *slot)
{
    PyObject *bytes = NULL, *overwrite = context_given(c, "overwrite");
    const int truth = overwrite ? PyObject_IsTrue(overwrite) : 0;
    if (truth < 0 || !PyUnicode_FSConverter(object, &bytes) || call_hold(c, bytes)) return -1;
    slot->path = PyBytes_AsString(bytes);
    slot->overwrite = truth != 0;
    slot->sink = (tess_sink){ .begin = begin_file, .append = append_to_file, .user = slot };
    return 0;
}

static int sink_from_array(call *c, const parameter *p, PyObject *object, sink_slot *slot)
{
    operand *o;
    if (call_operand(c, object, p->text, true, &o)) return -1;
    slot->array = object;
    slot->sink = (tess_sink){ .begin = begin_array, .append = append_to_array, .user = slot };
    const tess_status status = tess_sink_array(&slot->into, &o->array);
    return status == TESS_OK ? 0 : raise_status(status);
}

int sink_from_object(call *c, const parameter *p, PyObject *object, void *to)
{
    sink_slot *slot = new_slot(c);
    if (!slot) return -1;
    const tess_sink *sink = &slot->sink;
    memcpy(to, &sink, sizeof sink);
    return is_path(object) ? sink_from_path(c, object, slot) : sink_from_array(c, p, object, slot);
}

PyObject *sink_array(const call *c) { return c->sinks ? c->sinks->slots[0].array : NULL; }
