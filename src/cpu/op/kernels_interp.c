/* Interpolation kernels of the virtual machine. Built once per instruction set. */
#include <string.h>

#include "cpu/geometry/sampling/sample_line.h"
#include "cpu/op/kernels.h"
#include "cpu/template.h"
#include "lang/front/tree.h"

enum { BLOCK = 64, TAPS = TESS__TRANSFORM_TAPS, FEW = 4 };
enum { MISSES, REACHES, INSIDE }; /* kinds of windows */

/* Whether results i and j are of the same image or volume, and j is wanted. */
static inline bool is_alike(const void *const *p, const int64_t *s, int64_t i, int64_t j, bool volume)
{
    const int64_t *b = p[0], *d = p[1];
    const uint8_t *mask = p[4];
    if (mask && !mask[j * s[4]]) return false;
    return b[i * s[0]] == b[j * s[0]] && (volume || d[i * s[1]] == d[j * s[1]]);
}

#define T float
#define SUFFIX f32
#define FMA __builtin_fmaf
#include "cpu/geometry/sampling/sample_windows.c.inc"
#define E f32
#define VALUE float
#define PARTS 1
#include "cpu/op/interp_coordinates.c.inc"
#define E c32
#define VALUE tess_c32
#define PARTS 2
#include "cpu/op/interp_coordinates.c.inc"
#undef T
#undef SUFFIX
#undef FMA

#define T double
#define SUFFIX f64
#define FMA __builtin_fma
#include "cpu/geometry/sampling/sample_windows.c.inc"
#define E f64
#define VALUE double
#define PARTS 1
#include "cpu/op/interp_coordinates.c.inc"
#define E c64
#define VALUE tess_c64
#define PARTS 2
#include "cpu/op/interp_coordinates.c.inc"
#undef T
#undef SUFFIX
#undef FMA

void TESS__FILL_KERNELS(op, interp)(tess__op_kernels *k);

void TESS__FILL_KERNELS(op, interp)(tess__op_kernels *k)
{
#define ENTRIES(NUMBER, element)                                                                                       \
    k->interp[0][TESS_##NUMBER] = interp_##element##_f32;                                                              \
    k->interp[1][TESS_##NUMBER] = interp_##element##_f64;
    ENTRIES(F32, f32)
    ENTRIES(F64, f64)
    ENTRIES(C32, c32)
    ENTRIES(C64, c64)
#undef ENTRIES
}
