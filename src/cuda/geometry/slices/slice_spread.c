/* Slices spread into a volume on a GPU: the sums of the CPU in its order, but at frequencies n/2. */
#include <string.h>

#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/geometry/slices/slice_spread_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"

static const tess__cuda_source source = TESS__CUDA_SOURCE("geometry/slices/slice_spread", "WIDE", "FLAGS");

static tess__gpu_slice_spread params_of(const tess__slice_spread *work)
{
    tess__gpu_slice_spread p = { .volume = tess__cuda_array(&work->volume),
                                 .weights = tess__cuda_array(&work->weights),
                                 .slices = tess__cuda_array(&work->slices),
                                 .slice_weights = tess__cuda_array(&work->slice_weights),
                                 .n = work->slices.shape.b,
                                 .rotations = tess__cuda_address(&work->rotations),
                                 .inverses = tess__cuda_address(&work->inverses),
                                 .unscales = tess__cuda_address(&work->unscales),
                                 .scales = tess__cuda_address(&work->scales),
                                 .rotation_step = tess__cuda_step(&work->rotations, 9),
                                 .scale_step = tess__cuda_step(&work->scales, 4),
                                 .cutoff = work->cutoff };
    const int64_t          tiles[4] = { 1, tess__cuda_groups(work->volume.shape.d, TESS__GPU_SPREAD_DEPTH),
                                        tess__cuda_groups(work->volume.shape.h, TESS__GPU_SPREAD_HEIGHT),
                                        tess__cuda_groups(work->volume.shape.w, TESS__GPU_SPREAD_WIDTH) };
    tess__cuda_grid(&p.tiles, tiles);
    for (int k = 0; k < 3; k++) {
        p.volume_size[k] = work->volume.shape.dim[1 + k];
        p.places.n[k] = work->volume_n[k];
        p.places.order[k] = work->volume_order[k];
        p.slice_n[k] = work->slice_n[k];
        p.slice_order[k] = work->slice_order[k];
        p.target[k] = work->target[k];
    }
    memcpy(p.curve, work->curve, sizeof p.curve);
    return p;
}

tess_status tess__cuda_slice_spread(tess__cuda_call *call, const tess__slice_spread *work)
{
    const tess__gpu_slice_spread p = params_of(work);
    const int64_t numbers[TESS__CUDA_WORDS] = { work->volume.dtype == TESS_C64, work->weights.data ? 1 : 0 };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, p.tiles.n, TESS__GPU_SPREAD_THREADS, &p));
    return TESS_OK;
}
