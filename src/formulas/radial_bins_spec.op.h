/* Description of sums over shells of frequencies: axes of the spectrum, shells and chunks. Plain data, which requests
 * and kernels share. */
#ifndef TESS_FORMULAS_RADIAL_BINS_SPEC_OP_H
#define TESS_FORMULAS_RADIAL_BINS_SPEC_OP_H

#include <stdint.h>

#include "formulas/metric.op.h"

/* Where a coefficient lies, and with it the order of the sums: see formulas/radial_bins.op.h. Macros, as the
 * preprocessor of kernels compares them. */
#define TESS__RADIAL_MIRRORED 0   /* the length of its frequency; rows that are mirrors of each other go together */
#define TESS__RADIAL_ISOTROPIC 1  /* the length by a metric */
#define TESS__RADIAL_ASTIGMATIC 2 /* the frequency at which the isotropic CTF has the same phase */
#define TESS__RADIAL_FUSED 3      /* each row is a spectrum with a CTF: the frequency at which a target has its phase */

/* What is summed, and the count or weight. */
#define TESS__RADIAL_VALUE 0   /* real numbers */
#define TESS__RADIAL_POWER 1   /* |l|^2 */
#define TESS__RADIAL_COMPLEX 2 /* real part, imaginary part; then the count, and a sum of nothing */
#define TESS__RADIAL_PAIR 3    /* Re(l conj(r)), |l|^2, |r|^2 */
#define TESS__RADIAL_TERMS 4

/* Sums of a shell, and which of them is the count. */
#define TESS__RADIAL_SUMS(terms) ((terms) == TESS__RADIAL_COMPLEX || (terms) == TESS__RADIAL_PAIR ? 4 : 2)
#define TESS__RADIAL_COUNT(terms) ((terms) == TESS__RADIAL_PAIR ? 3 : (terms) == TESS__RADIAL_COMPLEX ? 2 : 1)

enum {
    TESS__RADIAL_LANES = 4,    /* tables of a chunk */
    TESS__RADIAL_MEMBERS = 4,  /* MIRRORED: rows that are added to each other, at most, */
    TESS__RADIAL_ROWS = 20,    /* |h| of a chunk, at most, */
    TESS__RADIAL_COLUMNS = 138 /* and its columns */
};

/* An axis of a spectrum: the indices of frequencies k from 0 on are zero + k, those of -k are below - k. */
typedef struct tess__radial_axis {
    int64_t n; /* logical size */
    int64_t zero;
    int64_t below;              /* -1: the axis is half, and has none below 0 */
    double  start, span, count; /* frequency k is start + k span / count */
} tess__radial_axis;

typedef struct tess__radial_grid {
    tess__radial_axis axis[3];      /* D, H, W */
    tess__metric      metric;       /* ISOTROPIC */
    double            start, scale; /* a frequency f is at shell (f - start) scale; MIRRORED: f */
    double            limit;        /* MIRRORED: squared length of what is in a shell, at most, */
    int64_t           last;         /* and nothing is split beyond this shell, which need not exist */
    int64_t           shells;
    int64_t           all_rows, all_columns; /* that are divided into chunks: those of |d| alone, or of all d */
    int64_t           rows, columns;         /* of a chunk */
    int64_t           across;                /* chunks next to each other along the width, */
    int64_t           down;                  /* and along the rows */
    int64_t           chunks;                /* all of them */
    int64_t           group;                 /* chunks that are added to each other first; 1: none are */
    int64_t           window;                /* shells that a chunk touches, at most */
    int32_t           kind, nearest;         /* nearest: a coefficient goes to one shell, and is not split */
} tess__radial_grid;

#endif
