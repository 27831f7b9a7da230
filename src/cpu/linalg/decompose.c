/* Factorisations of matrices on the CPU: a task for each matrix, in f64 or c64. */
#include <complex.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/check/check.h"
#include "core/check/data_errors.h"
#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/linalg/lapack.h"
#include "cpu/linalg/matrices.h"
#include "cpu/linalg/numbers.h"
#include "cpu/linalg/rotations.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/workspace.h"
#include "cpu/template.h"

enum {
    COLUMNS = 256,  /* of right-hand sides that stay in the cache */
    TILE = 32,      /* columns, */
    STRIPE = 4096,  /* and rows, of matrices that are transposed on their way */
    CHUNK = 1 << 20 /* elements between two questions whether the call was cancelled */
};

typedef struct runner {
    const tess__decompose *work;
    tess__matrices         a, b, out[3];
    atomic_bool            no_memory;
    _Atomic int64_t        failed; /* the first matrix that has no result; their number: all have one */
} runner;

/* The larger of `max` and the sizes of n numbers; NaN if one of them is not finite. */
static double larger_or_nan(const double *x, int64_t n, double max)
{
    double  none[4] = { 0, 0, 0, 0 }, most[4] = { max, max, max, max };
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) {
            none[l] += x[i + l] - x[i + l]; /* NaN if it is not finite */
            most[l] = larger(fabs(x[i + l]), most[l]);
        }
    for (; i < n; i++) {
        none[0] += x[i] - x[i];
        most[0] = larger(fabs(x[i]), most[0]);
    }
    const double all = larger(larger(most[0], most[1]), larger(most[2], most[3]));
    return isnan(max) ? max : all + (none[0] + none[1] + none[2] + none[3]);
}

/* A workspace is divided into parts; without memory they are only counted. */
typedef struct space {
    char  *memory;
    size_t used;
} space;

/* Of rows by columns elements. Sizes that no memory has are kept from wrapping. */
static void *part_of(space *s, int64_t rows, int64_t columns, size_t size)
{
    char *part = s->memory ? s->memory + s->used : NULL;
    if (columns > 0 && rows > (int64_t)(TESS__TOO_LARGE / size) / columns) s->used += TESS__TOO_LARGE;
    else s->used += tess__aligned_size(rows * columns, (int64_t)size);
    return part;
}

static void note_failure(runner *r, int64_t index)
{
    int64_t first = atomic_load(&r->failed);
    while (index < first && !atomic_compare_exchange_weak(&r->failed, &first, index)) {}
}

#define T double
#define SUFFIX f64
#define DTYPE TESS_F64
#define REALS 1
#define REAL(x) (x)
#define CONJ(x) (x)
#define ABS(x) fabs(x)
#define ABS_PARTS(x) fabs(x)
#define PHASE(x) ((x) < 0 ? -1.0 : 1.0)
#define SCALE(x, exponent) scaled(x, exponent)
#include "cpu/linalg/factor.c.inc"
#include "cpu/linalg/eigen.c.inc"
#include "cpu/linalg/svd.c.inc"
#include "cpu/linalg/decompose.c.inc"

#define T double _Complex
#define SUFFIX c64
#define DTYPE TESS_C64
#define REALS 2
#define REAL(x) creal(x)
#define CONJ(x) conj(x)
#define ABS(x) size_of(x)
#define ABS_PARTS(x) larger_part(x)
#define PHASE(x) phase(x)
#define SCALE(x, exponent) scaled_complex(x, exponent)
#include "cpu/linalg/factor.c.inc"
#include "cpu/linalg/eigen.c.inc"
#include "cpu/linalg/svd.c.inc"
#include "cpu/linalg/decompose.c.inc"

/* ---- Matrices without a result ---- */

static bool reads_triangle(const tess__decompose *w) { return w->kind == TESS__CHOLESKY || w->kind == TESS__EIGH; }

/* The columns that are read of a row. */
static void columns_read(const tess__decompose *w, int64_t row, int64_t *first, int64_t *last)
{
    const bool triangle = reads_triangle(w);
    *first = triangle && w->upper ? row : 0;
    *last = triangle && !w->upper ? row + 1 : w->n;
}

