/* Distance transform along columns by search: the least square, to both sides, as far as a smaller one can come from.
 * Built once per instruction set. */
#include <string.h>

#include "cpu/geometry/kernels.h"
#include "cpu/template.h"
#include "formulas/geometry/distance.op.h"

enum { N = TESS__NEAR_COLUMNS };

/* Loops over columns stay loops: unrolled, gcc takes them apart into single numbers. */
#if defined(__clang__)
#define NOT_UNROLLED
#else
#define NOT_UNROLLED _Pragma("GCC unroll 1")
#endif

static inline TESS_ALWAYS_INLINE void take_row(double *best, const double *row, double more)
{
    NOT_UNROLLED
    for (int c = 0; c < N; c++) {
        const double square = row[c] + more;
        best[c] = square < best[c] ? square : best[c];
    }
}

static inline TESS_ALWAYS_INLINE bool any_above(const double *best, double limit)
{
    int64_t any = 0;
    NOT_UNROLLED
    for (int c = 0; c < N; c++) any |= best[c] > limit ? 1 : 0;
    return any != 0;
}

static bool near_columns(double *restrict out, const double *restrict squares, int64_t stride, int64_t n, double step2)
{
    for (int64_t i = 0; i < n; i++) {
        const double *here = squares + i * stride;
        double       *best = out + i * N;
        memcpy(best, here, N * sizeof *best);
        for (int64_t k = 1; k <= i || k < n - i; k++) {
            const double more = tess__distance_from(0.0, step2, k);
            if (!any_above(best, more)) break;
            if (k > TESS__NEAR_STEPS) return false;
            if (k <= i) take_row(best, here - k * stride, more);
            if (k < n - i) take_row(best, here + k * stride, more);
        }
    }
    return true;
}

void TESS__FILL_KERNELS(geometry, distances)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, distances)(tess__geometry_kernels *kernels) { kernels->near = near_columns; }
