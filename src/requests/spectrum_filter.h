/* Filters of spectra: coefficients multiplied by a function of their frequency, on the way to another layout. */
#ifndef TESS_REQUESTS_SPECTRUM_FILTER_H
#define TESS_REQUESTS_SPECTRUM_FILTER_H

#include "formulas/filter_spec.op.h"
#include "tessera/array.h"

/* Plain data. Floats and complex numbers; `out` has the dtype of `in`, or, where it is real and `in` complex, receives
 * the power. The multipliers are complex where spec.is_odd or `table` says so, and then `out` or `in` is. */
typedef struct tess__spectrum_filter {
    const char       *name;
    tess_array        out, in; /* in.data NULL: the multipliers themselves; disjoint, or exactly the same */
    tess__filter_axis axis[4]; /* 1 to 3 are used */
    tess__filter_spec spec;
    double            columns[TESS__FILTER_MAX_COLUMNS]; /* the parameters of all batches */
    tess_array        parameters; /* f64 {b,1,1,m}: the first m columns of each batch; data NULL: none */
    int32_t           column_of[TESS__FILTER_MAX_COLUMNS]; /* which column each of `parameters` is */
    int64_t           batches;    /* DOSE: those that `parameters` are of; other kinds: of `out` */
    tess_array        table;      /* CURVE, WHITEN: f64 {1 or b,1,1,n}; IMAGE: {1 or b,d,h,w}, contiguous along w, f32
                                or f64 or complex, as multipliers are; DOSE: f64 norms {1,d,h,w}, the same */
    tess_array        factors[4]; /* AXES: c64 {1 or b,1,1,n}, of axes 1 to 3 of the output */
} tess__spectrum_filter;

/* Batches that have factors of their own; an axis of size 1 has one factor for all. */
static inline int64_t tess__spectrum_filter_shifts(const tess__spectrum_filter *work)
{
    int64_t n = 0;
    for (int k = 1; k < 4; k++)
        if (work->factors[k].shape.b > n) n = work->factors[k].shape.b;
    return n;
}

#endif
