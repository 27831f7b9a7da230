/* Interpolation kernels of the virtual machine. Built once per instruction set. */
#include <string.h>

#include "cpu/op/kernels.h"
#include "cpu/template.h"
#include "lang/front/tree.h"
#include "tessera/math/interp.op.h"

#define E f32
#define T float
#define DTYPE TESS_F32
#include "cpu/op/interp.c.inc"
#define E f64
#define T double
#define DTYPE TESS_F64
#include "cpu/op/interp.c.inc"
#define E c32
#define T tess_c32
#define DTYPE TESS_C32
#include "cpu/op/interp.c.inc"
#define E c64
#define T tess_c64
#define DTYPE TESS_C64
#include "cpu/op/interp.c.inc"

void TESS__FILL_KERNELS(op, interp)(tess__op_kernels *k);

void TESS__FILL_KERNELS(op, interp)(tess__op_kernels *k)
{
    fill_interp_f32(k);
    fill_interp_f64(k);
    fill_interp_c32(k);
    fill_interp_c64(k);
}
