/* Truth values of an array, for operations on masks. */
#ifndef TESS_OPS_GEOMETRY_DISTANCE_TRUTH_H
#define TESS_OPS_GEOMETRY_DISTANCE_TRUTH_H

#include "tessera/array.h"

/* `out`, which is made like `in` where it is zeroed, and real numbers `in`. */
tess_status tess__truth_output(const char *fn, tess_array *out, const tess_array *in, tess_dtype result);

/* Which elements of `in` are not 0: `in` itself if it is bool, or `held`, which is zeroed and to be released. */
tess_status tess__truth_of(const tess_array **truth, tess_array *held, const tess_array *in);

/* Squares of distances in pixels: to elements that are 0, or, `outside`, from those. Exact below 2^24, or all, with
 * `out` in f64. */
tess_status tess__distance_squares(tess_array *out, const char *fn, const tess_array *truth, bool outside);

/* Squares up to that of this radius are exact in this dtype. */
static inline tess_dtype tess__distance_dtype(double radius) { return radius < 4000 ? TESS_F32 : TESS_F64; }

#endif
