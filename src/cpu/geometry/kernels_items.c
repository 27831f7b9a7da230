/* Functions of small vectors and matrices, a block of items at a time. Built once per instruction set. */
#include "cpu/geometry/kernels.h"
#include "cpu/template.h"
#include "formulas/rotation.op.h"

/* Numbers lie so that neighbours are those of neighbouring items: what has no branches becomes vectors. */
#define ITEM(name, n_in, n_out)                                                                                        \
    static __attribute__((flatten)) void item_##name(double *restrict out, const double *restrict in,                  \
                                                     const double *restrict val, int64_t n_val, int64_t n)             \
    {                                                                                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            double from[n_in], to[n_out];                                                                              \
            for (int k = 0; k < (n_in); k++) from[k] = in[k * TESS__ITEM_BLOCK + i];                                   \
            tess__##name(from, val, n_val, to);                                                                        \
            for (int k = 0; k < (n_out); k++) out[k * TESS__ITEM_BLOCK + i] = to[k];                                   \
        }                                                                                                              \
    }
#include "ops/geometry/items.def"

void TESS__FILL_KERNELS(geometry, items)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, items)(tess__geometry_kernels *kernels)
{
#define ITEM(name, n_in, n_out) kernels->items.name = item_##name;
#include "ops/geometry/items.def"
}
