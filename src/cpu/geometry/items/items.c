/* Dispatch of functions of small vectors and matrices: each calls the one for the instruction set in use. */
#include "cpu/isa.h"
#include "requests/item_run.h"

#define ITEM(name, a, b, n_out)                                                                                        \
    void tess__item_##name(const tess__item_run *run);                                                                 \
    void tess__item_##name(const tess__item_run *run) { tess__cpu_kernels()->geometry.items.name(run); }
#include "ops/geometry/items/items.def"
