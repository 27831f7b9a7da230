/* Sums over shells of a spectrum: checks and request, for FSC, radial power and whitening. */
#ifndef TESS_OPS_SIGNAL_SHELLS_SHELLS_H
#define TESS_OPS_SIGNAL_SHELLS_SHELLS_H

#include "formulas/shells.op.h"
#include "tessera/fsc.h"

/* How a spectrum of a shape that was checked is divided into shells and chunks. */
tess__shell_grid tess__shell_grid_of(tess_shape shape, int layout);

/* The same with other steps of frequencies along the axes 1 to 3 that are longer than 1. */
void tess__shell_grid_set_sizes(tess__shell_grid *grid, const double size[4]);

/* What is summed. Arrays have been checked; `rhs` may be NULL, and the b of either may be 1. */
typedef struct tess__shell_terms {
    const tess_array *lhs, *rhs;
    const tess_array *axes; /* f64 unit vectors, contiguous, {1,1,cones,3}, or NULL */
    double            cosine;
    tess_shape        shape;
    int               layout;
    bool              nearest;
    bool              whole_last; /* the last shell has its share of coefficients beyond it */
    const double     *sizes;      /* of tess__shell_grid_set_sizes, or NULL */
} tess__shell_terms;

/* A new array {b, cones, shells, sums} of f64, to be released; see requests/shells.h. */
tess_status tess__shell_sums(const char *fn, tess_array *sums, const tess__shell_terms *terms);

/* A view of one of the sums, {b,1,cones,shells}. */
tess_status tess__shell_sum(tess_array *view, const tess_array *sums, int k);

/* `dtype` is f16, f32 or f64. */
tess_status tess__check_curve_dtype(const char *fn, const char *arg, tess_dtype dtype);

/* A complex spectrum. */
tess_status tess__check_coefficients(const char *fn, const char *arg, const tess_array *a);

#endif
