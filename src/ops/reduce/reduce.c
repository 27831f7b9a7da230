/* Reductions: the checks, results' dtypes and output rule that all of them share. */
#include "ops/reduce/reduce.h"

#include <string.h>

#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/check/text.h"

/* ---- Inputs ---- */

static tess_status set_axes(tess__reducing *c, const char *fn, int axes)
{
    TESS_TRY(tess__check_axis_set(fn, axes));
    tess__reduce *work = &c->work;
    int64_t       numbers = 1;
    work->name = fn;
    work->axes = axes ? axes : TESS_ALL_AXES;
    work->ddof = 0;
    work->skip_nan = work->compensated = false;
    work->n_items = 0;
    c->n_made = 0;
    if (work->axes == TESS_ALL_AXES) {
        c->result = tess_shape_of(1, 1, 1, 1);
        c->one = true;
        c->nothing = !tess__sizes_have_elements(&work->shape);
        return TESS_OK;
    }
    c->result = work->shape;
    for (int d = 0; d < 4; d++) {
        if (!(work->axes & TESS_B << d)) continue;
        numbers *= work->shape.dim[d];
        c->result.dim[d] = 1;
    }
    c->one = tess__all_ones(&c->result);
    c->nothing = numbers == 0 && tess__sizes_have_elements(&c->result);
    return TESS_OK;
}

tess_status tess__reduce_begin(tess__reducing *c, const char *fn, const tess_array *in, int axes)
{
    TESS_TRY(tess__check_numbers(fn, "in", in));
    c->names[0] = "in";
    c->work.n_inputs = 1;
    c->work.in[0] = *in;
    c->work.shape = in->shape;
    c->work.dtype = in->dtype;
    TESS_TRY(set_axes(c, fn, axes));
    return TESS_OK;
}

