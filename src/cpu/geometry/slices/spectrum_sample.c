/* Spectra sampled at turned frequencies on the CPU: rows of the output, shared among the threads. */
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/geometry/slices/slices.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* Estimated nanoseconds of a term of a result, and of each tap of its window. */
#define COST 5
#define COST_OF_TAP 1

typedef struct sampling {
    const tess__spectrum_sample *work;
    tess__sample_fn             *kernel;
} sampling;

/* The numbers of batch b, of which there are `each` for a batch, or for all. */
static const double *numbers_of(const tess_array *a, int64_t b, int64_t each)
{
    return a->data ? (const double *)a->data + (a->shape.b == 1 ? 0 : b * each) : NULL;
}

static tess__spectrum_grid grid_of(const tess__spectrum_sample *work)
{
    tess__spectrum_grid g;
    for (int k = 0; k < 3; k++) {
        g.n[k] = work->in_n[k];
        g.stride[k] = work->in.strides.dim[k + 1];
        g.order[k] = work->in_order[k];
    }
    return g;
}

static double frequency(const tess__spectrum_sample *work, int axis, int64_t index)
{
    const int64_t n = work->out_n[axis];
    return (double)tess__frequency_at(work->out_order[axis], n, index) / (double)n;
}

static void do_rows(void *context, int64_t first, int64_t last)
{
    const sampling              *s = context;
    const tess__spectrum_sample *work = s->work;
    const tess_array            *out = &work->out, *in = &work->in;
    const int64_t                size = tess__dtype_size(out->dtype);
    tess__sample_row             row = { .work = work, .from = grid_of(work) };
    for (int k = 0; k < 3; k++) row.shifted[k] = work->in_order[k] == TESS__ORDER_CENTRED ? work->in_n[k] / 2 : 0;
    for (int64_t i = first; i < last; i++) {
        const int64_t h = i % out->shape.h, d = i / out->shape.h % out->shape.d, b = i / out->shape.h / out->shape.d;
        row.out = (char *)out->data + (b * out->strides.b + d * out->strides.d + h * out->strides.h) * size;
        row.in = (const char *)in->data + (in->shape.b == 1 ? 0 : b) * in->strides.b * size;
        row.rotations = numbers_of(&work->rotations, b, 9 * work->rotations.shape.d);
        row.frame = tess__slice_frame_of(row.rotations, numbers_of(&work->scales, b, 4), work->curve);
        row.shift = numbers_of(&work->shifts, b, 3);
        row.q[0] = frequency(work, 0, d);
        row.q[1] = frequency(work, 1, h);
        s->kernel(&row, out->shape.w);
    }
}

tess_status tess__cpu_spectrum_sample(const tess__spectrum_sample *work)
{
    const tess_dtype              dtype = work->out.dtype, real = tess_dtype_real(dtype);
    const tess__geometry_kernels *kernels = &tess__cpu_kernels()->geometry;
    const int                     kind = (real == TESS_F64) + (dtype == real ? 0 : 2);
    const int                     taps = tess__interp_taps(work->interp);
    const int64_t                 rows = work->out.shape.b * work->out.shape.d * work->out.shape.h;
    const double window = (double)(taps * taps * (work->dims == 3 ? taps : 1) * (2 * work->window + 1));
    const double cost = (COST + COST_OF_TAP * window) * (double)work->rotations.shape.d;
    const bool   fast = work->interp == TESS_INTERP_LINEAR && work->dims == 3 && work->window == 0;

    sampling s = { work, fast ? kernels->sample_linear[kind] : kernels->sample[kind] };
    tess__parallel(rows, tess__grain(rows, cost * (double)work->out.shape.w), do_rows, &s);
    return TESS_OK;
}
