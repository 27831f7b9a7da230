/* Eigenvalues and singular values of matrices, with their vectors. */
#include "core/check/check.h"
#include "core/device/cancel.h"
#include "core/device/float_env.h"
#include "core/minmax.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/linalg/decompose.h"
#include "tessera/linalg.h"

/* ---- Hermitian matrices ---- */

static const tess_arg_info eigh_args[] = {
    TESS__OUT("values", "the eigenvalues {B,D,1,N}, in ascending order", .axes = "B,D,1,n"),
    TESS__OUT_OPTIONAL("vectors", "the eigenvectors, in columns {B,D,N,N}; may be NULL", .axes = "B,D,n,n"),
    TESS__IN("in", "Hermitian matrices {B,D,N,N}, of which one triangle is read", .sample = "b,d,w,w identity",
             .axes = "B,D,n,n"),
    TESS__FLAG(tess_eigh_opts, upper, "read the upper triangle instead of the lower one"),
    TESS__OPT_I32(tess_eigh_opts, unused, "", 0, 0, 0, "must be 0"),
};
TESS__CALL(eigh, v[0].out, v[1].out, v[2].in, opts)
const tess_function_info tess__info_eigh =
    TESS__OP_OPTS(TESS_CUT_NONE, eigh, "linalg", "Compute eigenvalues and eigenvectors of Hermitian matrices.",
                  eigh_args, tess_eigh_opts);

tess_status tess_eigh(tess_array *values, tess_array *vectors, const tess_array *in, const tess_eigh_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_eigh_opts  o;
    tess__decompose work = { .name = "eigh", .kind = TESS__EIGH };
    tess__outputs   outputs = { .fn = work.name };
    TESS_TRY(tess__resolve(&tess__info_eigh, opts, &o));
    TESS_TRY(tess__check_pointer(work.name, "values", values));
    TESS_TRY(tess__decompose_begin(&work, "in", in));
    work.upper = o.upper;
    const tess_dtype dtype = tess__decompose_dtype(in, NULL);
    tess__wants(&outputs, "values", values, TESS_SHAPE(in->shape.b, in->shape.d, 1, work.n), tess_dtype_real(dtype),
                in->device);
    tess__wants(&outputs, "vectors", vectors, in->shape, dtype, in->device);
    tess__reads(&outputs, "in", in);
    return tess__decompose_end(&work, &outputs, (tess_array *const[3]){ values, vectors }, in, NULL);
}

/* ---- Singular values ---- */

static const tess_arg_info svd_args[] = {
    TESS__OUT_OPTIONAL("u", "orthonormal columns {B,D,M,K}, K = min(M,N); may be NULL", .axes = "B,D,m,k"),
    TESS__OUT("s", "the singular values {B,D,1,K}, in descending order", .axes = "B,D,1,k"),
    TESS__OUT_OPTIONAL("vh", "orthonormal rows {B,D,K,N}; may be NULL", .axes = "B,D,k,n"),
    TESS__IN("in", "matrices {B,D,M,N}", .axes = "B,D,m,n"),
    TESS__FLAG(tess_svd_opts, complete, "all M columns of u, and all N rows of vh"),
    TESS__OPT_I32(tess_svd_opts, unused, "", 0, 0, 0, "must be 0"),
};
TESS__CALL(svd, v[0].out, v[1].out, v[2].out, v[3].in, opts)
const tess_function_info tess__info_svd = TESS__OP_OPTS(
    TESS_CUT_NONE, svd, "linalg", "Compute singular value decompositions of matrices.", svd_args, tess_svd_opts);

tess_status tess_svd(tess_array *u, tess_array *s, tess_array *vh, const tess_array *in, const tess_svd_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_svd_opts   o;
    tess__decompose work = { .name = "svd", .kind = TESS__SVD };
    tess__outputs   outputs = { .fn = work.name };
    TESS_TRY(tess__resolve(&tess__info_svd, opts, &o));
    TESS_TRY(tess__check_pointer(work.name, "s", s));
    TESS_TRY(tess__decompose_begin(&work, "in", in));
    work.complete = o.complete;
    const tess_dtype dtype = tess__decompose_dtype(in, NULL);
    const int64_t    least = tess__min(work.m, work.n), b = in->shape.b, d = in->shape.d;
    tess__wants(&outputs, "u", u, TESS_SHAPE(b, d, work.m, o.complete ? work.m : least), dtype, in->device);
    tess__wants(&outputs, "s", s, TESS_SHAPE(b, d, 1, least), tess_dtype_real(dtype), in->device);
    tess__wants(&outputs, "vh", vh, TESS_SHAPE(b, d, o.complete ? work.n : least, work.n), dtype, in->device);
    tess__reads(&outputs, "in", in);
    return tess__decompose_end(&work, &outputs, (tess_array *const[3]){ u, s, vh }, in, NULL);
}
