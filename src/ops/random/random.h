/* Random-number operations: the rows, descriptions and checks that they share. */
#ifndef TESS_OPS_RANDOM_RANDOM_H
#define TESS_OPS_RANDOM_RANDOM_H

#include "backend.h"
#include "core/table/table.h"
#include "tessera/random.h"

/* Rows of what all of them have. */
#define TESS__RANDOM_ARGS                                                                                              \
    TESS__NEED(TESS_ARG_U64, "seed", "seed; equal seeds give equal numbers"),                                          \
        TESS__OPT_U32(tess_random_opts, stream, "", 0, 4294967295.0, "number of the sequence for this seed"),          \
        TESS__OPT_I32(tess_random_opts, unused, "", 0, 0, 0, "must be 0"),                                             \
        TESS__OPT_U64(tess_random_opts, offset, "", 0, 0x1p62, "index of the first element in the sequence")

/* The description of random_NAME, whose rows are NAME_args, and how it is called. */
#define TESS__RANDOM_INFO(name, help, ...)                                                                             \
    TESS__CALL(random_##name, __VA_ARGS__)                                                                             \
    const tess_function_info tess__info_random_##name =                                                                \
        TESS__OP_OPTS(TESS_CUT_NONE, random_##name, "random", help, name##_args, tess_random_opts)

/* Checks the options and that `out` can be written, and fills the struct with them. */
tess_status tess__random_begin(tess__random *work, const tess_function_info *info, int kind, tess_array *out,
                               uint64_t seed, const tess_random_opts *opts);

#endif
