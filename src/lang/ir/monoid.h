/* Monoids of accumulators: neutral element, combining operator, and the first value of lanes. */
#ifndef TESS_LANG_IR_MONOID_H
#define TESS_LANG_IR_MONOID_H

#include "lang/front/tree.h"

/* The TESS__OP_ that combines; of TESS__MONOID_NONE there is none. */
int tess__monoid_operator(int monoid);

/* The neutral element. For sums of floats that is -0: lanes, which are results in the end, start from 0
 * instead. */
tess__constant tess__monoid_neutral(int monoid, tess_dtype type);

/* The first value of the lanes of an accumulator. */
tess__constant tess__monoid_start(const tess__param *param);

#endif
