/* Half-precision lanes, which only minima and maxima have: converted to f32 and back. */
#ifndef TESS_CPU_OP_HALF_LANES_H
#define TESS_CPU_OP_HALF_LANES_H

#include "backend.h"
#include "cpu/isa.h"

/* n lanes that lie `step` apart, 0 or 1. */
static inline void tess__widen_halves(float *wide, const void *halves, int64_t step, int64_t n)
{
    char *const p[2] = { (char *)wide, (char *)(uintptr_t)halves };
    tess__cpu_kernels()->convert.cast[TESS__CLAMP][TESS_F16][TESS_F32](p, (int64_t[]){ 1, step }, n, NULL);
}

static inline void tess__narrow_halves(void *halves, float *wide, int64_t n)
{
    char *const p[2] = { halves, (char *)wide };
    tess__cpu_kernels()->convert.cast[TESS__CLAMP][TESS_F32][TESS_F16](p, (int64_t[]){ 1, 1 }, n, NULL);
}

#endif
