/* What operations on slices of spectra share: rotations and scales as numbers, the frequencies of arrays, options. */
#ifndef TESS_OPS_GEOMETRY_SLICES_SLICES_H
#define TESS_OPS_GEOMETRY_SLICES_SLICES_H

#include "backend.h"
#include "core/check/outputs.h"
#include "core/table/table.h"
#include "ops/fft/layout.h"
#include "ops/geometry/sampling/transform.h"
#include "tessera/interp.h"

/* Matrices of rows x columns, elements or numbers, as f64 {n,1,rows,columns}, contiguous. `out` is zeroed, and released
 * by the caller. There is one of them, or one for each of `batches` of `other`. */
typedef struct tess__slice_parts {
    const char       *fn, *arg;
    const tess_array *in;
    const char       *other;
    int64_t           batches;
} tess__slice_parts;

tess_status tess__slice_matrices(tess_array *out, const tess__slice_parts *parts, int size);

/* The same of rotations: 3 x 3, or quaternions of any length, as matrices. */
tess_status tess__slice_rotations(tess_array *out, const tess__slice_parts *parts);

/* How many rotations an array has; an error if it is none. */
tess_status tess__slice_count(int64_t *n, const char *fn, const tess_array *rotations);

/* f32, f64, c32 or c64. */
tess_status tess__slice_check_dtype(const char *fn, const char *arg, const tess_array *a);

/* A shape of images, or of one volume. */
tess_status tess__slice_check_images(const char *fn, const char *arg, tess_shape shape);
tess_status tess__slice_check_volume(const char *fn, const char *arg, tess_shape shape);

/* 1 / 2R of a radius, 0 for none. */
double tess__slice_curve(double radius);

/* The sizes that frequencies are multiplied by: those of `target`, or of `shape` where it is 0. */
tess_status tess__slice_target(double target[3], const char *fn, tess_shape given, tess_shape shape);

/* Logical sizes of D, H and W, and their orders in a layout. */
void tess__slice_axes(int64_t n[3], int32_t order[3], tess_shape shape, int layout);

/* ---- Slices that are put somewhere ---- */

/* Slices, their weights, and what is made of their orientations. */
typedef struct tess__slice_set {
    const char       *fn;
    const tess_array *slices, *weights;                      /* NULL: 1 */
    double            radii[2];                              /* of the Ewald sphere, along h and w; 0: none */
    double            curve[2];                              /* 1 / 2R of these */
    tess_array        rotations, inverses, scales, unscales; /* zeroed before */
} tess__slice_set;

/* S and its inverse, as f64, on the device of `a`; none if parts->in is NULL. */
tess_status tess__slice_scales(tess_array *scales, tess_array *unscales, const tess__slice_parts *parts,
                               const char *arg, const tess_array *a);

/* Check slices and weights, and make the matrices, which tess__slice_set_end releases, also if this fails. */
tess_status tess__slice_set_take(tess__slice_set *s, tess__fft_variant form, const tess_array *rotations,
                                 const tess_array *scales);
void        tess__slice_set_end(tess__slice_set *s);

/* What slices are added to, and what receives their weights, which may be NULL: checked, allocated where they are
 * empty, and cleared where `add` is not. `all` has further inputs that they may not overlap. tess__slice_sums_end
 * releases what was allocated if the call failed, and names the function in its message. */
typedef struct tess__slice_sums {
    const char   *args[2];
    tess_array   *arrays[2];
    bool          add;
    tess__outputs all;
} tess__slice_sums;

tess_status tess__slice_outputs(tess__slice_sums *sums, tess__fft_variant form, const tess__slice_set *s);
tess_status tess__slice_sums_end(tess_status status, tess__slice_sums *sums, const char *fn);

/* The slices of a request, and its window of at least one of `least` samples. */
tess_status tess__slice_gather_set(tess__slice_gather *work, const tess__slice_set *s, tess_shape shape, int layout);
tess_status tess__slice_gather_window(tess__slice_gather *work, double window, double sinc, double least);

#endif
