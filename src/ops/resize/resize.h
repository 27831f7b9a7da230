/* Borders of resize, pad and extract: their options, and the windows of a request. */
#ifndef TESS_OPS_RESIZE_RESIZE_H
#define TESS_OPS_RESIZE_RESIZE_H

#include "backend.h"
#include "core/table/table.h"
#include "ops/resize/border.h"
#include "tessera/resize.h"

/* The rows of tess_resize_opts. */
#define TESS__RESIZE_OPTS                                                                                              \
    TESS__OPT_CHOICE(tess_resize_opts, border, TESS_BORDER_ZERO, tess__borders, "values outside the input"),           \
        TESS__OPT_I32(tess_resize_opts, unused, "", 0, 0, 0, "must be 0"),                                             \
        TESS__OPT_F64(tess_resize_opts, value, "", 0, -INFINITY, INFINITY, "border value: value outside the input"),   \
        TESS__OPT_F64(tess_resize_opts, value_imag, "", 0, -INFINITY, INFINITY, "border value: its imaginary part")

/* The options, with their defaults; then errors for invalid combinations: values that the border does not use, an
 * output that cannot be left as it is. */
tess_status tess__resize_options(tess_resize_opts *o, const tess_function_info *info, const tess_resize_opts *opts,
                                 const tess_array *out, const tess_array *in);

/* The border of results of this shape does not read an input that has no elements. */
tess_status tess__check_border_source(const char *fn, const tess_resize_opts *o, const tess_array *in,
                                      tess_shape shape);

/* The fields of the request that the options decide. */
tess_status tess__window_border(tess__window *work, const tess_resize_opts *o, tess_dtype dtype);

#endif
