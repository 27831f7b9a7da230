/* B-spline prefilter: vectors side by side, forwards and backwards. Built once per instruction set. */
#include "cpu/geometry/kernels.h"
#include "cpu/geometry/sampling/prefilter_lines.h"
#include "cpu/template.h"
#include "formulas/geometry/prefilter.op.h"

enum { LANES = TESS__PREFILTER_LANES, PACK = TESS__PREFILTER_PACK };

#define T float
#define SUFFIX f32
#define FMA __builtin_fmaf
#define TERMS TESS__PREFILTER_TERMS_F32
#include "cpu/geometry/sampling/prefilter.c.inc"

#define T double
#define SUFFIX f64
#define FMA __builtin_fma
#define TERMS TESS__PREFILTER_TERMS_F64
#include "cpu/geometry/sampling/prefilter.c.inc"

void TESS__FILL_KERNELS(geometry, prefilter)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, prefilter)(tess__geometry_kernels *kernels)
{
    kernels->prefilter[0] = prefilter_f32;
    kernels->prefilter[1] = prefilter_f64;
}
