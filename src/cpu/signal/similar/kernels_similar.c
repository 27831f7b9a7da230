/* Kernels of bilateral filters and non-local means. Built once per instruction set. */
#include "core/device/cancel.h"
#include "cpu/signal/kernels.h"
#include "cpu/template.h"
#include "formulas/similarity.op.h"

#define T float
#define SUFFIX f32
#include "cpu/signal/similar/similar.c.inc"
#define T double
#define SUFFIX f64
#include "cpu/signal/similar/similar.c.inc"

void TESS__FILL_KERNELS(signal, similar)(tess__signal_kernels *kernels);

#define BOTH(member)                                                                                                   \
    do {                                                                                                               \
        kernels->member[0] = member##_f32;                                                                             \
        kernels->member[1] = member##_f64;                                                                             \
    } while (0)

void TESS__FILL_KERNELS(signal, similar)(tess__signal_kernels *kernels)
{
    BOTH(bilateral);
    BOTH(similar_squares);
    BOTH(patch_weights);
    BOTH(add_similar);
    BOTH(similar_means);
}
