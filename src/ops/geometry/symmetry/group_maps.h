/* Matrices of a symmetry: the elements of a group with what stands before and after them. */
#ifndef TESS_OPS_GEOMETRY_SYMMETRY_GROUP_MAPS_H
#define TESS_OPS_GEOMETRY_SYMMETRY_GROUP_MAPS_H

#include "ops/geometry/project/affine_sum.h"

/* What maps are made of. Images are volumes of one plane. */
typedef struct tess__group_parts {
    const char    *fn, *name; /* name NULL: of matrices of the caller's */
    int            dims;
    bool           linear;               /* matrices have no translations */
    tess__matrices group, before, after; /* n is 0 of those that are not given */
    double         centre[3];
} tess__group_parts;

/* Options of the caller's: the set instead of a name, and inverse matrices; NULL: none. */
typedef struct tess__group_given {
    const tess_array *matrices, *before, *after;
} tess__group_given;

/* Read them, for so many batches; fn, name, dims and linear are set, and the rest 0. It waits for them. What was read
 * is released by tess__group_end, also if this fails. */
tess_status tess__group_read(tess__group_parts *p, const tess__group_given *given, int64_t batches);
void        tess__group_end(tess__group_parts *p);

/* How many maps differ along b: 1, or `batches`. */
int64_t tess__group_batches(const tess__group_parts *p, int64_t batches);

/* A matrix of images or volumes as one of volumes; the identity if there is none. */
tess_mat34_f64 tess__group_matrix(const tess__matrices *m, int64_t batch, int dims);

/* The map of element i for a batch: before, about the centre the inverse of the element, and after. */
tess_status tess__group_map(tess_mat34_f64 *map, const tess__group_parts *p, int64_t batch, int64_t i);

#endif
