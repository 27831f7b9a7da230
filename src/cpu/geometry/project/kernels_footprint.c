/* Footprints of voxels: tiles of pixels. Built once per instruction set. */
#include <string.h>

#include "core/dtype.h"
#include "cpu/geometry/kernels.h"
#include "cpu/geometry/project/affine_sum.h"
#include "cpu/template.h"

enum { ROWS = TESS__FOOTPRINT_ROWS, COLUMNS = TESS__FOOTPRINT_COLUMNS };

/* Sums of a tile; complex ones have both parts beside each other. */
typedef struct spread_sums {
    double at[ROWS][2 * COLUMNS];
} spread_sums;

/* What is spread over a tile, and where it is looked for: around the middle of the tile. */
typedef struct spread_of {
    const tess__footprint_tile *tile;
    tess__footprint_view        view;
    tess__sum_source            source;
    double                      middle[2], reach[2];
    int                         parts;
} spread_of;

static void set_up(spread_of *of, const tess__footprint_tile *tile)
{
    const tess__footprint *work = tile->work;
    const tess_array      *in = &work->in;
    of->tile = tile;
    of->parts = tess_dtype_reals(in->dtype);
    of->source = (tess__sum_source){ .data = in->data, .dims = 3, .border = TESS_BORDER_ZERO };
    for (int axis = 0; axis < 3; axis++) {
        of->source.stride[axis] = in->strides.dim[axis + 1];
        of->source.shape[axis] = in->shape.dim[axis + 1];
    }
    (void)tess__footprint_view_of(&of->view, (const double *)work->maps.data + tile->b * TESS__SUM_MAP, work->interp);
    of->middle[0] = (double)tile->h + 0.5 * (tile->rows - 1);
    of->middle[1] = (double)tile->w + 0.5 * (tile->columns - 1);
    of->reach[0] = tess__footprint_reach(work->interp, tile->rows);
    of->reach[1] = tess__footprint_reach(work->interp, tile->columns);
}

#define T float
#define SUFFIX f32
#include "cpu/geometry/project/footprint.c.inc"

#define T double
#define SUFFIX f64
#include "cpu/geometry/project/footprint.c.inc"

void TESS__FILL_KERNELS(geometry, footprint)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, footprint)(tess__geometry_kernels *kernels)
{
    kernels->footprint[0] = project_tile_f32;
    kernels->footprint[1] = project_tile_f64;
}
