/* Stencils of convolutions and rank filters: borders, windows, filters, and the request itself. */
#ifndef TESS_OPS_SIGNAL_STENCIL_H
#define TESS_OPS_SIGNAL_STENCIL_H

#include "backend.h"
#include "core/table/table.h"
#include "ops/resize/resize.h"

/* Rows of an options struct that has a border and its value. */
#define TESS__BORDER_ROW(opts)                                                                                         \
    TESS__OPT_CHOICE(opts, border, TESS_BORDER_ZERO, tess__borders, "extension of the array beyond its edges")
#define TESS__VALUE_ROW(opts)                                                                                          \
    TESS__OPT_F64(opts, value, "", 0, -INFINITY, INFINITY, "value outside the array, with border value")
#define TESS__VALUE_IMAG_ROW(opts)                                                                                     \
    TESS__OPT_F64(opts, value_imag, "", 0, -INFINITY, INFINITY, "imaginary part of the value outside the array")
#define TESS__UNUSED_ROW(opts) TESS__OPT_I32(opts, unused, "", 0, 0, 0, "must be 0")

/* What lies outside, as a caller gave it. */
typedef struct tess__outside {
    int32_t border;
    double  value, value_imag;
} tess__outside;

/* The border and what is outside in `work`, whose other members are set but for the output; errors for values that the
 * border, or the dtype of sums, does not use, and for an output that cannot be left as it is. */
tess_status tess__stencil_border(tess__stencil *work, const tess_array *out, const tess__outside *outside);

/* The output of results of this dtype, which is made or fits, and the request, with work->in and all else but the
 * output set. */
tess_status tess__stencil_finish(tess__stencil *work, tess_array *out, const tess_array *in, tess_dtype result);

/* Sizes of a window: odd, not so many elements that no memory holds their offsets; 1 along b. */
tess_status tess__check_window(const char *fn, const char *arg, tess_shape window);

#endif
