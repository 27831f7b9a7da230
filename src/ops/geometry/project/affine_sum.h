/* Sums at positions of affine maps: what projections and symmetry share. */
#ifndef TESS_OPS_GEOMETRY_PROJECT_AFFINE_SUM_H
#define TESS_OPS_GEOMETRY_PROJECT_AFFINE_SUM_H

#include "core/table/table.h"
#include "ops/geometry/sampling/transform.h"
#include "requests/geometry/affine_sum.h"
#include "requests/geometry/footprint.h"
#include "tessera/interp.h"

/* Matrices of the caller's as f64 in the host's memory, one after the other. */
typedef struct tess__matrices {
    tess_array list; /* released by the caller */
    int64_t    n;
    int        rows, columns;
} tess__matrices;

/* Read an array of matrices of one of these sizes, as "3x3 3x4 4x4"; it waits for them. All numbers are finite. */
tess_status tess__matrices_read(tess__matrices *m, const char *fn, const char *arg, const tess_array *given,
                                const char *sizes);

/* Matrix i. */
static inline const double *tess__matrix_at(const tess__matrices *m, int64_t i)
{
    return (const double *)m->list.data + i * m->rows * m->columns;
}

/* New maps {batches,terms,3,5} of f64 in the host's memory, all 0. */
tess_status tess__maps_new(tess_array *maps, const char *fn, int64_t batches, int64_t terms);

/* The dtype of results of an input of this one. */
tess_dtype tess__sum_dtype(tess_dtype in);

/* The output: {b,d,h,w} of the dtype of results, if it is zeroed, else of this shape, with `add` allocated, and
 * disjoint from the input, whose name is `arg`. */
tess_status tess__sum_output(const char *fn, tess_array *out, tess_shape shape, const char *arg, const tess_array *in,
                             bool add);

/* Hand on requests, in which all is set but the arrays: maps, and rays if there are any, are taken to the device, the
 * input is converted, and with `prefilter` replaced by its coefficients. Without terms, or elements of the input, the
 * sum is 0. */
tess_status tess__sum_run(tess__affine_sum *work, bool prefilter, const tess_array *out, const tess_array *in,
                          const tess_array *maps, const tess_array *rays);
tess_status tess__footprint_hand_on(tess__footprint *work, const tess_array *out, const tess_array *in,
                                    const tess_array *maps);

#endif
