/* Element-wise operators of complex numbers. Built once per instruction set. */
#include "cpu/ewise/operators.h"
#include "tessera/math/complex.op.h"

#define T tess_c32
#define REAL_T float
#define SUFFIX c32
#define DTYPE TESS_C32
#include "cpu/ewise/complex.c.inc"

#define T tess_c64
#define REAL_T double
#define SUFFIX c64
#define DTYPE TESS_C64
#include "cpu/ewise/complex.c.inc"

LANES(lanes_add, tess_c64, tess_c64, op_add_c64)
LANES(lanes_mul, tess_c64, tess_c64, op_mul_c64)

void TESS__FILL_KERNELS(ewise, complex)(tess__ewise_kernels *k);

void TESS__FILL_KERNELS(ewise, complex)(tess__ewise_kernels *k)
{
    fill_operators_c32(k);
    fill_operators_c64(k);
    k->lanes[TESS__STEP_add][TESS_C64] = lanes_add;
    k->lanes[TESS__STEP_mul][TESS_C64] = lanes_mul;
}
