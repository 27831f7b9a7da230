/* Definitions of the library's own operators: their texts here, their functions among the kernels of the CPU.
 *
 * A file that includes this and then a list as ops/signal/taper.def has a `static tess_op_def` for each operator of it.
 * Its functions, tess__library_NAME_tile and so on (cpu/op/library.c), run what was built for the instruction set in
 * use. */
#ifndef TESS_OPS_OP_LIBRARY_H
#define TESS_OPS_OP_LIBRARY_H

#include "tessera/op.h"

#define LIBRARY_OPERATOR(name, params, params_text, body_text, mode)                                                   \
    void tess__library_##name##_tile(const tess_tile *tile);                                                           \
    void tess__library_##name##_join(const tess_tile *tile);                                                           \
    void tess__library_##name##_post(const tess_tile *tile);                                                           \
    TESS__DEFINITION(name, params, params_text, body_text, mode, tess__library_##name)

#define EWISE(name, params, ...) LIBRARY_OPERATOR(name, params, #params, #__VA_ARGS__, EWISE)
#define IWISE(name, params, ...) LIBRARY_OPERATOR(name, params, #params, #__VA_ARGS__, IWISE)
#define REDUCE(name, params, ...) LIBRARY_OPERATOR(name, params, #params, #__VA_ARGS__, REDUCE)
#define STRUCT(name, members) TESS_STRUCT(name, members)
#define DEVICE_FN(type, name, params, ...)                                                                             \
    TESS__DEVICE_TEXT(name, "fn " #type " " #name #params " { " #__VA_ARGS__ " }")                                     \
    TESS__DEVICE_FN(type, name, params, __VA_ARGS__)

#endif
