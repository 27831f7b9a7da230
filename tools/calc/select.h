/* The median of numbers that come in parts, found in iterations of 16 bits: all parts are given again in each. */
#ifndef TESSERA_CALC_SELECT_H
#define TESSERA_CALC_SELECT_H

#include "tessera.h"

typedef struct selection selection;

tess_status selection_new(selection **s, int64_t n);
void        selection_free(selection *s);

/* Any real dtype. */
tess_status selection_add(selection *s, const tess_array *values);

/* After all parts: false if the median is known. */
bool   selection_next(selection *s);
double selection_value(const selection *s);

#endif
