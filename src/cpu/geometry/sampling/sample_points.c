/* Samples at given points on the CPU: segments of rows of points, shared among the threads. */
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/geometry/sampling/point_runs.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* Estimated nanoseconds of a result, and of each tap of its window. */
#define COST 3.0
#define COST_OF_TAP 0.3

enum { SEGMENT = 1024 }; /* points */

typedef struct sampling {
    const tess__sample_points *work;
    tess__sample_points_fn    *kernel;
    int64_t                    segments; /* of a row */
    int                        parts;
} sampling;

/* n results from w on in row `row` of batch b. */
static void do_segment(const sampling *s, int64_t b, int64_t row, int64_t w, int64_t n)
{
    const tess__sample_points   *work = s->work;
    const tess_array            *out = &work->out, *points = &work->points;
    const int64_t                d = row / out->shape.h, h = row % out->shape.h;
    const int64_t                to = b * out->strides.b + d * out->strides.d + h * out->strides.h + w * out->strides.w;
    const int64_t                batch = points->shape.b == 1 ? 0 : b;
    const int64_t                from = batch * points->strides.b + row * points->strides.d + w * points->strides.h;
    const tess__transform_source source = tess__source_of(&work->in, b, work->border, work->outside);
    const tess__sample_points_run run = {
        .line = { .out = (char *)out->data + to * tess__dtype_size(out->dtype),
                  .stride = out->strides.w,
                  .source = &source,
                  .dims = work->dims,
                  .parts = s->parts,
                  .method = work->interp },
        .row = { .points = (const char *)points->data + from * tess__dtype_size(points->dtype),
                 .step = points->strides.h,
                 .part = points->strides.w,
                 .dims = work->dims,
                 .wide = points->dtype == TESS_F64 },
        .cut = work->cut,
    };
    s->kernel(&run, n);
}

static void do_segments(void *context, int64_t first, int64_t last)
{
    const sampling *s = context;
    const int64_t   rows = s->work->points.shape.d, width = s->work->out.shape.w;
    for (int64_t i = first; i < last; i++) {
        const int64_t row = i / s->segments, w = i % s->segments * SEGMENT;
        do_segment(s, row / rows, row % rows, w, tess__min(width - w, (int64_t)SEGMENT));
    }
}

tess_status tess__cpu_sample_points(const tess__sample_points *work)
{
    const tess_dtype dtype = work->out.dtype, real = tess_dtype_real(dtype);
    const int64_t    width = work->out.shape.w, segments = (width + SEGMENT - 1) / SEGMENT;
    const int64_t    n = work->out.shape.b * work->points.shape.d * segments;
    const int        taps = tess__interp_taps(work->interp);
    sampling         s = { .work = work,
                           .kernel = tess__cpu_kernels()->geometry.sample_points[real == TESS_F64],
                           .segments = segments,
                           .parts = dtype == real ? 1 : 2 };
    const double     window = (double)(taps * taps * (work->dims == 3 ? taps : 1));
    const double     cost = (COST + COST_OF_TAP * window * s.parts) * (double)tess__min(width, (int64_t)SEGMENT);
    tess__parallel(n, tess__grain(n, cost), do_segments, &s);
    return TESS_OK;
}
