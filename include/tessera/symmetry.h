/* Point groups: the rotations of cyclic, dihedral, tetrahedral, octahedral and icosahedral symmetry, and sets of the
 * user's.
 *
 * A group has a name, in which case does not matter:
 *
 *     C<n>   n rotations           n-fold about z; n from 1 to 1024
 *     D<n>   2 n                   n-fold about z, 2-fold about x
 *     T      12                    3-fold about z, 2-fold about x, y, z = 0, sqrt(2/3), sqrt(1/3)
 *     O      24                    4-fold about x, y and z, 3-fold about the diagonals
 *     I1     60                    2-fold about x, y and z, 5-fold about x, y, z = 0, 1, golden ratio
 *     I2     60                    2-fold about x, y and z, 5-fold about x, y, z = 1, 0, golden ratio
 *
 * The axes are RELION's. I2 is I1 after a quarter turn about z.
 */
#ifndef TESSERA_SYMMETRY_H
#define TESSERA_SYMMETRY_H

#include "tessera/array.h"

TESS_BEGIN_C

/** The largest number of rotations that a set has. */
enum { TESS_SYMMETRY_MAX = 2048 };

/** How many rotations a group has, the identity among them. A name that is none is TESS_EPARSE. */
TESS_API TESS_MUST_CHECK tess_status tess_symmetry_order(int64_t *order, const char *name);

typedef struct tess_symmetry_opts {
    int32_t  images;      /* 1: 2 x 2 matrices of images, C<n> and D<n> alone; D mirrors y [0] */
    int32_t  dtype;       /* f32 or f64, of an `out` that is to be made [f64] */
    uint32_t reserved[4]; /* must be 0 */
} tess_symmetry_opts;

/** The rotations of a group: {n,1,3,3}, or n mat33 along any axis of an `out` that was made. The identity is the first.
 *  They are orthonormal to 1e-15; 0, 1/2 and 1 are exact. */
TESS_API TESS_MUST_CHECK tess_status tess_symmetry_matrices(tess_array *out, const char *name,
                                                            const tess_symmetry_opts *opts);

/** The group that rotations generate: {n,1,3,3} of f64, with the identity first, then products of the given ones as
 *  they are found. A set that makes more than TESS_SYMMETRY_MAX, as angles that are no part of a turn do, is an error
 *  (TESS_ERANGE), and so is one that closes by chance: products must be among the rotations to 1e-5, which 710 turns
 *  of 1 radian, near 113 whole turns, are not. A matrix that is no rotation to 1e-6 is an error, too. Synchronises with
 *  the device. */
TESS_API TESS_MUST_CHECK tess_status tess_symmetry_close(tess_array *out, const tess_array *generators);

/** Are these rotations a group: all different, and with each product of two among them? `error` receives the largest
 *  distance, as the root of the sum of squares, of a product from the nearest of them; looked at are products with
 *  elements that generate all. One above 1e-4, and two elements that are nearer, are errors (TESS_ERANGE) that say
 *  which. It waits for what it reads. */
TESS_API TESS_MUST_CHECK tess_status tess_symmetry_check(double *error, const tess_array *matrices);

TESS_END_C

#endif
