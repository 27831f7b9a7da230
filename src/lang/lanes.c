/* What the lanes of an accumulator are kept in. */
#include "tessera/op.h"

tess_dtype tess_lane_dtype(tess_dtype acc, int is_sum_or_product)
{
    if (!is_sum_or_product) return acc;
    if (acc == TESS_F16 || acc == TESS_F32) return TESS_F64;
    return acc == TESS_C16 || acc == TESS_C32 ? TESS_C64 : acc;
}
