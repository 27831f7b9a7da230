/* Batched least squares on the CPU by pivoted QR and one-sided Jacobi: a task for each problem, in f64 or c64. */
#include <complex.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/data_errors.h"
#include "core/dtype.h"
#include "cpu/convert/convert.h"
#include "cpu/cpu.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/template.h"

enum { SWEEPS = 60 /* Jacobi converges in far fewer */ };

/* An array and how its rows are converted. */
typedef struct side {
    tess__conversion conversion;
    int64_t          strides[2]; /* of rows and columns, in elements */
    int64_t          size;       /* bytes of an element */
} side;

typedef struct solver {
    const tess__lstsq *work;
    side               x, a, b, values;
    bool               want_values;
    atomic_bool        no_memory;
} solver;

static side side_of(const tess_array *a, tess_dtype from, tess_dtype to)
{
    return (side){ .conversion = tess__conversion_of(from, to, TESS__CLAMP, TESS_PART_DEFAULT),
                   .strides = { a->strides.h, a->strides.w },
                   .size = tess__dtype_size(a->dtype) };
}

/* n elements, `stride` apart. */
static void load_vector(const side *s, void *vector, const char *from, int64_t stride, int64_t n)
{
    const int64_t strides[2] = { 1, stride };
    char *const   p[2] = { vector, (char *)(uintptr_t)from };
    s->conversion.row(p, strides, n, &s->conversion);
}

static void put_row(const side *s, char *to, void *row, int64_t n)
{
    const int64_t strides[2] = { s->strides[1], 1 };
    char *const   p[2] = { to, row };
    s->conversion.row(p, strides, n, &s->conversion);
}

/* Where the matrix of problem `index` begins; one matrix may be broadcast to several. */
static char *matrix_at(const side *s, const tess_array *a, int64_t index, const tess__lstsq *w)
{
    const int64_t b = a->shape.b == 1 ? 0 : index / w->batches.d, d = a->shape.d == 1 ? 0 : index % w->batches.d;
    return (char *)a->data + (b * a->strides.b + d * a->strides.d) * s->size;
}

/* The order of decreasing sizes. */
static void sort_falling(const double *size, int64_t *order, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && size[order[at - 1]] < size[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
}

/* Singular values, times 2^exponent, and the rank. */
static void put_facts(const solver *s, int64_t index, const double *size, const int64_t *order, int64_t n, int exponent,
                      int64_t rank)
{
    const tess__lstsq *w = s->work;
    if (w->rank.data) {
        const side at = { .size = (int64_t)sizeof rank };
        memcpy(matrix_at(&at, &w->rank, index, w), &rank, sizeof rank);
    }
    if (!w->values.data) return;
    char *to = matrix_at(&s->values, &w->values, index, w);
    for (int64_t i = 0; i < n; i++) {
        double value = ldexp(size[order[i]], exponent);
        put_row(&s->values, to + i * s->values.strides[1] * s->values.size, &value, 1);
    }
}

static double scaled(double x, int exponent) { return ldexp(x, exponent); }
static double larger(double x, double y) { return x > y ? x : y; }

/* 2^exponent: one after the other, the second of which is 1 unless numbers become larger by more than the range of
 * powers. Each element is rounded once. */
typedef struct power {
    double first, second;
} power;

static power power_of_two(int exponent)
{
    const int second = exponent > 1023 ? exponent - 1023 : 0;
    return (power){ ldexp(1, exponent - second), ldexp(1, second) };
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

static double square(double _Complex x) { return creal(x) * creal(x) + cimag(x) * cimag(x); }
static double size_of(double _Complex x) { return sqrt(square(x)); }
static double larger_part(double _Complex x) { return larger(fabs(creal(x)), fabs(cimag(x))); }

/* x over its size; 1 for 0. The larger part is scaled to 1 first, so that nothing is lost below the range. */
static double _Complex phase(double _Complex x)
{
    const double part = larger_part(x);
    if (part == 0) return 1;
    const double _Complex y = x / part;
    return y / size_of(y);
}

static double _Complex scaled_complex(double _Complex x, int exponent)
{
    const double parts[2] = { ldexp(creal(x), exponent), ldexp(cimag(x), exponent) };
    double _Complex y; /* C11's CMPLX is not everywhere */
    memcpy(&y, parts, sizeof y);
    return y;
}

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
static int64_t first_bad(const side *s, const char *vector, int64_t stride, int64_t n, int reals, double *bad)
{
    double x[2 * BLOCK];
    for (int64_t i = 0; i < n; i += BLOCK) {
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        load_vector(s, x, vector + i * stride * s->size, stride, m);
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
static tess_status check_vectors(const tess__lstsq *w, const char *name, const tess_array *a, const side *s,
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
static tess_status check_finite(const tess__lstsq *w, const char *name, const tess_array *a, const side *s)
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
                 .x = side_of(&w->x, w->kernel, w->x.dtype),
                 .a = side_of(&w->a, w->a.dtype, w->kernel),
                 .b = side_of(&w->b, w->b.dtype, w->kernel),
                 .want_values = w->values.data != NULL };
    if (s.want_values) s.values = side_of(&w->values, TESS_F64, w->values.dtype);
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
