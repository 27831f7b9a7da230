/* Affine transforms: what functions by matrices and by name share. */
#ifndef TESS_OPS_GEOMETRY_SAMPLING_TRANSFORM_H
#define TESS_OPS_GEOMETRY_SAMPLING_TRANSFORM_H

#include "core/table/table.h"
#include "ops/resize/resize.h"
#include "requests/geometry/transform.h"
#include "tessera/transform.h"

extern const tess_choice tess__interps[];

/* Rows that all options structs have. */
#define TESS__INTERP_ROW(opts)                                                                                         \
    TESS__OPT_CHOICE(opts, interp, TESS_INTERP_LINEAR, tess__interps, "interpolation between elements")
#define TESS__PREFILTER_ROWS(opts)                                                                                     \
    TESS__FLAG(opts, prefilter, "with cubic_bspline: compute the spline coefficients of in first"),                    \
        TESS__OPT_I32(opts, unused, "", 0, 0, 0, "must be 0")
#define TESS__OUTSIDE_ROWS(opts)                                                                                       \
    TESS__OPT_CHOICE(opts, border, TESS_BORDER_ZERO, tess__borders, "extension of the array beyond its edges")
#define TESS__OUTSIDE_VALUE_ROWS(opts)                                                                                 \
    TESS__OPT_F64(opts, value, "", 0, -INFINITY, INFINITY, "value outside the array, with border value"),              \
        TESS__OPT_F64(opts, value_imag, "", 0, -INFINITY, INFINITY, "imaginary part of the value outside the array")

/* The dtype that elements of this one are computed in. */
tess_dtype tess__transform_dtype(tess_dtype in);

/* Interpolation, border and value of a request, checked for an input and an output. */
tess_status tess__transform_sampling(tess__transform *work, const tess_array *out, const tess_array *in,
                                     const tess_resample_opts *o);

/* The output, of this shape if it is zeroed, and the request, in which all else is set but the arrays. `matrices` is as
 * the request needs it, on any device. */
tess_status tess__transform_finish(tess__transform *work, const tess_resample_opts *o, tess_array *out,
                                   const tess_array *in, const tess_array *matrices, tess_shape shape);

/* Matrices of `dims` axes as the request has them, on their own device; `rows` is zeroed. */
tess_status tess__transform_rows(tess_array *rows, const char *fn, const tess_array *matrices, int dims);

/* Such rows, on any device, replaced by their inverses, on the CPU. It waits. */
tess_status tess__transform_invert(tess_array *rows, const char *fn, int dims);

#endif
