/* Matrix products (GEMM): checks and request. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "tessera/linalg.h"

static const char fn[] = "matmul";

static const tess_choice forms[] = {
    { "as_is", TESS_MATRIX_AS_IS, "unchanged" },
    { "transpose", TESS_MATRIX_TRANSPOSE, "transposed" },
    { "conjugate", TESS_MATRIX_CONJUGATE, "transposed and conjugated" },
    { NULL, 0, NULL },
};
static const tess_arg_info args[] = {
    TESS__OUT("out", "alpha a b + beta out; must not overlap a or b", .axes = "B,D,m,n"),
    TESS__IN("a", "{B,D,M,K}", .axes = "B,D,m,k"),
    TESS__IN("b", "{B,D,K,N}", .sample = "b,d,w,3", .axes = "B,D,k,n"),
    TESS__OPT_CHOICE(tess_matmul_opts, form_a, TESS_MATRIX_AS_IS, forms, "form in which a is used"),
    TESS__OPT_CHOICE(tess_matmul_opts, form_b, TESS_MATRIX_AS_IS, forms, "form in which b is used"),
    TESS__OPT_F64(tess_matmul_opts, alpha, "", 1, -DBL_MAX, DBL_MAX, "factor of the product a b"),
    TESS__OPT_F64(tess_matmul_opts, beta, "", 0, -DBL_MAX, DBL_MAX, "factor of the previous content of out"),
};
TESS__CALL(matmul, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_matmul =
    TESS__OP_OPTS(TESS_CUT_BATCHES, matmul, "linalg", "Multiply matrices.", args, tess_matmul_opts);

/* The matrix as the product sees it: {.., rows, columns}. */
static tess_array formed(const tess_array *x, int32_t form)
{
    tess_array view = *x;
    if (form == TESS_MATRIX_AS_IS) return view;
    view.shape.h = x->shape.w, view.shape.w = x->shape.h;
    view.strides.h = x->strides.w, view.strides.w = x->strides.h;
    return view;
}

/* B and D of the result. */
static tess_status common_batches(tess_shape *shape, const tess_array *a, const tess_array *b)
{
    char text[2][TESS__SHAPE_TEXT];
    for (int d = 0; d < 2; d++) {
        const int64_t x = a->shape.dim[d], y = b->shape.dim[d];
        TESS_CHECK(x == y || x == 1 || y == 1, TESS_ESHAPE,
                   "%s: `a` has shape %s and b %s: axis %d must be equal, or 1 in one of them", fn,
                   tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], b->shape.dim), d);
        shape->dim[d] = x == 1 ? y : x;
    }
    return TESS_OK;
}

static tess_status check_shapes(tess_shape *shape, const tess_array *a, const tess_array *b, const tess_matmul_opts *o)
{
    char             text[2][TESS__SHAPE_TEXT];
    const tess_array left = formed(a, o->form_a), right = formed(b, o->form_b);
    TESS_TRY(common_batches(shape, a, b));
    TESS_CHECK(left.shape.w == right.shape.h, TESS_ESHAPE,
               "%s: `a` has shape %s%s and b %s%s: %" PRId64 " columns of a meet %" PRId64
               " rows of b; the numbers must be equal",
               fn, tess__shape_text(text[0], a->shape.dim), o->form_a == TESS_MATRIX_AS_IS ? "" : ", transposed,",
               tess__shape_text(text[1], b->shape.dim), o->form_b == TESS_MATRIX_AS_IS ? "" : ", transposed",
               left.shape.w, right.shape.h);
    shape->h = left.shape.h;
    shape->w = right.shape.w;
    return TESS_OK;
}

/* A factor as the dtype holds it: integers are multiplied by integers, floats by floats of their range. */
static tess_status round_factor(const char *name, double *value, tess_dtype dtype)
{
    char       text[2][32];
    const bool whole = tess_dtype_kind(dtype) != TESS_KIND_FLOAT && tess_dtype_kind(dtype) != TESS_KIND_COMPLEX;
    TESS_CHECK(!whole || (*value == trunc(*value) && fabs(*value) <= 0x1p53), TESS_ERANGE,
               "%s: `opts->%s` is %s; for results of %s an integer from -2^53 to 2^53 is needed", fn, name,
               tess__number_text(text[0], *value), tess_dtype_name(dtype));
    if (tess_dtype_real(dtype) != TESS_F32) return TESS_OK;
    const float rounded = fabs(*value) < 0x1.ffffffp127 ? (float)*value : INFINITY;
    TESS_CHECK(isfinite(rounded), TESS_ERANGE,
               "%s: `opts->%s` is %s; for results of %s its magnitude must be at most %s", fn, name,
               tess__number_text(text[0], *value), tess_dtype_name(dtype), tess__number_text(text[1], (double)FLT_MAX));
    *value = (double)rounded;
    return TESS_OK;
}

