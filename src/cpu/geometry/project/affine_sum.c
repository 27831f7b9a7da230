/* Sums at positions of affine maps on the CPU: tiles of results, shared among the threads. */
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/geometry/project/affine_sum.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

/* Estimated nanoseconds of a sample, and of each tap of its window. */
#define COST 1.0
#define COST_OF_TAP 0.15

static void do_tiles(void *context, int64_t first, int64_t last)
{
    const tess__affine_sum *work = context;
    const tess_shape        shape = work->out.shape;
    const int64_t           rows = tess__tiles_along(shape.h, TESS__SUM_ROWS),
                  columns = tess__tiles_along(shape.w, TESS__SUM_BLOCK);
    const bool    wide = tess_dtype_real(work->out.dtype) == TESS_F64;
    tess__sum_fn *kernel = tess__cpu_kernels()->geometry.affine_sum[wide];
    for (int64_t i = first; i < last; i++) {
        const int64_t  plane = i / rows / columns;
        tess__sum_tile tile = { .work = work, .b = plane / shape.d, .d = plane % shape.d };
        tile.h = i % rows * TESS__SUM_ROWS;
        tile.w = i / rows % columns * TESS__SUM_BLOCK;
        tile.rows = tess__tile_size(shape.h, tile.h, TESS__SUM_ROWS);
        tile.columns = tess__tile_size(shape.w, tile.w, TESS__SUM_BLOCK);
        kernel(&tile);
    }
}

tess_status tess__cpu_affine_sum(const tess__affine_sum *given)
{
    tess__affine_sum work = *given;
    const tess_shape shape = work.out.shape;
    const int        taps = tess__interp_taps(work.interp), parts = tess_dtype_reals(work.out.dtype);
    const int64_t    planes = shape.b * shape.d;
    const int64_t    tiles =
        planes * tess__tiles_along(shape.h, TESS__SUM_ROWS) * tess__tiles_along(shape.w, TESS__SUM_BLOCK);
    const double window = (double)(taps * taps * (work.dims == 3 ? taps : 1) * parts);
    const double samples = (double)work.count * (double)work.maps.shape.d * TESS__SUM_BLOCK * TESS__SUM_ROWS;
    tess__parallel(tiles, tess__grain(tiles, samples * (COST + COST_OF_TAP * window)), do_tiles, &work);
    return TESS_OK;
}
