/* Element-wise operators of double precision. Built once per instruction set. */
#include "cpu/ewise/operators.h"
#include "tessera/math/complex.op.h"
#include "tessera/math.h"

#define T double
#define I uint16_t
#define SUFFIX f64
#define C_SUFFIX c64
#define BUILTIN_SUFFIX
#define T_EPSILON 0x1p-52
#define DTYPE TESS_F64
#define T_BOOL 0
#define T_INT 0
#define T_UINT 0
#define T_FLOAT 1
#include "cpu/ewise/operators.c.inc"

void TESS__FILL_KERNELS(ewise, f64)(tess__ewise_kernels *k);

void TESS__FILL_KERNELS(ewise, f64)(tess__ewise_kernels *k) { fill_operators_f64(k); }