/* Fails if an element of the matrix of this problem is not finite. */
static tess_status check_finite(const tess__decompose *w, const char *name, const tess_array *a,
                                const tess__matrices *m, int64_t index)
{
    const char   *at = tess__matrix_at(m, a, index, w->batches);
    const int64_t b = a->shape.b == 1 ? 0 : index / w->batches.d, d = a->shape.d == 1 ? 0 : index % w->batches.d;
    for (int64_t i = 0; i < a->shape.h; i++) {
        int64_t first = 0, last = a->shape.w;
        if (a == &w->a) columns_read(w, i, &first, &last);
        for (int64_t j = first; j < last; j++) {
            double x[2] = { 0, 0 };
            tess__load_vector(m, x, 1, at + (i * m->strides[0] + j * m->strides[1]) * m->size, 1, 1);
            if (a == &w->a && i == j && reads_triangle(w)) x[1] = 0;
            const int64_t element = ((b * a->shape.d + d) * a->shape.h + i) * a->shape.w + j;
            if (!isfinite(x[0]) || !isfinite(x[1]))
                return tess__fail_infinite(w->name, name, isfinite(x[0]) ? x[1] : x[0], a->shape, element);
        }
    }
    return TESS_OK;
}

/* Why the matrix of this problem has no result. */
static tess_status explain(const runner *r, int64_t index)
{
    const tess__decompose *w = r->work;
    const int64_t b = w->a.shape.b == 1 ? 0 : index / w->batches.d, d = w->a.shape.d == 1 ? 0 : index % w->batches.d;
    const bool    single = w->a.shape.b == 1 && w->a.shape.d == 1;
    TESS_TRY(check_finite(w, w->arg, &w->a, &r->a, index));
    if (w->b.data) TESS_TRY(check_finite(w, "b", &w->b, &r->b, index));
    TESS_CHECK(w->kind != TESS__EIGH && w->kind != TESS__SVD, TESS_ERANGE,
               "%s: the iterations for `%s` at {%" PRId64 ",%" PRId64 "} did not converge", w->name, w->arg, b, d);
    TESS_CHECK(w->kind == TESS__CHOLESKY || !single, TESS_ERANGE, "%s: `%s` is singular; it must have an inverse",
               w->name, w->arg);
    TESS_CHECK(w->kind == TESS__CHOLESKY, TESS_ERANGE,
               "%s: `%s` has a singular matrix at {%" PRId64 ",%" PRId64 "}; it must have an inverse", w->name, w->arg,
               b, d);
    TESS_CHECK(!single, TESS_ERANGE, "%s: `%s` is not positive definite; all eigenvalues must be above 0", w->name,
               w->arg);
    TESS_FAIL(TESS_ERANGE,
              "%s: `%s` has a matrix at {%" PRId64 ",%" PRId64
              "} that is not positive definite; all eigenvalues must be above 0",
              w->name, w->arg, b, d);
}

/* ---- All matrices ---- */

static size_t bytes_for(const tess__decompose *w) { return w->kernel == TESS_C64 ? need_c64(w) : need_f64(w); }

static void run_some(void *context, int64_t first, int64_t last)
{
    runner *const r = context;
    char *const   workspace = tess__alloc(bytes_for(r->work));
    if (!workspace) {
        atomic_store(&r->no_memory, true);
        return;
    }
    if (r->work->kernel == TESS_C64) run_some_c64(r, first, last, workspace);
    else run_some_f64(r, first, last, workspace);
    tess__free(workspace);
}

/* Estimated nanoseconds of one. */
static double cost_of(const tess__decompose *w)
{
    static const double each[] = {
        [TESS__SOLVE] = 0.3, [TESS__INVERSE] = 1, [TESS__DETERMINANT] = 0.3, [TESS__CHOLESKY] = 0.2, [TESS__QR] = 1,
        [TESS__EIGH] = 3,    [TESS__SVD] = 6
    };
    const double least = (double)(w->m < w->n ? w->m : w->n);
    return each[w->kind] * (double)w->m * (double)w->n * (least + (double)w->k) + 100;
}

tess_status tess__cpu_decompose(const tess__decompose *w)
{
    const int64_t n = w->batches.b * w->batches.d;
    runner        r = { .work = w, .a = tess__matrices_of(&w->a, w->a.dtype, w->kernel) };
    atomic_init(&r.failed, n);
    if (w->b.data) r.b = tess__matrices_of(&w->b, w->b.dtype, w->kernel);
    for (int i = 0; i < 3; i++) {
        const tess_array *out = &w->out[i];
        if (!out->data) continue;
        const bool is_complex = tess_dtype_kind(out->dtype) == TESS_KIND_COMPLEX;
        r.out[i] = tess__matrices_of(out, is_complex ? TESS_C64 : TESS_F64, out->dtype);
    }
    tess__parallel(n, tess__grain(n, cost_of(w)), run_some, &r);
    TESS_CHECK(!atomic_load(&r.no_memory), TESS_ENOMEM, "%s: no memory for %zu bytes of workspace", w->name,
               bytes_for(w));
    if (atomic_load(&r.failed) < n && !tess__cancelled()) TESS_TRY(explain(&r, atomic_load(&r.failed)));
    return TESS_OK;
}
