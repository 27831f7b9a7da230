/* Voxel-driven projection on the CPU: tiles of pixels, shared among the threads. */
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/geometry/project/affine_sum.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"

#define COST 8.0 /* estimated nanoseconds of a voxel */

enum { ROWS = TESS__FOOTPRINT_ROWS, COLUMNS = TESS__FOOTPRINT_COLUMNS };

static void do_tiles(void *context, int64_t first, int64_t last)
{
    const tess__footprint *work = context;
    const tess_shape       shape = work->out.shape;
    const int64_t          rows = tess__tiles_along(shape.h, ROWS), columns = tess__tiles_along(shape.w, COLUMNS);
    const bool             wide = tess_dtype_real(work->out.dtype) == TESS_F64;
    tess__footprint_fn    *kernel = tess__cpu_kernels()->geometry.footprint[wide];
    for (int64_t i = first; i < last; i++) {
        tess__footprint_tile tile = { .work = work, .b = i / rows / columns };
        tile.h = i / columns % rows * ROWS;
        tile.w = i % columns * COLUMNS;
        tile.rows = tess__tile_size(shape.h, tile.h, ROWS);
        tile.columns = tess__tile_size(shape.w, tile.w, COLUMNS);
        kernel(&tile);
    }
}

tess_status tess__cpu_footprint(const tess__footprint *given)
{
    tess__footprint  work = *given;
    const tess_shape shape = work.out.shape;
    const int64_t    tiles = shape.b * tess__tiles_along(shape.h, ROWS) * tess__tiles_along(shape.w, COLUMNS);
    const double     cost = COST * ROWS * COLUMNS * (double)work.in.shape.d;
    tess__parallel(tiles, tess__grain(tiles, cost), do_tiles, &work);
    return TESS_OK;
}
