/* Batched least squares on the CPU by pivoted QR and one-sided Jacobi: a task for each problem, in f64 or c64. */
#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/data_errors.h"
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/linalg/matrices.h"
#include "cpu/linalg/numbers.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/template.h"

enum { SWEEPS = 60 /* Jacobi converges in far fewer */ };

typedef struct solver {
    const tess__lstsq *work;
    tess__matrices     x, a, b, values;
    bool               want_values;
    atomic_bool        no_memory;
} solver;

/* Singular values, times 2^exponent, and the rank. */
static void put_facts(const solver *s, int64_t index, const double *size, const int64_t *order, int64_t n, int exponent,
                      int64_t rank)
{
    const tess__lstsq *w = s->work;
    if (w->rank.data) {
        const tess__matrices at = { .size = (int64_t)sizeof rank };
        memcpy(tess__matrix_at(&at, &w->rank, index, w->batches), &rank, sizeof rank);
    }
    if (!w->values.data) return;
    char *to = tess__matrix_at(&s->values, &w->values, index, w->batches);
    for (int64_t i = 0; i < n; i++) {
        double value = ldexp(size[order[i]], exponent);
        tess__put_vector(&s->values, to + i * s->values.strides[1] * s->values.size, 1, &value, 1, 1);
    }
}

#define T double
#define SUFFIX f64
#define CONJ(x) (x)
#define ABS(x) fabs(x)
#define ABS_PARTS(x) fabs(x)
#define PHASE(x) ((x) < 0 ? -1.0 : 1.0)
#define SQUARE(x) ((x) * (x))
#define SCALE(x, exponent) scaled(x, exponent)
#include "cpu/linalg/lstsq.c.inc"

#define T double _Complex
#define SUFFIX c64
#define CONJ(x) conj(x)
#define ABS(x) size_of(x)
#define ABS_PARTS(x) larger_part(x)
#define PHASE(x) phase(x)
#define SQUARE(x) square(x)
#define SCALE(x, exponent) scaled_complex(x, exponent)
#include "cpu/linalg/lstsq.c.inc"

/* ---- Numbers that are not finite ---- */

enum { BLOCK = 256 };

static bool are_finite(const double *x, int64_t n)
{
    double  none[4] = { 0, 0, 0, 0 }; /* NaN if one is not */
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int l = 0; l < 4; l++) none[l] += x[i + l] - x[i + l];
    for (; i < n; i++) none[0] += x[i] - x[i];
    return none[0] + none[1] + none[2] + none[3] == 0;
}

/* Index of the first element of a row or column that is not finite; n if none. */
static int64_t first_bad(const tess__matrices *s, const char *vector, int64_t stride, int64_t n, int reals, double *bad)
{
    double x[2 * BLOCK];
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        tess__load_vector(s, x, 1, vector + i * stride * s->size, stride, m);
        if (are_finite(x, m * reals)) continue;
        for (int64_t j = 0; j < m * reals; j++)
            if (!isfinite(x[j])) {
                *bad = x[j];
                return i + j / reals;
            }
    }
    return n;
}

/* Vectors of a matrix along axis 0 or 1 of the two: the first element that is not finite is an error. */
static tess_status check_vectors(const tess__lstsq *w, const char *name, const tess_array *a, const tess__matrices *s,
                                 int64_t matrix, int axis)
{
    const int     reals = w->kernel == TESS_C64 ? 2 : 1;
    const int64_t b = matrix / a->shape.d, d = matrix % a->shape.d, n[2] = { a->shape.h, a->shape.w };
    const char   *at = (char *)a->data + (b * a->strides.b + d * a->strides.d) * s->size;
    for (int64_t i = 0; i < n[1 - axis]; i++) {
        double        bad = 0;
        const int64_t found =
            first_bad(s, at + i * s->strides[1 - axis] * s->size, s->strides[axis], n[axis], reals, &bad);
        if (found == n[axis]) continue;
        if (axis == 0) return check_vectors(w, name, a, s, matrix, 1); /* the first in the order of rows is named */
        TESS_TRY(tess__fail_infinite(w->name, name, bad, a->shape, (matrix * n[0] + i) * n[1] + found));
    }
    return TESS_OK;
}

/* The longer vectors are fewer. */
static tess_status check_finite(const tess__lstsq *w, const char *name, const tess_array *a, const tess__matrices *s)
{
    for (int64_t i = 0; i < a->shape.b * a->shape.d; i++)
        TESS_TRY(check_vectors(w, name, a, s, i, a->shape.h > a->shape.w ? 0 : 1));
    return TESS_OK;
}

/* ---- All problems ---- */

static int64_t bytes_for(const tess__lstsq *w) { return w->kernel == TESS_C64 ? need_c64(w) : need_f64(w); }

static void run_some(void *context, int64_t first, int64_t last)
{
    solver    *s = context;
    const bool is_complex = s->work->kernel == TESS_C64;
    char      *workspace = tess__alloc((size_t)bytes_for(s->work));
    if (!workspace) {
        atomic_store(&s->no_memory, true);
        return;
    }
    for (int64_t i = first; i < last; i++)
        if (is_complex) run_one_c64(s, i, workspace);
        else run_one_f64(s, i, workspace);
    tess__free(workspace);
}

tess_status tess__cpu_lstsq(const tess__lstsq *w)
{
    solver s = { .work = w,
                 .x = tess__matrices_of(&w->x, w->kernel, w->x.dtype),
                 .a = tess__matrices_of(&w->a, w->a.dtype, w->kernel),
                 .b = tess__matrices_of(&w->b, w->b.dtype, w->kernel),
                 .want_values = w->values.data != NULL };
    if (s.want_values) s.values = tess__matrices_of(&w->values, TESS_F64, w->values.dtype);
    TESS_TRY(check_finite(w, "a", &w->a, &s.a));
    TESS_TRY(check_finite(w, "b", &w->b, &s.b));
    const double  min = (double)(w->m < w->n ? w->m : w->n);
    const int64_t n = w->batches.b * w->batches.d;
    const double  cost = 2.0 * (double)w->m * (double)w->n * min + 100;
    tess__parallel(n, tess__grain(n, cost), run_some, &s);
    TESS_CHECK(!atomic_load(&s.no_memory), TESS_ENOMEM, "%s: no memory for %" PRId64 " bytes of workspace", w->name,
               bytes_for(w));
    return TESS_OK;
}
