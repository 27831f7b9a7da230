/* Voxel-driven projection by footprints: each voxel is spread over the pixels around the point that it falls on. */
#ifndef TESS_REQUESTS_GEOMETRY_FOOTPRINT_H
#define TESS_REQUESTS_GEOMETRY_FOOTPRINT_H

#include "tessera/array.h"

/* Pixel (h, w) of image b of the output: the sum of voxels, each times the weight that interpolation of that image, at
 * the point where map b takes the voxel, gives to the pixel. Plain data. */
typedef struct tess__footprint {
    const char *name;
    tess_array  out, in; /* {n,1,h,w} and {1,d,h,w} of one dtype, f32, f64, c32 or c64; disjoint, not empty */
    tess_array  maps;   /* f64 {out.shape.b,1,3,5}, contiguous, on their device, as of tess__affine_sum; of full rank */
    int32_t     interp; /* not DEFAULT */
    bool        add;    /* to what `out` holds */
} tess__footprint;

#endif
