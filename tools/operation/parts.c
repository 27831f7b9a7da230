/* An operation on files batch by batch, within the memory allowed. */
#include <inttypes.h>
#include <string.h>

#include "operation/operands.h"

/* How the inputs are cut: parts of `n` units of `sections` images each, of `units` in all. */
typedef struct cut {
    tess_shape whole;    /* b and d of the inputs together */
    int64_t    sections; /* of a unit: those of a volume, or 1 */
    int64_t    units;
    int64_t    n;      /* units at a time */
    bool       inside; /* parts are sections of one volume, {1,n,h,w} */
} cut;

/* More than this at a time makes nothing faster. */
enum { USUAL_PART = 64 << 20 };

static bool is_cut(const operands *o, size_t i, const cut *c)
{
    const tess_shape s = o->inputs[i].info.shape;
    return o->is_file[i] && s.b * s.d == c->whole.b * c->whole.d && s.b * s.d > 1;
}

/* Do all inputs have either the batches and sections of the largest, or one of each? */
static bool find_whole(const operands *o, cut *c)
{
    c->whole = TESS_SHAPE(1, 1, 1, 1);
    for (size_t i = 0; i < o->op->n_args; i++)
        if (o->is_file[i] && o->inputs[i].info.shape.b * o->inputs[i].info.shape.d > c->whole.b * c->whole.d)
            c->whole = o->inputs[i].info.shape;
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_shape s = o->is_file[i] ? o->inputs[i].info.shape : TESS_SHAPE(1, 1, 1, 1);
        const bool       same = s.b == c->whole.b && s.d == c->whole.d;
        const bool       one = s.b == 1 && (s.d == 1 || (o->op->cut == TESS_CUT_BATCHES && s.d == c->whole.d));
        if (!same && !one) return false;
    }
    return o->n_parts == 0;
}

/* Do axes and shapes leave batches alone? */
static bool leaves_batches(const operands *o, const cut *c)
{
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_arg_info *row = &o->op->args[i];
        int32_t              axes = o->values[i].i32;
        if (row->role == TESS_ROLE_OPTION && row->type == TESS_ARG_AXIS_SET)
            memcpy(&axes, (const char *)o->opts + row->offset, sizeof axes);
        if (row->type == TESS_ARG_AXIS_SET) {
            if (axes == 0) axes = row->fallback != 0 ? (int32_t)row->fallback : TESS_B;
            if (axes & TESS_B) return false;
        }
        if (row->role != TESS_ROLE_REQUIRED) continue;
        if (row->type == TESS_ARG_AXIS && (axes == 0 || axes == -4)) return false;
        const int64_t b = o->values[i].shape.b;
        if (row->flags & TESS_ARG_COUNTS_BATCH && b != c->whole.b && b != 0) return false;
        if (row->flags & TESS_ARG_PER_AXIS && b != (int64_t)row->fallback) return false;
    }
    return true;
}

/* Arrays among the options may have batches of their own. */
static bool has_array_options(const operands *o)
{
    for (size_t i = 0; i < o->op->n_args; i++)
        if (o->op->args[i].role == TESS_ROLE_OPTION && o->arrays[i].data) return true;
    for (int i = 0; i < o->n_results; i++)
        if (!o->results[i].array) return true;
    return false;
}

/* Bytes of a unit as it is read, and what work and result take `extra` for each element. */
static int64_t unit_bytes(const operands *o, const cut *c, int64_t extra)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < o->op->n_args; i++) {
        if (!is_cut(o, i, c)) continue;
        const tess_info_file *info = &o->inputs[i].info;
        bytes += c->sections * info->shape.h * info->shape.w * ((int64_t)tess_dtype_size(info->dtype) + extra);
    }
    return bytes;
}

/* A result of 16 bytes for each element is the largest there is. */
enum { EXTRA = 16 };

static bool find_cut(const operands *o, const job *j, cut *c)
{
    if (o->op->cut == TESS_CUT_NONE || !first_file(o) || !find_whole(o, c) || has_array_options(o)) return false;
    if (o->op->cut == TESS_CUT_BATCHES && !leaves_batches(o, c)) return false;
    c->sections = c->whole.d;
    c->units = c->whole.b;
    const int64_t max = j->memory / 2 < USUAL_PART ? j->memory / 2 : USUAL_PART;
    if (o->op->cut == TESS_CUT_ELEMENTS && unit_bytes(o, c, EXTRA) > max) {
        c->sections = 1;
        c->units = c->whole.b * c->whole.d;
        c->inside = c->whole.d > 1;
    }
    const int64_t bytes = unit_bytes(o, c, EXTRA);
    c->n = bytes > 0 ? max / bytes : c->units;
    if (c->n < 1) c->n = 1;
    return c->n < c->units;
}

/* The units of the part that begins here: parts of sections end with their volume. */
static int64_t part_length(const cut *c, int64_t first)
{
    int64_t n = c->units - first < c->n ? c->units - first : c->n;
    if (c->inside && n > c->whole.d - first % c->whole.d) n = c->whole.d - first % c->whole.d;
    return n;
}

