/* The border of an array: its names, and options that do not fit each other. */
#ifndef TESS_OPS_RESIZE_BORDER_H
#define TESS_OPS_RESIZE_BORDER_H

#include "core/table/table.h"

extern const tess_choice tess__borders[];

/* The name of a value of a choice, as "mirror"; "" if it has none. */
const char *tess__choice_name(const tess_choice *choices, int32_t value);

/* What lies outside: the value is given with the border TESS_BORDER_VALUE alone, and an output that is to stay as it is
 * there (TESS_BORDER_NOTHING) was allocated before. */
tess_status tess__check_border(const char *fn, const tess_array *out, int32_t border, double value, double value_imag);

#endif
