/* Dispatch of the library's own operators: each function calls the one for the instruction set in use. */
#include "cpu/isa.h"
#include "tessera/op.h"

#define OPERATOR(name)                                                                                                 \
    void tess__library_##name##_tile(const tess_tile *tile);                                                           \
    void tess__library_##name##_join(const tess_tile *tile);                                                           \
    void tess__library_##name##_post(const tess_tile *tile);                                                           \
    void tess__library_##name##_tile(const tess_tile *tile) { tess__cpu_kernels()->op.library.name.tile(tile); }       \
    void tess__library_##name##_join(const tess_tile *tile) { tess__cpu_kernels()->op.library.name.join(tile); }       \
    void tess__library_##name##_post(const tess_tile *tile) { tess__cpu_kernels()->op.library.name.post(tile); }
#include "ops/ewise/each_operator.def"
