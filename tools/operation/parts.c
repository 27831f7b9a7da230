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
    const tess_shape s = shape_of_file(o, i);
    if (!has_batches(o, i)) return false;
    if (o->op->cut == TESS_CUT_BATCHES) return s.b == c->whole.b && s.b > 1;
    return s.b * s.d == c->whole.b * c->whole.d && s.b * s.d > 1;
}

/* What has parameters for each batch has these batches: cut to one, an input of one would do. */
static bool all_have(const operands *o, int64_t b)
{
    for (size_t i = 0; i < o->op->n_args; i++) {
        const bool is_main = o->op->args[i].role == TESS_ROLE_IN && !(o->op->args[i].flags & TESS_ARG_ROWS);
        if (is_main && o->is_file[i] && o->inputs[i].info.shape.b != b) return false;
    }
    return true;
}

/* Do all inputs have the batches of the largest, or one? Of what is cut anywhere, also its sections, or one. */
static bool find_whole(const operands *o, cut *c)
{
    const bool by_batches = o->op->cut == TESS_CUT_BATCHES;
    c->whole = TESS_SHAPE(1, 1, 1, 1);
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_shape s = shape_of_file(o, i);
        if (has_batches(o, i) && (by_batches ? s.b > c->whole.b : s.b * s.d > c->whole.b * c->whole.d)) c->whole = s;
    }
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_shape s = shape_of_file(o, i);
        const bool       same = s.b == c->whole.b && (by_batches || s.d == c->whole.d);
        if (has_batches(o, i) && !same && !(s.b == 1 && (by_batches || s.d == 1))) return false;
        if (o->op->args[i].flags & TESS_ARG_ROWS && s.b > 1 && !all_have(o, s.b)) return false;
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
            if (axes == 0) axes = row->fallback != 0 || row->role == TESS_ROLE_OPTION ? (int32_t)row->fallback : TESS_B;
            if (axes & TESS_B) return false;
        }
        if (row->role == TESS_ROLE_OPTION && row->flags & TESS_ARG_JOINS) {
            memcpy(&axes, (const char *)o->opts + row->offset, sizeof axes);
            if (axes != 0) return false;
        }
        if (row->role != TESS_ROLE_REQUIRED) continue;
        if (row->type == TESS_ARG_AXIS && (axes == 0 || axes == -4)) return false;
        const int64_t b = o->values[i].shape.b;
        if (row->flags & TESS_ARG_COUNTS_BATCH && b != c->whole.b && b != 0) return false;
        if (row->flags & TESS_ARG_PER_AXIS && b != (int64_t)row->fallback) return false;
    }
    return true;
}

/* Bytes of a unit as it is read, and what work and result take: `extra` for each element that is read or, where only
 * parameters are, of the shape that is made. */
static int64_t unit_bytes(const operands *o, const cut *c, int64_t extra)
{
    int64_t bytes = 0, made = 0;
    bool    by_parameters = true;
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_shape given = o->values[i].shape;
        if (o->op->args[i].flags & TESS_ARG_COUNTS_BATCH) made = given.d * given.h * given.w * extra;
        if (!is_cut(o, i, c)) continue;
        by_parameters = by_parameters && o->op->args[i].role == TESS_ROLE_OPTION;
        const tess_shape s = shape_of_file(o, i);
        const int64_t    sections = o->op->cut == TESS_CUT_BATCHES ? s.d : c->sections;
        bytes += sections * s.h * s.w * ((int64_t)tess_dtype_size(o->inputs[i].info.dtype) + extra);
    }
    return by_parameters ? bytes + made : bytes;
}

/* Bytes of the inputs that are not cut. */
static int64_t held_bytes(const operands *o, const cut *c)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_shape s = shape_of_file(o, i);
        if (o->is_file[i] && !is_cut(o, i, c))
            bytes += s.b * s.d * s.h * s.w * (int64_t)tess_dtype_size(o->inputs[i].info.dtype);
    }
    return bytes;
}

/* Elements of a result have at most 16 bytes. */
static int64_t extra_bytes(const tess_function_info *op) { return op->work_bytes ? op->work_bytes : 16; }

