/* Checks and rows that operations of restoration have in common. */
#ifndef TESS_OPS_SIGNAL_RESTORATION_H
#define TESS_OPS_SIGNAL_RESTORATION_H

#include "ops/signal/stencil.h"

#define TESS__RESTORATION_BORDER(opts)                                                                                 \
    TESS__OPT_CHOICE(opts, border, TESS_BORDER_MIRROR, tess__borders, "extension of the array beyond its edges")

/* An output pointer, an input of real numbers, and a border other than NOTHING. */
tess_status tess__restoration_arrays(const char *fn, const tess_array *out, const tess_array *in, int32_t border);

/* A number above 0 and at most `most`. */
tess_status tess__restoration_positive(const char *fn, const char *arg, double value, double most);

/* By which differences are multiplied in this dtype: `factor` / unit, or its largest number where that is infinite. */
double tess__restoration_scale(double factor, double unit, tess_dtype dtype);

/* From 0 to 100000. */
tess_status tess__restoration_iterations(const char *fn, int64_t iterations);

#endif
