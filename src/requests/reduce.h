/* Fused reductions over a set of axes: several in one pass. */
#ifndef TESS_REQUESTS_REDUCE_H
#define TESS_REQUESTS_REDUCE_H

#include "tessera/array.h"

/* Reductions. */
enum {
    TESS__R_SUM,
    TESS__R_PROD,
    TESS__R_MEAN,
    TESS__R_VAR, /* outputs: mean, variance */
    TESS__R_STD, /* outputs: mean, standard deviation */
    TESS__R_NORM_L2,
    TESS__R_NORM_L1,
    TESS__R_NORM_MAX,
    TESS__R_MINMAX, /* outputs: smallest, largest */
    TESS__R_ARGMIN,
    TESS__R_ARGMAX,
    TESS__R_ANY,
    TESS__R_ALL,
    TESS__R_COUNT,
    TESS__R_LOGSUMEXP,
    TESS__R_DOT,           /* of two inputs */
    TESS__R_WEIGHTED_MEAN, /* inputs: numbers, weights */
    TESS__R_RMSD           /* of two inputs */
};

enum { TESS__MAX_REDUCTIONS = 8 };

/* Several reductions in one pass over one or two inputs. Plain data; only the first n_items and n_inputs are set. */
typedef struct tess__reduce {
    const char *name;
    tess_shape  shape;    /* that the inputs are broadcast to */
    int32_t     axes;     /* the set that is reduced, not 0 */
    int32_t     dtype;    /* two inputs: their common one */
    int32_t     ddof;     /* of variances */
    bool        skip_nan; /* leave NaNs out */
    bool        compensated;
    int32_t     n_inputs, n_items;
    tess_array  in[2];
    struct {
        int32_t    op;     /* a TESS__R_ */
        tess_array out[2]; /* with size 1 in the reduced axes; data NULL: not wanted */
    } item[TESS__MAX_REDUCTIONS];
} tess__reduce;

#endif
