/* Accumulators of operators: initial values, and combination of elements into lanes. See tessera/op_define.h.
 *
 * Lanes of sums and products are wider than the accumulator: tess_lane_dtype.
 */
#ifndef TESSERA_OP_LANE_H
#define TESSERA_OP_LANE_H

#include "tessera/math/complex.op.h"
#include "tessera/op_type.h"

/* By the name of a type: the initial value in a body, and the combination with the lane. A sum or product starts from
 * its neutral element and is then combined in the wider type. Minima and maxima may also start from the lane. */
#define TESS__START_sum(T, lane) TESS__PASTE(tess__no_sum_, T)()
#define TESS__START_prod(T, lane) TESS__PASTE(tess__no_prod_, T)()
#define TESS__START_min(T, lane) TESS__PASTE(tess__get_, T)(&(lane), 0)
#define TESS__START_max(T, lane) TESS__PASTE(tess__get_, T)(&(lane), 0)
#define TESS__START_any(T, lane) TESS__PASTE(tess__get_, T)(&(lane), 0)
#define TESS__START_all(T, lane) TESS__PASTE(tess__get_, T)(&(lane), 0)
#define TESS__START_none(T, lane) TESS__PASTE(tess__get_, T)(&(lane), 0)

#define TESS__COMBINE_sum(T, lane, x) (lane) = TESS__PASTE(tess__sum_, T)(lane, x)
#define TESS__COMBINE_prod(T, lane, x) (lane) = TESS__PASTE(tess__prod_, T)(lane, x)
#define TESS__COMBINE_min(T, lane, x) TESS__PASTE(tess__put_, T)(&(lane), 0, x)
#define TESS__COMBINE_max(T, lane, x) TESS__PASTE(tess__put_, T)(&(lane), 0, x)
#define TESS__COMBINE_any(T, lane, x) TESS__PASTE(tess__put_, T)(&(lane), 0, x)
#define TESS__COMBINE_all(T, lane, x) TESS__PASTE(tess__put_, T)(&(lane), 0, x)
#define TESS__COMBINE_none(T, lane, x) TESS__PASTE(tess__put_, T)(&(lane), 0, x)

#define TESS__LANE_sum(T) TESS__WIDE_##T
#define TESS__LANE_prod(T) TESS__WIDE_##T
#define TESS__LANE_min(T) TESS__STORED_##T
#define TESS__LANE_max(T) TESS__STORED_##T
#define TESS__LANE_any(T) TESS__STORED_##T
#define TESS__LANE_all(T) TESS__STORED_##T
#define TESS__LANE_none(T) TESS__STORED_##T

/* Sums and products wrap; U is wide enough that nothing is promoted to a signed type. */
#define TESS__LANE_OF_INTEGER(name, T, U)                                                                              \
    TESS_FN T tess__no_sum_##name(void) { return 0; }                                                                  \
    TESS_FN T tess__no_prod_##name(void) { return 1; }                                                                 \
    TESS_FN T tess__sum_##name(T lane, T x) { return (T)((U)lane + (U)x); }                                            \
    TESS_FN T tess__prod_##name(T lane, T x) { return (T)((U)lane * (U)x); }
TESS__LANE_OF_INTEGER(i8, int8_t, uint32_t)
TESS__LANE_OF_INTEGER(i16, int16_t, uint32_t)
TESS__LANE_OF_INTEGER(i32, int32_t, uint32_t)
TESS__LANE_OF_INTEGER(i64, int64_t, uint64_t)
TESS__LANE_OF_INTEGER(u8, uint8_t, uint32_t)
TESS__LANE_OF_INTEGER(u16, uint16_t, uint32_t)
TESS__LANE_OF_INTEGER(u32, uint32_t, uint32_t)
TESS__LANE_OF_INTEGER(u64, uint64_t, uint64_t)
#undef TESS__LANE_OF_INTEGER

/* -0 is neutral for sums, so that a compiler removes it. In half precision the contribution of each element is
 * rounded. */
#define TESS__LANE_OF_FLOAT(name, T, round)                                                                            \
    TESS_FN T      tess__no_sum_##name(void) { return (T)-0.0; }                                                       \
    TESS_FN T      tess__no_prod_##name(void) { return 1; }                                                            \
    TESS_FN double tess__sum_##name(double lane, T x) { return lane + (double)round(x); }                              \
    TESS_FN double tess__prod_##name(double lane, T x) { return lane * (double)round(x); }

TESS_FN float  tess__as_f16(float x) { return tess__f16_to_f32(tess__f32_to_f16(x)); }
TESS_FN float  tess__as_f32(float x) { return x; }
TESS_FN double tess__as_f64(double x) { return x; }
TESS__LANE_OF_FLOAT(f16, float, tess__as_f16)
TESS__LANE_OF_FLOAT(f32, float, tess__as_f32)
TESS__LANE_OF_FLOAT(f64, double, tess__as_f64)
#undef TESS__LANE_OF_FLOAT

TESS_FN tess_c32 tess__no_sum_c32(void) { return tess__of_parts_c32(-0.0f, -0.0f); }
TESS_FN tess_c32 tess__no_sum_c16(void) { return tess__no_sum_c32(); }
TESS_FN tess_c64 tess__no_sum_c64(void) { return tess__of_parts_c64(-0.0, -0.0); }
TESS_FN tess_c32 tess__no_prod_c32(void) { return tess__of_parts_c32(1.0f, 0.0f); }
TESS_FN tess_c32 tess__no_prod_c16(void) { return tess__no_prod_c32(); }
TESS_FN tess_c64 tess__no_prod_c64(void) { return tess__of_parts_c64(1.0, 0.0); }
TESS_FN tess_c64 tess__sum_c64(tess_c64 lane, tess_c64 x) { return tess__add_c64(lane, x); }
TESS_FN tess_c64 tess__sum_c32(tess_c64 lane, tess_c32 x) { return tess__add_c64(lane, tess__widen_c32(x)); }
TESS_FN tess_c64 tess__prod_c64(tess_c64 lane, tess_c64 x) { return tess__mul_c64(lane, x); }
TESS_FN tess_c64 tess__prod_c32(tess_c64 lane, tess_c32 x) { return tess__mul_c64(lane, tess__widen_c32(x)); }

TESS_FN tess_c64 tess__sum_c16(tess_c64 lane, tess_c32 x)
{
    return tess__sum_c32(lane, tess__c16_to_c32(tess__c32_to_c16(x)));
}

TESS_FN tess_c64 tess__prod_c16(tess_c64 lane, tess_c32 x)
{
    return tess__prod_c32(lane, tess__c16_to_c32(tess__c32_to_c16(x)));
}

#endif
