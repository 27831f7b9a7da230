/* Dispatch of functions of small vectors and matrices: each calls the one for the instruction set in use. */
#include "cpu/isa.h"

#define ITEM(name, n_in, n_out)                                                                                        \
    void tess__item_##name(double *out, const double *in, const double *val, int64_t n_val, int64_t n);                \
    void tess__item_##name(double *out, const double *in, const double *val, int64_t n_val, int64_t n)                 \
    {                                                                                                                  \
        tess__cpu_kernels()->geometry.items.name(out, in, val, n_val, n);                                              \
    }
#include "ops/geometry/items.def"
