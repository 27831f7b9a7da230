/* Merge functions of accumulator states. */
#ifndef TESS_CPU_REDUCE_MERGE_H
#define TESS_CPU_REDUCE_MERGE_H

#include "cpu/reduce/reduce.h"

tess__merge_fn tess__merge_sum, tess__merge_sum2, tess__merge_sum3; /* one, two or three sums of doubles */
tess__merge_fn tess__merge_compensated, tess__merge_compensated2;   /* sums and their rounding errors */
tess__merge_fn tess__merge_product, tess__merge_complex_product;
tess__merge_fn tess__merge_var, tess__merge_complex_var;
tess__merge_fn tess__merge_norm;                           /* sum of squares, over 2^(2 exponent) */
tess__merge_fn tess__merge_logsumexp;                      /* largest, sum of exponentials */
tess__merge_fn tess__merge_count, tess__merge_int_product; /* integers, wrapping */
tess__merge_fn tess__merge_minmax, tess__merge_index;

#endif
