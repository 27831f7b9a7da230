/* Points at which images and volumes are sampled, as requests have them. */
#ifndef TESS_OPS_GEOMETRY_SAMPLING_POINTS_H
#define TESS_OPS_GEOMETRY_SAMPLING_POINTS_H

#include "core/table/table.h"
#include "ops/geometry/sampling/transform.h"
#include "tessera/transform.h"

/* Rows that functions of points have. */
#define TESS__COORDINATES_ROW                                                                                          \
    TESS__IN("coordinates", "points y, x {b,n,m,2} or z, y, x {b,n,m,3}, or vec2 or vec3 {b,d,h,w}",                   \
             .sample = "b,3,5,2", .axes = "B,n,m,k")
#define TESS__COORDINATES_OPTIONS                                                                                      \
    TESS__INTERP_ROW(tess_coordinates_opts), TESS__OUTSIDE_ROWS(tess_coordinates_opts),                                \
        TESS__FLAG(tess_coordinates_opts, prefilter,                                                                   \
                   "with cubic_bspline: compute the spline coefficients of in first"),                                 \
        TESS__FLAG(tess_coordinates_opts, cut, "points below 0 or above n - 1 along an axis have the value outside"),  \
        TESS__OPT_F64(tess_coordinates_opts, value, "", 0, -INFINITY, INFINITY,                                        \
                      "value outside the array, with border value or cut"),                                            \
        TESS__OPT_F64(tess_coordinates_opts, value_imag, "", 0, -INFINITY, INFINITY,                                   \
                      "imaginary part of the value outside the array")

/* `dims` numbers for each point: {b,rows,width,dims}. The points of `values`, one value for each, are {b,d,h,w}. */
typedef struct tess__points {
    const char *name;
    tess_array  numbers, made; /* numbers: f32 or f64 {b,rows,width,dims}; made: storage to release, or zeroed */
    tess_shape  values;
    int         dims;
} tess__points;

/* Checks coordinates for images or volumes of this shape, without copying them: `values` and `dims` are set. */
tess_status tess__points_check(tess__points *points, const tess_array *coordinates, tess_shape image,
                               const char *image_name);

/* Whether values of this shape belong to the points: {b,1,n,m} may be {b,d,h,m} with d h = n. */
bool tess__points_fit(const tess__points *points, tess_shape values);

/* The numbers on a device. */
tess_status tess__points_take(tess__points *points, const tess_array *coordinates, tess_device device);

/* Points and their values with as few rows as their strides allow. */
void tess__points_merge(tess_array *numbers, tess_array *values);

/* Checks of the options. */
tess_status tess__points_options(const char *fn, const tess_array *out, const tess_array *in,
                                 const tess_coordinates_opts *o);

#endif
