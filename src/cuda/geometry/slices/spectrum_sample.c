/* Spectra sampled at turned frequencies on a GPU, bit for bit as on the CPU. */
#include <string.h>

#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/geometry/slices/spectrum_sample_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"

static const tess__cuda_source source =
    TESS__CUDA_SOURCE("geometry/slices/spectrum_sample", "WIDE", "PARTS", "DIMS", "METHOD", "FLAGS");

static tess__gpu_spectrum_sample params_of(const tess__spectrum_sample *work)
{
    tess__gpu_spectrum_sample p = { .out = tess__cuda_array(&work->out),
                                    .in = tess__cuda_address(&work->in),
                                    .in_batch = tess__cuda_step(&work->in, work->in.strides.b),
                                    .rotations = tess__cuda_address(&work->rotations),
                                    .scales = tess__cuda_address(&work->scales),
                                    .shifts = tess__cuda_address(&work->shifts),
                                    .rotation_step = tess__cuda_step(&work->rotations, 9 * work->rotations.shape.d),
                                    .scale_step = tess__cuda_step(&work->scales, 4),
                                    .shift_step = tess__cuda_step(&work->shifts, 3),
                                    .terms = work->rotations.shape.d,
                                    .divisor = work->divisor,
                                    .cutoff = work->cutoff,
                                    .window = work->window };
    tess__cuda_grid(&p.grid, work->out.shape.dim);
    for (int k = 0; k < 3; k++) {
        p.from.n[k] = work->in_n[k];
        p.from.stride[k] = work->in.strides.dim[k + 1];
        p.from.order[k] = work->in_order[k];
        p.n[k] = work->out_n[k];
        p.order[k] = work->out_order[k];
        p.target[k] = work->target[k];
    }
    memcpy(p.curve, work->curve, sizeof p.curve);
    memcpy(p.weights, work->weights, sizeof p.weights);
    return p;
}

tess_status tess__cuda_spectrum_sample(tess__cuda_call *call, const tess__spectrum_sample *work)
{
    const tess_dtype                real = tess_dtype_real(work->out.dtype);
    const bool                      is_complex = real != work->out.dtype;
    const tess__gpu_spectrum_sample p = params_of(work);
    const int     flags = (work->window ? 1 : 0) | (p.shifts && is_complex ? 2 : 0) | (p.terms > 1 ? 4 : 0);
    const int64_t numbers[TESS__CUDA_WORDS] = { real == TESS_F64, is_complex ? 2 : 1, work->dims, work->interp, flags };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(p.grid.n, TESS__GPU_SAMPLE_THREADS),
                                   TESS__GPU_SAMPLE_THREADS, &p));
    return TESS_OK;
}
