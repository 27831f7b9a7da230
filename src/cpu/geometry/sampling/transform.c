/* Affine transforms on the CPU: rows of the output, shared among the threads. */
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/geometry/sampling/sample_line.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* Estimated nanoseconds of a result, and of each tap of its window. */
#define COST 1.5
#define COST_OF_TAP 0.15

typedef struct transform {
    const tess__transform *work;
    tess__transform_fn    *kernel;
    int                    parts;
} transform;

static void do_rows(void *context, int64_t first, int64_t last)
{
    const transform       *t = context;
    const tess__transform *work = t->work;
    const tess_array      *out = &work->out;
    const int64_t          size = tess__dtype_size(out->dtype), numbers = work->dims * (work->dims + 1);
    for (int64_t i = first; i < last; i++) {
        const int64_t h = i % out->shape.h, d = i / out->shape.h % out->shape.d, b = i / out->shape.h / out->shape.d;
        const double *m = (const double *)work->matrices.data + (work->matrices.shape.b == 1 ? 0 : b * numbers);
        const tess__transform_source source = tess__source_of(&work->in, b, work->border, work->outside);
        tess__transform_line         line = {
                    .out = (char *)out->data + (b * out->strides.b + d * out->strides.d + h * out->strides.h) * size,
                    .stride = out->strides.w,
                    .source = &source,
                    .row = tess__transform_row_of(m, work->dims, work->from, work->to, (double)d, (double)h),
                    .dims = work->dims,
                    .parts = t->parts,
                    .method = work->interp,
        };
        if (work->interp != TESS_INTERP_CUBIC_BSPLINE && tess__transform_is_whole(&line.row, line.dims))
            line.method = TESS_INTERP_NEAREST;
        t->kernel(&line, out->shape.w);
    }
}

tess_status tess__cpu_transform(const tess__transform *work)
{
    const tess_dtype dtype = work->out.dtype, real = tess_dtype_real(dtype);
    const int        parts = dtype == real ? 1 : 2, taps = tess__interp_taps(work->interp);
    const int64_t    rows = work->out.shape.b * work->out.shape.d * work->out.shape.h;
    const double     window = (double)(taps * taps * (work->dims == 3 ? taps : 1));
    const double     cost = (COST + COST_OF_TAP * window * parts) * (double)work->out.shape.w;

    transform t = { .work = work, .kernel = tess__cpu_kernels()->geometry.transform[real == TESS_F64], .parts = parts };
    tess__parallel(rows, tess__grain(rows, cost), do_rows, &t);
    return TESS_OK;
}
