/* Rank filter kernels: keys, minima, maxima, medians by selection networks, any rank by merged columns, bits or
 * histograms. Built once
 * per instruction set. */
#include <string.h>

#include "cpu/signal/kernels.h"
#include "cpu/template.h"
#include "formulas/rank_keys.op.h"

#if defined(__AVX512F__)
enum { BYTES = 64 };
#elif defined(__AVX__)
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif

/* ---- Keys ---- */

#define SAME(x) (x)
#define IS_NOT_ZERO(x) ((x) != 0)
#define FLIP_8(x) ((x) ^ 0x80)
#define FLIP_16(x) ((x) ^ 0x8000)
#define FLIP_32(x) ((uint32_t)(x) ^ 0x80000000u)
#define FLIP_64(x) ((uint64_t)(x) ^ UINT64_C(0x8000000000000000))

#define S uint8_t
#define K uint8_t
#define TO_KEY IS_NOT_ZERO
#define FROM_KEY SAME
#define SUFFIX truth
#include "cpu/signal/keys.c.inc"
#define S uint8_t
#define K uint8_t
#define TO_KEY SAME
#define FROM_KEY SAME
#define SUFFIX u8
#include "cpu/signal/keys.c.inc"
#define S uint8_t
#define K uint8_t
#define TO_KEY FLIP_8
#define FROM_KEY FLIP_8
#define SUFFIX i8
#include "cpu/signal/keys.c.inc"
#define S int16_t
#define K int16_t
#define TO_KEY SAME
#define FROM_KEY SAME
#define SUFFIX i16
#include "cpu/signal/keys.c.inc"
#define S uint16_t
#define K int16_t
#define TO_KEY FLIP_16
#define FROM_KEY FLIP_16
#define SUFFIX u16
#include "cpu/signal/keys.c.inc"
#define S int32_t
#define K int32_t
#define TO_KEY SAME
#define FROM_KEY SAME
#define SUFFIX i32
#include "cpu/signal/keys.c.inc"
#define S uint32_t
#define K int32_t
#define TO_KEY FLIP_32
#define FROM_KEY FLIP_32
#define SUFFIX u32
#include "cpu/signal/keys.c.inc"
#define S int64_t
#define K int64_t
#define TO_KEY SAME
#define FROM_KEY SAME
#define SUFFIX i64
#include "cpu/signal/keys.c.inc"
#define S uint64_t
#define K int64_t
#define TO_KEY FLIP_64
#define FROM_KEY FLIP_64
#define SUFFIX u64
#include "cpu/signal/keys.c.inc"
#define S int16_t
#define K int16_t
#define TO_KEY tess__rank_key_16
#define FROM_KEY tess__rank_bits_16
#define SUFFIX f16
#include "cpu/signal/keys.c.inc"
#define S int32_t
#define K int32_t
#define TO_KEY tess__rank_key_32
#define FROM_KEY tess__rank_bits_32
#define SUFFIX f32
#include "cpu/signal/keys.c.inc"
#define S int64_t
#define K int64_t
#define TO_KEY tess__rank_key_64
#define FROM_KEY tess__rank_bits_64
#define SUFFIX f64
#include "cpu/signal/keys.c.inc"

/* ---- Ranks ---- */

#define K uint8_t
#define UK uint8_t
#define LOWEST 0
#define SUFFIX 8
#include "cpu/signal/rank.c.inc"
#define K int16_t
#define UK uint16_t
#define LOWEST INT16_MIN
#define SUFFIX 16
#include "cpu/signal/rank.c.inc"
#define K int32_t
#define UK uint32_t
#define LOWEST INT32_MIN
#define SUFFIX 32
#include "cpu/signal/rank.c.inc"
#define K int64_t
#define UK uint64_t
#define LOWEST INT64_MIN
#define SUFFIX 64
#include "cpu/signal/rank.c.inc"

#define K int16_t
#define LOWEST INT16_MIN
#define SUFFIX 16
#include "cpu/signal/rank_merge.c.inc"
#define K int32_t
#define LOWEST INT32_MIN
#define SUFFIX 32
#include "cpu/signal/rank_merge.c.inc"
#define K int64_t
#define LOWEST INT64_MIN
#define SUFFIX 64
#include "cpu/signal/rank_merge.c.inc"

#define K uint8_t
#define FIRST 0
#define COARSE 0
#define SUFFIX 8
#include "cpu/signal/rank_histogram.c.inc"
#define K int16_t
#define FIRST INT16_MIN
#define COARSE 1
#define SUFFIX 16
#include "cpu/signal/rank_histogram.c.inc"

#include "cpu/signal/rank_columns.c.inc"

#define ALL_SIZES(member, name)                                                                                        \
    do {                                                                                                               \
        kernels->member[0] = name##_8;                                                                                 \
        kernels->member[1] = name##_16;                                                                                \
        kernels->member[2] = name##_32;                                                                                \
        kernels->member[3] = name##_64;                                                                                \
    } while (0)
#define BOTH_WAYS(NAME, name)                                                                                          \
    (kernels->to_keys[TESS_##NAME] = to_keys_##name, kernels->from_keys[TESS_##NAME] = from_keys_##name)

void TESS__FILL_KERNELS(signal, rank)(tess__signal_kernels *kernels);

void TESS__FILL_KERNELS(signal, rank)(tess__signal_kernels *kernels)
{
    BOTH_WAYS(BOOL, truth);
    BOTH_WAYS(I8, i8);
    BOTH_WAYS(I16, i16);
    BOTH_WAYS(I32, i32);
    BOTH_WAYS(I64, i64);
    BOTH_WAYS(U8, u8);
    BOTH_WAYS(U16, u16);
    BOTH_WAYS(U32, u32);
    BOTH_WAYS(U64, u64);
    BOTH_WAYS(F16, f16);
    BOTH_WAYS(F32, f32);
    BOTH_WAYS(F64, f64);
    ALL_SIZES(minimum, minimum);
    ALL_SIZES(maximum, maximum);
    ALL_SIZES(median_of_3, median_of_3);
    ALL_SIZES(median_of_5, median_of_5);
    ALL_SIZES(median_of_7, median_of_7);
    ALL_SIZES(median_3x3, median_of_3x3);
    ALL_SIZES(median_5x5, median_of_5x5);
    ALL_SIZES(bits, bits);
    kernels->merge[1] = merge_columns_16;
    kernels->merge[2] = merge_columns_32;
    kernels->merge[3] = merge_columns_64;
    kernels->histogram[0] = histogram_8;
    kernels->histogram[1] = histogram_16;
    kernels->columns = columns_8;
}
