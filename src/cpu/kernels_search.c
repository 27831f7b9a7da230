/* Places in sorted rows, and bins. Built once per instruction set. */
#include "cpu/kernels.h"
#include "cpu/template.h"

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

void TESS__FILL_KERNELS(search)(tess__kernels *kernels)
{
    kernels->search[TESS_I32] = search_i32;
    kernels->search[TESS_U32] = search_u32;
    kernels->search[TESS_I64] = search_i64;
    kernels->search[TESS_U64] = search_u64;
    kernels->search[TESS_F32] = search_f32;
    kernels->search[TESS_F64] = search_f64;
    kernels->bins[TESS_F32] = bins_f32;
    kernels->bins[TESS_F64] = bins_f64;
}
