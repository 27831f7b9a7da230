/* LAPACK's Fortran functions, found in the BLAS that is in use or beside it. */
#include "cpu/linalg/lapack.h"

#include <limits.h>
#include <pthread.h>

#include "core/device/memory.h"
#include "cpu/linalg/blas.h"

/* The smaller side below which the library's own kernels are as fast. */
enum { LEAST = 128 };

/* Texts are followed by their lengths at the end. */
typedef void syevd_f64(const char *job, const char *triangle, const int *n, void *a, const int *lda, double *w,
                       void *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
typedef void heevd_c64(const char *job, const char *triangle, const int *n, void *a, const int *lda, double *w,
                       void *work, const int *lwork, double *rwork, const int *lrwork, int *iwork, const int *liwork,
                       int *info, size_t, size_t);
typedef void gesdd_f64(const char *job, const int *m, const int *n, void *a, const int *lda, double *s, void *u,
                       const int *ldu, void *vh, const int *ldvh, void *work, const int *lwork, int *iwork, int *info,
                       size_t);
typedef void gesdd_c64(const char *job, const int *m, const int *n, void *a, const int *lda, double *s, void *u,
                       const int *ldu, void *vh, const int *ldvh, void *work, const int *lwork, double *rwork,
                       int *iwork, int *info, size_t);

static struct {
    syevd_f64 *syevd;
    heevd_c64 *heevd;
    gesdd_f64 *gesdd;
    gesdd_c64 *gesdd_complex;
} lapack;

static pthread_once_t searched = PTHREAD_ONCE_INIT;

static void search(void)
{
    *(void **)&lapack.syevd = tess__lapack_function("dsyevd_");
    *(void **)&lapack.heevd = tess__lapack_function("zheevd_");
    *(void **)&lapack.gesdd = tess__lapack_function("dgesdd_");
    *(void **)&lapack.gesdd_complex = tess__lapack_function("zgesdd_");
}

bool tess__lapack_wants(int64_t n)
{
    if (n < LEAST || n > TESS__LAPACK_MOST) return false;
    (void)pthread_once(&searched, search);
    return lapack.syevd && lapack.heevd && lapack.gesdd && lapack.gesdd_complex;
}

static tess__lapack_end end_of(bool has_memory, int info)
{
    if (!has_memory) return TESS__LAPACK_NO_MEMORY;
    return info == 0 ? TESS__LAPACK_DONE : TESS__LAPACK_NO_VALUES;
}

/* Of a query in its first element. */
static int whole(double x) { return x < (double)INT_MAX ? (int)x : INT_MAX; }

tess__lapack_end tess__lapack_eigh(bool is_complex, int64_t n, void *a, double *values, bool vectors)
{
    const char *job = vectors ? "V" : "N";
    const int   size = (int)n, ask = -1;
    double      best[2] = { 0, 0 }, reals = 0;
    int         integers = 0, info = 0;
    if (is_complex)
        lapack.heevd(job, "L", &size, a, &size, values, best, &ask, &reals, &ask, &integers, &ask, &info, 1, 1);
    else lapack.syevd(job, "L", &size, a, &size, values, best, &ask, &integers, &ask, &info, 1, 1);
    const int  n_work = whole(best[0]), n_reals = whole(reals);
    double    *work = tess__alloc(sizeof *work * (size_t)n_work * (is_complex ? 2 : 1));
    double    *rwork = tess__alloc(sizeof *rwork * ((size_t)n_reals + 1));
    int       *iwork = tess__alloc(sizeof *iwork * ((size_t)integers + 1));
    const bool has_memory = work && rwork && iwork;
    tess__blas_lock(true);
    if (has_memory && is_complex)
        lapack.heevd(job, "L", &size, a, &size, values, work, &n_work, rwork, &n_reals, iwork, &integers, &info, 1, 1);
    else if (has_memory) lapack.syevd(job, "L", &size, a, &size, values, work, &n_work, iwork, &integers, &info, 1, 1);
    tess__blas_lock(false);
    tess__free(work);
    tess__free(rwork);
    tess__free(iwork);
    return end_of(has_memory, info);
}

tess__lapack_end tess__lapack_svd(const tess__lapack_svd_call *c)
{
    const char  *job = !c->u ? "N" : c->complete ? "A" : "S";
    const int    m = (int)c->m, n = (int)c->n, ask = -1;
    const size_t n_reals = c->is_complex ? (size_t)n * (5 * (size_t)n + 2 * (size_t)m + 7) : 1;
    double       best[2] = { 0, 0 };
    int          info = 0;
    int         *iwork = tess__alloc(sizeof *iwork * 8 * (size_t)n);
    double      *rwork = tess__alloc(sizeof *rwork * n_reals);
    if (iwork && rwork && c->is_complex)
        lapack.gesdd_complex(job, &m, &n, c->a, &m, c->values, c->u, &m, c->vh, &n, best, &ask, rwork, iwork, &info, 1);
    else if (iwork && rwork)
        lapack.gesdd(job, &m, &n, c->a, &m, c->values, c->u, &m, c->vh, &n, best, &ask, iwork, &info, 1);
    const int  n_work = whole(best[0]);
    double    *work = tess__alloc(sizeof *work * ((size_t)n_work + 1) * (c->is_complex ? 2 : 1));
    const bool has_memory = iwork && rwork && work;
    tess__blas_lock(true);
    if (has_memory && c->is_complex)
        lapack.gesdd_complex(job, &m, &n, c->a, &m, c->values, c->u, &m, c->vh, &n, work, &n_work, rwork, iwork, &info,
                             1);
    else if (has_memory)
        lapack.gesdd(job, &m, &n, c->a, &m, c->values, c->u, &m, c->vh, &n, work, &n_work, iwork, &info, 1);
    tess__blas_lock(false);
    tess__free(work);
    tess__free(rwork);
    tess__free(iwork);
    return end_of(has_memory, info);
}
