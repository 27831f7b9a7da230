/* Sums into shells of frequencies of a spectrum. */
#ifndef TESS_REQUESTS_SHELLS_H
#define TESS_REQUESTS_SHELLS_H

#include "formulas/shells.op.h"
#include "tessera/array.h"

/* For each batch, cone and shell the sums of what a coefficient of each contributes: with `rhs`, Re(lhs conj(rhs)),
 * |lhs|^2, |rhs|^2 and 1; without, |lhs|^2 and 1. Coefficients that stand for two count twice. Plain data. */
typedef struct tess__shells {
    const char      *name;
    tess_array       out;      /* f64, contiguous: {b, cones, shells, TESS__SHELL_PAIR or _POWER} */
    tess_array       lhs, rhs; /* complex spectra of one shape, not empty; rhs.data NULL: powers of lhs */
    tess_array       axes;     /* f64, contiguous: unit vectors (z, y, x), {1,1,cones,3}; data NULL: all directions */
    double           cosine;   /* of the angle between an axis and the surface of its cone */
    tess__shell_grid grid;
    bool             nearest; /* a coefficient goes to one shell; else it is split between two */
} tess__shells;

#endif
