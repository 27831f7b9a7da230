/* Polynomial surface fit by discrete orthogonal (Gram) polynomials on a GPU, in f64.
 *
 * As on the CPU: products of polynomials that are orthonormal along each axis are so on the whole image, and each
 * coefficient of the fit is one sum. On evenly spaced points these are Gram's, whose recurrence is known:
 *
 *     P[k+1](x) = x P[k](x) - b[k] P[k-1](x),  b[k] = k^2 (n^2 - k^2) / (4 (4 k^2 - 1)),  |P[k]|^2 = n b[1] … b[k]
 *
 * for x from the middle of n points on, so that kernels compute them where they need them.
 */
#include <math.h>

#include "cuda/cuda.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/linalg/polyfit_params.h"
#include "cuda/runtime/memory.h"

enum { THREADS = 256, WARP = 32, LONG_ROW = 2048, DEGREES = TESS__GPU_DEGREES };

static const tess__cuda_source source =
    TESS__CUDA_SOURCE("linalg/polyfit", "STEP", "IN", "OUT", "DEGREES", "GROUP", "SUBTRACT");

/* ---- Polynomials ---- */

/* What a polynomial in u holds of i^power. */
static double in_pixels(const tess__gpu_basis *b, int degree, int power)
{
    static const double binomial[DEGREES][DEGREES] = { { 1 }, { 1, 1 }, { 1, 2, 1 }, { 1, 3, 3, 1 } };
    double              sum = 0;
    for (int k = degree; k >= power; k--) {
        double term = b->powers[degree][k] * binomial[k][power];
        for (int i = 0; i < k; i++) term *= (i < k - power ? -b->centre : 1) * b->inverse;
        sum += term;
    }
    return sum;
}

/* Along n points there are n polynomials; others are 0. */
static tess__gpu_basis basis_of(int64_t n)
{
    tess__gpu_basis b = { .n = n, .centre = (double)(n - 1) / 2 };
    const double    scale = n > 1 ? b.centre : 1, count = (double)n;
    double          monic[DEGREES][DEGREES] = { { 1 } }, square = count, factor = 0;
    b.inverse = 1 / scale;
    for (int d = 0; d < DEGREES && d < n; d++) {
        const double dd = (double)d * d;
        if (d > 0) {
            for (int k = 0; k < DEGREES; k++)
                monic[d][k] = (k ? monic[d - 1][k - 1] : 0) - (d > 1 ? factor * monic[d - 2][k] : 0);
            factor = dd * (count * count - dd) / (4 * (4 * dd - 1));
            square *= factor;
        }
        double power = 1;
        for (int k = 0; k <= d; k++, power *= scale) b.powers[d][k] = monic[d][k] * power / sqrt(square);
        for (int k = 0; k <= d; k++) b.pixels[d][k] = in_pixels(&b, d, k);
    }
    return b;
}

/* ---- The work ---- */

static tess_status launch(tess__cuda_call *call, const tess__polyfit *work, const tess__gpu_polyfit *p, int step,
                          int64_t blocks, int group)
{
    const bool    surface = step == TESS__GPU_FIT_SURFACE;
    const int64_t numbers[TESS__CUDA_WORDS] = {
        step, work->in.dtype, surface ? work->out.dtype : TESS_F64, work->order + 1, group, surface && work->subtract
    };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, blocks, THREADS, p));
    return TESS_OK;
}

tess_status tess__cuda_polyfit(tess__cuda_call *call, const tess__polyfit *work)
{
    const tess_shape  shape = work->in.shape;
    const int64_t     rows = shape.b * shape.h;
    const int         group = shape.w >= LONG_ROW ? THREADS : WARP;
    tess__gpu_polyfit p = { .x = basis_of(shape.w),
                            .y = basis_of(shape.h),
                            .in = tess__cuda_array(&work->in),
                            .images = shape.b,
                            .parameters = (uintptr_t)work->parameters.data,
                            .parameter_stride = { work->parameters.strides.b, work->parameters.strides.w } };
    tess_status       status;
    TESS_TRY(tess__cuda_workspace_acquire(&p.moments, call,
                                          sizeof(double) * DEGREES * ((size_t)rows + DEGREES * (size_t)shape.b)));
    p.coefficients = p.moments + sizeof(double) * DEGREES * (uint64_t)rows;
    tess__cuda_grid(&p.grid, shape.dim);
    TESS_GOTO(done, status,
              launch(call, work, &p, TESS__GPU_FIT_ROWS, tess__cuda_groups(rows, THREADS / group), group));
    TESS_GOTO(done, status, launch(call, work, &p, TESS__GPU_FIT_IMAGES, shape.b, WARP));
    if (work->out.data) {
        p.out = tess__cuda_array(&work->out);
        TESS_GOTO(done, status,
                  launch(call, work, &p, TESS__GPU_FIT_SURFACE, tess__cuda_groups(p.grid.n, THREADS), WARP));
    }
done:
    tess__cuda_workspace_release(call, p.moments);
    return status;
}
