/* B-spline coefficients for transforms. */
#ifndef TESS_OPS_GEOMETRY_PREFILTER_H
#define TESS_OPS_GEOMETRY_PREFILTER_H

#include "requests/prefilter.h"

/* The coefficients of `in`, with the name, border and value of `like`, in `out`, which is of the same dtype, f32, f64,
 * c32 or c64, and exactly the same or disjoint: along the last `dims` axes and all others that are longer than 1. */
tess_status tess__prefilter_axes(const tess__prefilter *like, const tess_array *out, const tess_array *in, int dims);

#endif
