/* Places in sorted rows, bins, and keys of numbers. Built once per instruction set. */
#include <string.h>

#include "cpu/kernels.h"
#include "cpu/template.h"
#include "tessera/math/f16.op.h"

/* Values that are looked for side by side, so that the processor waits for several elements at once. */
enum { LANES = 8 };
#if defined(__clang__)
#define UNROLLED_LANES _Pragma("clang loop unroll(full)")
#else
#define UNROLLED_LANES _Pragma("GCC unroll 8")
#endif

#define T int32_t
#define SUFFIX i32
#define IS_FLOAT 0
#include "cpu/search.c.inc"
#define T uint32_t
#define SUFFIX u32
#define IS_FLOAT 0
#include "cpu/search.c.inc"
#define T int64_t
#define SUFFIX i64
#define IS_FLOAT 0
#include "cpu/search.c.inc"
#define T uint64_t
#define SUFFIX u64
#define IS_FLOAT 0
#include "cpu/search.c.inc"
#define T float
#define SUFFIX f32
#define IS_FLOAT 1
#include "cpu/search.c.inc"
#define T double
#define SUFFIX f64
#define IS_FLOAT 1
#include "cpu/search.c.inc"

/* ---- Keys ----
 *
 * Integers with a sign have its bit turned. Of floats, positive ones get the sign's bit and negative ones are turned in
 * all bits; before that zeros become +0 and NaNs one NaN, which is above everything.
 */
#define KEYS(name, U, to, from)                                                                                        \
    static void to_keys_##name(char *const *p, const int64_t *s, int64_t n, const void *param)                         \
    {                                                                                                                  \
        (void)param;                                                                                                   \
        U            *o = (U *)(void *)p[0];                                                                           \
        const U      *a = (const U *)(const void *)p[1];                                                               \
        const int64_t so = s[0], sa = s[1];                                                                            \
        TESS_IVDEP for (int64_t i = 0; i < n; i++) o[i * so] = to(U, a[i * sa]);                                       \
    }                                                                                                                  \
    static void from_keys_##name(char *const *p, const int64_t *s, int64_t n, const void *param)                       \
    {                                                                                                                  \
        (void)param;                                                                                                   \
        U            *o = (U *)(void *)p[0];                                                                           \
        const U      *a = (const U *)(const void *)p[1];                                                               \
        const int64_t so = s[0], sa = s[1];                                                                            \
        TESS_IVDEP for (int64_t i = 0; i < n; i++) o[i * so] = from(U, a[i * sa]);                                     \
    }
#define TOP(U) ((U)((U)1 << (8 * sizeof(U) - 1)))
#define BOOL_KEY(U, x) ((U)((x) != 0))
#define SAME(U, x) (x)
#define TURNED(U, x) ((U)((x) ^ TOP(U)))
#define FLOAT_KEY(U, x) float_key_##U(x)
#define KEY_FLOAT(U, x) ((U)((x)&TOP(U) ? (x) ^ TOP(U) : ~(x)))

/* infinity and nan are the bits of these without a sign. */
#define DEFINE_FLOAT_KEY(U, infinity, nan)                                                                             \
    static inline U float_key_##U(U x)                                                                                 \
    {                                                                                                                  \
        const U size = (U)(x & (U)~TOP(U));                                                                            \
        const U plain = size == 0 ? (U)0 : size > (U)(infinity) ? (U)(nan) : x;                                        \
        return (U)(plain & TOP(U) ? ~plain : plain | TOP(U));                                                          \
    }
DEFINE_FLOAT_KEY(uint16_t, 0x7c00, 0x7e00)
DEFINE_FLOAT_KEY(uint32_t, 0x7f800000, 0x7fc00000)
DEFINE_FLOAT_KEY(uint64_t, UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000))

KEYS(bool, uint8_t, BOOL_KEY, SAME)
KEYS(i8, uint8_t, TURNED, TURNED)
KEYS(i16, uint16_t, TURNED, TURNED)
KEYS(i32, uint32_t, TURNED, TURNED)
KEYS(i64, uint64_t, TURNED, TURNED)
KEYS(u8, uint8_t, SAME, SAME)
KEYS(u16, uint16_t, SAME, SAME)
KEYS(u32, uint32_t, SAME, SAME)
KEYS(u64, uint64_t, SAME, SAME)
KEYS(f16, uint16_t, FLOAT_KEY, KEY_FLOAT)
KEYS(f32, uint32_t, FLOAT_KEY, KEY_FLOAT)
KEYS(f64, uint64_t, FLOAT_KEY, KEY_FLOAT)

void TESS__FILL_KERNELS(search)(tess__kernels *kernels)
{
#define ENTRY(name, DTYPE)                                                                                             \
    kernels->keys[TESS__TO_KEYS][DTYPE] = to_keys_##name, kernels->keys[TESS__FROM_KEYS][DTYPE] = from_keys_##name;
    ENTRY(bool, TESS_BOOL)
    ENTRY(i8, TESS_I8)
    ENTRY(i16, TESS_I16)
    ENTRY(i32, TESS_I32)
    ENTRY(i64, TESS_I64)
    ENTRY(u8, TESS_U8)
    ENTRY(u16, TESS_U16)
    ENTRY(u32, TESS_U32)
    ENTRY(u64, TESS_U64)
    ENTRY(f16, TESS_F16)
    ENTRY(f32, TESS_F32)
    ENTRY(f64, TESS_F64)
#undef ENTRY
    kernels->search[TESS_I32] = search_i32;
    kernels->search[TESS_U32] = search_u32;
    kernels->search[TESS_I64] = search_i64;
    kernels->search[TESS_U64] = search_u64;
    kernels->search[TESS_F32] = search_f32;
    kernels->search[TESS_F64] = search_f64;
    kernels->bins[TESS_F32] = bins_f32;
    kernels->bins[TESS_F64] = bins_f64;
}
