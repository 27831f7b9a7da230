/* Least squares: checks and request. */
#include <float.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "tessera/linalg.h"

static const char fn[] = "lstsq";

static const tess_arg_info args[] = {
    TESS__OUT("x", "{B,D,N,K}: the solution of smallest norm that minimises |a x - b|", .axes = "B,D,n,k"),
    TESS__IN("a", "{B,D,M,N}", .sample = "b,d,h,2", .axes = "B,D,m,n"),
    TESS__IN("b", "{B,D,M,K}", .sample = "b,d,h,1", .axes = "B,D,m,k"),
    TESS__AUTO_F64(
        tess_lstsq_opts, cond, "", "max(M,N) times the precision", -DBL_MAX, 1,
        "fraction of the largest singular value up to which others count as 0; negative: the precision alone"),
    TESS__OPT_RESULT(tess_lstsq_opts, singular_values, tess_array *,
                     "receives the singular values {B,D,1,min(M,N)}, in decreasing order", .axes = "B,D,1,n"),
    TESS__OPT_RESULT(tess_lstsq_opts, rank, tess_array *,
                     "receives the rank {B,D,1,1} (i64): how many singular values are not counted as 0",
                     .axes = "B,D,1,1"),
};
TESS__CALL(lstsq, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_lstsq =
    TESS__OP_OPTS(TESS_CUT_NONE, lstsq, "linalg", "Solve linear equations by least squares.", args, tess_lstsq_opts);

static tess_status check_shapes(tess_shape *batches, const tess_array *a, const tess_array *b)
{
    char text[2][TESS__SHAPE_TEXT];
    *batches = TESS_SHAPE(1, 1, 1, 1);
    for (int d = 0; d < 2; d++) {
        const int64_t x = a->shape.dim[d], y = b->shape.dim[d];
        TESS_CHECK(x == y || x == 1 || y == 1, TESS_ESHAPE,
                   "%s: `a` has shape %s and b %s: axis %d must be equal, or 1 in one of them", fn,
                   tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], b->shape.dim), d);
        batches->dim[d] = x == 1 ? y : x;
    }
    TESS_CHECK(a->shape.h == b->shape.h, TESS_ESHAPE,
               "%s: `a` has shape %s and b %s: both must have the same number of rows (axis 2)", fn,
               tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], b->shape.dim));
    return TESS_OK;
}

/* Without rows or columns there is nothing to solve: zeros. */
static tess_status fill_zeros(const tess__outputs *out)
{
    for (int i = 0; i < out->n; i++) TESS_TRY(tess_fill(out->wanted[i].array, 0));
    return TESS_OK;
}

/* The fraction of the largest singular value up to which others count as 0. */
static double resolve_cond(double cond, tess_dtype dtype, int64_t m, int64_t n)
{
    const double precision = tess_dtype_real(dtype) == TESS_F32 ? FLT_EPSILON : DBL_EPSILON;
    if (isnan(cond)) return precision * (double)(m > n ? m : n);
    return cond < 0 ? precision : cond;
}

static tess_status run(const tess_array *x, const tess_array *a, const tess_array *b, tess_shape batches,
                       const tess_lstsq_opts *o)
{
    const int64_t m = a->shape.h, n = a->shape.w;
    tess__lstsq   work = { .name = fn,
                           .kernel = tess_dtype_kind(x->dtype) == TESS_KIND_COMPLEX ? TESS_C64 : TESS_F64,
                           .cond = resolve_cond(o->cond, x->dtype, m, n),
                           .m = m,
                           .n = n,
                           .k = b->shape.w,
                           .batches = batches,
                           .x = *x,
                           .a = *a,
                           .b = *b };
    if (o->singular_values) work.values = *o->singular_values;
    if (o->rank) work.rank = *o->rank;
    TESS_TRY(tess__lstsq_run(&work));
    return TESS_OK;
}

/* The outputs and what they may not overlap. */
static tess__outputs outputs_of(tess_array *x, const tess_array *a, const tess_array *b, tess_shape batches,
                                const tess_lstsq_opts *o)
{
    const tess_array *inputs[2] = { a, b };
    const tess_dtype  dtype = tess__sum_of(tess__float_of(tess__promote_all(inputs, 2)));
    const int64_t     m = a->shape.h, n = a->shape.w, least = m < n ? m : n;
    tess__outputs     out = { .fn = fn };
    tess__wants(&out, "x", x, TESS_SHAPE(batches.b, batches.d, n, b->shape.w), dtype, a->device);
    tess__wants(&out, "opts->singular_values", o->singular_values, TESS_SHAPE(batches.b, batches.d, 1, least),
                tess_dtype_real(dtype), a->device);
    tess__wants(&out, "opts->rank", o->rank, batches, TESS_I64, a->device);
    tess__reads(&out, "a", a);
    tess__reads(&out, "b", b);
    return out;
}

tess_status tess_lstsq(tess_array *x, const tess_array *a, const tess_array *b, const tess_lstsq_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_lstsq_opts o;
    tess_shape      batches;
    tess_array      held[2] = { { .data = NULL } };
    tess_status     status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_lstsq, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "x", x));
    TESS_TRY(tess__check_numbers(fn, "a", a));
    TESS_TRY(tess__check_numbers(fn, "b", b));
    TESS_TRY(check_shapes(&batches, a, b));
    TESS_TRY(tess__check_device_of(fn, "a", a, "b", b));
    tess__outputs out = outputs_of(x, a, b, batches, &o);
    TESS_TRY(tess__outputs_take(&out));
    if (batches.b && batches.d && a->shape.h && a->shape.w) {
        TESS_GOTO(done, status, tess__hold(&held[0], fn, &a));
        TESS_GOTO(done, status, tess__hold(&held[1], fn, &b));
        TESS_GOTO(done, status, run(x, a, b, batches, &o));
    } else TESS_GOTO(done, status, fill_zeros(&out));
done:
    tess_release(&held[0]);
    tess_release(&held[1]);
    return tess__outputs_end(&out, status);
}
