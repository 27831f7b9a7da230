/* 2-D resampling at computed coordinates: polar ones and their inverse, the phase of a CTF, a warp. */
#ifndef TESS_REQUESTS_GEOMETRY_RESAMPLE_2D_H
#define TESS_REQUESTS_GEOMETRY_RESAMPLE_2D_H

#include "formulas/geometry/resample_2d_spec.op.h"
#include "tessera/array.h"

/* Every element of `out` is `in` between its elements, at the position that the grid gives. Plain data. */
typedef struct tess__resample_2d {
    const char           *name;
    tess_array            out, in; /* f32, f64, c32 or c64, the same; {b,1,h,w}, not empty; in.shape.b may be 1 */
    tess_array            ctfs;    /* PHASES, of `in`: f64 {1 or b,1,1 or h,TESS__CTF_COLUMNS}, contiguous along w */
    tess_array            target;  /* PHASES, of `out`: the same of h = 1 */
    tess__resample_grid   grid;
    tess__resample_source source;
    int32_t               interp; /* a tess_interp, not DEFAULT */
} tess__resample_2d;

#endif