/* Inputs of one part: what is cut is read, what is not was read at the first. */
static tess_status read_part(operands *o, job *j, const cut *c, int64_t first, int64_t n)
{
    for (size_t i = 0; i < o->op->n_args; i++) {
        if (!o->is_file[i]) continue;
        if (!is_cut(o, i, c)) {
            if (!o->is_read[i]) TESS_TRY(input_read_all(&o->inputs[i], j, &o->arrays[i], TESS_DTYPE_NONE));
            o->is_read[i] = true;
            continue;
        }
        tess_release(&o->arrays[i]);
        TESS_TRY(input_read(&o->inputs[i], &o->arrays[i], first * c->sections, n * c->sections, TESS_DTYPE_NONE));
        tess_shape shape = o->arrays[i].shape;
        shape.b = c->inside ? 1 : n;
        shape.d = c->inside ? n : c->sections;
        const tess_array images = o->arrays[i];
        TESS_TRY(tess_reshape(&o->arrays[i], &images, shape));
    }
    return TESS_OK;
}

static void set_batches(operands *o, int64_t n)
{
    for (size_t i = 0; i < o->op->n_args; i++)
        if (o->op->args[i].flags & TESS_ARG_COUNTS_BATCH && o->values[i].shape.b != 0) o->values[i].shape.b = n;
}

/* The shape of all parts together. */
static tess_status whole_shape(const operands *o, const cut *c, int64_t n, const result *r, tess_shape *shape)
{
    *shape = r->array->shape;
    const int64_t b = c->inside ? 1 : n;
    TESS_CHECK(shape->b == b, TESS_ESHAPE, "%s: %s has %" PRId64 " batches for %" PRId64, o->op->name, r->name,
               shape->b, b);
    shape->b = c->whole.b;
    if (c->inside) shape->d = c->whole.d;
    return TESS_OK;
}

static tess_status start_result(operands *o, job *j, const cut *c, int64_t n, result *r)
{
    tess_shape shape;
    tess_meta  meta;
    TESS_TRY(whole_shape(o, c, n, r, &shape));
    if (r->file) {
        result_meta(o, j, shape, &meta);
        TESS_TRY(output_start(&r->out, j, r->file, shape, r->array->dtype, &meta));
        r->started = true;
        return TESS_OK;
    }
    TESS_CHECK(shape.b * shape.d * shape.h * shape.w <= MAX_PRINTED, TESS_EARG,
               "%s: %s is too large to be printed; name a file with -o", o->op->name, r->name);
    return tess_empty(&r->whole, shape, r->array->dtype, tess_cpu());
}

static tess_status take_result(operands *o, job *j, const cut *c, int64_t first, int64_t n, result *r)
{
    if (!r->file && !o->prints) return TESS_OK;
    if (first == 0) TESS_TRY(start_result(o, j, c, n, r));
    if (r->file) return output_append(&r->out, r->array);
    tess_array target;
    TESS_TRY(tess_slice(&target, &r->whole, 0, first, first + n, 1));
    return tess_copy(&target, r->array);
}

static tess_status run_part(operands *o, job *j, const cut *c, int64_t first, int64_t n)
{
    TESS_TRY(read_part(o, j, c, first, n));
    if (!c->inside) set_batches(o, n);
    TESS_TRY(call_on_device(o, j));
    for (int i = 0; i < o->n_results; i++) {
        TESS_TRY(take_result(o, j, c, first, n, &o->results[i]));
        tess_release(o->results[i].array);
    }
    return TESS_OK;
}

static tess_status run_parts(operands *o, job *j, const cut *c, progress *p)
{
    for (int64_t first = 0, n; first < c->units; first += n) {
        n = part_length(c, first);
        TESS_TRY_NOTE(run_part(o, j, c, first, n), "%s %" PRId64 " to %" PRId64, c->inside ? "sections" : "batches",
                      first, first + n - 1);
        progress_add(p, n);
    }
    for (int i = 0; i < o->n_results; i++) {
        result *r = &o->results[i];
        if (!r->started) continue;
        r->started = false;
        TESS_TRY(output_finish(&r->out, j));
    }
    return TESS_OK;
}

tess_status run_in_parts(operands *o, job *j, bool *done)
{
    cut       c = { .n = 0 };
    progress *p = NULL;
    *done = find_cut(o, j, &c);
    if (!*done) return TESS_OK;
    job_detail(j, "%s in parts of %" PRId64 " of %" PRId64, o->op->name, c.n, c.units);
    if (o->prints && c.inside) {
        TESS_FAIL(TESS_EARG, "%s: the result is too large to be printed; name a file with -o", o->op->name);
    }
    TESS_TRY(progress_start(&p, j, c.inside || c.whole.d == 1 ? "images" : "volumes", c.units, unit_bytes(o, &c, 0)));
    const tess_status status = run_parts(o, j, &c, p);
    progress_end(p);
    return status;
}
