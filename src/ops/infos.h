/* The descriptions of all operations. */
#ifndef TESS_OPS_INFOS_H
#define TESS_OPS_INFOS_H

#include "tessera/table.h"

/* In the order of their names. */
#define TESS__INFOS(X)                                                                                                 \
    X(arange)                                                                                                          \
    X(cast)                                                                                                            \
    X(concatenate)                                                                                                     \
    X(copy)                                                                                                            \
    X(eye)                                                                                                             \
    X(fill)                                                                                                            \
    X(fill_element)                                                                                                    \
    X(full)                                                                                                            \
    X(linspace)                                                                                                        \
    X(ones)                                                                                                            \
    X(permute_copy)                                                                                                    \
    X(to_device)                                                                                                       \
    X(zeros)

#define TESS__INFO_DECLARE(name) extern const tess_op_info tess__info_##name;
TESS__INFOS(TESS__INFO_DECLARE)
#undef TESS__INFO_DECLARE

#endif