tess_status tess__reduce_begin_two(tess__reducing *c, const char *fn, const char *const names[2], const tess_array *a,
                                   const tess_array *b, int axes, bool weights)
{
    TESS_TRY(tess__check_numbers(fn, names[0], a));
    TESS_TRY(tess__check_numbers(fn, names[1], b));
    c->names[0] = names[0];
    c->names[1] = names[1];
    c->work.n_inputs = 2;
    c->work.in[0] = *a;
    c->work.in[1] = *b;
    if (weights) {
        c->work.shape = a->shape;
        c->work.dtype = a->dtype;
        TESS_TRY(tess__check_broadcast(fn, names[1], b, names[0], &a->shape));
        TESS_CHECK(tess_dtype_kind(b->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
                   "%s: `%s` is %s; real numbers are needed", fn, names[1], tess_dtype_name(b->dtype));
    } else {
        const tess_array *const both[2] = { a, b };
        c->work.dtype = tess__promote(both, 2);
        TESS_TRY(tess__common_shape(&c->work.shape, fn, names, both, 2));
        TESS_TRY(tess__check_shape(fn, names[0], c->work.shape, c->work.dtype));
    }
    TESS_TRY(set_axes(c, fn, axes));
    if (!((a->flags | b->flags) & TESS_SCALAR)) TESS_TRY(tess__check_device_of(fn, names[0], a, names[1], b));
    if (a->flags & TESS_SCALAR) c->work.in[0].device = b->device;
    return TESS_OK;
}

/* ---- Results ---- */

static tess_dtype mean_dtype(tess_dtype d)
{
    const tess_dtype s = tess__sum_of(d);
    return s == TESS_I64 || s == TESS_U64 ? TESS_F64 : s;
}

/* The dtype of a new output `which` of a reduction. */
static tess_dtype result_dtype(int op, int which, tess_dtype d)
{
    switch (op) {
    case TESS__R_SUM:
    case TESS__R_PROD:
    case TESS__R_DOT: return tess__sum_of(d);
    case TESS__R_MEAN:
    case TESS__R_WEIGHTED_MEAN: return mean_dtype(d);
    case TESS__R_VAR:
    case TESS__R_STD: return which ? tess_dtype_real(mean_dtype(d)) : mean_dtype(d);
    case TESS__R_MINMAX: return d;
    case TESS__R_ARGMIN:
    case TESS__R_ARGMAX:
    case TESS__R_COUNT: return TESS_I64;
    case TESS__R_ANY:
    case TESS__R_ALL: return TESS_BOOL;
    default: return tess_dtype_real(mean_dtype(d));
    }
}

static bool needs_order(int op)
{
    return op == TESS__R_MINMAX || op == TESS__R_ARGMIN || op == TESS__R_ARGMAX || op == TESS__R_LOGSUMEXP;
}

static bool needs_elements(int op)
{
    return op == TESS__R_MEAN || op == TESS__R_MINMAX || op == TESS__R_ARGMIN || op == TESS__R_ARGMAX ||
           op == TESS__R_WEIGHTED_MEAN || op == TESS__R_RMSD;
}

bool tess__reduce_mean_disjoint(const tess__reducing *c, int op)
{
    const tess_kind kind = tess_dtype_kind(c->work.dtype);
    return (op == TESS__R_VAR || op == TESS__R_STD) && (kind == TESS_KIND_INT || kind == TESS_KIND_UINT) &&
           tess_dtype_size(c->work.dtype) >= 4;
}

tess_status tess__reduce_need_elements(const tess__reducing *c)
{
    char text[TESS__SHAPE_TEXT];
    TESS_CHECK(!c->nothing, TESS_ESHAPE, "%s: `%s` has shape %s with no elements; this result needs at least one",
               c->work.name, c->names[0], tess__shape_text(text, c->work.shape.dim));
    return TESS_OK;
}

tess_status tess__reduce_add(tess__reducing *c, int op)
{
    tess__reduce    *work = &c->work;
    const tess_dtype d = work->dtype;
    if (needs_order(op)) TESS_TRY(tess__check_ordered(work->name, c->names[0], d));
    if (needs_elements(op)) TESS_TRY(tess__reduce_need_elements(c));
    const int i = work->n_items++;
    work->item[i].op = op;
    work->item[i].out[0].data = work->item[i].out[1].data = NULL;
    return TESS_OK;
}

/* A function of its own, so that the fast path has a small stack frame. */
__attribute__((noinline)) static tess_status check_made(const tess__reducing *c, const char *name,
                                                        const tess_array *out, tess_dtype dtype)
{
    const char *fn = c->work.name;
    char        have[TESS__SHAPE_TEXT], want[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_writable(fn, name, out));
    TESS_CHECK(memcmp(&out->shape, &c->result, sizeof c->result) == 0, TESS_ESHAPE,
               "%s: `%s` has shape %s; %s is needed: size 1 in the reduced axes", fn, name,
               tess__shape_text(have, out->shape.dim), tess__shape_text(want, c->result.dim));
    TESS_TRY(tess__check_converts(fn, name, out, dtype));
    TESS_TRY(tess__check_device_of(fn, name, out, c->names[0], &c->work.in[0]));
    for (int k = 0; k < c->work.n_inputs; k++)
        if (!(c->work.in[k].flags & TESS_SCALAR))
            TESS_TRY(tess__check_disjoint(fn, name, out, c->names[k], &c->work.in[k]));
    for (int k = 0; k < 2 * c->work.n_items; k++) {
        const tess_array *other = &c->work.item[k / 2].out[k % 2];
        if (other->data && tess__has_elements(out))
            TESS_TRY(tess__check_disjoint(fn, name, out, c->output_names[k], other));
    }
    return TESS_OK;
}

/* Fast path: one of at most two numbers that one contiguous input is reduced to, of the result's own dtype, disjoint
 * from the input and from the other number. */
static inline bool is_fast_scalar(const tess__reducing *c, int which, const tess_array *out, tess_dtype dtype)
{
    const tess_array *in = &c->work.in[0], *other = &c->work.item[0].out[1 - which];
    return c->one && tess__all_ones(&out->shape) && out->data && out->dtype == dtype && out->flags == 0 &&
           c->work.n_items == 1 && c->work.n_inputs == 1 && tess__same_device(out->device, in->device) &&
           tess__is_contiguous(in) && tess__rows_disjoint(out, 1, in, tess__elements(in)) &&
           (!other->data || tess__rows_disjoint(out, 1, other, 1));
}

tess_status tess__reduce_output(tess__reducing *c, int which, const char *name, tess_array *out)
{
    const int        i = c->work.n_items - 1, op = c->work.item[i].op;
    const tess_dtype dtype = result_dtype(op, which, c->work.dtype);
    TESS_TRY(tess__check_pointer(c->work.name, name, out));
    if ((op == TESS__R_VAR || op == TESS__R_STD) && which == 0) TESS_TRY(tess__reduce_need_elements(c)); /* the mean */
    if (tess__is_empty_out(out)) {
        TESS_TRY(tess__make(c->work.name, out, c->result, dtype, c->work.in[0].device, false));
        c->made[c->n_made++] = out;
    } else if (!is_fast_scalar(c, which, out, dtype)) {
        TESS_TRY(check_made(c, name, out, dtype));
    }
    c->work.item[i].out[which] = *out;
    c->output_names[2 * i + which] = name;
    return TESS_OK;
}

void tess__reduce_to_host(tess__reducing *c, int which, void *out, tess_dtype dtype)
{
    const int i = c->work.n_items - 1;
    c->work.item[i].out[which] = (tess_array){ .shape = { { 1, 1, 1, 1 } }, .data = out, .dtype = dtype };
}

tess_status tess__reduce_end(tess__reducing *c, tess_status status)
{
    if (status == TESS_OK && tess__sizes_have_elements(&c->result)) status = tess__reduce_run(&c->work);
    for (int k = 0; k < c->n_made && status != TESS_OK; k++) tess_release(c->made[k]);
    return status;
}
