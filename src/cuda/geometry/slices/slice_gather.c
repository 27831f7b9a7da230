/* Slices gathered on a GPU, bit for bit as on the CPU. */
#include <string.h>

#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/geometry/slices/slice_gather_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"

static const tess__cuda_source source = TESS__CUDA_SOURCE("geometry/slices/slice_gather", "WIDE", "METHOD", "FLAGS");

static void set_grid(tess__spectrum_grid *g, const tess__slice_gather *work, const tess_array *a)
{
    for (int k = 0; k < 3; k++) {
        g->n[k] = work->slice_n[k];
        g->stride[k] = a->strides.dim[k + 1];
        g->order[k] = work->slice_order[k];
    }
}

static tess__gpu_slice_gather params_of(const tess__slice_gather *work)
{
    tess__gpu_slice_gather p = { .out = tess__cuda_array(&work->out),
                                 .out_weights = tess__cuda_array(&work->out_weights),
                                 .slices = tess__cuda_array(&work->slices),
                                 .slice_weights = tess__cuda_array(&work->slice_weights),
                                 .n = work->slices.shape.b,
                                 .out_rotations = tess__cuda_address(&work->out_rotations),
                                 .out_unscales = tess__cuda_address(&work->out_unscales),
                                 .inverses = tess__cuda_address(&work->inverses),
                                 .scales = tess__cuda_address(&work->scales),
                                 .out_rotation_step = tess__cuda_step(&work->out_rotations, 9),
                                 .out_unscale_step = tess__cuda_step(&work->out_unscales, 4),
                                 .inverse_step = tess__cuda_step(&work->inverses, 9),
                                 .scale_step = tess__cuda_step(&work->scales, 4),
                                 .cutoff = work->cutoff,
                                 .sinc = work->sinc,
                                 .window = work->window,
                                 .divide = work->divide };
    tess__cuda_grid(&p.grid, work->out.shape.dim);
    set_grid(&p.from, work, &work->slices);
    set_grid(&p.from_weights, work, &work->slice_weights);
    for (int k = 0; k < 3; k++) {
        p.out_n[k] = work->out_n[k];
        p.out_order[k] = work->out_order[k];
        p.out_size[k] = work->out_size[k];
    }
    memcpy(p.curve, work->curve, sizeof p.curve);
    memcpy(p.out_curve, work->out_curve, sizeof p.out_curve);
    return p;
}

tess_status tess__cuda_slice_gather(tess__cuda_call *call, const tess__slice_gather *work)
{
    const tess__gpu_slice_gather p = params_of(work);
    const int                    flags = (work->out_weights.data ? 1 : 0) | (work->slice_weights.data ? 2 : 0);
    const int64_t                numbers[TESS__CUDA_WORDS] = { work->out.dtype == TESS_C64, work->interp, flags };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(p.grid.n, TESS__GPU_GATHER_THREADS),
                                   TESS__GPU_GATHER_THREADS, &p));
    return TESS_OK;
}