/* `x` in this dtype, every element once: `held` keeps what had to be converted. */
static tess_status converted(tess_array *x, tess_array *held, tess_dtype dtype)
{
    if (x->dtype == dtype) return TESS_OK;
    tess_array once = *x;
    for (int d = 0; d < 4; d++)
        if (x->strides.dim[d] == 0 && x->shape.dim[d] > 1) once.shape.dim[d] = 1;
    once.flags &= ~(uint32_t)(TESS_SCALAR | TESS_WEAK);
    TESS_TRY(tess_cast(held, &once, dtype, NULL));
    const tess_shape shape = x->shape;
    TESS_TRY(tess_broadcast(x, held, shape));
    return TESS_OK;
}

/* Strides of 0 where the matrices of one are used again. */
static void broadcast_batches(tess_array *x, tess_shape shape)
{
    for (int d = 0; d < 2; d++) {
        if (x->shape.dim[d] == 1) x->strides.dim[d] = 0;
        x->shape.dim[d] = shape.dim[d];
    }
}

static tess_status run(const tess_array *out, const tess_array *a, const tess_array *b, const tess_matmul_opts *o)
{
    tess_array   held[2] = { { .data = NULL } };
    tess_status  status = TESS_OK;
    tess__matmul work = { .name = fn,
                          .dtype = out->dtype,
                          .conjugate = { o->form_a == TESS_MATRIX_CONJUGATE, o->form_b == TESS_MATRIX_CONJUGATE },
                          .alpha = o->alpha,
                          .beta = o->beta,
                          .out = *out,
                          .a = formed(a, o->form_a),
                          .b = formed(b, o->form_b) };
    work.m = work.a.shape.h, work.k = work.a.shape.w, work.n = work.b.shape.w;
    if (work.k == 0) work.alpha = o->beta != 0 ? -1 : 1; /* -0 is the neutral element: it leaves even -0 unchanged */
    else {
        TESS_GOTO(done, status, converted(&work.a, &held[0], out->dtype));
        TESS_GOTO(done, status, converted(&work.b, &held[1], out->dtype));
    }
    broadcast_batches(&work.a, out->shape);
    broadcast_batches(&work.b, out->shape);
    TESS_GOTO(done, status, tess__matmul_run(&work));
done:
    tess_release(&held[0]);
    tess_release(&held[1]);
    return status;
}

tess_status tess_matmul(tess_array *out, const tess_array *a, const tess_array *b, const tess_matmul_opts *opts)
{
    TESS__FLOAT_SCOPE();
    tess_matmul_opts  o;
    tess_shape        shape;
    const tess_array *inputs[2] = { a, b };
    TESS_TRY(tess__resolve(&tess__info_matmul, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "a", a));
    TESS_TRY(tess__check_numbers(fn, "b", b));
    TESS_TRY(check_shapes(&shape, a, b, &o));
    const tess_dtype dtype = tess__sum_of(tess__promote_all(inputs, 2));
    TESS_TRY(round_factor("alpha", &o.alpha, dtype));
    TESS_TRY(round_factor("beta", &o.beta, dtype));
    const bool made = tess__is_empty_out(out);
    TESS_CHECK(!made || o.beta == 0, TESS_EARG,
               "%s: `out` is not allocated and `opts->beta` is not 0: there is nothing to add to", fn);
    TESS_TRY(tess__output(fn, out, shape, dtype, a->device));
    tess_array  held[2] = { { .data = NULL } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__check_device_of(fn, "b", b, "a", a));
    TESS_GOTO(done, status, tess__check_overlap(fn, out, "a", a, false));
    TESS_GOTO(done, status, tess__check_overlap(fn, out, "b", b, false));
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held[0], fn, &a));
    TESS_GOTO(done, status, tess__hold(&held[1], fn, &b));
    TESS_GOTO(done, status, run(out, a, b, &o));
done:
    tess_release(&held[0]);
    tess_release(&held[1]);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}