static bool find_cut(const operands *o, const job *j, cut *c)
{
    if (o->op->cut == TESS_CUT_NONE || !first_file(o) || !find_whole(o, c)) return false;
    if (o->op->cut == TESS_CUT_BATCHES && !leaves_batches(o, c)) return false;
    c->sections = c->whole.d;
    c->units = c->whole.b;
    const int64_t left = (j->memory - held_bytes(o, c)) / 2, max = left < USUAL_PART ? left : USUAL_PART;
    const int64_t extra = extra_bytes(o->op);
    if (o->op->cut == TESS_CUT_ELEMENTS && unit_bytes(o, c, extra) > max) {
        c->sections = 1;
        c->units = c->whole.b * c->whole.d;
        c->inside = c->whole.d > 1;
    }
    const int64_t bytes = unit_bytes(o, c, extra);
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

static tess_status copy_rows(tess_array *rows, const tess_array *all, int64_t first)
{
    tess_array some;
    TESS_TRY(tess_slice(&some, all, 2, first, first + rows->shape.h, 1));
    return tess_copy(rows, &some);
}

/* Of one input, the units from `first` on. */
static tess_status read_units(operands *o, const cut *c, size_t i, int64_t first, int64_t n)
{
    const tess_shape whole = shape_of_file(o, i);
    const int64_t    sections = o->op->cut == TESS_CUT_BATCHES ? whole.d : c->sections;
    tess_array      *a = &o->arrays[i];
    tess_release(a);
    if (o->is_rows[i]) {
        const tess_range rows = tess_from_to(first, first + n), all = { .kind = TESS_RANGE_ALL };
        TESS_TRY(tess_empty(a, TESS_SHAPE(1, 1, n, whole.w), o->inputs[i].info.dtype, tess_cpu()));
        TESS_TRY(o->tables[i].data ? copy_rows(a, &o->tables[i], first)
                                   : input_read_part(&o->inputs[i], a, 0, rows, all));
    } else {
        TESS_TRY(input_read(&o->inputs[i], a, first * sections, n * sections, TESS_DTYPE_NONE));
    }
    const tess_array images = *a;
    return tess_reshape(a, &images, TESS_SHAPE(c->inside ? 1 : n, c->inside ? n : sections, whole.h, whole.w));
}

/* Inputs of one part: what is cut is read, what is not was read at the first. */
static tess_status read_part(operands *o, job *j, const cut *c, int64_t first, int64_t n)
{
    for (size_t i = 0; i < o->op->n_args; i++) {
        if (!o->is_file[i] || o->is_read[i]) continue;
        o->is_read[i] = !is_cut(o, i, c);
        TESS_TRY(o->is_read[i] ? read_file(o, j, i) : read_units(o, c, i, first, n));
    }
    return TESS_OK;
}

/* Shapes have the batches of the part. */
static void set_batches(operands *o, int64_t n)
{
    for (size_t i = 0; i < o->op->n_args; i++)
        if (o->op->args[i].flags & TESS_ARG_COUNTS_BATCH && o->values[i].shape.b != 0) o->values[i].shape.b = n;
}

/* What counts batches from the first of the whole goes on with those of the next part. */
static void go_on(operands *o, int64_t n)
{
    for (size_t i = 0; i < o->op->n_args; i++) {
        int64_t first;
        char   *field = (char *)o->opts + o->op->args[i].offset;
        if (!(o->op->args[i].flags & TESS_ARG_FIRST)) continue;
        memcpy(&first, field, sizeof first);
        first += n;
        memcpy(field, &first, sizeof first);
    }
}

/* The shape of all parts together. */
static tess_status whole_shape(const operands *o, const cut *c, int64_t n, const result *r, tess_shape *shape)
{
    *shape = r->array->shape;
    const int64_t b = c->inside ? 1 : n;
    if (r->of_all) return TESS_OK;
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
        TESS_TRY(result_meta(o, j, shape, &meta));
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
    if ((!r->file && !o->prints) || (r->of_all && first > 0)) return TESS_OK;
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
    if (!c->inside) go_on(o, n);
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
