/* Sums over shells of a spectrum: checks and request, for FSC, radial power and whitening. */
#ifndef TESS_OPS_SIGNAL_SHELLS_SHELLS_H
#define TESS_OPS_SIGNAL_SHELLS_SHELLS_H

#include "backend.h"
#include "core/check/outputs.h"
#include "tessera/fsc.h"

/* An axis of a spectrum whose frequencies are numbers of steps. */
tess__radial_axis tess__radial_axis_of(int layout, int axis, int64_t n);

/* Run a request of which all is set but `out`, {b, cones, shells, sums}, which becomes a new array, to be released;
 * 0 where there is nothing to sum. */
tess_status tess__radial_sums(tess_array *sums, tess__radial_bins *work, int64_t b, int64_t cones);

/* A view of one of the sums, {b,1,cones,shells}. */
tess_status tess__shell_sum(tess_array *view, const tess_array *sums, int k);

/* total / count, 0 where that is 0; `out` may be `total`, or empty. */
tess_status tess__shell_mean(tess_array *out, const tess_array *total, const tess_array *count);

/* ---- Mirrored rows ---- */

/* The smallest size of the axes 1 to 3 that are longer than 1, or 1. `sizes` may have others than those of the shape:
 * reciprocals of the steps of frequencies. */
double tess__shell_size(tess_shape shape, const double *sizes);

/* What is summed. Arrays have been checked; `rhs` may be NULL, and the b of either may be 1. */
typedef struct tess__shell_terms {
    const tess_array *lhs, *rhs;
    const tess_array *axes; /* f64 unit vectors, contiguous, {1,1,cones,3}, or NULL */
    double            cosine;
    tess_shape        shape;
    int               layout;
    bool              nearest;
    bool              whole_last; /* the last shell has its share of coefficients beyond it */
    const double     *sizes;      /* of tess__shell_size, or NULL */
} tess__shell_terms;

/* Their sums, of pairs or of powers; see tess__radial_sums. */
tess_status tess__shell_sums(const char *fn, tess_array *sums, const tess__shell_terms *terms);

/* ---- Means as results ---- */

/* How sums become results. */
typedef struct tess__shell_end {
    tess_array *out, *weights; /* weights NULL: none are wanted */
    bool        sum, add;
} tess__shell_end;

/* Check the output and the weights, {b,1,1,n}, of a function whose result is of this dtype, and allocate what is empty:
 * with `add` they hold sums. `all` has further inputs that they may not overlap. */
tess_status tess__shell_outputs(tess__outputs *all, const tess__shell_end *end, const tess_array *in, int64_t n,
                                tess_dtype result);

/* Run a request of rows as they are, of which all is set but `out` and the chunks of its grid, and write the results;
 * its spectrum may be empty. */
tess_status tess__shell_means(tess__radial_bins *work, const tess__shell_end *end);

/* ---- Checks ---- */

/* `dtype` is f16, f32 or f64. */
tess_status tess__check_curve_dtype(const char *fn, const char *arg, tess_dtype dtype);

/* A complex spectrum. */
tess_status tess__check_coefficients(const char *fn, const char *arg, const tess_array *a);

#endif
