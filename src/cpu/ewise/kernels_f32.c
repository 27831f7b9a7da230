/* Element-wise operators of single precision. Built once per instruction set. */
#include "cpu/ewise/operators.h"
#include "tessera/math/complex.op.h"
#include "tessera/math.h"

#define T float
#define I uint8_t
#define SUFFIX f32
#define C_SUFFIX c32
#define BUILTIN_SUFFIX f
#define T_EPSILON 0x1p-23f
#define DTYPE TESS_F32
#define T_BOOL 0
#define T_INT 0
#define T_UINT 0
#define T_FLOAT 1
#include "cpu/ewise/operators.c.inc"

void TESS__FILL_KERNELS(ewise, f32)(tess__ewise_kernels *k);

void TESS__FILL_KERNELS(ewise, f32)(tess__ewise_kernels *k) { fill_operators_f32(k); }
