/* Triangular factors of matrices: Cholesky and QR. */
#include "core/check/check.h"
#include "core/device/cancel.h"
#include "core/device/float_env.h"
#include "core/minmax.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/linalg/decompose.h"
#include "tessera/linalg.h"

/* ---- Cholesky ---- */

static const tess_arg_info cholesky_args[] = {
    TESS__OUT("out", "the triangular factors {B,D,N,N}", .axes = "B,D,n,n"),
    TESS__IN("in", "positive definite matrices {B,D,N,N}, of which one triangle is read", .sample = "b,d,w,w identity",
             .axes = "B,D,n,n"),
    TESS__FLAG(tess_cholesky_opts, upper, "read the upper triangle and return the upper factor"),
    TESS__OPT_I32(tess_cholesky_opts, unused, "", 0, 0, 0, "must be 0"),
};
TESS__CALL(cholesky, v[0].out, v[1].in, opts)
const tess_function_info tess__info_cholesky =
    TESS__OP_OPTS(TESS_CUT_NONE, cholesky, "linalg", "Compute Cholesky factors of positive definite matrices.",
                  cholesky_args, tess_cholesky_opts);

tess_status tess_cholesky(tess_array *out, const tess_array *in, const tess_cholesky_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_cholesky_opts o;
    tess__decompose    work = { .name = "cholesky", .kind = TESS__CHOLESKY };
    tess__outputs      outputs = { .fn = work.name };
    TESS_TRY(tess__resolve(&tess__info_cholesky, opts, &o));
    TESS_TRY(tess__check_pointer(work.name, "out", out));
    TESS_TRY(tess__decompose_begin(&work, "in", in));
    work.upper = o.upper;
    tess__wants(&outputs, "out", out, in->shape, tess__decompose_dtype(in, NULL), in->device);
    tess__reads(&outputs, "in", in);
    return tess__decompose_end(&work, &outputs, (tess_array *const[3]){ out }, in, NULL);
}

/* ---- Q R ---- */

static const tess_arg_info qr_args[] = {
    TESS__OUT_OPTIONAL("q", "orthonormal columns {B,D,M,K}, K = min(M,N); may be NULL", .axes = "B,D,m,k"),
    TESS__OUT("r", "upper triangular matrices {B,D,K,N}", .axes = "B,D,k,n"),
    TESS__IN("in", "matrices {B,D,M,N}", .axes = "B,D,m,n"),
    TESS__FLAG(tess_qr_opts, complete, "all M columns of q, and M rows of r"),
    TESS__OPT_I32(tess_qr_opts, unused, "", 0, 0, 0, "must be 0"),
};
TESS__CALL(qr, v[0].out, v[1].out, v[2].in, opts)
const tess_function_info tess__info_qr =
    TESS__OP_OPTS(TESS_CUT_NONE, qr, "linalg", "Factor matrices into orthonormal columns and a triangular matrix.",
                  qr_args, tess_qr_opts);

tess_status tess_qr(tess_array *q, tess_array *r, const tess_array *in, const tess_qr_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_qr_opts    o;
    tess__decompose work = { .name = "qr", .kind = TESS__QR };
    tess__outputs   outputs = { .fn = work.name };
    TESS_TRY(tess__resolve(&tess__info_qr, opts, &o));
    TESS_TRY(tess__check_pointer(work.name, "r", r));
    TESS_TRY(tess__decompose_begin(&work, "in", in));
    work.complete = o.complete;
    const tess_dtype dtype = tess__decompose_dtype(in, NULL);
    const int64_t    k = o.complete ? work.m : tess__min(work.m, work.n), b = in->shape.b, d = in->shape.d;
    tess__wants(&outputs, "q", q, TESS_SHAPE(b, d, work.m, k), dtype, in->device);
    tess__wants(&outputs, "r", r, TESS_SHAPE(b, d, k, work.n), dtype, in->device);
    tess__reads(&outputs, "in", in);
    return tess__decompose_end(&work, &outputs, (tess_array *const[3]){ q, r }, in, NULL);
}
