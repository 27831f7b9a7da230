/* B-spline coefficients for transforms, projections and symmetry. */
#ifndef TESS_OPS_GEOMETRY_SAMPLING_PREFILTER_H
#define TESS_OPS_GEOMETRY_SAMPLING_PREFILTER_H

#include <stdbool.h>

#include "requests/geometry/prefilter.h"

/* The coefficients of `in`, with the name, border and value of `like`, in `out`, which is of the same dtype, f32, f64,
 * c32 or c64, and exactly the same or disjoint: along the last `dims` axes and all others that are longer than 1. */
tess_status tess__prefilter_axes(const tess__prefilter *like, const tess_array *out, const tess_array *in, int dims);

/* opts->prefilter is for cubic B-splines alone. */
tess_status tess__check_prefilter(const char *fn, bool prefilter, int32_t interp);

/* An input in the dtype that is computed in, and with `prefilter` its coefficients, in `converted`, which is zeroed and
 * released by the caller; `*in` points to it then, and to the input itself if nothing is to be done. */
tess_status tess__prefilter_input(tess_array *converted, const tess__prefilter *like, const tess_array **in,
                                  tess_dtype dtype, bool prefilter, int dims);

#endif
