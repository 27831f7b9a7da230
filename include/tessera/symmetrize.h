/* Symmetry of images and volumes: the mean over the rotations of a point group.
 *
 *     TESS_TRY(tess_symmetrize(&out, &volume, "D7", NULL));
 *
 * The result at p is the mean, over the rotations R of the group, of the input at A (R^-1 (B p - c) + c), about the
 * centre c; the matrices A and B, `before` and `after`, are none, one, or one for each batch. All of it is one pass,
 * without copies between. Elements, dtypes, sums and bits are as in tessera/project.h. Where a rotation takes elements
 * to elements, as the identity does, they are taken as they are.
 */
#ifndef TESSERA_SYMMETRIZE_H
#define TESSERA_SYMMETRIZE_H

#include "tessera/array.h"
#include "tessera/border.h"
#include "tessera/interp.h"

TESS_BEGIN_C

typedef struct tess_symmetrize_opts {
    const tess_array *matrices; /* instead of a group with a name: all of a set, 3x3 of volumes, 2x2 of images [none] */
    const tess_array *before;   /* inverse matrices A, from the symmetric picture to the input [none] */
    const tess_array *after;    /* inverse matrices B, from the output to the symmetric picture [none] */
    int32_t           interp;   /* a tess_interp [LINEAR] */
    int32_t           border;   /* a tess_border, not NOTHING [ZERO] */
    int32_t           sum;      /* 1: the sum, not the mean [0] */
    int32_t           unused;   /* must be 0 */
    double            value;    /* border VALUE: what is outside [0] */
    double   shift_d, shift_h, shift_w; /* the centre, along each axis from n / 2, rounded down, in pixels [0] */
    uint32_t reserved[4];               /* must be 0 */
} tess_symmetrize_opts;

/** Symmetrise images {n,1,h,w} or volumes {n,d,h,w} by the group of this name (tessera/symmetry.h), as "C4"; of images
 *  C<n>, and D<n>, which mirrors y. With opts->matrices, `name` is NULL or "". Matrices of `before` and `after` are
 *  2x2, 2x3 or 3x3 of images, 3x3, 3x4 or 4x4 of volumes; all of them lie on any device, are read during the call,
 *  which waits for them, and must be finite. Those of `matrices` must have inverses (TESS_ERANGE); whether they are a
 *  group is not asked (tess_symmetry_check). `out` has the shape of `in`, and overlaps nothing. */
TESS_API TESS_MUST_CHECK tess_status tess_symmetrize(tess_array *out, const tess_array *in, const char *name,
                                                     const tess_symmetrize_opts *opts);

TESS_END_C

#endif
