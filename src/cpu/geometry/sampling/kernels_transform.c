/* Affine transforms, row by row: kernels of every method. Built once per instruction set. */
#include <math.h>
#include <string.h>

#include "cpu/geometry/kernels.h"
#include "cpu/geometry/sampling/sample_line.h"
#include "cpu/template.h"

enum { BLOCK = 64, TAPS = TESS__TRANSFORM_TAPS };

#include "cpu/geometry/sampling/inside_range.c.inc"

#define T float
#define SUFFIX f32
#define FMA __builtin_fmaf
#include "cpu/geometry/sampling/transform.c.inc"

#define T double
#define SUFFIX f64
#define FMA __builtin_fma
#include "cpu/geometry/sampling/transform.c.inc"

void TESS__FILL_KERNELS(geometry, transform)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, transform)(tess__geometry_kernels *kernels)
{
    kernels->transform[0] = transform_f32;
    kernels->transform[1] = transform_f64;
    kernels->set_columns[0] = set_columns_f32;
    kernels->set_columns[1] = set_columns_f64;
}
