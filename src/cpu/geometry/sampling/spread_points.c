/* Values at given points, added to images and volumes on the CPU: slabs of them, shared among the threads.
 *
 * Each slab goes through all points in their order and adds what falls into it, so sums do not depend on how many slabs
 * there are.
 */
#include "core/device/cancel.h"
#include "core/array/layout.h"
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/geometry/sampling/point_runs.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "tessera/device.h"

/* Estimated nanoseconds of a point that falls into no element of a slab, and of each tap of a window. */
#define COST 2.0
#define COST_OF_TAP 0.5

enum { SLABS_PER_THREAD = 2, SEGMENT = 1 << 16 /* points, between which a call can be cancelled */ };

typedef struct spreading {
    const tess__spread_points *work;
    tess__spread_points_fn    *kernel;
    int64_t                    slabs; /* of a batch of the output */
    int                        parts;
} spreading;

/* Row `row` of the points of batch b, into a slab of the target. */
static void do_row(const spreading *s, tess__spread_points_run *run, int64_t b, int64_t row)
{
    const tess_array *in = &s->work->in, *points = &s->work->points;
    const int64_t     d = row / in->shape.h, h = row % in->shape.h, batch = points->shape.b == 1 ? 0 : b;
    const int64_t     at = b * in->strides.b + d * in->strides.d + h * in->strides.h;
    const int64_t     from = batch * points->strides.b + row * points->strides.d;
    for (int64_t w = 0; w < in->shape.w && !tess__cancelled(); w += SEGMENT) {
        run->in = (const char *)in->data + (at + w * in->strides.w) * tess__dtype_size(in->dtype);
        run->row.points = (const char *)points->data + (from + w * points->strides.h) * tess__dtype_size(points->dtype);
        s->kernel(run, tess__min(in->shape.w - w, (int64_t)SEGMENT));
    }
}

static void do_slab(const spreading *s, int64_t target, int64_t slab)
{
    const tess__spread_points *work = s->work;
    const tess_array          *out = &work->out, *in = &work->in, *points = &work->points;
    const int64_t              n = out->shape.dim[4 - work->dims];
    tess__spread_points_run    run = { .row = { .step = points->strides.h,
                                                .part = points->strides.w,
                                                .dims = work->dims,
                                                .wide = points->dtype == TESS_F64 },
                                       .target = { .border = work->border },
                                       .stride = in->strides.w,
                                       .first = n * slab / s->slabs,
                                       .last = n * (slab + 1) / s->slabs,
                                       .parts = s->parts,
                                       .method = work->interp,
                                       .cut = work->cut };
    run.target.data = (const char *)out->data + target * out->strides.b * tess__dtype_size(out->dtype);
    for (int k = 0; k < 3; k++) {
        run.target.stride[k] = out->strides.dim[k + 1];
        run.target.shape[k] = out->shape.dim[k + 1];
    }
    const int64_t first = out->shape.b == 1 ? 0 : target, last = out->shape.b == 1 ? in->shape.b : target + 1;
    for (int64_t b = first; b < last; b++)
        for (int64_t row = 0; row < points->shape.d; row++) do_row(s, &run, b, row);
}

static void do_slabs(void *context, int64_t first, int64_t last)
{
    const spreading *s = context;
    for (int64_t i = first; i < last; i++) do_slab(s, i / s->slabs, i % s->slabs);
}

tess_status tess__cpu_spread_points(const tess__spread_points *work)
{
    const tess_dtype dtype = work->out.dtype, real = tess_dtype_real(dtype);
    const int64_t    batches = work->out.shape.b, n = work->out.shape.dim[4 - work->dims];
    const int64_t    wanted = SLABS_PER_THREAD * (int64_t)tess_threads_get();
    spreading        s = { .work = work,
                           .kernel = tess__cpu_kernels()->geometry.spread_points[real == TESS_F64],
                           .slabs = wanted <= batches ? 1 : tess__min(n, (wanted + batches - 1) / batches),
                           .parts = dtype == real ? 1 : 2 };
    const int        taps = tess__interp_taps(work->interp);
    const double     window = (double)(taps * taps * (work->dims == 3 ? taps : 1));
    const double     points = (double)(tess__elements(&work->in) / batches);
    const double     cost = points * (COST + COST_OF_TAP * window * s.parts / (double)s.slabs);
    tess__parallel(batches * s.slabs, tess__grain(batches * s.slabs, cost), do_slabs, &s);
    return TESS_OK;
}
