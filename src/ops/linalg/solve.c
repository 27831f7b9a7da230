/* Square matrices by LU factors: equations, inverses, determinants. */
#include "core/check/check.h"
#include "core/check/text.h"
#include "core/device/cancel.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/linalg/decompose.h"
#include "tessera/linalg.h"

/* ---- Equations ---- */

static const tess_arg_info solve_args[] = {
    TESS__OUT("x", "the solutions {B,D,N,K} of a x = b", .axes = "B,D,n,k"),
    TESS__IN("a", "square matrices {B,D,N,N}", .sample = "b,d,w,w identity", .axes = "B,D,n,n"),
    TESS__IN("b", "{B,D,N,K}", .sample = "b,d,w,2", .axes = "B,D,n,k"),
};
TESS__CALL(solve, v[0].out, v[1].in, v[2].in)
const tess_function_info tess__info_solve =
    TESS__OP(TESS_CUT_NONE, solve, "linalg", "Solve linear equations with square matrices.", solve_args);

/* Checks that the shapes of a and b fit, and sets B and D of the result. */
static tess_status meet(tess__decompose *work, const tess_array *a, const tess_array *b)
{
    char text[2][TESS__SHAPE_TEXT];
    for (int d = 0; d < 2; d++) {
        const int64_t x = a->shape.dim[d], y = b->shape.dim[d];
        TESS_CHECK(x == y || x == 1 || y == 1, TESS_ESHAPE,
                   "%s: `a` has shape %s and b %s: axis %d must be equal, or 1 in one of them", work->name,
                   tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], b->shape.dim), d);
        work->batches.dim[d] = x == 1 ? y : x;
    }
    TESS_CHECK(a->shape.h == b->shape.h, TESS_ESHAPE,
               "%s: `a` has shape %s and b %s: both must have the same number of rows (axis 2)", work->name,
               tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], b->shape.dim));
    work->k = b->shape.w;
    return TESS_OK;
}

tess_status tess_solve(tess_array *x, const tess_array *a, const tess_array *b)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess__decompose work = { .name = "solve", .kind = TESS__SOLVE };
    tess__outputs   out = { .fn = work.name };
    TESS_TRY(tess__check_pointer(work.name, "x", x));
    TESS_TRY(tess__decompose_begin(&work, "a", a));
    TESS_TRY(tess__check_numbers(work.name, "b", b));
    TESS_TRY(meet(&work, a, b));
    TESS_TRY(tess__check_device_of(work.name, "a", a, "b", b));
    tess__wants(&out, "x", x, TESS_SHAPE(work.batches.b, work.batches.d, work.n, work.k), tess__decompose_dtype(a, b),
                a->device);
    tess__reads(&out, "a", a);
    tess__reads(&out, "b", b);
    return tess__decompose_end(&work, &out, (tess_array *const[3]){ x }, a, b);
}

/* ---- Inverses ---- */

static const tess_arg_info inverse_args[] = {
    TESS__OUT("out", "the inverse matrices {B,D,N,N}", .axes = "B,D,n,n"),
    TESS__IN("in", "square matrices {B,D,N,N}", .sample = "b,d,w,w identity", .axes = "B,D,n,n"),
};
TESS__CALL(inverse, v[0].out, v[1].in)
const tess_function_info tess__info_inverse =
    TESS__OP(TESS_CUT_NONE, inverse, "linalg", "Invert matrices.", inverse_args);

tess_status tess_inverse(tess_array *out, const tess_array *in)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess__decompose work = { .name = "inverse", .kind = TESS__INVERSE };
    tess__outputs   outputs = { .fn = work.name };
    TESS_TRY(tess__check_pointer(work.name, "out", out));
    TESS_TRY(tess__decompose_begin(&work, "in", in));
    tess__wants(&outputs, "out", out, in->shape, tess__decompose_dtype(in, NULL), in->device);
    tess__reads(&outputs, "in", in);
    return tess__decompose_end(&work, &outputs, (tess_array *const[3]){ out }, in, NULL);
}

/* ---- Determinants ---- */

static const tess_arg_info determinant_args[] = {
    TESS__OUT("out", "the determinants {B,D,1,1}", .axes = "B,D,1,1"),
    TESS__IN("in", "square matrices {B,D,N,N}", .sample = "b,d,w,w identity", .axes = "B,D,n,n"),
    TESS__OPT_RESULT(tess_determinant_opts, sign, tess_array *,
                     "receives {B,D,1,1}: the determinant over its magnitude, 0 for 0", .axes = "B,D,1,1"),
    TESS__OPT_RESULT(tess_determinant_opts, log_abs, tess_array *,
                     "receives {B,D,1,1}: the natural logarithm of its magnitude", .axes = "B,D,1,1"),
};
TESS__CALL(determinant, v[0].out, v[1].in, opts)
const tess_function_info tess__info_determinant = TESS__OP_OPTS(
    TESS_CUT_NONE, determinant, "linalg", "Compute determinants of matrices.", determinant_args, tess_determinant_opts);

tess_status tess_determinant(tess_array *out, const tess_array *in, const tess_determinant_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_determinant_opts o;
    tess__decompose       work = { .name = "determinant", .kind = TESS__DETERMINANT };
    tess__outputs         outputs = { .fn = work.name };
    TESS_TRY(tess__resolve(&tess__info_determinant, opts, &o));
    TESS_TRY(tess__check_pointer(work.name, "out", out));
    TESS_TRY(tess__decompose_begin(&work, "in", in));
    const tess_dtype dtype = tess__decompose_dtype(in, NULL);
    tess__wants(&outputs, "out", out, work.batches, dtype, in->device);
    tess__wants(&outputs, "opts->sign", o.sign, work.batches, dtype, in->device);
    tess__wants(&outputs, "opts->log_abs", o.log_abs, work.batches, tess_dtype_real(dtype), in->device);
    tess__reads(&outputs, "in", in);
    return tess__decompose_end(&work, &outputs, (tess_array *const[3]){ out, o.sign, o.log_abs }, in, NULL);
}
